import Futures
public import Observation

/// Whether a value is fetched that is here already.
public enum LoadMode: Sendable, Hashable {
    /// Not if it is here, or on its way.
    case ifNeeded
    /// In any case, and anew if it is on its way: what was asked for before is not new enough.
    case revalidate
}

/// Fetches a value, shows how far it is, and never shows an answer to an older question.
///
///     let photo = Loader { (url: URL, report) in try await fetcher.photo(at: url, progress: report) }
///     photo.load(url)
///     switch photo.state { … }       // none, fetching, found or failed: always one of them
///
/// What was there before stays until there is something newer: ``value`` is what can be shown meanwhile. To load something
/// else cancels what is under way, and nothing that still comes of it is listened to. What fails is tried again, as
/// ``LoaderSettings/retry`` says; without a network it pauses until a connection can be made.
///
/// Each property is observed for itself, and notifies only when it has become another: ``value`` not while the same value is
/// fetched again, and not if what came is equal. Read and ask on the main actor, which is not kept waiting: the fetch runs
/// elsewhere.
///
/// The type of the errors is the fetch's own, so that whoever shows a failure can switch over it, and a state is equatable
/// where its parts are; a fetch that throws anything makes it `any Error`. The loader itself never makes an error up: a fetch
/// that is cancelled has no outcome.
///
/// Releasing a loader cancels what it has under way.
@MainActor
@Observable
public final class Loader<Source: Hashable & Sendable, Value: Sendable, Failure: Error> {
    /// How far the value is.
    public private(set) var state: LoadingState<Source, Value, Failure> = .none
    /// The value that can be shown: the one that was found, or the one from before.
    public private(set) var value: Value?
    /// What was asked for last, whatever became of it.
    public private(set) var source: Source?
    /// Where ``value`` came from; not ``source`` while that is on its way, or could not be had.
    public private(set) var valueSource: Source?
    /// How much has arrived; `nil` if nothing is fetched, or nobody has said.
    ///
    /// Between two that come quickly one may be left out; the last one comes before the end.
    public private(set) var progress: FetchProgress?
    /// The number of the attempt that is under way, or that failed last while another one follows; 0 if nothing is fetched.
    ///
    /// An attempt that found no network does not count.
    public private(set) var attempt = 0
    /// How long the pause is that the next attempt comes after; `nil` if there is none.
    ///
    /// ``timeToNextRetry`` says how much of it is left.
    public private(set) var nextRetry: Duration?
    /// Whether it waits for a network.
    public private(set) var isPaused = false
    /// Why the last attempt failed, while others follow; what failed for good is in the state.
    public private(set) var lastFailure: Failure?

    typealias Machine = LoaderStateMachine<Source, Value, Failure>

    @ObservationIgnored let settings: LoaderSettings
    @ObservationIgnored let time: Stopwatch
    @ObservationIgnored let probe: (any ConnectionProbe<Source>)?
    @ObservationIgnored let fetch:
        @Sendable (Source, @escaping @Sendable (FetchProgress) -> Void) async throws(Failure) -> Value
    @ObservationIgnored var machine: Machine
    /// What is under way, and what cancels it.
    @ObservationIgnored var tasks: [Machine.WorkID: Task<Void, Never>] = [:]
    @ObservationIgnored var waiters: [Int: Waiter] = [:]
    @ObservationIgnored var lastWaiter = 0
    @ObservationIgnored private var events = 0
    @ObservationIgnored private var isShowing = false
    @ObservationIgnored private var shownLook = Machine.Look.none
    @ObservationIgnored private var shownValue = 0
    @ObservationIgnored private var shownFailure: Machine.WorkID?

    /// Creates a loader that has nothing, and fetches nothing.
    ///
    /// - Parameters:
    ///   - settings: How it does what it does.
    ///   - probe: Finds out whether there is a network again. Without one, an attempt that found no network is one that
    ///     failed.
    ///   - fetch: Fetches the value of a source, on no actor. What it is given besides takes reports of how far it is, from
    ///     any thread and as often as it likes. When its task is cancelled, it should end soon; whatever it returns or throws
    ///     then, nobody sees it.
    public init(
        settings: LoaderSettings = LoaderSettings(), probe: (any ConnectionProbe<Source>)? = nil,
        fetch:
            @escaping @Sendable (Source, @escaping @Sendable (FetchProgress) -> Void) async throws(Failure) -> Value
    ) {
        self.settings = settings
        self.time = Stopwatch(settings.clock)
        self.probe = probe
        self.fetch = fetch
        self.machine = Machine(
            prefetchLimit: settings.prefetchLimit, prefetchLifetime: settings.prefetchLifetime)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }
}

// MARK: - What is asked for

extension Loader {
    /// Fetches the value of a source, unless it is here already, or on its way; what is fetched else is cancelled.
    ///
    /// The value of before stays until this one is here. What has failed is fetched again. What was fetched ahead is taken.
    ///
    /// - Parameters:
    ///   - source: Where the value is to come from.
    ///   - mode: Whether it is fetched even if it is here.
    public func load(_ source: Source, _ mode: LoadMode = .ifNeeded) {
        perform(machine.load(source, mode, now: time.elapsed))
    }

    /// Fetches what failed once more; what pauses before its next attempt, or for want of a network, at once.
    ///
    /// Attempts are counted from one again. Where nothing has failed, and nothing pauses, it does nothing.
    public func retry() {
        perform(machine.retry(now: time.elapsed))
    }

    /// Fetches what was asked for last anew, and keeps showing what is here meanwhile.
    public func revalidate() {
        perform(machine.revalidate(now: time.elapsed))
    }

    /// Gives up what is being fetched: the value from before is what there is, without a failure from before.
    ///
    /// Who waits for it gets a `CancellationError`.
    public func cancel() {
        perform(machine.cancel())
    }

    /// Forgets the value, the failure and the source, cancels what is being fetched, also ahead.
    public func reset() {
        perform(machine.reset())
    }

    /// Fetches a value ahead, for a ``load(_:_:)`` that is to come.
    ///
    /// It shows nothing. Loading that source takes the value, or joins the fetch, which then is cancelled with it. It is
    /// fetched once: if that fails, loading fetches it again. See ``LoaderSettings/prefetchLimit-property``.
    ///
    /// - Parameter source: Where the value is to come from.
    public func prefetch(_ source: Source) {
        perform(machine.prefetch(source, now: time.elapsed))
    }

    /// Does without a value that was, or is being, fetched ahead.
    ///
    /// - Parameter source: Where it was to come from.
    public func cancelPrefetch(_ source: Source) {
        perform(machine.cancelPrefetch(source))
    }

    /// How long it is until the next attempt; `nil` if there is no pause.
    ///
    /// Time passes without notifying anybody.
    public var timeToNextRetry: Duration? {
        guard nextRetry != nil, let end = machine.pauseEnd else { return nil }
        return max(end - time.elapsed, .zero)
    }
}

// MARK: - What is shown

extension Loader {
    /// Tells those who read something that has become another.
    ///
    /// Whoever is told may ask for something at once; then what is about to be shown is stale, and all of it is looked at
    /// again.
    func show() {
        events += 1
        guard !isShowing else { return }
        isShowing = true
        defer { isShowing = false }
        var shown: Int
        repeat {
            shown = events
            showOnce()
        } while shown != events
    }

    private func showOnce() {
        if machine.valueNumber != shownValue {
            shownValue = machine.valueNumber
            value = machine.loading.state.value
        }
        if machine.loading.valueSource != valueSource { valueSource = machine.loading.valueSource }
        if machine.loading.source != source { source = machine.loading.source }
        if machine.loading.progress != progress { progress = machine.loading.progress }
        if machine.attempt != attempt { attempt = machine.attempt }
        if machine.pause != nextRetry { nextRetry = machine.pause }
        if machine.isDisconnected != isPaused { isPaused = machine.isDisconnected }
        if machine.lastFailureID != shownFailure {
            shownFailure = machine.lastFailureID
            lastFailure = machine.lastFailure
        }
        // Last, so that who is told of the state finds the rest as it is.
        if machine.look != shownLook {
            shownLook = machine.look
            state = machine.loading.state
        }
    }
}

import Futures
public import Observation

/// Whether ``Loader/load(_:_:)`` fetches a value that is already here.
public enum LoadMode: Sendable, Hashable {
    /// Fetch only if the value is neither here nor being fetched.
    case ifNeeded
    /// Fetch in any case, and cancel a fetch of the same source that runs.
    case revalidate
}

/// Fetches a value, shows its state, and never shows a stale answer.
///
///     let photo = Loader { (url: URL, report) in try await fetcher.photo(at: url, progress: report) }
///     photo.load(url)
///     switch photo.state { … }       // idle, fetching, found or failed
///
/// The value from before stays visible until a newer one arrives. Loading another source cancels the fetch that runs. A fetch that
/// fails is retried as ``LoaderSettings/retry`` says; without a network it waits for a connection.
///
/// Each property notifies its observers only when it changes: ``value`` not while the same value is fetched again, and not if an
/// equal one arrives. The fetch runs off the main actor.
///
/// Errors have the fetch's own type; a fetch that throws anything makes it `any Error`. A cancelled fetch has no outcome.
///
/// Releasing a loader cancels its fetches.
@MainActor
@Observable
public final class Loader<Source: Hashable & Sendable, Value: Sendable, Failure: Error> {
    typealias Machine = LoaderStateMachine<Source, Value, Failure>

    @ObservationIgnored let settings: LoaderSettings
    @ObservationIgnored let time: Stopwatch
    @ObservationIgnored let probe: (any ConnectionProbe<Source>)?
    @ObservationIgnored let fetch:
        @Sendable (Source, @escaping @Sendable (FetchProgress) -> Void) async throws(Failure) -> Value
    @ObservationIgnored var machine: Machine
    /// The work that runs.
    @ObservationIgnored var tasks: [Machine.WorkID: Task<Void, Never>] = [:]
    /// The outcome of the fetch that runs, if callers wait for it.
    ///
    /// Released unsettled when the fetch is given up: the callers get a `CancellationError`.
    @ObservationIgnored var outcome: Promise<Result<Value, Failure>, CancellationError>?
    /// What observers have been notified of; `nil` while they are notified.
    @ObservationIgnored private var notified: Machine.Look? = Machine.Look()

    /// Creates an idle loader.
    ///
    /// - Parameters:
    ///   - settings: Retries, what is fetched ahead, and the clock.
    ///   - probe: Finds out whether there is a network again. Without one, an attempt that found no network counts as failed.
    ///   - fetch: Fetches the value of a source, on no actor. Its second argument takes reports of the progress, from any
    ///     thread, as often as it likes. When its task is cancelled it should end soon; its result is dropped then.
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

// MARK: - Requests

extension Loader {
    /// Fetches the value of a source, unless it is here or being fetched; cancels any other fetch.
    ///
    /// The value from before stays until this one arrives. A source that failed is fetched again.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - mode: Whether it is fetched even if it is here.
    public func load(_ source: Source, _ mode: LoadMode = .ifNeeded) {
        perform(machine.load(source, mode, now: time.elapsed))
    }

    /// Fetches again what failed; ends a pause before the next attempt, or the wait for a network.
    ///
    /// Attempts are counted from one again. Does nothing unless a fetch failed or pauses.
    public func retry() {
        perform(machine.retry(now: time.elapsed))
    }

    /// Fetches the source of the value that was found anew, otherwise the one that was asked for last.
    public func revalidate() {
        perform(machine.revalidate(now: time.elapsed))
    }

    /// Cancels the fetch: the state becomes `found` with the value from before, or `idle`.
    ///
    /// Callers that wait for its value get a `CancellationError`.
    public func cancel() {
        perform(machine.cancel())
    }

    /// Forgets the value, the failure and the source, and cancels all fetches, also those ahead.
    public func reset() {
        perform(machine.reset())
    }

    /// Fetches a value ahead, for a later ``load(_:_:)``.
    ///
    /// Nothing changes visibly. Loading that source takes the value, or joins the fetch. It has one attempt: if that fails, loading
    /// fetches it again. See ``LoaderSettings/prefetchLimit-property``.
    public func prefetch(_ source: Source) {
        perform(machine.prefetch(source, now: time.elapsed))
    }

    /// Drops a value that was fetched ahead, or cancels its fetch.
    public func cancelPrefetch(_ source: Source) {
        perform(machine.cancelPrefetch(source))
    }
}

// MARK: - What is shown

extension Loader {
    /// The state: nothing, fetching, found or failed.
    public var state: LoadingState<Source, Value, Failure> { observed(\.state, machine.loadingState) }

    /// The value to show: the one that was found, or the one from before.
    public var value: Value? { observed(\.value, machine.content?.value) }

    /// The source that was asked for last, whatever became of it.
    public var source: Source? { observed(\.source, machine.source) }

    /// The source of ``value``; not ``source`` while that is fetched or after it failed.
    public var valueSource: Source? { observed(\.valueSource, machine.content?.source) }

    /// How much has arrived; `nil` if nothing is fetched, or the fetch hasn't reported.
    ///
    /// Of reports that follow each other quickly some are left out; the last one comes before the end.
    public var progress: FetchProgress? { observed(\.progress, machine.progress) }

    /// The number of the attempt that runs, or that failed last while another one follows; 0 if nothing is fetched.
    ///
    /// An attempt that found no network doesn't count.
    public var attempt: Int { observed(\.attempt, machine.fetch?.attempt ?? 0) }

    /// The length of the pause before the next attempt; `nil` if there is none.
    public var nextRetry: Duration? { observed(\.nextRetry, machine.pause?.length) }

    /// Whether it waits for a network.
    public var isPaused: Bool { observed(\.isPaused, machine.isPaused) }

    /// Why the last attempt failed, while others follow; a final failure is in ``state``.
    public var lastFailure: Failure? { observed(\.lastFailure, machine.fetch?.lastFailure?.failure) }

    private func observed<Member, Shown>(_ property: KeyPath<Loader, Member>, _ shown: Shown) -> Shown {
        access(keyPath: property)
        return shown
    }

    /// Notifies the observers of each property that has changed.
    ///
    /// An observer may ask for something at once: then all properties are compared again.
    func notify() {
        guard var before = notified else { return }
        notified = nil
        defer { notified = before }
        while case let look = machine.look, look != before {
            let old = before
            before = look
            if look.version != old.version { changed(\.value) }
            if look.valueSource != old.valueSource { changed(\.valueSource) }
            if look.source != old.source { changed(\.source) }
            if look.progress != old.progress { changed(\.progress) }
            if look.attempt != old.attempt { changed(\.attempt) }
            if look.pause != old.pause { changed(\.nextRetry) }
            if look.isPaused != old.isPaused { changed(\.isPaused) }
            if look.lastFailure != old.lastFailure { changed(\.lastFailure) }
            if (look.fetching, look.failed, look.version) != (old.fetching, old.failed, old.version) {
                changed(\.state)
            }
        }
    }

    private func changed<Member>(_ property: KeyPath<Loader, Member>) {
        withMutation(keyPath: property) {}
    }
}

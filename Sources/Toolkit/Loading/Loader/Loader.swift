import Futures
public import Observation

/// Whether ``Loader/load(_:_:)`` fetches a value that is already available.
public enum LoadMode: Sendable, Hashable {
    /// Fetch only if the value is neither available nor being fetched.
    case ifNeeded
    /// Fetch in any case, and cancel a running fetch of the same source.
    case revalidate
}

/// Loads a value, publishes its loading state, and never shows a stale response.
///
///     let photo = Loader { (url: URL, report) in try await fetcher.photo(at: url, progress: report) }
///     photo.load(url)
///     switch photo.state { … }       // idle, fetching, found or failed
///
/// The previous value stays visible until a newer one arrives. Loading another source cancels the running fetch. A failed fetch
/// is retried according to ``LoaderSettings/retry``; without a network, a loader with a probe waits for a connection.
///
/// Each property notifies its observers only when it changes: ``value`` doesn't while the same source is fetched again,
/// nor when an equal value arrives. Fetches run off the main actor.
///
/// Errors have the fetch's own error type, which is `any Error` for an untyped `throws`. A cancelled fetch has no outcome.
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
    /// The tasks that are running.
    @ObservationIgnored var tasks: [Machine.WorkID: Task<Void, Never>] = [:]
    /// The outcome of the running fetch, if callers wait for it.
    ///
    /// When the fetch is abandoned, the promise is released without a result: the callers get a `CancellationError`.
    @ObservationIgnored var outcome: Promise<Result<Value, Failure>, CancellationError>?
    /// The state that observers were last notified of; `nil` while they are being notified.
    @ObservationIgnored private var notified: Machine.Fingerprint? = Machine.Fingerprint()

    /// Creates an idle loader.
    ///
    /// - Parameters:
    ///   - settings: Retries, prefetches and the clock.
    ///   - probe: Checks whether the network is back. Without a probe, an attempt that found no network counts as failed.
    ///   - fetch: Fetches the value of a source, on no actor. Its second argument receives progress reports, from any
    ///     thread and at any rate. When its task is cancelled it should end soon; its result is then discarded.
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
    /// Fetches the value of a source unless it is available or being fetched; cancels any other fetch.
    ///
    /// The previous value stays until the new one arrives. A source that failed is fetched again.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - mode: Whether to fetch even if the value is available.
    public func load(_ source: Source, _ mode: LoadMode = .ifNeeded) {
        perform(machine.load(source, mode, now: time.elapsed))
    }

    /// Retries a failed fetch, or ends the pause before its next attempt or the wait for a network.
    ///
    /// Attempts are counted from one again. Does nothing unless a fetch has failed or is waiting for its next attempt.
    public func retry() {
        perform(machine.retry(now: time.elapsed))
    }

    /// Fetches the source of the found value again, or, if no value was found, the source that was requested last.
    public func revalidate() {
        perform(machine.revalidate(now: time.elapsed))
    }

    /// Cancels the fetch: the state becomes `found` with the previous value, or `idle`.
    ///
    /// Callers that wait for its value get a `CancellationError`.
    public func cancel() {
        perform(machine.cancel())
    }

    /// Discards the value, the failure and the source, and cancels all fetches and prefetches.
    public func reset() {
        perform(machine.reset())
    }

    /// Prefetches a value for a later ``load(_:_:)``.
    ///
    /// The visible state doesn't change. Loading that source uses the value, or joins the fetch. A prefetch makes one
    /// attempt: if that fails, loading the source fetches it again. See ``LoaderSettings/prefetchLimit-property``.
    public func prefetch(_ source: Source) {
        perform(machine.prefetch(source, now: time.elapsed))
    }

    /// Discards a prefetched value, or cancels its fetch.
    public func cancelPrefetch(_ source: Source) {
        perform(machine.cancelPrefetch(source))
    }
}

// MARK: - Observable state

extension Loader {
    /// The state: idle, fetching, found or failed.
    public var state: LoadingState<Source, Value, Failure> { observed(\.state, machine.loadingState) }

    /// The value to show: the one that was found, or the previous one.
    public var value: Value? { observed(\.value, machine.content?.value) }

    /// The source that was requested last, in any state.
    public var source: Source? { observed(\.source, machine.source) }

    /// The source of ``value``; it differs from ``source`` while that is being fetched and after it failed.
    public var valueSource: Source? { observed(\.valueSource, machine.content?.source) }

    /// The progress of the running fetch; `nil` if there is none, or if it hasn't reported any.
    ///
    /// Reports that follow each other quickly are dropped; the last one is shown before the fetch ends.
    public var progress: FetchProgress? { observed(\.progress, machine.progress) }

    /// The number of the current attempt, or of the last one during the pause after it; 0 if nothing is being fetched.
    ///
    /// An attempt that found no network doesn't count.
    public var attempt: Int { observed(\.attempt, machine.fetch?.attempt ?? 0) }

    /// The length of the pause before the next attempt; `nil` if there is no pause.
    public var nextRetry: Duration? { observed(\.nextRetry, machine.pause?.length) }

    /// Whether the loader waits for a network.
    public var isPaused: Bool { observed(\.isPaused, machine.isPaused) }

    /// Why the last attempt failed, while others follow; a final failure is in ``state``.
    public var lastFailure: Failure? { observed(\.lastFailure, machine.fetch?.lastFailure?.failure) }

    private func observed<Member, Shown>(_ property: KeyPath<Loader, Member>, _ shown: Shown) -> Shown {
        access(keyPath: property)
        return shown
    }

    /// Notifies the observers of each property that has changed.
    ///
    /// An observer may call the loader at once: then all properties are compared again.
    func notify() {
        guard var before = notified else { return }
        notified = nil
        defer { notified = before }
        while case let fingerprint = machine.fingerprint, fingerprint != before {
            let old = before
            before = fingerprint
            if fingerprint.version != old.version { changed(\.value) }
            if fingerprint.valueSource != old.valueSource { changed(\.valueSource) }
            if fingerprint.source != old.source { changed(\.source) }
            if fingerprint.progress != old.progress { changed(\.progress) }
            if fingerprint.attempt != old.attempt { changed(\.attempt) }
            if fingerprint.pause != old.pause { changed(\.nextRetry) }
            if fingerprint.isPaused != old.isPaused { changed(\.isPaused) }
            if fingerprint.lastFailure != old.lastFailure { changed(\.lastFailure) }
            if (fingerprint.fetching, fingerprint.failed, fingerprint.version) != (
                old.fetching, old.failed, old.version
            ) {
                changed(\.state)
            }
        }
    }

    private func changed<Member>(_ property: KeyPath<Loader, Member>) {
        withMutation(keyPath: property) {}
    }
}

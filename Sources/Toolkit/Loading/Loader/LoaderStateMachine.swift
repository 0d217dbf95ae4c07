/// The state of a ``Loader``: the visible content, the fetch with its retries, and the prefetches.
///
/// Each event is a mutating function that returns the actions to take. Times are measured from the machine's creation.
/// Work outside the machine has a ``WorkID``: a report of work that the state no longer refers to is stale and changes
/// nothing.
struct LoaderStateMachine<Source: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    /// Identifies work that runs outside the machine.
    struct WorkID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// The visible state: `requested` is the source that was requested last; `previous` is the content that stays
    /// visible.
    enum State: Sendable {
        case idle(requested: Source?)
        case fetching(Fetch, previous: Content?)
        case found(Content, requested: Source)
        case failed(FailedAttempt, requested: Source, previous: Content?)
    }

    /// A value that can be shown.
    struct Content: Sendable {
        let value: Value
        let source: Source
        /// Two contents have the same version only if their values are equal.
        let version: Int
    }

    struct Fetch: Sendable {
        let source: Source
        var step: Step
        /// The number of the current attempt, or of the last one that failed.
        var attempt = 1
        /// The total of all pauses between attempts.
        var pauses = Duration.zero
        /// The number of consecutive attempts and probes that found no network.
        var offlineTries = 0
        /// The last attempt that failed.
        var lastFailure: FailedAttempt?
    }

    enum Step: Sendable {
        case transferring(WorkID, FetchProgress?)
        /// The next attempt follows the pause.
        case pausing(WorkID, Duration, end: Duration)
        /// There is no network; a probe follows a pause.
        case disconnected(WorkID)
        case probing(WorkID)

        var id: WorkID {
            switch self {
            case .transferring(let id, _), .pausing(let id, _, _), .disconnected(let id), .probing(let id): id
            }
        }
    }

    struct FailedAttempt: Sendable {
        let id: WorkID
        let failure: Failure
    }

    /// A prefetched value, or one that is being prefetched.
    struct Prefetch: Sendable {
        enum Phase: Sendable {
            case transferring(WorkID, FetchProgress?)
            case ready(Value, arrival: Duration)
        }

        let source: Source
        var phase: Phase

        var id: WorkID? {
            switch phase {
            case .transferring(let id, _): id
            case .ready: nil
            }
        }
    }

    /// Work to start.
    enum Work: Sendable {
        case transfer(WorkID, Source, isRetry: Bool)
        case pause(WorkID, Duration)
        case probe(WorkID, Source)
    }

    /// The result for callers that wait for a fetch.
    enum End: Sendable {
        case outcome(Result<Value, Failure>)
        case abandoned
    }

    /// The actions to take after an event.
    struct Action: Sendable {
        /// The work to start.
        ///
        /// Work that ran before and is no longer in ``running`` must be cancelled.
        var started: [Work] = []
        /// How the previous fetch ended; `nil` if it continues or there was none.
        var ended: End?
    }

    private(set) var state = State.idle(requested: nil)
    /// The prefetches, the oldest first.
    private(set) var prefetches: [Prefetch] = []
    private let prefetchLimit: Int
    private let prefetchLifetime: Duration
    private var lastNumber = 0

    init(prefetchLimit: Int, prefetchLifetime: Duration) {
        self.prefetchLimit = max(prefetchLimit, 0)
        self.prefetchLifetime = prefetchLifetime
    }
}

// MARK: - Observable state

extension LoaderStateMachine {
    /// The running fetch.
    var fetch: Fetch? {
        switch state {
        case .fetching(let fetch, previous: _): fetch
        case .idle, .found, .failed: nil
        }
    }

    var content: Content? {
        switch state {
        case .idle: nil
        case .fetching(_, let content), .failed(_, requested: _, let content): content
        case .found(let content, requested: _): content
        }
    }

    /// The work that the fetch and the prefetches wait for.
    var running: Set<WorkID> { Set(prefetches.compactMap(\.id) + (fetch.map { [$0.step.id] } ?? [])) }

    /// The source that was requested last.
    var source: Source? {
        switch state {
        case .idle(let requested): requested
        case .fetching(let fetch, previous: _): fetch.source
        case .found(_, let requested), .failed(_, let requested, previous: _): requested
        }
    }

    var loadingState: LoadingState<Source, Value, Failure> {
        switch state {
        case .idle: .idle
        case .fetching(let fetch, let content): .fetching(fetch.source, previous: content?.value)
        case .found(let content, requested: _): .found(content.value)
        case .failed(let attempt, requested: _, let content): .failed(attempt.failure, previous: content?.value)
        }
    }

    /// The pause before the next attempt.
    var pause: (length: Duration, end: Duration)? {
        switch fetch?.step {
        case .pausing(_, let length, let end): (length, end)
        case .transferring, .disconnected, .probing, nil: nil
        }
    }

    var progress: FetchProgress? {
        switch fetch?.step {
        case .transferring(_, let progress): progress
        case .pausing, .disconnected, .probing, nil: nil
        }
    }

    /// Whether the fetch waits for a network.
    var isPaused: Bool {
        switch fetch?.step {
        case .disconnected, .probing: true
        case .transferring, .pausing, nil: false
        }
    }

    private var failed: FailedAttempt? {
        switch state {
        case .failed(let attempt, requested: _, previous: _): attempt
        case .idle, .fetching, .found: nil
        }
    }

    /// A fingerprint of the observable state, which is compared without comparing values.
    struct Fingerprint: Hashable, Sendable {
        var fetching: Source?
        var failed: WorkID?
        var source: Source?
        var version: Int?
        var valueSource: Source?
        var progress: FetchProgress?
        var attempt = 0
        var pause: Duration?
        var isPaused = false
        var lastFailure: WorkID?
    }

    var fingerprint: Fingerprint {
        Fingerprint(
            fetching: fetch?.source, failed: failed?.id, source: source, version: content?.version,
            valueSource: content?.source, progress: progress, attempt: fetch?.attempt ?? 0, pause: pause?.length,
            isPaused: isPaused, lastFailure: fetch?.lastFailure?.id)
    }
}

// MARK: - Requests

extension LoaderStateMachine {
    mutating func load(_ source: Source, _ mode: LoadMode, now: Duration) -> Action {
        switch (mode, state) {
        case (.ifNeeded, .fetching(let fetch, previous: _)) where fetch.source == source:
            return Action()
        case (.ifNeeded, .found(let content, requested: _)) where content.source == source:
            // Another source may have been requested and abandoned since.
            state = .found(content, requested: source)
            return Action()
        case (.ifNeeded, .idle), (.ifNeeded, .fetching), (.ifNeeded, .found), (.ifNeeded, .failed):
            return begin(source, now: now)
        case (.revalidate, _):
            return beginWithoutPrefetch(source, now: now)
        }
    }

    /// Fetches the source of the found value again, or, if no value was found, the source that was requested last.
    mutating func revalidate(now: Duration) -> Action {
        switch state {
        case .found(let content, requested: _): beginWithoutPrefetch(content.source, now: now)
        case .idle, .fetching, .failed: source.map { beginWithoutPrefetch($0, now: now) } ?? Action()
        }
    }

    /// Fetches the failed source, or starts the next attempt of a waiting fetch, at once.
    mutating func retry(now: Duration) -> Action {
        switch state {
        case .failed(_, let source, previous: _):
            return begin(source, now: now)
        case .fetching(let fetch, previous: _):
            switch fetch.step {
            case .pausing, .disconnected, .probing:
                var action = begin(fetch.source, now: now)
                // The callers that wait for the fetch get this attempt's outcome.
                if self.fetch != nil { action.ended = nil }
                return action
            case .transferring:
                return Action()
            }
        case .idle, .found:
            return Action()
        }
    }

    mutating func cancel() -> Action {
        guard case .fetching(let fetch, let content) = state else { return Action() }
        state = content.map { .found($0, requested: fetch.source) } ?? .idle(requested: fetch.source)
        return Action(ended: .abandoned)
    }

    mutating func reset() -> Action {
        defer { (state, prefetches) = (.idle(requested: nil), []) }
        return cancel()
    }

    mutating func prefetch(_ source: Source, now: Duration) -> Action {
        switch state {
        case .fetching(let fetch, previous: _) where fetch.source == source: return Action()
        case .found(let content, requested: _) where content.source == source: return Action()
        case .idle, .fetching, .found, .failed: break
        }
        guard prefetchLimit > 0 else { return Action() }
        if let prefetch = takePrefetch(of: source), prefetch.id != nil || freshValue(of: prefetch, now: now) != nil {
            prefetches.append(prefetch)
            return Action()
        }
        let id = newID()
        prefetches.append(Prefetch(source: source, phase: .transferring(id, nil)))
        prefetches = prefetches.suffix(prefetchLimit)
        return Action(started: [.transfer(id, source, isRetry: false)])
    }

    mutating func cancelPrefetch(_ source: Source) -> Action {
        _ = takePrefetch(of: source)
        return Action()
    }
}

// MARK: - Reports

extension LoaderStateMachine {
    mutating func progressed(_ id: WorkID, _ progress: FetchProgress) {
        if let (fetch, content) = attempt(id) {
            move(fetch, to: .transferring(id, progress), previous: content)
        } else if let index = prefetches.firstIndex(where: { $0.id == id }) {
            prefetches[index].phase = .transferring(id, progress)
        }
    }

    /// Handles the value of a transfer; `isEqual` says whether it equals the visible one.
    mutating func succeeded(_ id: WorkID, _ value: Value, isEqual: Bool, now: Duration) -> Action {
        if let (fetch, content) = attempt(id) {
            return finish(with: value, of: fetch.source, equalTo: isEqual ? content : nil)
        }
        if let index = prefetches.firstIndex(where: { $0.id == id }) {
            prefetches[index].phase = .ready(value, arrival: now)
        }
        return Action()
    }

    /// Handles the failure of a transfer; `plan` decides whether another attempt follows.
    ///
    /// It isn't called for prefetches.
    mutating func failed(
        _ id: WorkID, _ failure: Failure, now: Duration, plan: (Fetch) -> RetryPlan
    ) -> Action {
        guard case (var fetch, let content)? = attempt(id) else {
            // A failed prefetch is dropped; `load` fetches its source again.
            prefetches.removeAll { $0.id == id }
            return Action()
        }
        let failed = FailedAttempt(id: id, failure: failure)
        fetch.lastFailure = failed
        switch plan(fetch) {
        case .giveUp:
            return fail(failed, fetch, previous: content)
        case .pause(let pause):
            fetch.offlineTries = 0
            fetch.pauses += pause
            let id = newID()
            move(fetch, to: .pausing(id, pause, end: now + pause), previous: content)
            return Action(started: [.pause(id, pause)])
        case .awaitConnection(let pause):
            return awaitConnection(fetch, pause, previous: content)
        }
    }

    mutating func pauseEnded(_ id: WorkID) -> Action {
        guard case .fetching(var fetch, let content) = state else { return Action() }
        switch fetch.step {
        case .pausing(id, _, end: _):
            fetch.attempt += 1
            return transfer(fetch, previous: content)
        case .disconnected(id):
            let id = newID()
            move(fetch, to: .probing(id), previous: content)
            return Action(started: [.probe(id, fetch.source)])
        case .transferring, .pausing, .disconnected, .probing:
            // The pause was cancelled too late.
            return Action()
        }
    }

    /// Handles a clock that throws: no further attempt follows.
    mutating func pauseRefused(_ id: WorkID) -> Action {
        guard case .fetching(let fetch, let content) = state, fetch.step.id == id, let failed = fetch.lastFailure
        else { return Action() }
        return fail(failed, fetch, previous: content)
    }

    /// Handles the end of a probe; `pause` returns the pause before the next one after a number of offline tries.
    mutating func probeEnded(_ id: WorkID, isConnected: Bool, pause: (Int) -> Duration) -> Action {
        guard case .fetching(let fetch, let content) = state, case .probing(id) = fetch.step else { return Action() }
        return isConnected
            ? transfer(fetch, previous: content)
            : awaitConnection(fetch, pause(fetch.offlineTries + 1), previous: content)
    }

    /// The visible value, to compare with a transfer's value; `nil` unless the fetch waits for that transfer.
    func shownValue(during id: WorkID) -> Value? { attempt(id)?.content?.value }
}

// MARK: - Transitions

extension LoaderStateMachine {
    /// The fetch that waits for a transfer, and the content that stays visible.
    ///
    /// It's `nil` for prefetches and abandoned transfers.
    private func attempt(_ id: WorkID) -> (fetch: Fetch, content: Content?)? {
        guard case .fetching(let fetch, let content) = state, case .transferring(id, _) = fetch.step else { return nil }
        return (fetch, content)
    }

    private mutating func move(_ fetch: Fetch, to step: Step, previous content: Content?) {
        var fetch = fetch
        fetch.step = step
        state = .fetching(fetch, previous: content)
    }

    /// Begins a fetch, using a prefetch if there is one; abandons the running fetch.
    private mutating func begin(_ source: Source, now: Duration) -> Action {
        let content = content
        var action = cancel()
        let prefetch = takePrefetch(of: source)
        if case .transferring(let id, let progress)? = prefetch?.phase {
            // The prefetch is joined: its transfer is now that of this fetch.
            state = .fetching(Fetch(source: source, step: .transferring(id, progress)), previous: content)
        } else if let prefetch, let value = freshValue(of: prefetch, now: now) {
            _ = finish(with: value, of: source, equalTo: nil)
        } else {
            let id = newID()
            state = .fetching(Fetch(source: source, step: .transferring(id, nil)), previous: content)
            action.started = [.transfer(id, source, isRetry: false)]
        }
        return action
    }

    /// Begins a fetch that uses no prefetch.
    private mutating func beginWithoutPrefetch(_ source: Source, now: Duration) -> Action {
        _ = takePrefetch(of: source)
        return begin(source, now: now)
    }

    private mutating func transfer(_ fetch: Fetch, previous content: Content?) -> Action {
        let id = newID()
        move(fetch, to: .transferring(id, nil), previous: content)
        return Action(started: [.transfer(id, fetch.source, isRetry: true)])
    }

    private mutating func awaitConnection(_ fetch: Fetch, _ pause: Duration, previous content: Content?) -> Action {
        var fetch = fetch
        fetch.offlineTries += 1
        let id = newID()
        move(fetch, to: .disconnected(id), previous: content)
        return Action(started: [.pause(id, pause)])
    }

    private mutating func finish(with value: Value, of source: Source, equalTo old: Content?) -> Action {
        let version = old?.version ?? newID().number
        state = .found(Content(value: value, source: source, version: version), requested: source)
        return Action(ended: .outcome(.success(value)))
    }

    private mutating func fail(_ failed: FailedAttempt, _ fetch: Fetch, previous content: Content?) -> Action {
        state = .failed(failed, requested: fetch.source, previous: content)
        return Action(ended: .outcome(.failure(failed.failure)))
    }

    private mutating func takePrefetch(of source: Source) -> Prefetch? {
        prefetches.firstIndex { $0.source == source }.map { prefetches.remove(at: $0) }
    }

    private func freshValue(of prefetch: Prefetch, now: Duration) -> Value? {
        switch prefetch.phase {
        case .ready(let value, let arrival) where now - arrival < prefetchLifetime: value
        case .ready, .transferring: nil
        }
    }

    private mutating func newID() -> WorkID {
        lastNumber += 1
        return WorkID(number: lastNumber)
    }
}

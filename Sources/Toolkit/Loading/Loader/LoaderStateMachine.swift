/// What a ``Loader`` fetches, how often, and what it has fetched ahead.
///
/// Pure: every event is a mutating function that says what is to be done. Times are since the beginning. Whatever is under
/// way has a ``WorkID``; what is reported of anything else than the present step, or a value that is fetched ahead, is stale
/// and changes nothing.
struct LoaderStateMachine<Source: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    typealias Loading = LoadingStateMachine<Source, Value, Failure, FetchProgress>

    /// Tells apart what is under way.
    struct WorkID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// What is to be begun.
    enum Work: Sendable {
        /// Fetch the value.
        case transfer(WorkID, Source, isRetry: Bool)
        /// Wait for that long.
        case pause(WorkID, Duration)
        /// Try to connect.
        case probe(WorkID, Source)
    }

    /// What is to be done after an event.
    struct Action: Sendable {
        var cancelled: [WorkID] = []
        var started: [Work] = []
    }

    /// What a fetch is doing.
    private enum Step: Sendable {
        case none
        case transferring(WorkID)
        /// The last attempt failed; the next one comes after the pause, which ends then.
        case pausing(WorkID, pause: Duration, end: Duration)
        /// There is no network; a try to connect comes after a pause.
        case disconnected(WorkID)
        /// There was no network; it is being tried to connect.
        case probing(WorkID)

        var id: WorkID? {
            switch self {
            case .none: nil
            case .transferring(let id), .pausing(let id, _, _), .disconnected(let id), .probing(let id): id
            }
        }
    }

    /// A value that is fetched ahead.
    private struct Prefetch: Sendable {
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

    private let prefetchLimit: Int
    private let prefetchLifetime: Duration
    private(set) var loading = Loading()
    /// The number of the attempt that is under way, or that failed last; 0 while nothing is fetched.
    private(set) var attempt = 0
    /// How long all pauses between attempts were.
    private(set) var spent = Duration.zero
    /// How often in a row there was no network.
    private(set) var rounds = 0
    /// Why the last attempt failed, while others follow.
    private(set) var lastFailure: Failure?
    /// Which attempt that was.
    private(set) var lastFailureID: WorkID?
    /// Changes with the value that can be shown, unless the new one is equal.
    private(set) var valueNumber = 0
    private var failureNumber = 0
    private var lastID = 0
    private var step = Step.none
    /// The oldest first.
    private var prefetches: [Prefetch] = []

    init(prefetchLimit: Int, prefetchLifetime: Duration) {
        self.prefetchLimit = max(prefetchLimit, 0)
        self.prefetchLifetime = prefetchLifetime
    }
}

// MARK: - What is shown

extension LoaderStateMachine {
    /// Tells states apart without comparing values: equal ones look alike.
    enum Look: Hashable, Sendable {
        case none
        case fetching(Source, value: Int)
        case found(value: Int)
        case failed(Int, value: Int)
    }

    var look: Look {
        switch loading.state {
        case .none: .none
        case .fetching(let source, previous: _): .fetching(source, value: valueNumber)
        case .found: .found(value: valueNumber)
        case .failed(_, previous: _): .failed(failureNumber, value: valueNumber)
        }
    }

    /// How long the pause before the next attempt is; `nil` if there is none.
    var pause: Duration? {
        switch step {
        case .pausing(_, let pause, end: _): pause
        case .none, .transferring, .disconnected, .probing: nil
        }
    }

    /// When the pause before the next attempt ends; `nil` if there is none.
    var pauseEnd: Duration? {
        switch step {
        case .pausing(_, pause: _, let end): end
        case .none, .transferring, .disconnected, .probing: nil
        }
    }

    /// Whether it waits for a network.
    var isDisconnected: Bool {
        switch step {
        case .disconnected, .probing: true
        case .none, .transferring, .pausing: false
        }
    }

    /// Whether this is the transfer that is waited for, not one of a value that is fetched ahead.
    func isAttempt(_ id: WorkID) -> Bool {
        switch step {
        case .transferring(id): true
        case .none, .transferring, .pausing, .disconnected, .probing: false
        }
    }

    /// What is fetched ahead, or was; for the tests.
    var prefetchedSources: [Source] { prefetches.map(\.source) }
}

// MARK: - What is asked for

extension LoaderStateMachine {
    /// The value of a source is wanted.
    mutating func load(_ source: Source, _ mode: LoadMode, now: Duration) -> Action {
        switch mode {
        case .ifNeeded:
            guard loading.load(source) != nil else { return Action() }
            return begin(source, now: now)
        case .revalidate:
            _ = loading.fetch(source)
            return beginAnew(source, now: now)
        }
    }

    /// What was asked for last is wanted anew.
    mutating func revalidate(now: Duration) -> Action {
        guard let (source, _) = loading.revalidate() else { return Action() }
        return beginAnew(source, now: now)
    }

    /// What failed is wanted all the same; what waits for its next attempt, at once.
    mutating func retry(now: Duration) -> Action {
        switch step {
        case .none:
            guard let (source, _) = loading.retry() else { return Action() }
            return begin(source, now: now)
        case .pausing, .disconnected, .probing:
            guard let source = loading.state.sourceBeingFetched else { return Action() }
            _ = loading.fetch(source)
            return begin(source, now: now)
        case .transferring:
            // It is being tried just now.
            return Action()
        }
    }

    /// What is being fetched is not wanted any more.
    mutating func cancel() -> Action {
        guard loading.cancel() else { return Action() }
        return endStep()
    }

    /// Nothing is wanted any more.
    mutating func reset() -> Action {
        if loading.state.value != nil { valueNumber += 1 }
        loading.reset()
        var action = endStep()
        action.cancelled += prefetches.compactMap(\.id)
        prefetches = []
        return action
    }

    /// The value of a source will be wanted soon.
    mutating func prefetch(_ source: Source, now: Duration) -> Action {
        switch loading.state {
        case .fetching(source, previous: _): return Action()
        case .found where loading.valueSource == source: return Action()
        case .none, .fetching, .found, .failed: break
        }
        guard prefetchLimit > 0 else { return Action() }
        if let prefetch = takePrefetch(of: source) {
            if prefetch.id != nil || isFresh(prefetch, now: now) {
                prefetches.append(prefetch)
                return Action()
            }
        }
        let id = newID()
        prefetches.append(Prefetch(source: source, phase: .transferring(id, nil)))
        let dropped = prefetches.prefix(max(prefetches.count - prefetchLimit, 0)).compactMap(\.id)
        prefetches = prefetches.suffix(prefetchLimit)
        return Action(cancelled: dropped, started: [.transfer(id, source, isRetry: false)])
    }

    /// The value of a source will not be wanted after all.
    mutating func cancelPrefetch(_ source: Source) -> Action {
        Action(cancelled: takePrefetch(of: source)?.id.map { [$0] } ?? [])
    }
}

// MARK: - What is reported

extension LoaderStateMachine {
    /// A transfer has come further.
    mutating func progressed(_ id: WorkID, _ progress: FetchProgress) {
        if isAttempt(id) {
            _ = loading.progressed(progress, of: loading.generation)
        } else if let index = prefetches.firstIndex(where: { $0.id == id }) {
            prefetches[index].phase = .transferring(id, progress)
        }
    }

    /// A transfer has brought a value.
    ///
    /// - Parameters:
    ///   - id: The transfer.
    ///   - value: The value.
    ///   - isEqual: Whether it is equal to the one that is shown.
    ///   - now: The time.
    mutating func succeeded(_ id: WorkID, _ value: Value, isEqual: Bool, now: Duration) {
        if isAttempt(id) {
            show(value, isEqual: isEqual)
        } else if let index = prefetches.firstIndex(where: { $0.id == id }) {
            prefetches[index].phase = .ready(value, arrival: now)
        }
    }

    /// A transfer has failed.
    ///
    /// - Parameters:
    ///   - id: The transfer.
    ///   - failure: Why.
    ///   - plan: What is to become of the fetch, if it is the one that is waited for.
    ///   - now: The time.
    /// - Returns: What is to be done.
    mutating func failed(_ id: WorkID, _ failure: Failure, _ plan: RetryPlan, now: Duration) -> Action {
        guard isAttempt(id) else {
            // Nobody has asked for it yet; who does fetches it again.
            prefetches.removeAll { $0.id == id }
            return Action()
        }
        switch plan {
        case .giveUp:
            fail(failure)
            return Action()
        case .pause(let pause):
            note(failure, of: id)
            rounds = 0
            spent += pause
            let id = newID()
            step = .pausing(id, pause: pause, end: now + pause)
            return Action(started: [.pause(id, pause)])
        case .awaitConnection(let pause):
            note(failure, of: id)
            return awaitConnection(pause)
        }
    }

    /// A pause is over.
    mutating func pauseEnded(_ id: WorkID) -> Action {
        switch step {
        case .pausing(id, pause: _, end: _):
            attempt += 1
            return transfer(isRetry: true)
        case .disconnected(id):
            guard let source = loading.state.sourceBeingFetched else { return Action() }
            let id = newID()
            step = .probing(id)
            return Action(started: [.probe(id, source)])
        case .none, .transferring, .pausing, .disconnected, .probing:
            // A pause that was cancelled too late.
            return Action()
        }
    }

    /// The clock does not wait: there is no further attempt.
    mutating func pauseRefused(_ id: WorkID) {
        guard step.id == id, let lastFailure else { return }
        fail(lastFailure)
    }

    /// A try to connect has ended.
    ///
    /// - Parameters:
    ///   - id: The try.
    ///   - isConnected: Whether a connection could be made.
    ///   - pause: How long to wait before the next one, if not.
    /// - Returns: What is to be done.
    mutating func probeEnded(_ id: WorkID, isConnected: Bool, pause: Duration) -> Action {
        switch step {
        case .probing(id):
            return isConnected ? transfer(isRetry: true) : awaitConnection(pause)
        case .none, .transferring, .pausing, .disconnected, .probing:
            return Action()
        }
    }
}

// MARK: - Its parts

extension LoaderStateMachine {
    /// Begins the fetch that `loading` has begun, with what was fetched ahead if there is something.
    private mutating func begin(_ source: Source, now: Duration) -> Action {
        var action = endStep()
        attempt = 1
        guard let prefetch = takePrefetch(of: source) else {
            action.started = transfer(isRetry: false).started
            return action
        }
        switch prefetch.phase {
        case .transferring(let id, let progress):
            // Joined: from now on it is this fetch's transfer, and cancelled with it.
            step = .transferring(id)
            if let progress { _ = loading.progressed(progress, of: loading.generation) }
        case .ready(let value, arrival: _):
            if isFresh(prefetch, now: now) {
                show(value, isEqual: false)
            } else {
                action.started = transfer(isRetry: false).started
            }
        }
        return action
    }

    /// Begins the fetch that `loading` has begun, with nothing that was asked for before.
    private mutating func beginAnew(_ source: Source, now: Duration) -> Action {
        let dropped = cancelPrefetch(source).cancelled
        var action = begin(source, now: now)
        action.cancelled += dropped
        return action
    }

    private mutating func transfer(isRetry: Bool) -> Action {
        guard let source = loading.state.sourceBeingFetched else { return Action() }
        let id = newID()
        step = .transferring(id)
        return Action(started: [.transfer(id, source, isRetry: isRetry)])
    }

    /// Notes why an attempt failed that another one follows.
    private mutating func note(_ failure: Failure, of id: WorkID) {
        lastFailure = failure
        lastFailureID = id
        // What had arrived is gone.
        _ = loading.progressed(nil, of: loading.generation)
    }

    private mutating func awaitConnection(_ pause: Duration) -> Action {
        rounds += 1
        let id = newID()
        step = .disconnected(id)
        return Action(started: [.pause(id, pause)])
    }

    private mutating func show(_ value: Value, isEqual: Bool) {
        guard loading.succeeded(value, of: loading.generation) else { return }
        if !isEqual { valueNumber += 1 }
        _ = endStep()
    }

    private mutating func fail(_ failure: Failure) {
        guard loading.failed(failure, of: loading.generation) else { return }
        failureNumber += 1
        _ = endStep()
    }

    /// Nothing is under way any more; of what was, the action says that it is cancelled.
    private mutating func endStep() -> Action {
        defer {
            step = .none
            attempt = 0
            spent = .zero
            rounds = 0
            lastFailure = nil
            lastFailureID = nil
        }
        return Action(cancelled: step.id.map { [$0] } ?? [])
    }

    private mutating func takePrefetch(of source: Source) -> Prefetch? {
        prefetches.firstIndex { $0.source == source }.map { prefetches.remove(at: $0) }
    }

    private func isFresh(_ prefetch: Prefetch, now: Duration) -> Bool {
        switch prefetch.phase {
        case .transferring: false
        case .ready(_, let arrival): now - arrival < prefetchLifetime
        }
    }

    private mutating func newID() -> WorkID {
        lastID += 1
        return WorkID(number: lastID)
    }
}

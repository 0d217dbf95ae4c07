import Futures

/// Cancels transfers that reach a limit of time: one timer for all of them.
final class Watchdog: Sendable {
    fileprivate typealias StateMachine = DeadlineStateMachine<TaskHandle>

    private struct State: Sendable {
        var machine = StateMachine()
        var timer: Task<Void, Never>?
        /// How often the timer was set: one that was set before has nothing to say.
        var generation = 0
    }

    private let state = Lock(State())
    private let time: Stopwatch

    /// - Parameter clock: What time is measured by.
    init(clock: some Clock<Duration>) {
        self.time = Stopwatch(clock)
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    /// How many transfers are watched.
    var count: Int { state.withLock { $0.machine.count } }
}

extension Watchdog {
    /// One transfer that is watched.
    struct Watch: Sendable {
        fileprivate let watchdog: Watchdog
        fileprivate let id: StateMachine.ID

        /// A part begins that may take so long; the part before has ended.
        func enter(_ limit: FetchLimit, _ duration: Duration) {
            let end = watchdog.time.elapsed + duration
            watchdog.perform { $0.enter(id, limit, until: end) }
        }

        /// Nothing but the whole is limited for now.
        func pause() {
            watchdog.state.withLock { $0.machine.pause(id) }
        }

        /// The limit that was reached, if one was: then the task has been cancelled.
        var reached: FetchLimit? { watchdog.state.withLock { $0.machine.reached(id) } }

        /// The transfer is over.
        func end() {
            _ = watchdog.state.withLock { $0.machine.end(id) }
        }
    }

    /// Watches a transfer from now on.
    func watch(_ handle: TaskHandle, whole: Duration) -> Watch {
        let end = time.elapsed + whole
        var id: StateMachine.ID?
        perform { machine in
            let (new, action) = machine.begin(handle, whole: end)
            id = new
            return action
        }
        guard let id else { preconditionFailure("a transition is run once") }
        return Watch(watchdog: self, id: id)
    }

    private func perform(_ event: (inout StateMachine) -> StateMachine.TimerAction) {
        let (action, generation) = state.withLock { state in
            let action = event(&state.machine)
            if case .set = action { state.generation += 1 }
            return (action, state.generation)
        }
        switch action {
        case .keep: break
        case .set(let end): setTimer(end, generation)
        }
    }

    private func setTimer(_ end: Duration, _ generation: Int) {
        let timer = Task { [weak self, time] in
            do {
                try await time.sleep(until: end)
            } catch {
                return
            }
            self?.wake(generation)
        }
        let old = state.withLock { state in
            // Another one was set meanwhile, for earlier.
            guard state.generation == generation else { return Optional(timer) }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func wake(_ generation: Int) {
        let now = time.elapsed
        let (cancelled, timer, next) = state.withLock { state -> ([TaskHandle], Duration?, Int) in
            guard state.generation == generation else { return ([], nil, 0) }
            let (cancelled, timer) = state.machine.wake(at: now)
            state.generation += 1
            // It runs this very code: it must not be cancelled, and it ends by itself.
            state.timer = nil
            return (cancelled, timer, state.generation)
        }
        for handle in cancelled { handle.cancel() }
        if let timer { setTimer(timer, next) }
    }
}

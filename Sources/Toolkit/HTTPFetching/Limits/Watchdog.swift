import Futures

/// Cancels transfers that exceed a time limit, using one timer for all of them.
final class Watchdog: Sendable {
    fileprivate typealias StateMachine = DeadlineStateMachine<TaskHandle>

    private struct State: Sendable {
        var machine = StateMachine()
        var timer: Task<Void, Never>?
        /// How often the timer was set; a timer of an older generation is ignored.
        var generation = 0
    }

    private let state = Lock(State())
    private let time: Stopwatch

    /// - Parameter clock: The clock that deadlines are measured with.
    init(clock: some Clock<Duration>) {
        self.time = Stopwatch(clock)
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    /// The number of watched transfers.
    var count: Int { state.withLock { $0.machine.count } }
}

extension Watchdog {
    /// The handle of one watched transfer.
    struct Watch: Sendable {
        fileprivate let watchdog: Watchdog
        fileprivate let id: StateMachine.ID

        /// Starts a phase that may take `duration`, and ends the previous phase.
        func enter(_ limit: FetchLimit, _ duration: Duration) {
            let end = watchdog.time.elapsed + duration
            watchdog.perform { $0.enter(id, limit, until: end) }
        }

        /// Ends the current phase, so that only the limit of the whole transfer applies.
        func pause() {
            watchdog.state.withLock { $0.machine.pause(id) }
        }

        /// The limit that was exceeded; if there is one, the task has been cancelled.
        var reached: FetchLimit? { watchdog.state.withLock { $0.machine.reached(id) } }

        /// Stops watching the transfer.
        func end() {
            _ = watchdog.state.withLock { $0.machine.end(id) }
        }
    }

    /// Starts watching a transfer.
    func watch(_ handle: TaskHandle, total: Duration) -> Watch {
        let end = time.elapsed + total
        var id: StateMachine.ID?
        perform { machine in
            let (new, action) = machine.begin(handle, deadline: end)
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
            // Another timer was set in the meantime, for an earlier time.
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
            // This code runs in the timer's task, which must not be cancelled and ends on its own.
            state.timer = nil
            return (cancelled, timer, state.generation)
        }
        for handle in cancelled { handle.cancel() }
        if let timer { setTimer(timer, next) }
    }
}

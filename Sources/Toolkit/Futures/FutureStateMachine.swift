/// What a future knows: the value or the error, once there is one, and who is to be told.
///
/// Pure: every event is a mutating function that says what is to be done; nothing is called in here.
/// The third state, *draining*, keeps the order strict: what is registered while callbacks run queues behind them
/// instead of overtaking them.
struct FutureStateMachine<Value: Sendable, Failure: Error>: Sendable {
    typealias Outcome = Result<Value, Failure>
    typealias Callback = @Sendable (Outcome) -> Void

    /// When a callback's turn is.
    enum Turn: Sendable {
        /// With the other `onSuccess` and `onError` callbacks, in the order added.
        case inOrder
        /// After all of those, in the order added.
        case last
    }

    private struct Waiting {
        var inOrder: [Callback] = []
        var last: [Callback] = []

        var isEmpty: Bool { inOrder.isEmpty && last.isEmpty }

        mutating func add(_ callback: @escaping Callback, turn: Turn) {
            switch turn {
            case .inOrder: inOrder.append(callback)
            case .last: last.append(callback)
            }
        }
    }

    private enum State {
        case pending(Waiting)
        /// Settled, and one thread is running callbacks; those registered since wait here for that same thread.
        case draining(Outcome, later: [Callback])
        case settled(Outcome)
        /// The promise is gone; nothing will ever settle this.
        case abandoned
    }

    private var state: State

    init() {
        self.state = .pending(Waiting())
    }

    init(settled outcome: Outcome) {
        self.state = .settled(outcome)
    }

    /// The outcome, as soon as there is one.
    var outcome: Outcome? {
        switch state {
        case .pending, .abandoned: nil
        case .draining(let outcome, later: _), .settled(let outcome): outcome
        }
    }

    enum SettleAction {
        /// This call settled it: run these in order, then ask ``drained()`` for more.
        case run([Callback])
        /// It was settled before: the first outcome stays.
        case ignore
    }

    mutating func settle(_ outcome: Outcome) -> SettleAction {
        switch state {
        case .pending(let waiting):
            if waiting.isEmpty {
                state = .settled(outcome)
                return .run([])
            }
            state = .draining(outcome, later: [])
            return .run(waiting.inOrder + waiting.last)
        case .draining, .settled, .abandoned:
            return .ignore
        }
    }

    enum DrainedAction {
        /// These were registered in the meantime: run them, then ask again.
        case run([Callback])
        /// All have been told.
        case done
    }

    mutating func drained() -> DrainedAction {
        switch state {
        case .draining(let outcome, let later):
            if later.isEmpty {
                state = .settled(outcome)
                return .done
            }
            state = .draining(outcome, later: [])
            return .run(later)
        case .pending, .settled, .abandoned:
            // Only the thread that settled drains, so there is nothing left to do here.
            return .done
        }
    }

    enum RegisterAction {
        /// It will be called when its turn comes.
        case wait
        /// All is settled and told: call it now, with this.
        case call(Outcome)
        /// Nobody will ever settle this future: waiting for it is a mistake in the program.
        case reportAbandoned
    }

    mutating func register(turn: Turn, _ callback: @escaping Callback) -> RegisterAction {
        switch state {
        case .pending(var waiting):
            // Emptied first, so that appending does not copy.
            state = .abandoned
            waiting.add(callback, turn: turn)
            state = .pending(waiting)
            return .wait
        case .draining(let outcome, var later):
            state = .abandoned
            later.append(callback)
            state = .draining(outcome, later: later)
            return .wait
        case .settled(let outcome):
            return .call(outcome)
        case .abandoned:
            return .reportAbandoned
        }
    }

    enum AbandonAction {
        /// Somebody waits for a value that can no longer come.
        case report
        /// It was settled, or nobody waited.
        case ignore
    }

    mutating func abandon() -> AbandonAction {
        switch state {
        case .pending(let waiting):
            state = .abandoned
            return waiting.isEmpty ? .ignore : .report
        case .draining, .settled, .abandoned:
            return .ignore
        }
    }
}

/// The phase of a future, and its callbacks.
///
/// Each event is a mutating function that returns what to do; nothing is called in here. The phase *draining* keeps the order
/// strict: what is registered while callbacks run queues behind them.
///
/// Flat fields and a phase instead of payloads, which would be moved at each event; and no field whose size depends on
/// `Value` or `Failure`, so that a future is released without asking the runtime for its type: see `Future`.
@usableFromInline
struct FutureStateMachine<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Outcome = Result<Value, Failure>

    /// A block and what it is called with: three cases, so that no block needs a closure around it.
    @usableFromInline
    enum Callback: Sendable {
        case success(@Sendable (Value) -> Void)
        case failure(@Sendable (Failure) -> Void)
        case either(@Sendable (Outcome) -> Void)

        @inlinable
        func callAsFunction(_ outcome: Outcome) {
            switch (self, outcome) {
            case (.success(let block), .success(let value)): block(value)
            case (.failure(let block), .failure(let error)): block(error)
            case (.either(let block), _): block(outcome)
            case (.success, .failure), (.failure, .success): break
            }
        }
    }

    /// When a callback's turn is.
    @usableFromInline
    enum Turn: Sendable {
        /// With the other `onSuccess` and `onError` callbacks, in the order added.
        case inOrder
        /// After all of those, in the order added.
        case last
    }

    /// Callbacks whose turn has not come.
    @usableFromInline
    struct Waiting: Sendable {
        /// Apart from the others, because most futures have one callback, which then needs no memory of its own.
        @usableFromInline var first: Callback?
        /// One, as soon as there is more than the first; an array, because it is changed in place.
        @usableFromInline var more: [More] = []

        @inlinable
        init() {}

        @inlinable var isEmpty: Bool {
            guard first == nil else { return false }
            return more.first.map { $0.last.isEmpty && $0.leavers.isEmpty } ?? true
        }

        @inlinable
        mutating func add(_ callback: Callback, turn: Turn) {
            switch turn {
            case .inOrder:
                if first == nil {
                    first = callback
                } else {
                    makeMore()
                    more[0].others.append(callback)
                }
            case .last:
                makeMore()
                more[0].last.append(callback)
            }
        }

        @inlinable
        mutating func add(leaver callback: Callback) -> Int {
            makeMore()
            more[0].lastTicket += 1
            more[0].leavers[more[0].lastTicket] = callback
            return more[0].lastTicket
        }

        @inlinable
        mutating func makeMore() {
            if more.isEmpty { more.append(More()) }
        }

        @inlinable
        func callAsFunction(_ outcome: Outcome) {
            first?(outcome)
            guard let more = more.first else { return }
            for callback in more.others { callback(outcome) }
            for ticket in more.leavers.keys.sorted() { more.leavers[ticket]?(outcome) }
            for callback in more.last { callback(outcome) }
        }
    }

    /// What most futures have none of.
    @usableFromInline
    struct More: Sendable {
        @usableFromInline var others: [Callback] = []
        /// Those that may leave, by ticket: called after the callbacks, in the order they came.
        @usableFromInline var leavers: [Int: Callback] = [:]
        @usableFromInline var lastTicket = 0
        @usableFromInline var last: [Callback] = []

        @inlinable
        init() {}
    }

    @usableFromInline var phase: FuturePhase
    @usableFromInline var waiting = Waiting()
    /// Runs when the last waiter leaves, or the future is released.
    @usableFromInline var onUnwanted: UnwantedAction?

    /// - Parameter isSettled: Whether it has its outcome from the start.
    @inlinable
    init(isSettled: Bool) {
        self.phase = isSettled ? .settled : .pending
    }
}

// MARK: - Settling

extension FutureStateMachine {
    @inlinable var isSettled: Bool { phase.isSettled }

    @usableFromInline
    enum SettleAction: Sendable {
        /// This call settled it: run these, then ask ``drained()`` for more.
        case run(Waiting)
        /// This call settled it, and nothing waits.
        case done
        /// It was settled before: the first outcome stays.
        case ignore
    }

    @inlinable
    mutating func settle() -> SettleAction {
        switch phase {
        case .pending:
            if let onUnwanted { forget(onUnwanted) }
            if waiting.isEmpty {
                phase = .settled
                return .done
            }
            phase = .draining
            return .run(take())
        case .draining, .settled:
            return .ignore
        }
    }

    @usableFromInline
    enum DrainedAction: Sendable {
        /// These were registered in the meantime: run them, then ask again.
        case run(Waiting)
        /// All have been told.
        case done
    }

    @inlinable
    mutating func drained() -> DrainedAction {
        switch phase {
        case .draining:
            if waiting.isEmpty {
                phase = .settled
                return .done
            }
            return .run(take())
        case .pending, .settled:
            // Only the thread that settled drains, so there is nothing left to do here.
            return .done
        }
    }

    @inlinable
    mutating func take() -> Waiting {
        var taken = Waiting()
        swap(&taken, &waiting)
        return taken
    }
}

// MARK: - Waiting

extension FutureStateMachine {
    @usableFromInline
    enum RegisterAction: Sendable {
        /// It will be called when its turn comes.
        case wait
        /// All is settled and told: call it now.
        case call
    }

    @inlinable
    mutating func register(_ callback: Callback, turn: Turn) -> RegisterAction {
        switch phase {
        case .pending:
            waiting.add(callback, turn: turn)
            return .wait
        case .draining:
            // In the order added, of whatever kind: the turns of before are over.
            waiting.add(callback, turn: .inOrder)
            return .wait
        case .settled:
            return .call
        }
    }

    /// Registers a callback of a settled future that can't be called now.
    ///
    /// - Returns: Whether the caller must drain; if not, another one does.
    mutating func putOff(_ callback: Callback) -> Bool {
        waiting.add(callback, turn: .inOrder)
        if phase == .draining { return false }
        phase = .draining
        return true
    }

    @usableFromInline
    enum JoinAction: Sendable {
        /// It will be called when its turn comes, unless it leaves with this ticket.
        case wait(ticket: Int)
        /// All is settled: register it.
        case register
    }

    /// Registers a callback that may leave again.
    @inlinable
    mutating func join(_ callback: Callback) -> JoinAction {
        switch phase {
        case .pending:
            return .wait(ticket: waiting.add(leaver: callback))
        case .draining, .settled:
            return .register
        }
    }

    /// Removes a callback that was registered by ``join(_:)``.
    ///
    /// - Returns: The callback, and what to do if it was the last; `nil` if it has been called, or will be in a moment.
    mutating func leave(ticket: Int) -> (callback: Callback, onUnwanted: UnwantedAction?)? {
        guard !waiting.more.isEmpty, let callback = waiting.more[0].leavers.removeValue(forKey: ticket) else {
            return nil
        }
        return (callback, waiting.isEmpty ? takeUnwanted() : nil)
    }

    /// Sets what runs when the last waiter leaves; nothing, once it is settled.
    mutating func wantsToKnow(_ action: UnwantedAction) {
        if phase == .pending { onUnwanted = action } else { action.disarm() }
    }

    /// Takes out what runs when the last waiter leaves: it runs once.
    mutating func takeUnwanted() -> UnwantedAction? {
        defer { onUnwanted = nil }
        return onUnwanted
    }

    @usableFromInline
    mutating func forget(_ action: UnwantedAction) {
        action.disarm()
        onUnwanted = nil
    }
}

/// How far a future is.
@usableFromInline
enum FuturePhase: Sendable {
    case pending
    /// Settled, and one thread is running callbacks; those registered since wait for that same thread.
    case draining
    /// Settled, and all have been told.
    case settled

    @inlinable var isSettled: Bool {
        switch self {
        case .draining, .settled: true
        case .pending: false
        }
    }
}

/// Runs once when the last waiter leaves, or when it is released with the future.
@usableFromInline
final class UnwantedAction: Sendable {
    private let action: Lock<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = Lock(action)
    }

    deinit {
        callAsFunction()
    }

    func callAsFunction() {
        take()?()
    }

    /// Makes it do nothing: the future has settled.
    func disarm() {
        _ = take()
    }

    private func take() -> (@Sendable () -> Void)? {
        action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}

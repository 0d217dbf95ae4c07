/// The phase of a future, and the callbacks that wait for it.
///
/// Each event is a mutating function that returns the action to take; nothing is called in here. The phase *draining*
/// preserves the order: a callback that is registered while others run is queued behind them.
///
/// The state is in flat fields and a phase, because the payloads of an enum would be moved on each event. No field's
/// size depends on `Value` or `Failure`, so that a future is released without a look-up of its type: see `Future`.
@usableFromInline
struct FutureStateMachine<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Outcome = Result<Value, Failure>

    /// A callback.
    ///
    /// Each kind of block has its own case, so that none needs a closure around it.
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

    /// When a callback runs.
    @usableFromInline
    enum Turn: Sendable {
        /// With the `onSuccess` and `onError` callbacks, in the order added.
        case inOrder
        /// After all of those, in the order added.
        case last
    }

    /// Callbacks that haven't run yet.
    @usableFromInline
    struct Waiting: Sendable {
        /// Stored apart: most futures have one callback, which then needs no allocation.
        @usableFromInline var first: Callback?
        /// At most one element, added when ``first`` isn't enough; an array, because it is changed in place.
        @usableFromInline var more: [Overflow] = []

        @inlinable
        init() {}

        @inlinable var isEmpty: Bool {
            guard first == nil else { return false }
            return more.first.map { $0.last.isEmpty && $0.cancellableWaiters.isEmpty } ?? true
        }

        @inlinable
        mutating func add(_ callback: Callback, turn: Turn) {
            switch turn {
            case .inOrder:
                if first == nil {
                    first = callback
                } else {
                    makeMore()
                    more[0].inOrder.append(callback)
                }
            case .last:
                makeMore()
                more[0].last.append(callback)
            }
        }

        @inlinable
        mutating func add(cancellable callback: Callback) -> Int {
            makeMore()
            more[0].lastTicket += 1
            more[0].cancellableWaiters[more[0].lastTicket] = callback
            return more[0].lastTicket
        }

        @inlinable
        mutating func makeMore() {
            if more.isEmpty { more.append(Overflow()) }
        }

        @inlinable
        func callAsFunction(_ outcome: Outcome) {
            first?(outcome)
            guard let more = more.first else { return }
            for callback in more.inOrder { callback(outcome) }
            for ticket in more.cancellableWaiters.keys.sorted() { more.cancellableWaiters[ticket]?(outcome) }
            for callback in more.last { callback(outcome) }
        }
    }

    /// Callbacks that most futures don't have.
    @usableFromInline
    struct Overflow: Sendable {
        @usableFromInline var inOrder: [Callback] = []
        /// Callbacks that can be removed, by ticket; they run after ``inOrder`` and before ``last``, in the order
        /// added.
        @usableFromInline var cancellableWaiters: [Int: Callback] = [:]
        @usableFromInline var lastTicket = 0
        @usableFromInline var last: [Callback] = []

        @inlinable
        init() {}
    }

    @usableFromInline var phase: FuturePhase
    @usableFromInline var waiting = Waiting()
    /// Runs when the last waiter leaves, or when the future is released.
    @usableFromInline var onUnwanted: UnwantedAction?

    /// - Parameter isSettled: Whether the future already has its outcome.
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
        /// This call settled the future: run these callbacks, then call ``drained()``.
        case run(Waiting)
        /// This call settled the future, and no callbacks are waiting.
        case done
        /// The future was already settled: the first outcome stays.
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
        /// These callbacks were registered in the meantime: run them, then call ``drained()`` again.
        case run(Waiting)
        /// All callbacks have run.
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
            // Only the thread that began to drain calls this, so there is nothing left to do here.
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
        /// The callback will be called in its turn.
        case wait
        /// The future is settled and all callbacks have run: call it now.
        case call
    }

    @inlinable
    mutating func register(_ callback: Callback, turn: Turn) -> RegisterAction {
        switch phase {
        case .pending:
            waiting.add(callback, turn: turn)
            return .wait
        case .draining:
            // In the order added, `finally` callbacks included: earlier callbacks may have run already.
            waiting.add(callback, turn: .inOrder)
            return .wait
        case .settled:
            return .call
        }
    }

    /// Queues a callback of a settled future that can't be called now.
    ///
    /// - Returns: Whether the caller must drain; if not, another call does.
    mutating func deferCallback(_ callback: Callback) -> Bool {
        waiting.add(callback, turn: .inOrder)
        if phase == .draining { return false }
        phase = .draining
        return true
    }

    @usableFromInline
    enum JoinAction: Sendable {
        /// The callback will be called in its turn, unless it is removed with this ticket.
        case wait(ticket: Int)
        /// The future is settled: use ``register(_:turn:)``.
        case register
    }

    /// Registers a callback that can be removed with ``leave(ticket:)``.
    @inlinable
    mutating func join(_ callback: Callback) -> JoinAction {
        switch phase {
        case .pending:
            return .wait(ticket: waiting.add(cancellable: callback))
        case .draining, .settled:
            return .register
        }
    }

    /// Removes a callback that was registered by ``join(_:)``.
    ///
    /// - Returns: The callback, and the action to run if it was the last; `nil` if it has been called, or is about to be.
    mutating func leave(ticket: Int) -> (callback: Callback, onUnwanted: UnwantedAction?)? {
        guard !waiting.more.isEmpty, let callback = waiting.more[0].cancellableWaiters.removeValue(forKey: ticket)
        else {
            return nil
        }
        return (callback, waiting.isEmpty ? takeUnwanted() : nil)
    }

    /// Sets the action to run when the last waiter leaves; discards it if the future is settled.
    mutating func setUnwantedAction(_ action: UnwantedAction) {
        if phase == .pending { onUnwanted = action } else { action.disarm() }
    }

    /// Removes and returns the action to run when the last waiter leaves: it runs once.
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

/// The phase of a future.
@usableFromInline
enum FuturePhase: Sendable {
    case pending
    /// Settled, and one thread is running callbacks; callbacks registered since then wait for that thread.
    case draining
    /// Settled, and all callbacks have run.
    case settled

    @inlinable var isSettled: Bool {
        switch self {
        case .draining, .settled: true
        case .pending: false
        }
    }
}

/// An action that runs once: when the last waiter leaves, or when the future that holds it is released.
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

    /// Discards the action: the future has settled.
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

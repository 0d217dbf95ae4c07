/// A value that is on its way: it arrives once, or fails once, and never changes after.
///
/// A future is read; the ``Promise`` it came from settles it. Everything here may be called from any thread.
/// Callbacks run on the thread that settles the future (or, if it is settled already, at once on the caller's), never
/// under a lock: `onSuccess` and `onError` callbacks in the order added, then `finally` callbacks in the order added.
/// A callback that is added while others run queues behind them.
public final class Future<Value: Sendable, Failure: Error>: Sendable {
    /// What is called with the value.
    public typealias SuccessBlock = @Sendable (Value) -> Void
    /// What is called with the error.
    public typealias ErrorBlock = @Sendable (Failure) -> Void

    typealias StateMachine = FutureStateMachine<Value, Failure>

    private let machine: Lock<StateMachine>

    init(machine: StateMachine) {
        self.machine = Lock(machine)
    }

    /// A future that has its value from the start.
    public static func preResolved(value: Value) -> Future {
        Future(machine: StateMachine(settled: .success(value)))
    }

    /// A future that failed from the start.
    public static func preRejected(error: Failure) -> Future {
        Future(machine: StateMachine(settled: .failure(error)))
    }
}

// MARK: - What it is now

extension Future {
    /// The outcome at this moment, or `nil` while the future is pending.
    public var settledResult: Result<Value, Failure>? {
        machine.withLock { $0.outcome }
    }

    /// The value at this moment, or `nil` if the future is pending or failed.
    public var resolvedValue: Value? {
        guard case .success(let value) = settledResult else { return nil }
        return value
    }

    /// The error at this moment, or `nil` if the future is pending or has its value.
    public var rejectedError: Failure? {
        guard case .failure(let error) = settledResult else { return nil }
        return error
    }

    /// Whether the value has arrived.
    public var succeeded: Bool { resolvedValue != nil }

    /// Whether the future failed.
    public var failed: Bool { rejectedError != nil }

    /// Whether the future has its value or its error.
    public var isComplete: Bool { settledResult != nil }
}

// MARK: - Callbacks

extension Future {
    /// Calls the block with the value when it has arrived; never, if the future fails.
    ///
    /// - Parameter block: Called once at most.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func onSuccess(_ block: @escaping SuccessBlock) -> Future {
        register(turn: .inOrder) { outcome in
            if case .success(let value) = outcome { block(value) }
        }
        return self
    }

    /// Calls the block with the error when the future has failed; never, if it succeeds.
    ///
    /// - Parameter block: Called once at most.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func onError(_ block: @escaping ErrorBlock) -> Future {
        register(turn: .inOrder) { outcome in
            if case .failure(let error) = outcome { block(error) }
        }
        return self
    }

    /// Calls the block with the result, whichever it is, after the `onSuccess` and `onError` callbacks.
    ///
    /// - Parameter block: Called once.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func finally(_ block: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Future {
        register(turn: .last, block)
        return self
    }

    func register(turn: StateMachine.Turn, _ callback: @escaping StateMachine.Callback) {
        switch machine.withLock({ $0.register(turn: turn, callback) }) {
        case .wait:
            break
        case .call(let outcome):
            callback(outcome)
        case .reportAbandoned:
            assertionFailure("This future will never settle: its promise was dropped without resolve or reject.")
        }
    }
}

// MARK: - Settling, by its promise

extension Future {
    /// Settles the future, unless it is settled already.
    ///
    /// - Returns: Whether this call was the one that settled it.
    func settle(_ outcome: Result<Value, Failure>) -> Bool {
        guard case .run(var callbacks) = machine.withLock({ $0.settle(outcome) }) else { return false }
        // A loop, not a recursion: a callback that registers another one adds to the next round.
        while true {
            for callback in callbacks { callback(outcome) }
            guard case .run(let later) = machine.withLock({ $0.drained() }) else { return true }
            callbacks = later
        }
    }

    /// Notes that nothing can settle the future any more.
    ///
    /// - Returns: Whether somebody was waiting.
    func abandon() -> Bool {
        switch machine.withLock({ $0.abandon() }) {
        case .report: true
        case .ignore: false
        }
    }
}

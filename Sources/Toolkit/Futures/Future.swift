/// A value that is on its way: it arrives once, or fails once, and never changes after.
///
/// A future is read; the ``Promise`` it came from settles it. Everything here may be called from any thread.
/// Callbacks run on the thread that settles the future (or, if it is settled already, at once on the caller's), never
/// under a lock: `onSuccess` and `onError` callbacks in the order added, then `finally` callbacks in the order added.
/// A callback that is added while others run queues behind them. Each of them takes a ``CallbackContext``, to be called
/// somewhere else.
///
/// All callbacks have run when the call that settles the future returns, also those of the futures that it settles in
/// turn, however many: no chain is too long for the stack.
public final class Future<Value: Sendable, Failure: Error>: @unchecked Sendable {
    // Unchecked: `machine` is touched only while `lock` is held. What has arrived is written once, under the lock, before
    // the machine's phase says that it is settled, and read only after the phase said so.
    //
    // Apart, and not one state inside the lock, because of how a generic object is released: by code that knows neither
    // `Value` nor `Failure`. What has the same size for all of them is released at once; of the others, an optional
    // needs no more than the object's own type arguments. A state of all of them would ask the runtime for the types of
    // all its parts each time, which took half a microsecond.

    /// What is called with the value.
    public typealias SuccessBlock = @Sendable (Value) -> Void
    /// What is called with the error.
    public typealias ErrorBlock = @Sendable (Failure) -> Void

    @usableFromInline typealias StateMachine = FutureStateMachine<Value, Failure>

    @usableFromInline let lock = Lock(())
    @exclusivity(unchecked) @usableFromInline var machine: StateMachine
    @exclusivity(unchecked) @usableFromInline var arrivedValue: Value?
    /// One, or none: an array, unlike an optional, is of the same size for all types.
    @exclusivity(unchecked) @usableFromInline var arrivedError: [Failure] = []

    /// Creates one that is pending.
    @inlinable
    init() {
        self.machine = StateMachine(isSettled: false)
    }

    /// Creates one that is settled from the start.
    @inlinable
    init(settled outcome: Result<Value, Failure>) {
        self.machine = StateMachine(isSettled: true)
        keep(outcome)
    }

    /// A future that has its value from the start.
    @inlinable
    public static func preResolved(value: Value) -> Future {
        Future(settled: .success(value))
    }

    /// A future that failed from the start.
    @inlinable
    public static func preRejected(error: Failure) -> Future {
        Future(settled: .failure(error))
    }
}

// MARK: - Its storage

extension Future {
    /// Runs one transition of the machine while no other thread can.
    @inlinable
    @inline(__always)
    func transition<Action: Sendable>(_ event: (inout StateMachine) -> Action) -> Action {
        lock.withLock { _ in event(&machine) }
    }

    @inlinable
    func keep(_ outcome: Result<Value, Failure>) {
        switch outcome {
        case .success(let value): arrivedValue = value
        case .failure(let error): arrivedError = [error]
        }
    }

    /// The outcome of a future that is settled.
    @inlinable var outcome: Result<Value, Failure> {
        if let arrivedValue { return .success(arrivedValue) }
        if let error = arrivedError.first { return .failure(error) }
        preconditionFailure("What is settled has its value or its error.")
    }
}

// MARK: - What it is now

extension Future {
    /// The outcome at this moment, or `nil` while the future is pending.
    @inlinable public var settledResult: Result<Value, Failure>? {
        isComplete ? outcome : nil
    }

    /// The value at this moment, or `nil` if the future is pending or failed.
    @inlinable public var resolvedValue: Value? { isComplete ? arrivedValue : nil }

    /// The error at this moment, or `nil` if the future is pending or has its value.
    @inlinable public var rejectedError: Failure? { isComplete ? arrivedError.first : nil }

    /// Whether the value has arrived.
    public var succeeded: Bool { resolvedValue != nil }

    /// Whether the future failed.
    public var failed: Bool { rejectedError != nil }

    /// Whether the future has its value or its error.
    @inlinable public var isComplete: Bool {
        // The phase alone, which is of no generic type: `Promise.deinit` asks, and does not know of which type this is.
        lock.withLock { _ in machine.phase.isSettled }
    }
}

// MARK: - Callbacks

extension Future {
    /// Calls the block with the value when it has arrived; never, if the future fails.
    ///
    /// It runs in the context; without one, on the thread that settles the future. Returns this future, for chaining.
    @inlinable
    @discardableResult
    public func onSuccess(on context: CallbackContext? = nil, _ block: @escaping SuccessBlock) -> Future {
        register(.success(context?.calling(block) ?? block), turn: .inOrder)
        return self
    }

    /// Calls the block with the error when the future has failed; never, if it succeeds.
    ///
    /// It runs in the context; without one, on the thread that settles the future. Returns this future, for chaining.
    @inlinable
    @discardableResult
    public func onError(on context: CallbackContext? = nil, _ block: @escaping ErrorBlock) -> Future {
        register(.failure(context?.calling(block) ?? block), turn: .inOrder)
        return self
    }

    /// Calls the block with the result, whichever it is, after the `onSuccess` and `onError` callbacks.
    ///
    /// It runs in the context; without one, on the thread that settles the future. Returns this future, for chaining.
    @inlinable
    @discardableResult
    public func finally(
        on context: CallbackContext? = nil, _ block: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> Future {
        register(.either(context?.calling(block) ?? block), turn: .last)
        return self
    }

    @inlinable
    func register(_ callback: StateMachine.Callback, turn: StateMachine.Turn) {
        switch transition({ $0.register(callback, turn: turn) }) {
        case .wait:
            break
        case .call:
            let outcome = outcome
            guard let level = CallDepth.enter() else { return putOff(callback, outcome) }
            callback(outcome)
            CallDepth.leave(level)
        }
    }

    /// Calls back when there is an outcome, with the callbacks and in their order.
    @inlinable
    func whenSettled(_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) {
        register(.either(callback), turn: .inOrder)
    }

    @usableFromInline
    func putOff(_ callback: StateMachine.Callback, _ outcome: Result<Value, Failure>) {
        guard transition({ $0.putOff(callback) }) else { return }
        CallDepth.putOff { self.drain(outcome) }
    }
}

// MARK: - Settling, by its promise

extension Future {
    /// Settles the future, unless it is settled already.
    ///
    /// - Returns: Whether this call was the one that settled it.
    @inlinable
    @discardableResult
    func settle(_ outcome: Result<Value, Failure>) -> Bool {
        switch settling(outcome) {
        case .ignore:
            return false
        case .done:
            return true
        case .run(let waiting):
            guard let level = CallDepth.enter() else {
                CallDepth.putOff {
                    waiting(outcome)
                    self.drain(outcome)
                }
                return true
            }
            waiting(outcome)
            drain(outcome)
            CallDepth.leave(level)
            return true
        }
    }

    @inlinable
    func settling(_ outcome: Result<Value, Failure>) -> StateMachine.SettleAction {
        transition { machine in
            if machine.phase == .pending { keep(outcome) }
            return machine.settle()
        }
    }

    /// Calls what is waiting, and what is registered meanwhile.
    ///
    /// A loop, not a recursion: a callback that registers another one adds to the next round.
    @inlinable
    func drain(_ outcome: Result<Value, Failure>) {
        while case .run(let waiting) = transition({ $0.drained() }) { waiting(outcome) }
    }
}

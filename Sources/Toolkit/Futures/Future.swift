/// The outcome of an asynchronous operation: a value or an error, which is set once and never changes.
///
/// A future is the read side of a ``Promise``, which settles it. Everything here may be called from any thread.
///
/// Callbacks run on the thread that settles the future, or, if it is already settled, at once on the caller's thread; never
/// under a lock. `onSuccess` and `onError` callbacks run in the order added, then `finally` callbacks in the order added. A
/// callback that is added while others run is queued behind them. Pass a ``CallbackContext`` to run a callback elsewhere.
///
/// When the outermost call that settles a future returns, all its callbacks have run, and so have the callbacks of
/// every future that they settled. No chain of futures overflows the stack.
public final class Future<Value: Sendable, Failure: Error>: @unchecked Sendable {
    // Unchecked: `machine` is accessed only while `lock` is held. The outcome is written once, under the lock, before
    // the machine's phase becomes settled, and read only after that.
    //
    // Separate properties rather than one state inside the lock, because they are released faster. The code that
    // releases a generic object knows neither `Value` nor `Failure`. It releases a field directly if the field has the
    // same size for all types. For an optional, it needs only the object's own type arguments. For a combined state, it
    // would look up the types of all its parts on each release, which took half a microsecond.

    /// A callback that receives the value.
    public typealias SuccessBlock = @Sendable (Value) -> Void
    /// A callback that receives the error.
    public typealias ErrorBlock = @Sendable (Failure) -> Void

    @usableFromInline typealias StateMachine = FutureStateMachine<Value, Failure>

    @usableFromInline let lock = Lock(())
    @exclusivity(unchecked) @usableFromInline var machine: StateMachine
    @exclusivity(unchecked) @usableFromInline var storedValue: Value?
    /// At most one element: an array, unlike an optional, has the same size for all types.
    @exclusivity(unchecked) @usableFromInline var storedError: [Failure] = []

    /// Creates a pending future.
    @inlinable
    init() {
        self.machine = StateMachine(isSettled: false)
    }

    /// Creates a settled future.
    @inlinable
    init(settled outcome: Result<Value, Failure>) {
        self.machine = StateMachine(isSettled: true)
        store(outcome)
    }

    /// Returns a future that is already resolved.
    @inlinable
    public static func preResolved(value: Value) -> Future {
        Future(settled: .success(value))
    }

    /// Returns a future that is already rejected.
    @inlinable
    public static func preRejected(error: Failure) -> Future {
        Future(settled: .failure(error))
    }
}

// MARK: - Storage

extension Future {
    /// Runs one transition of the state machine under the lock.
    @inlinable
    @inline(__always)
    func transition<Action: Sendable>(_ event: (inout StateMachine) -> Action) -> Action {
        lock.withLock { _ in event(&machine) }
    }

    @inlinable
    func store(_ outcome: Result<Value, Failure>) {
        switch outcome {
        case .success(let value): storedValue = value
        case .failure(let error): storedError = [error]
        }
    }

    /// The outcome of a settled future.
    @inlinable var outcome: Result<Value, Failure> {
        if let storedValue { return .success(storedValue) }
        if let error = storedError.first { return .failure(error) }
        preconditionFailure("A settled future has neither a value nor an error.")
    }
}

// MARK: - Current state

extension Future {
    /// The outcome, or `nil` while the future is pending.
    @inlinable public var settledResult: Result<Value, Failure>? {
        isComplete ? outcome : nil
    }

    /// The value, or `nil` if the future is pending or failed.
    @inlinable public var resolvedValue: Value? { isComplete ? storedValue : nil }

    /// The error, or `nil` if the future is pending or succeeded.
    @inlinable public var rejectedError: Failure? { isComplete ? storedError.first : nil }

    /// Whether the future has succeeded.
    public var succeeded: Bool { resolvedValue != nil }

    /// Whether the future has failed.
    public var failed: Bool { rejectedError != nil }

    /// Whether the future is settled.
    @inlinable public var isComplete: Bool {
        // Reads only the phase, whose type isn't generic: `Promise.deinit` calls this without knowing the future's type.
        lock.withLock { _ in machine.phase.isSettled }
    }
}

// MARK: - Callbacks

extension Future {
    /// Adds a callback that receives the value if the future succeeds.
    ///
    /// It runs in the context; without one, on the thread that settles the future. Returns this future, for chaining.
    @inlinable
    @discardableResult
    public func onSuccess(on context: CallbackContext? = nil, _ block: @escaping SuccessBlock) -> Future {
        register(.success(context?.calling(block) ?? block), turn: .inOrder)
        return self
    }

    /// Adds a callback that receives the error if the future fails.
    ///
    /// It runs in the context; without one, on the thread that settles the future. Returns this future, for chaining.
    @inlinable
    @discardableResult
    public func onError(on context: CallbackContext? = nil, _ block: @escaping ErrorBlock) -> Future {
        register(.failure(context?.calling(block) ?? block), turn: .inOrder)
        return self
    }

    /// Adds a callback that receives the result, after the `onSuccess` and `onError` callbacks.
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
            guard let level = CallDepth.enter() else { return deferCallback(callback, outcome) }
            callback(outcome)
            CallDepth.leave(level)
        }
    }

    /// Adds a callback for either outcome, ordered with the `onSuccess` and `onError` callbacks.
    @inlinable
    func whenSettled(_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) {
        register(.either(callback), turn: .inOrder)
    }

    @usableFromInline
    func deferCallback(_ callback: StateMachine.Callback, _ outcome: Result<Value, Failure>) {
        guard transition({ $0.deferCallback(callback) }) else { return }
        CallDepth.runLater { self.drain(outcome) }
    }
}

// MARK: - Settling

extension Future {
    /// Settles the future, unless it is already settled.
    ///
    /// - Returns: Whether this call settled it.
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
                CallDepth.runLater {
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
            if machine.phase == .pending { store(outcome) }
            return machine.settle()
        }
    }

    /// Runs the waiting callbacks, and those registered in the meantime.
    ///
    /// A loop, not recursion: a callback registered by another one runs in the next round.
    @inlinable
    func drain(_ outcome: Result<Value, Failure>) {
        while case .run(let waiting) = transition({ $0.drained() }) { waiting(outcome) }
    }
}

// All continuations of this library are created in this file.

extension Future {
    /// Runs asynchronous work in a task of its own, and settles when the work ends.
    ///
    /// The task inherits the caller's task-local values, but isn't cancelled with the caller's task.
    ///
    /// - Parameters:
    ///   - priority: The task's priority; `nil` is the current one.
    ///   - cancelsWhenUnwanted: Whether the work is cancelled when nothing waits for it any more: when the future is
    ///     released, or the last task that waits in ``value(onCancel:)`` is cancelled. Callbacks, and futures derived
    ///     from this one (by `mapValue` and the like), never stop waiting.
    ///   - operation: The work. If it is cancelled, the error that it throws settles the future.
    public convenience init(
        priority: TaskPriority? = nil, cancelsWhenUnwanted: Bool = false,
        operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
    ) {
        self.init()
        let settle: @Sendable (Result<Value, Failure>) -> Void
        if cancelsWhenUnwanted {
            settle = { [weak self] result in self?.settle(result) }
        } else {
            settle = { result in self.settle(result) }
        }
        let task = Task(priority: priority) {
            do throws(Failure) {
                settle(.success(try await operation()))
            } catch {
                settle(.failure(error))
            }
        }
        if cancelsWhenUnwanted { transition { $0.setUnwantedAction(UnwantedAction { task.cancel() }) } }
    }

    /// The outcome; suspends until the future settles.
    ///
    /// Cancelling the waiting task doesn't end the wait. Callbacks may still be running when this returns, on the
    /// thread that settled the future.
    public var result: Result<Value, Failure> {
        get async {
            if let outcome = settledResult { return outcome }
            // Resumed with the result instead of throwing, which preserves the error's type.
            return await withCheckedContinuation { continuation in
                whenSettled { continuation.resume(returning: $0) }
            }
        }
    }

    /// The value; suspends until the future settles.
    ///
    /// If the waiting task is cancelled first, this throws a `CancellationError` where `Failure` is `any Error` or
    /// `CancellationError`. With any other `Failure`, the wait continues until the future settles. To end it, pass an
    /// error of that type to ``value(onCancel:)``.
    ///
    /// - Throws: The error that the promise was rejected with, or `CancellationError`.
    public var value: Value {
        get async throws(Failure) {
            if let outcome = settledResult { return try outcome.get() }
            guard let cancellation = CancellationError() as? Failure else { return try await result.get() }
            return try await value(onCancel: cancellation)
        }
    }

    /// Waits for the value, until the future settles or this task is cancelled.
    ///
    /// Cancellation ends only this wait: the future and its other waiters aren't affected. See
    /// ``init(priority:cancelsWhenUnwanted:operation:)`` for work that is cancelled with its last waiter.
    ///
    /// - Parameter cancellation: The error to throw if this task is cancelled before the future settles.
    /// - Returns: The value.
    /// - Throws: The error that the promise was rejected with, or the cancellation error.
    public func value(onCancel cancellation: @autoclosure @Sendable () -> Failure) async throws(Failure) -> Value {
        guard let result = await cancellableResult() else { throw cancellation() }
        return try result.get()
    }

    /// The outcome, or `nil` if this task is cancelled before the future settles.
    func cancellableResult() async -> Result<Value, Failure>? {
        if let outcome = settledResult { return outcome }
        // A cancelled task never joins: it would leave at once and, as the last to leave, could cancel the work.
        if Task.isCancelled { return nil }
        // Settled by this future or by the cancellation, whichever is first.
        let waiting = Future<Result<Value, Failure>?, Never>()
        let ticket = join { waiting.settle(.success($0)) }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.settle(.success(nil))
            if let ticket { leave(ticket) }
        }
    }

    /// The number of tasks whose wait ends when they are cancelled, for tests.
    package var waiterCount: Int { transition { $0.waiting.more.first?.cancellableWaiters.count ?? 0 } }
}

extension Future where Failure == Never {
    /// The value; suspends until the future is resolved, even if the waiting task is cancelled.
    public var value: Value {
        // The general property would do, but with Swift 6.3 its call crashes if the error's type is `Never`.
        get async {
            switch await result {
            case .success(let value): value
            }
        }
    }
}

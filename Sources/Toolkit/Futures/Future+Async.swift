// Every continuation of this library is in this file.

extension Future {
    /// Runs asynchronous work in a task of its own, and settles when it ends.
    ///
    /// The task has the task-local values of the one that starts it, and isn't cancelled with that one.
    ///
    /// - Parameters:
    ///   - priority: The task's priority; `nil` is the current one.
    ///   - cancelsWhenUnwanted: Whether the work is cancelled when nothing waits for it any more: when the future is released, or
    ///     the last task that waits by ``value(onCancel:)`` is cancelled. Callbacks, and futures made by them, never stop waiting.
    ///   - operation: The work. If it is cancelled, it settles the future with an error of its own.
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
        if cancelsWhenUnwanted { transition { $0.wantsToKnow(UnwantedAction { task.cancel() }) } }
    }

    /// The outcome, as soon as there is one.
    ///
    /// Waiting ends when the future settles, not by cancellation. Callbacks may still be running then, on the thread that
    /// settled it.
    public var result: Result<Value, Failure> {
        get async {
            if let outcome = settledResult { return outcome }
            // Resumed with the result instead of throwing: that keeps the error's type.
            return await withCheckedContinuation { continuation in
                whenSettled { continuation.resume(returning: $0) }
            }
        }
    }

    /// The value, as soon as it has arrived.
    ///
    /// If this task is cancelled first, the waiting ends with a `CancellationError` where `Failure` can be one: where it is
    /// `any Error` or `CancellationError`. Of other types no error says so, and the waiting goes on until the future settles: pass
    /// the error to ``value(onCancel:)``.
    ///
    /// - Throws: The error that the promise was rejected with, or `CancellationError`.
    public var value: Value {
        get async throws(Failure) {
            if let outcome = settledResult { return try outcome.get() }
            guard let cancellation = CancellationError() as? Failure else { return try await result.get() }
            return try await value(onCancel: cancellation)
        }
    }

    /// The value, as soon as it has arrived, unless this task is cancelled first.
    ///
    /// Cancellation ends this waiting only: the future and its other waiters go on. See
    /// ``init(priority:cancelsWhenUnwanted:operation:)`` for work that ends with its last waiter.
    ///
    /// - Parameter cancellation: The error if this task is cancelled before the future settles.
    /// - Returns: The value.
    /// - Throws: The error that the promise was rejected with, or that of the cancellation.
    public func value(onCancel cancellation: @autoclosure @Sendable () -> Failure) async throws(Failure) -> Value {
        guard let result = await cancellableResult() else { throw cancellation() }
        return try result.get()
    }

    /// The outcome, or `nil` if this task was cancelled before there was one.
    func cancellableResult() async -> Result<Value, Failure>? {
        if let outcome = settledResult { return outcome }
        // Never joined by a cancelled task, which would leave at once, and perhaps be the last to leave.
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

    /// The number of waiters that can leave, for tests.
    package var waiterCount: Int { transition { $0.waiting.more.first?.leavers.count ?? 0 } }
}

extension Future where Failure == Never {
    /// The value, as soon as it has arrived; waiting doesn't end by cancellation.
    public var value: Value {
        // The general one would do, but Swift 6.3 crashes where it is called with `Never` for the error.
        get async {
            switch await result {
            case .success(let value): value
            }
        }
    }
}

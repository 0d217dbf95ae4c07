extension Future {
    /// Runs asynchronous work, and settles when it is done.
    ///
    /// The work runs in a task of its own, with the task-local values of the one that starts it. It is not cancelled
    /// with that one.
    ///
    /// - Parameters:
    ///   - priority: The task's priority; `nil` is the current one.
    ///   - cancelsWhenUnwanted: Whether the work is cancelled when nobody waits for it any more: when the future itself is
    ///     gone, or when the last of those left that waited by ``value(onCancel:)``. Callbacks, and what is made of this
    ///     future by them, never leave.
    ///   - operation: The work. If it is cancelled, it says by its own error what becomes of the future.
    public convenience init(
        priority: TaskPriority? = nil, cancelsWhenUnwanted: Bool = false,
        operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
    ) {
        self.init()
        // Held weakly where it matters that it is gone.
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
}

/// Cancels a task or raises its priority, even before the task exists.
package final class TaskHandle: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        var isCancelled = false
        var priority: TaskPriority?
    }

    private let state = Lock(State())

    package init() {}

    /// Sets the task, at most once, and cancels it at once if the handle was cancelled.
    package func attach(_ task: Task<Void, Never>) {
        let (isCancelled, priority) = state.withLock { state in
            state.task = task
            return (state.isCancelled, state.priority)
        }
        if isCancelled { task.cancel() }
        if let priority { Self.escalate(task, to: priority) }
    }

    /// Cancels the task, now or when it is attached.
    package func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Raises the task's priority, now or when it is attached; never lowers it.
    package func escalate(to priority: TaskPriority) {
        let task = state.withLock { state in
            state.priority = max(state.priority ?? priority, priority)
            return state.task
        }
        if let task { Self.escalate(task, to: priority) }
    }

    private static func escalate(_ task: Task<Void, Never>, to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        }
    }
}

import Futures

/// A task that can be cancelled and hurried before it has begun.
final class TaskHandle: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        var isCancelled = false
        var priority: TaskPriority?
    }

    private let state = Lock(State())

    /// Says which task it is; at most once.
    func attach(_ task: Task<Void, Never>) {
        let (isCancelled, priority) = state.withLock { state in
            state.task = task
            return (state.isCancelled, state.priority)
        }
        if isCancelled { task.cancel() }
        if let priority { Self.escalate(task, to: priority) }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Raises the task's priority; it is never lowered.
    func escalate(to priority: TaskPriority) {
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

import Futures

/// Lets so many captures run at a time; the others wait, first come, first served.
actor CaptureQueue {
    private let limit: Int
    private var running = 0
    private var waiting: [Promise<Void, CaptureError>] = []

    /// - Parameter limit: How many run at a time; at least one.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Runs an operation when its turn comes.
    ///
    /// - Throws: What the operation throws, or `cancelled` if the task is cancelled while it waits.
    func run<Value: Sendable>(
        _ operation: @Sendable () async throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        try await takeTurn()
        defer { endTurn() }
        return try await operation()
    }

    private func takeTurn() async throws(CaptureError) {
        if running < limit {
            running += 1
            return
        }
        let turn = Promise<Void, CaptureError>(
            onAbandon: { CaptureError(.closed, "The queue of captures was closed.") })
        waiting.append(turn)
        let result = await withTaskCancellationHandler {
            await turn.future.result
        } onCancel: {
            // If its turn has just come, it has it, and the operation notices the cancellation.
            turn.reject(CaptureError(.cancelled, "The capture was cancelled while it waited for its turn."))
        }
        try result.get()
    }

    private func endTurn() {
        while !waiting.isEmpty {
            // One that was cancelled is passed over.
            if waiting.removeFirst().resolve(()) { return }
        }
        running -= 1
    }
}

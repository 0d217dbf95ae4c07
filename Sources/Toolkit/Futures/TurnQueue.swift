/// Limits how many operations run at a time; the others wait, first come, first served.
package actor TurnQueue<Failure: Error> {
    private let limit: Int
    private let cancelled: Failure
    private let closed: Failure
    private var running = 0
    private var waiting: [Promise<Void, Failure>] = []

    /// Creates a queue for so many operations at a time, at least one.
    ///
    /// Operations fail with `cancelled` if their task is cancelled while they wait, and with `closed` if the queue is deallocated.
    package init(limit: Int, cancelled: Failure, closed: Failure) {
        self.limit = max(limit, 1)
        (self.cancelled, self.closed) = (cancelled, closed)
    }

    /// Runs an operation when its turn comes.
    package func run<Value: Sendable>(
        _ operation: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await takeTurn()
        defer { endTurn() }
        return try await operation()
    }

    private func takeTurn() async throws(Failure) {
        if running < limit {
            running += 1
            return
        }
        let turn = Promise<Void, Failure>(onAbandon: { [closed] in closed })
        waiting.append(turn)
        let result = await withTaskCancellationHandler {
            await turn.future.result
        } onCancel: {
            // If its turn has just come, it has it, and the operation notices the cancellation.
            turn.reject(cancelled)
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

/// Limits how many operations run at a time; the others wait in first-in, first-out order.
package actor ConcurrencyLimiter<Failure: Error> {
    private let limit: Int
    private let cancelled: Failure
    private let closed: Failure
    private var running = 0
    private var waiting: [Promise<Void, Failure>] = []

    /// Creates a limiter that runs up to `limit` operations at a time, and at least one.
    ///
    /// An operation fails with `cancelled` if its task is cancelled while it waits, and with `closed` if the limiter is
    /// deallocated.
    package init(limit: Int, cancelled: Failure, closed: Failure) {
        self.limit = max(limit, 1)
        (self.cancelled, self.closed) = (cancelled, closed)
    }

    /// Runs an operation as soon as fewer than the limit are running.
    package func run<Value: Sendable>(
        _ operation: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await acquire()
        defer { release() }
        return try await operation()
    }

    private func acquire() async throws(Failure) {
        if running < limit {
            running += 1
            return
        }
        let turn = Promise<Void, Failure>(onAbandon: { [closed] in closed })
        waiting.append(turn)
        let result = await withTaskCancellationHandler {
            await turn.future.result
        } onCancel: {
            // No effect if the turn was granted just before; the operation then observes the cancellation.
            turn.reject(cancelled)
        }
        try result.get()
    }

    private func release() {
        while !waiting.isEmpty {
            // Cancelled waiters are skipped.
            if waiting.removeFirst().resolve(()) { return }
        }
        running -= 1
    }
}

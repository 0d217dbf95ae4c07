import Futures

/// Does something again and again: after a time, or when it is told to.
package final class Wake: Sendable {
    private let signal = Lock<AsyncStream<Void>.Continuation?>(nil)

    package init() {}

    /// Does it at once.
    package func now() {
        signal.withLock { $0 }?.yield()
    }

    /// Begins; only one thing is done at a time.
    ///
    /// - Parameters:
    ///   - interval: How often to do it.
    ///   - clock: The clock that measures the interval.
    ///   - work: What to do; it is done once at the beginning. When the database is closed, that is the end.
    /// - Returns: What ends it.
    package func begin(
        every interval: Duration, by clock: any Clock<Duration>, _ work: @escaping @Sendable () async throws -> Void
    ) -> ChangeWatch {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal.withLock { $0 = continuation }
        continuation.yield()
        let stopwatch = Stopwatch(clock)
        let ticking = Task { await stopwatch.tick(every: interval) { continuation.yield() } }
        let working = Task {
            for await _ in signals {
                do {
                    try await work()
                } catch let error as PersistenceError where error.code == .closed {
                    break
                } catch {
                    // Busy, or out of order: the next look tells all of it.
                }
            }
        }
        return ChangeWatch {
            ticking.cancel()
            working.cancel()
            continuation.finish()
        }
    }
}

import Futures

/// Refreshes every 15 minutes, also after a failure; in the sample application, a refresh that fails is the last one.
public struct BackgroundRefresh: Sendable {
    /// How long after the end of one the next begins: 15 minutes, as in the sample application.
    public static let interval = Duration.seconds(15 * 60)

    private let interval: Duration
    private let clock: any Clock<Duration>

    /// Creates a schedule of refreshes, each an interval after the end of the one before.
    public init(every interval: Duration = interval, clock: any Clock<Duration> = ContinuousClock()) {
        self.interval = interval
        self.clock = clock
    }

    /// Refreshes again and again, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - refresh: Queries, and awaits that the result is stored.
    ///   - done: Called with the outcome of each, after the pause before the next has begun; the next waits for its end.
    public func run<Failure: Error>(
        _ refresh: () async throws(Failure) -> Void, done: (Result<Void, Failure>) async -> Void = { _ in }
    ) async {
        do {
            try await Stopwatch(clock).sleep(until: interval)
            while !Task.isCancelled {
                let result: Result<Void, Failure>
                do throws(Failure) {
                    try await refresh()
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                // The pause begins before `done` is called, so that a slow `done` delays nothing.
                let pause = Stopwatch(clock)
                async let next: Void = pause.sleep(until: interval)
                await done(result)
                try await next
            }
        } catch {
            // Only a pause throws, when its task is cancelled.
        }
    }
}

import Futures

/// Does something every 15 minutes, whatever became of it the time before.
///
/// In the sample application the next refresh is asked for by the one before, if that goes well: one that fails is the last.
public struct BackgroundRefresh: Sendable {
    /// How long after the end of one the next begins: 15 minutes, as in the sample application.
    public static let interval = Duration.seconds(15 * 60)

    private let interval: Duration
    private let clock: any Clock<Duration>

    /// Creates one.
    ///
    /// - Parameters:
    ///   - interval: How long after the end of one the next begins.
    ///   - clock: What measures the time.
    public init(every interval: Duration = interval, clock: any Clock<Duration> = ContinuousClock()) {
        self.interval = interval
        self.clock = clock
    }

    /// Refreshes again and again, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - refresh: Queries, and awaits that what came is saved.
    ///   - done: Told what became of each, when it is over and the pause before the next has begun. The next waits for
    ///     it, and not a whole pause longer.
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
                // The next is asked for before anybody is told: who takes long over that puts nothing off.
                let pause = Stopwatch(clock)
                async let next: Void = pause.sleep(until: interval)
                await done(result)
                try await next
            }
        } catch {
            // Only a pause fails: with its task.
        }
    }
}

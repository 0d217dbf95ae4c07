import Futures

/// Refreshes periodically: by default 15 minutes after the end of the last refresh, even if that failed.
///
/// The sample application stops after a refresh that fails.
public struct BackgroundRefresh: Sendable {
    /// The time from the end of one refresh to the start of the next: 15 minutes, as in the sample application.
    public static let interval = Duration.seconds(15 * 60)

    private let interval: Duration
    private let clock: any Clock<Duration>

    /// Creates a schedule with an interval between the end of one refresh and the start of the next.
    public init(every interval: Duration = interval, clock: any Clock<Duration> = ContinuousClock()) {
        self.interval = interval
        self.clock = clock
    }

    /// Refreshes repeatedly until the task is cancelled; the first refresh begins after one interval.
    ///
    /// - Parameters:
    ///   - refresh: Performs a refresh, and returns when its result is stored.
    ///   - done: Receives the outcome of each refresh while the next pause is already running; the next refresh waits for it.
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
                // Start the pause before calling `done`, so that a slow `done` doesn't delay the next refresh.
                let pause = Stopwatch(clock)
                async let next: Void = pause.sleep(until: interval)
                await done(result)
                try await next
            }
        } catch {
            // Only the pause throws, when the task is cancelled.
        }
    }
}

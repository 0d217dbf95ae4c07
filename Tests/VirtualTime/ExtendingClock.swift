/// A clock with real time, on which long sleeps take twenty times as long.
///
/// On a busy machine, captures and browser commands must not reach their deadlines. Short sleeps, such as the quiet
/// period after which a page is ready, take their usual time.
public struct ExtendingClock: Clock {
    /// An instant of the continuous clock.
    public typealias Instant = ContinuousClock.Instant

    private let threshold: Swift.Duration

    /// Creates a clock.
    ///
    /// - Parameter threshold: The longest sleep that takes its usual time.
    public init(threshold: Swift.Duration = .seconds(1)) {
        self.threshold = threshold
    }

    /// The current instant.
    public var now: Instant { ContinuousClock.now }

    /// The resolution of the continuous clock.
    public var minimumResolution: Swift.Duration { ContinuousClock().minimumResolution }

    /// Sleeps until a deadline, or twenty times as long if it's later than the threshold.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let rest = now.duration(to: deadline)
        let extra = rest > threshold ? rest * 19 : .zero
        try await ContinuousClock().sleep(until: deadline + extra, tolerance: tolerance)
    }
}

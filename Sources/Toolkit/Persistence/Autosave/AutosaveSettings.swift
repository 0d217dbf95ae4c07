public import Futures

/// When an ``Autosave`` or a ``Stored`` writes.
public struct AutosaveSettings: Sendable {
    /// The default delay: shorter than a person notices, longer than the time between two keystrokes.
    public static let delay = Duration.milliseconds(250)
    /// The default upper limit of the delay while new values keep arriving: a power failure loses no older changes.
    public static let longestDelay = Duration.seconds(2)
    /// The default backoff after failed attempts: 1 s, doubled each time up to 60 s, shortened at random by up to half.
    public static let backoff = Backoff(firstPause: .seconds(1), longestPause: .seconds(60))

    /// How long to wait for a newer value before writing.
    public var delay: Duration
    /// The upper limit of the delay while new values keep arriving.
    public var longestDelay: Duration
    /// The pauses after failed attempts; the number of attempts is unlimited.
    public var backoff: Backoff
    /// The clock that measures the delays.
    public var clock: any Clock<Duration>
    /// The group that is flushed as a whole, for example when the program ends; `nil` for none.
    public var group: SaveGroup?

    /// Creates settings.
    public init(
        delay: Duration = Self.delay, longestDelay: Duration = Self.longestDelay, backoff: Backoff = Self.backoff,
        clock: any Clock<Duration> = ContinuousClock(), group: SaveGroup? = nil
    ) {
        self.delay = delay
        self.longestDelay = longestDelay
        self.backoff = backoff
        self.clock = clock
        self.group = group
    }
}

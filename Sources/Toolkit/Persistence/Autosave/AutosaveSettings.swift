public import Futures

/// When an ``Autosave``, or a ``Stored``, writes.
public struct AutosaveSettings: Sendable {
    /// How long a value waits for a newer one, by default: less than a person notices, more than between two keystrokes.
    public static let delay = Duration.milliseconds(250)
    /// How long a value waits at the most while newer ones keep coming, by default: what a power cut may cost.
    public static let longestDelay = Duration.seconds(2)
    /// The pauses after attempts that failed, by default: 1 s, twice as long each time, up to 60 s, less up to half of it
    /// by chance.
    public static let backoff = Backoff(firstPause: .seconds(1), longestPause: .seconds(60))

    /// How long a value waits for a newer one.
    public var delay: Duration
    /// How long a value waits at the most while newer ones keep coming.
    public var longestDelay: Duration
    /// The pauses after attempts that failed; attempts go on until one succeeds.
    public var backoff: Backoff
    /// What measures the time.
    public var clock: any Clock<Duration>
    /// With whom it is flushed when the program ends.
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

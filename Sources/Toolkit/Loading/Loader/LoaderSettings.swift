/// The retries, prefetches and clock of a ``Loader``.
public struct LoaderSettings: Sendable {
    /// The default maximum number of prefetched values.
    public static let prefetchLimit = 4
    /// The default time for which a prefetched value stays fresh.
    public static let prefetchLifetime = Duration.seconds(30)
    /// The default minimum interval between two progress updates: 20 a second are smooth.
    public static let progressInterval = Duration.milliseconds(50)

    /// Which errors are retried, how often, and after which pauses.
    public var retry: RetryPolicy
    /// The maximum number of prefetched values, including those being fetched; the oldest is dropped first.
    public var prefetchLimit: Int
    /// How long a prefetched value stays fresh: loading its source then needs no fetch.
    public var prefetchLifetime: Duration
    /// The minimum interval between two progress updates; the last report before the end is shown regardless.
    public var progressInterval: Duration
    /// The clock that measures all times.
    public var clock: any Clock<Duration>

    /// Creates settings.
    public init(
        retry: RetryPolicy = RetryPolicy(), prefetchLimit: Int = Self.prefetchLimit,
        prefetchLifetime: Duration = Self.prefetchLifetime, progressInterval: Duration = Self.progressInterval,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.retry = retry
        self.prefetchLimit = prefetchLimit
        self.prefetchLifetime = prefetchLifetime
        self.progressInterval = progressInterval
        self.clock = clock
    }
}

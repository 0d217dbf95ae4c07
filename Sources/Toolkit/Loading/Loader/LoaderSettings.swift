/// The retries, prefetches and clock of a ``Loader``.
public struct LoaderSettings: Sendable {
    /// How many values may be fetched ahead, by default.
    public static let prefetchLimit = 4
    /// For how long a value that was fetched ahead is as good as one that is fetched now, by default.
    public static let prefetchLifetime = Duration.seconds(30)
    /// How far apart two changes of the progress are, by default: 20 a second are smooth.
    public static let progressInterval = Duration.milliseconds(50)

    /// After which errors, how often and how far apart it tries again.
    public var retry: RetryPolicy
    /// How many values may be fetched ahead, those included that are on their way; the oldest goes first.
    public var prefetchLimit: Int
    /// For how long a value that was fetched ahead is as good as one that is fetched now.
    public var prefetchLifetime: Duration
    /// How far apart two changes of the progress are at least; the last before the end comes whatever this says.
    public var progressInterval: Duration
    /// What measures the time.
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

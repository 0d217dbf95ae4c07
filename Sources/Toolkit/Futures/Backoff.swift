/// Pauses that grow from one failure to the next.
///
/// The pause after the first failure is ``firstPause``; each further one is ``factor`` times as long, up to
/// ``longestPause``. A random part of each, at most ``jitter``, is subtracted, so that clients that failed together
/// don't retry together (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
public struct Backoff: Sendable {
    /// The pause after the first failure.
    public var firstPause: Duration
    /// The factor from each pause to the next.
    public var factor: Double
    /// The longest pause.
    public var longestPause: Duration
    /// The largest part of a pause that may be subtracted, from 0 (none) to 1 (all of it).
    public var jitter: Double
    /// Returns a random number from 0 to 1 for each pause.
    public var random: @Sendable () -> Double

    /// Creates a backoff.
    public init(
        firstPause: Duration = .seconds(1), factor: Double = 2, longestPause: Duration = .seconds(30),
        jitter: Double = 0.5, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.firstPause = firstPause
        self.factor = factor
        self.longestPause = longestPause
        self.jitter = jitter
        self.random = random
    }
}

extension Backoff {
    /// Returns the pause after this many consecutive failures, counted from 1; never less than zero.
    public func pause(after failures: Int) -> Duration {
        let full = min(firstPause.seconds * Self.power(factor, failures - 1), longestPause.seconds)
        let taken = full * min(max(jitter, 0), 1) * min(max(random(), 0), 1)
        // 0 · ∞ is not a number, and `Duration.seconds` traps on that and on numbers that do not fit.
        let seconds = full - taken
        return seconds.isFinite ? min(max(.seconds(max(seconds, 0)), .zero), max(longestPause, .zero)) : .zero
    }

    // `pow` would need Foundation. The exponent is capped: 1,100 factors of 2 already exceed any duration.
    private static func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<min(max(exponent, 0), 10_000)).reduce(1) { product, _ in product * base }
    }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}

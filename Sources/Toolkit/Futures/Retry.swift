/// How often, and how far apart, something that failed is tried again.
///
/// The pause before the second attempt is ``firstPause``; each pause is ``factor`` times the one before it, and at most
/// ``longestPause``. Of each, up to the part ``jitter`` is taken away at random, so that many who failed together do not
/// come again together (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
public struct Retry: Sendable {
    /// How many attempts there are at the most, the first among them; at least 1.
    public var attempts: Int
    /// The pause before the second attempt.
    public var firstPause: Duration
    /// What each pause is multiplied by for the next one.
    public var factor: Double
    /// No pause is longer.
    public var longestPause: Duration
    /// Which part of a pause may be taken away, from 0 (none) to 1 (all of it).
    public var jitter: Double
    /// How long pauses may be together: a pause that would take more is not made, and the last error is final.
    public var budget: Duration?
    /// A number from 0 to 1 for each pause.
    public var random: @Sendable () -> Double

    /// Creates a policy; the defaults are three attempts within a second.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts there are at the most, the first among them.
    ///   - firstPause: The pause before the second attempt.
    ///   - factor: What each pause is multiplied by for the next one.
    ///   - longestPause: No pause is longer.
    ///   - jitter: Which part of a pause may be taken away, from 0 to 1.
    ///   - budget: How long pauses may be together.
    ///   - random: A number from 0 to 1 for each pause.
    public init(
        attempts: Int = 3, firstPause: Duration = .milliseconds(200), factor: Double = 2,
        longestPause: Duration = .seconds(30), jitter: Double = 0.5, budget: Duration? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.factor = factor
        self.longestPause = longestPause
        self.jitter = jitter
        self.budget = budget
        self.random = random
    }
}

extension Retry {
    /// The pause after an attempt that failed.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1 on.
    ///   - spent: How long all pauses before were.
    /// - Returns: The pause; `nil` if there is no further attempt.
    public func pause(after attempt: Int, spent: Duration = .zero) -> Duration? {
        guard attempt < attempts else { return nil }
        let full = min(firstPause.seconds * Self.power(factor, attempt - 1), longestPause.seconds)
        let taken = full * min(max(jitter, 0), 1) * min(max(random(), 0), 1)
        // 0 · ∞ is not a number, and `Duration.seconds` traps on that and on numbers that do not fit.
        let seconds = full - taken
        let pause = seconds.isFinite ? min(max(.seconds(max(seconds, 0)), .zero), max(longestPause, .zero)) : .zero
        if let budget, spent + pause > budget { return nil }
        return pause
    }

    // Without Foundation there is no `pow`; attempts are few.
    private static func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<max(exponent, 0)).reduce(1) { product, _ in product * base }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

extension Future {
    /// Makes futures until one succeeds.
    ///
    /// - Parameters:
    ///   - policy: How often, and how far apart.
    ///   - clock: What measures the pauses.
    ///   - isWorthRetrying: Whether another attempt may go better after this error.
    ///   - attempt: Makes a future, for each attempt anew.
    /// - Returns: The future of the first value, or of the last error.
    public static func retry(
        _ policy: Retry = Retry(), clock: any Clock<Duration> = ContinuousClock(),
        while isWorthRetrying: @escaping @Sendable (Failure) -> Bool = { _ in true },
        attempt: @escaping @Sendable () -> Future
    ) -> Future {
        let target = Future()
        let retrying = Retrying(
            policy: policy, clock: clock, isWorthRetrying: isWorthRetrying, attempt: attempt, target: target)
        retrying.begin(1, spent: .zero)
        return target
    }
}

private struct Retrying<Value: Sendable, Failure: Error>: Sendable {
    let policy: Retry
    let clock: any Clock<Duration>
    let isWorthRetrying: @Sendable (Failure) -> Bool
    let attempt: @Sendable () -> Future<Value, Failure>
    let target: Future<Value, Failure>

    func begin(_ number: Int, spent: Duration) {
        attempt().whenSettled { result in
            guard case .failure(let error) = result, isWorthRetrying(error),
                let pause = policy.pause(after: number, spent: spent)
            else {
                target.settle(result)
                return
            }
            let stopwatch = Stopwatch(clock)
            Task {
                // Never cancelled; a clock that refuses to wait makes the last error final.
                do {
                    try await stopwatch.sleep(until: pause)
                } catch {
                    target.settle(result)
                    return
                }
                begin(number + 1, spent: spent + pause)
            }
        }
    }
}

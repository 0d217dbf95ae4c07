/// How often, and how far apart, a task that failed is tried again.
public struct Retry: Sendable {
    /// How many attempts there are at most, with the first; at least 1.
    public var attempts: Int
    /// The pauses between attempts.
    public var backoff: Backoff
    /// The longest time of all pauses together: instead of a pause that would exceed it, the last error is final.
    public var budget: Duration?

    /// Creates a policy; the defaults are three attempts within a second.
    public init(
        attempts: Int = 3, backoff: Backoff = Backoff(firstPause: .milliseconds(200)), budget: Duration? = nil
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.budget = budget
    }
}

extension Retry {
    /// The pause after a failed attempt, counted from 1, if all pauses before took so long; `nil` if no attempt follows.
    public func pause(after attempt: Int, spent: Duration = .zero) -> Duration? {
        guard attempt < attempts else { return nil }
        let pause = backoff.pause(after: attempt)
        if let budget, spent + pause > budget { return nil }
        return pause
    }
}

extension Future {
    /// Makes futures until one succeeds: the future of the first value, or of the last error.
    ///
    /// `isWorthRetrying` says whether another attempt may go better after an error.
    public static func retry(
        _ policy: Retry = Retry(), clock: any Clock<Duration> = ContinuousClock(),
        while isWorthRetrying: @escaping @Sendable (Failure) -> Bool = { _ in true },
        attempt: @escaping @Sendable () -> Future
    ) -> Future {
        let target = Future()
        @Sendable func begin(_ number: Int, spent: Duration) {
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
                    guard (try? await stopwatch.sleep(until: pause)) != nil else {
                        target.settle(result)
                        return
                    }
                    begin(number + 1, spent: spent + pause)
                }
            }
        }
        begin(1, spent: .zero)
        return target
    }
}

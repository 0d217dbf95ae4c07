/// How often, and after which pauses, a failed operation is retried.
public struct Retry: Sendable {
    /// The maximum number of attempts, the first included; less than 1 counts as 1.
    public var attempts: Int
    /// The pauses between attempts.
    public var backoff: Backoff
    /// The maximum total time of all pauses; if the next pause would exceed it, the last error is final.
    public var budget: Duration?

    /// Creates a policy; the defaults are three attempts, with pauses of at most 0.6 s in total.
    public init(
        attempts: Int = 3, backoff: Backoff = Backoff(firstPause: .milliseconds(200)), budget: Duration? = nil
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.budget = budget
    }
}

extension Retry {
    /// Returns the pause after a failed attempt, or `nil` if no attempt follows.
    ///
    /// Attempts are counted from 1; `spent` is the total of all previous pauses.
    public func pause(after attempt: Int, spent: Duration = .zero) -> Duration? {
        guard attempt < attempts else { return nil }
        let pause = backoff.pause(after: attempt)
        if let budget, spent + pause > budget { return nil }
        return pause
    }
}

extension Future {
    /// Attempts an operation until it succeeds or must not be retried.
    ///
    /// `attempt` starts one attempt; `isWorthRetrying` decides whether another one may follow an error. The future
    /// settles with the first value or the last error.
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
                    // This task is never cancelled; if the clock throws, the last error is final.
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

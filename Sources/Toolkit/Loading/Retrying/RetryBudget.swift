import Futures

/// How many retries all who share it may make: a share of their requests, over a time.
///
/// When a server fails everybody, everybody's retries would multiply what it has to do just then; a share of the requests
/// only adds that share. The idea and the numbers are Finagle's: one retry for every five requests of the last ten seconds,
/// and ten a second besides, so that those who ask for little can retry too
/// (https://twitter.github.io/finagle/guide/Clients.html#retries). gRPC throttles retries by a count of tokens to the same
/// end (https://github.com/grpc/proposal/blob/master/A6-client-retries.md#throttling-retry-attempts-and-hedged-rpcs).
///
/// Everything here may be called from any thread.
public final class RetryBudget: Sendable {
    private let machine: Lock<RetryBudgetStateMachine>
    private let time: Stopwatch

    /// Creates a budget of which nothing is spent.
    ///
    /// - Parameters:
    ///   - share: How many retries each request allows, from 0 on.
    ///   - period: For how long requests count, and retries.
    ///   - reserve: How many retries may be made in a period if there are no requests.
    ///   - clock: What measures the time.
    public init(
        share: Double = 0.2, period: Duration = .seconds(10), reserve: Int = 100,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.machine = Lock(RetryBudgetStateMachine(share: share, period: period, reserve: reserve))
        self.time = Stopwatch(clock)
    }
}

extension RetryBudget {
    /// Counts a request that is no retry.
    public func deposit() {
        let now = time.elapsed
        machine.withLock { $0.deposit(now: now) }
    }

    /// Takes a retry out of the budget.
    ///
    /// - Returns: Whether there was one left.
    public func withdraw() -> Bool {
        let now = time.elapsed
        return machine.withLock { $0.withdraw(now: now) }
    }
}

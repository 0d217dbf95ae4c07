import Futures

/// Limits the retries of all loaders that share it to a part of their requests, so that retries don't multiply the load of a server
/// that fails.
///
/// The numbers are Finagle's: one retry for every five requests of the last ten seconds, and ten a second besides
/// (https://twitter.github.io/finagle/guide/Clients.html#retries). Everything here may be called from any thread.
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

/// The requests and retries of the last period; times are since the creation.
///
/// The period is cut into slices, as in Finagle's `WindowedAdder`: whole slices are dropped, so that memory is bounded and a period
/// is at most one slice too long.
struct RetryBudgetStateMachine: Sendable {
    private struct Slice: Sendable {
        let number: Double
        var balance = 0.0
    }

    private static let slicesInPeriod = 10.0

    private let share: Double
    private let reserve: Double
    private let sliceLength: Duration
    /// The oldest first; none is empty.
    private var slices: [Slice] = []

    init(share: Double, period: Duration, reserve: Int) {
        self.share = share.isFinite ? max(share, 0) : 0
        self.reserve = Double(max(reserve, 0))
        self.sliceLength = max(period, .milliseconds(1)) / Self.slicesInPeriod
    }

    mutating func deposit(now: Duration) {
        add(share, now: now)
    }

    mutating func withdraw(now: Duration) -> Bool {
        // By a billionth more than one: the sum of five fifths may be a little less.
        guard balance(now: now) + 1e-9 >= 1 else { return false }
        add(-1, now: now)
        return true
    }

    /// How many retries are left.
    private mutating func balance(now: Duration) -> Double {
        let current = number(now)
        slices.removeAll { $0.number <= current - Self.slicesInPeriod }
        return slices.reduce(reserve) { $0 + $1.balance }
    }

    private mutating func add(_ amount: Double, now: Duration) {
        let current = number(now)
        if slices.last?.number != current {
            slices.removeAll { $0.number <= current - Self.slicesInPeriod }
            slices.append(Slice(number: current))
        }
        slices[slices.count - 1].balance += amount
    }

    private func number(_ now: Duration) -> Double {
        (now / sliceLength).rounded(.down)
    }
}

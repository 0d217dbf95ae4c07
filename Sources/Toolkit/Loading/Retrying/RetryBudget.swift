import Futures

/// Limits the retries of all loaders that share it to a part of their requests, so that retries don't multiply the load
/// of a failing server.
///
/// The defaults are Finagle's: one retry for every five requests of the last ten seconds, plus ten a second
/// (https://twitter.github.io/finagle/guide/Clients.html#retries). Everything here may be called from any thread.
public final class RetryBudget: Sendable {
    private let machine: Lock<RetryBudgetStateMachine>
    private let time: Stopwatch

    /// Creates an unspent budget.
    ///
    /// - Parameters:
    ///   - share: The number of retries that each request allows; at least 0.
    ///   - period: How long requests and retries count.
    ///   - reserve: The number of retries that a period allows without any requests.
    ///   - clock: The clock that measures the time.
    public init(
        share: Double = 0.2, period: Duration = .seconds(10), reserve: Int = 100,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.machine = Lock(RetryBudgetStateMachine(share: share, period: period, reserve: reserve))
        self.time = Stopwatch(clock)
    }
}

extension RetryBudget {
    /// Counts a request that isn't a retry.
    public func deposit() {
        let now = time.elapsed
        machine.withLock { $0.deposit(now: now) }
    }

    /// Withdraws a retry from the budget.
    ///
    /// - Returns: Whether there was one left.
    public func withdraw() -> Bool {
        let now = time.elapsed
        return machine.withLock { $0.withdraw(now: now) }
    }
}

/// The requests and retries of the last period; each `now` is the time since the budget was created.
///
/// The period is divided into slices, as in Finagle's `WindowedAdder`. Only whole slices are dropped, so that memory is
/// bounded; a request or retry stops counting up to one slice before its period ends.
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
        // Tolerates rounding: the sum of five fifths may be a little less than one.
        guard balance(now: now) + 1e-9 >= 1 else { return false }
        add(-1, now: now)
        return true
    }

    /// The number of retries that are left.
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

/// Requests and retries of the last while: pure, times are since the beginning.
///
/// The period is cut into slices, as in Finagle's `WindowedAdder`: whole slices are forgotten, so that memory is bounded and
/// a period is at most one slice too long.
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

/// How schedules are chosen.
public struct Strategy: Sendable {
    enum Kind: Sendable, Equatable {
        case portfolio, random, inOrder
        case priorities(depth: Int)
        case exhaustive(preemptions: Int?)
        case replay([Int])
        /// A replay string that makes no sense.
        case unreadable(String)
    }

    let kind: Kind
}

extension Strategy {
    /// All of the others in turn: what one finds late another finds early.
    ///
    /// The default.
    public static let portfolio = Strategy(kind: .portfolio)

    /// Each choice is drawn at random.
    public static let random = Strategy(kind: .random)

    /// One schedule: whatever became ready first runs first.
    public static let inOrder = Strategy(kind: .inOrder)

    /// Each task has a priority at random, and the highest runs; at `depth - 1` points, at random too, the running task's
    /// becomes the lowest.
    ///
    /// Finds what needs so many orderings to be just so with a probability that can be stated: Burckhardt et al., "A
    /// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
    ///
    /// - Parameter depth: How many orderings, at least 1; 2 or 3 find most.
    /// - Returns: The strategy.
    public static func pct(_ depth: Int) -> Strategy {
        Strategy(kind: .priorities(depth: max(depth, 1)))
    }

    /// Every schedule, one after another, in which running tasks are interrupted so often at the most.
    ///
    /// - Parameter preemptions: How often a task that could go on gives way to another; `nil` is without a bound. Most bugs
    ///   need no more than two: Musuvathi and Qadeer, "Iterative Context Bounding", PLDI 2007.
    /// - Returns: The strategy.
    public static func exhaustive(preemptions: Int? = 2) -> Strategy {
        Strategy(kind: .exhaustive(preemptions: preemptions))
    }

    /// The one schedule that a report has named.
    ///
    /// - Parameter code: As it stands in the report.
    /// - Returns: The strategy.
    public static func replay(_ code: String) -> Strategy {
        Strategy(kind: ReplayCode.decode(code).map(Kind.replay) ?? .unreadable(code))
    }
}

/// Choices as text: `x1:`, and a character for each choice, of digits and letters; 36 and more in parentheses.
///
/// A choice of 0 is that the task goes on that ran before; zeros at the end are left out.
enum ReplayCode {
    private static let prefix = "x1:"
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")

    static func encode(_ choices: [Int]) -> String {
        let last = choices.lastIndex { $0 != 0 }
        let used = last.map { choices[...$0] } ?? []
        return prefix + used.map { $0 < digits.count ? String(digits[$0]) : "(\($0))" }.joined()
    }

    static func decode(_ code: String) -> [Int]? {
        guard code.hasPrefix(prefix) else { return nil }
        var choices: [Int] = []
        var rest = code.dropFirst(prefix.count)
        while let first = rest.popFirst() {
            if first == "(" {
                guard let end = rest.firstIndex(of: ")"), let number = Int(rest[..<end]), number >= 0 else {
                    return nil
                }
                choices.append(number)
                rest = rest[rest.index(after: end)...]
            } else {
                guard let digit = digits.firstIndex(of: first) else { return nil }
                choices.append(digit)
            }
        }
        return choices
    }
}

/// SplitMix64: small, and the same everywhere. https://prng.di.unimi.it/splitmix64.c
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var next = state
        next = (next ^ (next >> 30)) &* 0xbf58_476d_1ce4_e5b9
        next = (next ^ (next >> 27)) &* 0x94d0_49bb_1331_11eb
        return next ^ (next >> 31)
    }

    mutating func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
    }
}

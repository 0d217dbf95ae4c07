/// How schedules are chosen.
public struct Strategy: Sendable {
    enum Kind: Sendable, Equatable {
        case portfolio, random, inOrder
        case priorities(depth: Int)
        case exhaustive(preemptions: Int?)
        case partialOrder
        case replay([Int])
        /// A replay code that can't be parsed.
        case unreadable(String)
    }

    let kind: Kind
}

extension Strategy {
    /// Alternates between ``random``, ``exhaustive(preemptions:)`` and ``pct(_:)``: each finds some bugs first.
    ///
    /// The default.
    public static let portfolio = Strategy(kind: .portfolio)

    /// Makes each choice at random.
    public static let random = Strategy(kind: .random)

    /// Runs one schedule, in which tasks run in the order in which they became ready.
    public static let inOrder = Strategy(kind: .inOrder)

    /// Gives each task a random priority, and runs the task with the highest.
    ///
    /// At `depth - 1` random points, the running task gets the lowest priority.
    ///
    /// If a bug needs this many ordering constraints, each schedule has a known minimum probability of finding it:
    /// Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
    ///
    /// - Parameter depth: The number of ordering constraints, at least 1; 2 or 3 find most bugs.
    /// - Returns: The strategy.
    public static func pct(_ depth: Int) -> Strategy {
        Strategy(kind: .priorities(depth: max(depth, 1)))
    }

    /// Runs every schedule, one after another, with at most this many preemptions.
    ///
    /// - Parameter preemptions: How often a task that could continue is interrupted by another; `nil` means no bound.
    ///   Most bugs need no more than two: Musuvathi and Qadeer, "Iterative Context Bounding", PLDI 2007.
    /// - Returns: The strategy.
    public static func exhaustive(preemptions: Int? = 2) -> Strategy {
        Strategy(kind: .exhaustive(preemptions: preemptions))
    }

    /// Runs one of all schedules that differ only in the order of independent steps, and so every behaviour.
    ///
    /// Two steps are independent if they run on different actors or none, at most one of them ends or suspends without a
    /// hop or a yield, and neither uses a lock, resumes or cancels a task, or creates a job for the main actor. That is
    /// right if tasks share state only in actors, streams, continuations and locks that the explorer sees; not if they
    /// share atomic values or a `Mutex`. It can't be combined with `preemptsAtLocks`.
    public static let partialOrder = Strategy(kind: .partialOrder)

    /// Runs the one schedule of a replay code.
    ///
    /// - Parameter code: The replay code from a report.
    /// - Returns: The strategy.
    public static func replay(_ code: String) -> Strategy {
        Strategy(kind: ReplayCode.decode(code).map(Kind.replay) ?? .unreadable(code))
    }
}

/// Encodes choices as text: `x1:` and a digit or letter for each choice; 36 and above in parentheses.
///
/// A choice of 0 means that the task that ran before continues; trailing zeros are omitted.
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

/// SplitMix64: a small generator with the same numbers on every platform.
///
/// https://prng.di.unimi.it/splitmix64.c
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

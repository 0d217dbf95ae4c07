/// The candidates at one point: the owners of all ready jobs; a choice is an index into them.
///
/// The first is the task that ran last, if it can continue; the others are in the order in which they became ready. So
/// 0 means "no interruption" to every policy.
struct Candidates {
    var owners: [UInt64] = []
    /// The executor that each needs; 0 for none.
    var targets: [UInt] = []
    /// Whether the first candidate is the task that ran last.
    var canContinue = false

    var count: Int { owners.count }
}

/// Chooses a candidate at each point of a series of schedules.
struct Chooser {
    private var random = SplitMix(seed: 0)
    private var policy: any ChoicePolicy
    private var point = 0
    /// Whether the chooser needs to know each step.
    let reduces: Bool

    init(_ kind: Strategy.Kind) {
        switch kind {
        case .inOrder, .portfolio, .unreadable: self.policy = InOrder()
        case .random: self.policy = RandomChoice()
        case .priorities(let depth): self.policy = Priorities(depth: depth)
        case .exhaustive(let preemptions): self.policy = BoundedSearch(preemptions: preemptions)
        case .partialOrder: self.policy = ReducedSearch()
        case .replay(let choices): self.policy = Replay(choices: choices)
        }
        self.reduces = kind == .partialOrder
    }

    /// Begins a schedule; `points` is the number of points that it is expected to have.
    mutating func begin(seed: UInt64, points: Int) {
        random = SplitMix(seed: seed)
        point = 0
        policy.begin(points: points, random: &random)
    }

    /// Returns the index of a candidate, of which there must be at least two.
    mutating func choose(_ candidates: Candidates) -> Int {
        defer { point += 1 }
        return policy.choose(candidates, at: point, random: &random)
    }

    /// Notes that a step has run; only needed if the chooser ``reduces``.
    mutating func note(_ step: Step) { policy.note(step) }

    /// Whether the schedule is one that differs from an earlier one only in the order of independent steps.
    var isRedundant: Bool { policy.isRedundant }

    /// Advances to the next schedule; returns whether there is one.
    mutating func advance() -> Bool { policy.advance() }

    /// The estimated part of a search that is done, from 0 to 1; `nil` for choices that don't search.
    var progress: Double? { policy.progress }
}

protocol ChoicePolicy {
    var isRedundant: Bool { get }
    mutating func begin(points: Int, random: inout SplitMix)
    mutating func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int
    mutating func note(_ step: Step)
    mutating func advance() -> Bool
    var progress: Double? { get }
}

extension ChoicePolicy {
    var isRedundant: Bool { false }
    mutating func begin(points: Int, random: inout SplitMix) {}
    mutating func note(_ step: Step) {}
    mutating func advance() -> Bool { true }
    var progress: Double? { nil }
}

private struct InOrder: ChoicePolicy {
    func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        candidates.canContinue ? 1 : 0
    }
}

private struct RandomChoice: ChoicePolicy {
    func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        random.below(candidates.count)
    }
}

private struct Replay: ChoicePolicy {
    let choices: [Int]

    func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        point < choices.count ? min(choices[point], candidates.count - 1) : 0
    }
}

/// Random priorities with change points; see ``Strategy/pct(_:)``.
private struct Priorities: ChoicePolicy {
    /// A task that is chosen this many times in a row, as in a busy loop, gives way to the others.
    private static let maximumStreak = 200

    private let depth: Int
    private var priorities: [UInt64: Int] = [:]
    private var changes: Set<Int> = []
    private var lowest = 0
    private var streak = (owner: UInt64.max, length: 0)

    init(depth: Int) {
        self.depth = depth
    }

    mutating func begin(points: Int, random: inout SplitMix) {
        priorities.removeAll(keepingCapacity: true)
        lowest = 0
        streak = (.max, 0)
        changes = []
        for _ in 1..<depth { changes.insert(random.below(max(points, 1))) }
    }

    mutating func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        for owner in candidates.owners where priorities[owner] == nil {
            priorities[owner] = 1 + random.below(1 << 40)
        }
        var choice = highest(candidates)
        let owner = candidates.owners[choice]
        streak = streak.owner == owner ? (owner, streak.length + 1) : (owner, 1)
        if changes.contains(point) || streak.length > Self.maximumStreak {
            lowest -= 1
            priorities[owner] = lowest
            choice = highest(candidates)
        }
        return choice
    }

    private func highest(_ candidates: Candidates) -> Int {
        candidates.owners.indices.max {
            // Of several jobs of the same task, the first wins.
            priorities[candidates.owners[$0], default: 0] < priorities[candidates.owners[$1], default: 0]
                || (candidates.owners[$0] == candidates.owners[$1] && $0 > $1)
        } ?? 0
    }
}

/// Depth-first search, with a bound on how often a task that could continue is interrupted.
private struct BoundedSearch: ChoicePolicy {
    private struct Point {
        var choice: Int
        let count: Int
    }

    private let maximumPreemptions: Int?
    private var path: [Point] = []
    private var depth = 0
    private var preemptions = 0

    init(preemptions: Int?) {
        self.maximumPreemptions = preemptions
    }

    mutating func begin(points: Int, random: inout SplitMix) {
        depth = 0
        preemptions = 0
    }

    mutating func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        if depth == path.count {
            let isSpent = maximumPreemptions.map { preemptions >= $0 } ?? false
            path.append(Point(choice: 0, count: candidates.canContinue && isSpent ? 1 : candidates.count))
        }
        let choice = min(path[depth].choice, candidates.count - 1)
        depth += 1
        if candidates.canContinue, choice > 0 { preemptions += 1 }
        return choice
    }

    /// The part of the search tree before the next schedule's path, with the subtrees of one point taken as equal.
    var progress: Double? {
        var share = 1.0
        var done = 0.0
        for point in path {
            share /= Double(point.count)
            done += Double(point.choice) * share
        }
        return done
    }

    mutating func advance() -> Bool {
        while let last = path.last {
            if last.choice + 1 < last.count {
                path[path.count - 1].choice += 1
                return true
            }
            path.removeLast()
        }
        return false
    }
}

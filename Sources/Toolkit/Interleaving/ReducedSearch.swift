/// What is known of a step when it has run.
struct Step: Equatable {
    /// What a step on another executor may notice of it.
    enum Effect { case nothing, ending, anything }

    let owner: UInt64
    /// The executor that it ran on; 0 for none.
    let target: UInt
    var effect: Effect
    /// Whether its task is a child task, which only its parent can wait for.
    var isChild = false
    /// The tasks that it made ready.
    var enabled: [UInt64] = []

    /// Whether two steps, each of which has run while the other was ready, have the same effect in either order.
    ///
    /// A step that doesn't wait for a task is independent of that task's end: otherwise it would have suspended.
    func isIndependent(of other: Step) -> Bool {
        if effect == .anything || other.effect == .anything { return false }
        if effect == .ending, other.effect == .ending { return false }
        return target == 0 || target != other.target
    }

    /// Whether a later step may depend on this one, although it ran when this one was over.
    ///
    /// A later step may have gone past the end of this one's task without waiting. Of a child task, only its parent can.
    func mayPrecede(_ later: Step, parent: UInt64?) -> Bool {
        !isIndependent(of: later) || (effect == .ending && (!isChild || parent == later.owner))
    }
}

/// Depth-first search with dynamic partial-order reduction and sleep sets: of the schedules that differ only in the order
/// of independent steps, one is run to its end.
///
/// After each schedule, the search looks for races: two dependent steps of tasks that could have run in the other order.
/// The choice before the first of them is then tried with the task of the second. Flanagan and Godefroid, "Dynamic
/// Partial-Order Reduction for Model Checking Software", POPL 2005.
///
/// When all schedules that begin with one step have been run, the step sleeps: the following schedules don't choose it
/// until a step has run that it depends on. A schedule in which only sleeping steps are left is redundant. Godefroid,
/// "Partial-Order Methods for the Verification of Concurrent Systems", LNCS 1032, 1996, chapter 5.
struct ReducedSearch: ChoicePolicy {
    private struct Point {
        var choice: Int
        /// The tasks of the candidates, in the schedule that reached the point last.
        var owners: [UInt64]
        /// The candidates that slept when the point was reached.
        let asleep: Set<Int>
        /// The candidates to try.
        var toTry: Set<Int> = []
        /// The earlier choices, and the effects of their steps.
        var explored: [(choice: Int, effect: Step.Effect)] = []
        /// The effect of the current choice's step.
        var effect = Step.Effect.anything
    }

    private var path: [Point] = []
    private var depth = 0
    /// The point whose choice runs next.
    private var chosen: Int?
    private var sleeping: [Step] = []
    /// The steps of this schedule, and the point at which each was chosen.
    private var steps: [(step: Step, point: Int?)] = []
    /// The task that made each task ready first, and so is its parent.
    private var parents: [UInt64: UInt64] = [:]
    private(set) var isRedundant = false

    mutating func begin(points: Int, random: inout SplitMix) {
        depth = 0
        chosen = nil
        parents.removeAll(keepingCapacity: true)
        sleeping.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
        isRedundant = false
    }

    mutating func choose(_ candidates: Candidates, at point: Int, random: inout SplitMix) -> Int {
        // The choices of a redundant schedule don't matter: it only has to end.
        if isRedundant { return candidates.canContinue ? 1 : 0 }
        if depth == path.count {
            let asleep = Set(candidates.owners.indices.filter { isAsleep(candidates.owners[$0]) })
            guard let first = candidates.owners.indices.first(where: { !asleep.contains($0) }) else {
                isRedundant = true
                return 0
            }
            path.append(Point(choice: first, owners: candidates.owners, asleep: asleep))
        }
        path[depth].owners = candidates.owners
        let choice = min(path[depth].choice, candidates.count - 1)
        for (index, effect) in path[depth].explored where index < candidates.count {
            sleeping.append(
                Step(owner: candidates.owners[index], target: candidates.targets[index], effect: effect))
        }
        chosen = depth
        depth += 1
        return choice
    }

    private func isAsleep(_ owner: UInt64) -> Bool { sleeping.contains { $0.owner == owner } }

    mutating func note(_ step: Step) {
        if isRedundant { return }
        if isAsleep(step.owner) {
            isRedundant = true
            return
        }
        if let chosen { path[chosen].effect = step.effect }
        steps.append((step, chosen))
        for owner in step.enabled where parents[owner] == nil { parents[owner] = step.owner }
        chosen = nil
        sleeping.removeAll { !$0.isIndependent(of: step) }
    }

    mutating func advance() -> Bool {
        noteRaces()
        while var last = path.popLast() {
            last.explored.append((last.choice, last.effect))
            let next = last.toTry.subtracting(last.asleep).subtracting(last.explored.map(\.choice)).min()
            if let next {
                last.choice = next
                last.effect = .anything
                path.append(last)
                return true
            }
        }
        return false
    }

    /// Finds the races of the schedule that has run, and notes what to try instead.
    private mutating func noteRaces() {
        var order = HappensBefore()
        for (later, entry) in steps.enumerated() {
            // Only the last race matters: the schedule in which it is reversed shows the others.
            let race = steps.indices[..<later].last { earlier in
                steps[earlier].step.owner != entry.step.owner
                    && mayPrecede(earlier, later)
                    && !order.precedes(earlier, taskOf: entry.step.owner)
            }
            if let race, let point = steps[race].point { reverse(race, later, at: point, order) }
            let causes = steps.indices[..<later].filter { mayPrecede($0, later) }
            order.add(entry.step, after: causes)
        }
    }

    private func mayPrecede(_ earlier: Int, _ later: Int) -> Bool {
        let step = steps[earlier].step
        return step.mayPrecede(steps[later].step, parent: parents[step.owner])
    }

    /// Notes at a point that the later step's task, or one that leads to it, should run before the earlier step.
    private mutating func reverse(_ earlier: Int, _ later: Int, at point: Int, _ order: HappensBefore) {
        let owner = steps[later].step.owner
        let owners = path[point].owners
        if let index = owners.firstIndex(of: owner) {
            path[point].toTry.insert(index)
            return
        }
        for step in earlier + 1..<later where order.precedes(step, taskOf: owner) {
            guard let index = owners.firstIndex(of: steps[step].step.owner) else { continue }
            path[point].toTry.insert(index)
            return
        }
        path[point].toTry.formUnion(owners.indices)
    }
}

/// Which steps of a schedule happen before which, by vector clocks.
private struct HappensBefore {
    /// For each step, its task and its number among the steps of that task, from 1 on.
    private var places: [(owner: UInt64, number: Int)] = []
    private var counts: [UInt64: Int] = [:]
    /// For each step, how many steps of each task precede it, itself included.
    private var clocks: [[UInt64: Int]] = []
    /// For each task, how many steps of each task precede its next step.
    private var known: [UInt64: [UInt64: Int]] = [:]

    /// Whether a step precedes the next step of a task.
    func precedes(_ step: Int, taskOf owner: UInt64) -> Bool {
        let place = places[step]
        return place.owner == owner || (known[owner]?[place.owner] ?? 0) >= place.number
    }

    mutating func add(_ step: Step, after causes: [Int]) {
        var clock = known[step.owner] ?? [:]
        for cause in causes { clock.merge(clocks[cause]) { max($0, $1) } }
        let number = counts[step.owner, default: 0] + 1
        counts[step.owner] = number
        clock[step.owner] = number
        places.append((step.owner, number))
        clocks.append(clock)
        known[step.owner] = clock
        for owner in step.enabled { known[owner, default: [:]].merge(clock) { max($0, $1) } }
    }
}

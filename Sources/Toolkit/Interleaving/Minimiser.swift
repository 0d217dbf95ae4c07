/// Finds the schedule that is easiest to read among those that fail in the same way.
struct Minimiser {
    /// The maximum number of schedules to try.
    private static let maximumAttempts = 1_000
    /// The maximum number of schedules to try with each number of preemptions.
    private static let maximumSearched = 250

    private(set) var best: Schedule
    private let original: Schedule
    private let deadline: ContinuousClock.Instant
    private let run: (inout Chooser) -> Schedule
    private var attempts = 0

    /// Creates a minimiser for a failing schedule; `run` runs the body under a chooser's schedule.
    init(_ failing: Schedule, deadline: ContinuousClock.Instant, run: @escaping (inout Chooser) -> Schedule) {
        self.best = failing
        self.original = failing
        self.deadline = deadline
        self.run = run
    }

    /// Minimises until nothing helps any more, or the attempts or the time are used up.
    mutating func minimise() {
        cutEnd()
        simplify()
        if searchWithFewerInterruptions() { simplify() }
    }

    private var canContinue: Bool { attempts < Self.maximumAttempts && ContinuousClock.now < deadline }

    /// Runs a schedule, and returns whether it is the best so far.
    private mutating func attempt(_ chooser: inout Chooser) -> Bool {
        attempts += 1
        let schedule = run(&chooser)
        guard schedule.fails(like: original), ReadingEffort(schedule) < ReadingEffort(best) else { return false }
        best = schedule
        return true
    }

    private mutating func attempt(_ choices: [Int]) -> Bool {
        var chooser = Chooser(.replay(choices))
        return attempt(&chooser)
    }

    /// Replaces the last choices by none: those after the decisive one don't matter.
    private mutating func cutEnd() {
        var length = best.choices.count / 2
        while length >= 1, canContinue {
            if best.choices.count > length, attempt(Array(best.choices.dropLast(length))) { continue }
            length /= 2
        }
    }

    /// Makes single changes for as long as one of them helps.
    private mutating func simplify() {
        var isBetter = true
        while isBetter, canContinue {
            isBetter = false
            for index in best.choices.indices.reversed() where canContinue {
                guard index < best.choices.count, best.choices[index] != 0 else { continue }
                if simplify(at: index) { isBetter = true }
            }
            if !isBetter, removeRanges() { isBetter = true }
        }
    }

    /// Tries to omit a switch, to choose an earlier candidate, or to switch later, perhaps together with the next switch.
    private mutating func simplify(at index: Int) -> Bool {
        let choices = best.choices
        var without = choices
        without[index] = 0
        if attempt(without) { return true }
        for choice in stride(from: 1, to: choices[index], by: 1) where canContinue {
            var changed = choices
            changed[index] = choice
            if attempt(changed) { return true }
        }
        guard index + 1 < choices.count, canContinue else { return false }
        var later = choices
        later.swapAt(index, index + 1)
        if attempt(later) { return true }
        // Later choices belong to other points if this one goes.
        var removed = choices
        removed.remove(at: index)
        return canContinue && attempt(removed)
    }

    /// Tries to leave out several choices in a row.
    private mutating func removeRanges() -> Bool {
        var length = best.choices.count / 2
        while length > 1 {
            var start = 0
            while start + length <= best.choices.count, canContinue {
                var choices = best.choices
                choices.removeSubrange(start..<start + length)
                if attempt(choices) { return true }
                start += length
            }
            length /= 2
        }
        return false
    }

    /// Searches all schedules with no preemption, then with one, and so on, for one that fails with fewer than the best.
    private mutating func searchWithFewerInterruptions() -> Bool {
        for preemptions in 0..<best.interruptions {
            var chooser = Chooser(.exhaustive(preemptions: preemptions))
            for _ in 0..<Self.maximumSearched where canContinue {
                if attempt(&chooser) { return true }
                if !chooser.advance() { break }
            }
        }
        return false
    }
}

import Digests

/// Runs schedules until one fails or the limit is reached, and minimises the failing one.
struct Explorer {
    /// The maximum number of replays spent on minimising a trace.
    private static let replays = 300

    let strategy: Strategy
    let schedules: Int
    let time: Duration?
    let seed: UInt64
    let stepLimit: Int
    let allowsLeaks: Bool
    let runner: any ScheduleRunner
    let body: ExplorationBody

    private static let portfolio: [Strategy.Kind] = [
        .random, .priorities(depth: 2), .exhaustive(preemptions: 2), .priorities(depth: 3), .priorities(depth: 5),
    ]

    func run() -> Exploration {
        var exploration = Exploration()
        exploration.seed = seed
        var kinds: [Strategy.Kind]
        switch strategy.kind {
        case .portfolio: kinds = Self.portfolio
        case .unreadable(let code):
            exploration.outcome = .failed("\"\(code)\" isn't a replay code, which begins with x1:")
            return exploration
        case .random, .inOrder, .priorities, .exhaustive, .replay: kinds = [strategy.kind]
        }
        var points = 32
        var choosers = kinds.map { Chooser($0) }
        var hash = XXH64()
        var counter = CoverageCounter()
        let clock = ContinuousClock()
        let start = clock.now
        while exploration.schedules < limit {
            let turn = exploration.schedules % choosers.count
            let scheduleSeed = seed &+ UInt64(exploration.schedules) &* 0x0100_0193
            choosers[turn].begin(seed: scheduleSeed, points: points)
            runner.willRun(schedule: exploration.schedules + 1, seed: seed)
            let schedule = self.schedule(&choosers[turn], seed: scheduleSeed, traces: false)
            exploration.schedules += 1
            points = max(points, schedule.choices.count)
            hash.add(Int(truncatingIfNeeded: schedule.hash.value))
            counter.count(schedule, of: kinds[turn])
            if schedule.outcome != .passed {
                explain(schedule, seed: scheduleSeed, &exploration)
                break
            }
            let isExhausted = !choosers[turn].advance()
            counter.advance(kinds[turn], progress: choosers[turn].progress, isExhausted: isExhausted)
            if isExhausted {
                choosers.remove(at: turn)
                kinds.remove(at: turn)
                if choosers.isEmpty {
                    exploration.isExhausted = true
                    break
                }
            }
            if let time = time, exploration.schedules.isMultiple(of: 16), clock.now - start >= time { break }
        }
        exploration.hash = hash.value
        exploration.coverage = counter.coverage
        exploration.foreignResumes = runner.foreignResumes
        return exploration
    }

    private var limit: Int {
        switch strategy.kind {
        case .replay, .inOrder: 1
        case .portfolio, .random, .priorities, .exhaustive, .unreadable: schedules
        }
    }

    private func schedule(_ chooser: inout Chooser, seed: UInt64, traces: Bool) -> Schedule {
        var schedule = runner.run(body, &chooser, seed: seed, stepLimit: stepLimit, traces: traces)
        if allowsLeaks, case .leaked = schedule.outcome { schedule.outcome = .passed }
        return schedule
    }

    private func replay(_ choices: [Int], seed: UInt64, traces: Bool = false) -> Schedule {
        var chooser = Chooser(.replay(choices))
        chooser.begin(seed: seed, points: choices.count)
        return schedule(&chooser, seed: seed, traces: traces)
    }
}

// MARK: - Explaining a failure

extension Explorer {
    private func explain(_ failing: Schedule, seed scheduleSeed: UInt64, _ exploration: inout Exploration) {
        // A replay code contains no seed, so these runs seed the body's random numbers with the exploration's seed.
        let withExplorationSeed = replay(failing.choices, seed: seed)
        guard withExplorationSeed.fails(like: failing) else {
            let again = replay(failing.choices, seed: scheduleSeed)
            exploration.seed = scheduleSeed
            exploration.replayCode = ReplayCode.encode(failing.choices)
            exploration.trace = again.trace
            let isSame = again.fails(like: failing) && again.hash == failing.hash
            exploration.outcome =
                isSame
                ? failing.outcome
                : .nondeterministic(
                    "\(failing.outcome.summary) in one run of a schedule, \(again.outcome.summary) in another")
            if isSame { finish(failing.choices, seed: scheduleSeed, &exploration) }
            return
        }
        let choices = minimised(withExplorationSeed)
        finish(choices, seed: seed, &exploration)
    }

    private func finish(_ choices: [Int], seed: UInt64, _ exploration: inout Exploration) {
        let traced = replay(choices, seed: seed, traces: true)
        exploration.outcome = traced.outcome
        exploration.failure = traced.failure
        exploration.trace = traced.trace
        exploration.output = traced.output
        exploration.replayCode = ReplayCode.encode(choices)
    }

    /// Returns the choices of a schedule that fails in the same way with fewer interruptions.
    ///
    /// Removes one interruption after another for as long as the schedule still fails.
    private func minimised(_ failing: Schedule) -> [Int] {
        var best = failing
        var rest = Self.replays
        func attempt(_ choices: [Int]) -> Bool {
            rest -= 1
            let schedule = replay(choices, seed: seed)
            guard schedule.fails(like: failing) else { return false }
            guard Self.cost(schedule.choices) < Self.cost(best.choices) else { return false }
            best = schedule
            return true
        }
        // Cut the end first: choices after the decisive one don't matter.
        var length = best.choices.count / 2
        while length >= 1, rest > 0 {
            if best.choices.count > length, attempt(Array(best.choices.dropLast(length))) { continue }
            length /= 2
        }
        var isSmaller = true
        while isSmaller, rest > 0 {
            isSmaller = false
            for index in best.choices.indices.reversed() where rest > 0 {
                guard index < best.choices.count, best.choices[index] != 0 else { continue }
                var choices = best.choices
                choices[index] = 0
                if attempt(choices) { isSmaller = true }
            }
        }
        return best.choices
    }

    /// The effort of reading a trace: mainly the number of interruptions, then the number of steps.
    private static func cost(_ choices: [Int]) -> Int {
        choices.count { $0 != 0 } * 10_000 + choices.count
    }
}

/// Runs schedules until one fails or the limit is reached, and minimises the failing one.
struct Explorer {
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
        case .random, .inOrder, .priorities, .exhaustive, .partialOrder, .replay: kinds = [strategy.kind]
        }
        var points = 32
        var choosers = kinds.map { Chooser($0) }
        var hash = ScheduleHash()
        var counter = CoverageCounter()
        let traces = isReplay
        let clock = ContinuousClock()
        let start = clock.now
        while exploration.schedules < limit {
            let turn = exploration.schedules % choosers.count
            let scheduleSeed = seed &+ UInt64(exploration.schedules) &* 0x0100_0193
            choosers[turn].begin(seed: scheduleSeed, points: points)
            runner.willRun(schedule: exploration.schedules + 1, seed: seed)
            let schedule = self.schedule(&choosers[turn], seed: scheduleSeed, traces: traces)
            exploration.schedules += 1
            if choosers[turn].isRedundant { exploration.redundantSchedules += 1 }
            points = max(points, schedule.choices.count)
            hash.add(Int(truncatingIfNeeded: schedule.hash.value))
            counter.count(schedule, of: kinds[turn], isRedundant: choosers[turn].isRedundant)
            if schedule.outcome != .passed {
                explain(schedule, seed: scheduleSeed, deadline: minimisationDeadline(start), &exploration)
                break
            }
            let isExhausted = !choosers[turn].advance()
            if isExhausted {
                counter.end(kinds[turn], progress: nil)
                choosers.remove(at: turn)
                kinds.remove(at: turn)
                if choosers.isEmpty {
                    exploration.isExhausted = true
                    break
                }
            }
            if let time, clock.now - start >= time { break }
            if exploration.schedules.isMultiple(of: 16), Task.isCancelled { break }
        }
        exploration.hash = hash.value
        for (kind, chooser) in zip(kinds, choosers) { counter.end(kind, progress: chooser.progress ?? 0) }
        exploration.coverage = counter.coverage
        exploration.foreignResumes = runner.foreignResumes
        return exploration
    }

    /// Until when a failing schedule may be minimised: as long as time is left, and at least for a tenth of the limit.
    private func minimisationDeadline(_ start: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        guard let time else { return now + .seconds(2) }
        return max(start + time, now + time / 10)
    }

    /// Whether one schedule is replayed, whose last steps are reported if the program crashes.
    private var isReplay: Bool {
        if case .replay = strategy.kind { true } else { false }
    }

    private var limit: Int {
        switch strategy.kind {
        case .replay, .inOrder: 1
        case .portfolio, .random, .priorities, .exhaustive, .partialOrder, .unreadable: schedules
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
    private func explain(
        _ failing: Schedule, seed scheduleSeed: UInt64, deadline: ContinuousClock.Instant,
        _ exploration: inout Exploration
    ) {
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
        var minimiser = Minimiser(withExplorationSeed, deadline: deadline) { chooser in
            chooser.begin(seed: seed, points: failing.choices.count)
            return self.schedule(&chooser, seed: seed, traces: false)
        }
        minimiser.minimise()
        finish(minimiser.best.choices, seed: seed, &exploration)
    }

    private func finish(_ choices: [Int], seed: UInt64, _ exploration: inout Exploration) {
        let traced = replay(choices, seed: seed, traces: true)
        exploration.outcome = traced.outcome
        exploration.failure = traced.failure
        exploration.trace = traced.trace
        exploration.output = traced.output
        exploration.replayCode = ReplayCode.encode(choices)
    }
}

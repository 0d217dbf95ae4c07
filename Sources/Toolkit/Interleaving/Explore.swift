import Testing

/// Runs an asynchronous body under many schedules, and records an issue for the first one that fails.
///
/// At each point where the body, or code that it calls, can be interrupted, the explorer chooses which task runs next.
/// Virtual time advances only when no task can run. The explorer replays a failing schedule to minimise its trace, and
/// reports it once, with a replay code.
///
///     @Test func concurrentWithdrawalsLoseNoUpdate() {
///         explore(schedules: 5_000) {
///             let bank = Bank(balance: 100)
///             async let first: Void = bank.withdraw(1)
///             async let second: Void = bank.withdraw(1)
///             _ = await (first, second)
///             check(await bank.balance == 98, "lost update")
///         }
///     }
///
/// Runs on the calling thread, and returns when the exploration is done. It doesn't affect tests that run meanwhile.
///
/// If the runtime lacks a feature (see ``Exploration/limitation``), the explorer chooses at fewer points, in real time.
///
/// - Parameters:
///   - strategy: How schedules are chosen.
///   - schedules: The maximum number of schedules.
///   - time: The maximum duration of all schedules together, in real time; `nil` means no limit.
///   - seed: The seed of random choices; `nil` takes `INTERLEAVING_SEED` from the environment, or 1.
///   - stepLimit: The number of steps after which a schedule counts as endless.
///   - allowsLeaks: Whether tasks may outlive the body.
///   - hangTimeout: How long, in real time, to wait for another thread to resume a task when no other task can run,
///     before the schedule counts as hung.
///   - preemptsAtLocks: Whether a running job can also be interrupted where it uses a lock.
///   - fileID: Where an issue is recorded.
///   - filePath: Where an issue is recorded.
///   - line: Where an issue is recorded.
///   - column: Where an issue is recorded.
///   - body: The code to explore. It must behave the same whenever the same schedule is run.
/// - Returns: The result of the exploration.
@discardableResult
public func explore(
    _ strategy: Strategy = .portfolio, schedules: Int = 1_000, for time: Duration? = nil, seed: UInt64? = nil,
    stepLimit: Int = 100_000, allowsLeaks: Bool = false, hangTimeout: Duration = .seconds(5),
    preemptsAtLocks: Bool = false, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column,
    _ body: @escaping @Sendable () async throws -> Void
) -> Exploration {
    let exploration = exploration(
        strategy, schedules: schedules, for: time, seed: seed, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks, fileID: fileID, line: line, body)
    if exploration.outcome != .passed {
        let place = IssueReport(fileID: fileID, filePath: filePath, line: line, column: column)
        exploration.attachTimeline(at: place.location)
        place.record(exploration.report, about: exploration.failure)
    }
    return exploration
}

/// Runs an asynchronous body under many schedules, and returns the result.
///
/// Unlike `explore`, it records no issue.
public func exploration(
    _ strategy: Strategy = .portfolio, schedules: Int = 1_000, for time: Duration? = nil, seed: UInt64? = nil,
    stepLimit: Int = 100_000, allowsLeaks: Bool = false, hangTimeout: Duration = .seconds(5),
    preemptsAtLocks: Bool = false, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Void
) -> Exploration {
    explored(
        strategy, schedules: schedules, for: time, seed: seed, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks, missing: RuntimeSupport.missing,
        place: ExplorationPlace(fileID: fileID, line: line, test: Test.current?.name), IssueCapture.capturing(body))
}

/// Explores with the best runner for a runtime in which the given feature is missing.
func explored(
    _ strategy: Strategy, schedules: Int, for time: Duration? = nil, seed: UInt64? = nil, stepLimit: Int = 100_000,
    allowsLeaks: Bool = false, hangTimeout: Duration = .seconds(5), preemptsAtLocks: Bool = false, missing: String?,
    place: ExplorationPlace? = nil,
    _ body: @escaping ExplorationBody
) -> Exploration {
    var refused = Exploration()
    if scheduleHost != nil {
        refused.outcome = .failed("Nothing was explored: an exploration was begun within another.")
        return refused
    }
    if preemptsAtLocks, strategy.kind == .partialOrder {
        refused.outcome = .failed("Nothing was explored: partialOrder can't be combined with preemptsAtLocks.")
        return refused
    }
    let request = Environment.replay.flatMap { $0.matches(place) ? $0 : nil }
    let runner = RuntimeSupport.runner(missing: missing, hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks)
    runner.willExplore(at: place)
    let explorer = Explorer(
        strategy: request.map { .replay($0.code) } ?? strategy, schedules: schedules, time: time,
        seed: request?.seed ?? seed ?? Environment.seed ?? 1, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        runner: runner, body: body)
    var exploration = explorer.run()
    exploration.limitation = RuntimeSupport.limitation(missing, preemptsAtLocks: preemptsAtLocks)
    exploration.place = place
    if exploration.outcome != .passed, let folder = Environment.timelines, let timeline = exploration.timeline {
        exploration.timelineFile = Environment.save(timeline, named: exploration.timelineName, into: folder)
    }
    if request != nil, exploration.outcome == .passed {
        Environment.warn("the replayed schedule passes" + (place.map { " at \($0)" } ?? ""))
    }
    return exploration
}

/// The host of the schedule that the calling task belongs to; `nil` outside of explorations.
var scheduleHost: (any ScheduleHost)? {
    #if os(Linux) && compiler(>=6.3)
        if let engine = Engine.current { return engine }
    #endif
    return TaskExecutorRun.current
}

/// Checks a condition in the body of an exploration: the first failed check fails the schedule.
///
/// Outside of explorations it records an issue, as `#expect` does.
///
/// - Parameters:
///   - condition: The condition that must hold.
///   - message: The failure message.
///   - fileID: Where an issue is recorded outside of explorations.
///   - filePath: Where an issue is recorded outside of explorations.
///   - line: Where an issue is recorded outside of explorations.
///   - column: Where an issue is recorded outside of explorations.
public func check(
    _ condition: Bool, _ message: @autoclosure () -> String = "a check did not hold",
    fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if condition { return }
    let report = IssueReport(fileID: fileID, filePath: filePath, line: line, column: column)
    if let host = scheduleHost { return host.fail(Failure(message: message(), report: report)) }
    report.record(message())
}

/// Waits in the body of an exploration until no other task can run; virtual time doesn't advance in the meantime.
///
/// Outside of explorations it yields a number of times, and guarantees nothing.
public func waitForOtherTasks() async {
    if scheduleHost != nil { return await withCheckedContinuation { scheduleHost?.whenIdle($0) } }
    for _ in 0..<100 { await Task.yield() }
}

/// Runs an asynchronous body once, in virtual time: sleeps and timeouts advance the clocks, but take no real time.
///
/// Runs on the calling thread, and returns when the body has returned. The order isn't explored: the task that became
/// ready first runs first. A body that hangs is recorded as an issue; so is a runtime without virtual time, where the
/// body isn't run.
///
/// - Parameters:
///   - fileID: Where an issue is recorded.
///   - filePath: Where an issue is recorded.
///   - line: Where an issue is recorded.
///   - column: Where an issue is recorded.
///   - body: The code to run.
public func withVirtualTime(
    fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    _ body: @escaping @Sendable () async throws -> Void
) {
    runInVirtualTime(
        missing: RuntimeSupport.missing,
        IssueReport(fileID: fileID, filePath: filePath, line: line, column: column), body)
}

/// Runs a body in virtual time, or records an issue if the runtime has none.
func runInVirtualTime(missing: String?, _ report: IssueReport, _ body: @escaping ExplorationBody) {
    if let missing {
        report.record("Nothing was run: there is no virtual time without \(missing).")
        return
    }
    let exploration = explored(.inOrder, schedules: 1, allowsLeaks: true, missing: nil, body)
    if exploration.outcome != .passed { report.record(exploration.report) }
}

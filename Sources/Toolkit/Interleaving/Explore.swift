#if canImport(Glibc)
    import Glibc
#endif

/// Runs an asynchronous body under many schedules, and records an issue for the first that fails.
///
/// Wherever the body, or what it calls, could be interrupted, this decides who goes on; time stands still until nothing can
/// run. What fails is run again until its trace is as small as can be found, and reported once, with what replays it.
///
///     @Test func twoWithdrawals() {
///         explore(schedules: 5_000) {
///             let bank = Bank(balance: 100)
///             async let first: Void = bank.withdraw(1)
///             async let second: Void = bank.withdraw(1)
///             _ = await (first, second)
///             check(await bank.balance == 98, "lost update")
///         }
///     }
///
/// Runs on the calling thread, and returns when it is done. Other tests may run meanwhile; they notice nothing.
///
/// Where the runtime does not offer all that is needed, which ``Exploration/limitation`` says, fewer points are choices, and
/// time is real.
///
/// - Parameters:
///   - strategy: How schedules are chosen.
///   - schedules: How many there are at the most.
///   - time: How long they may take together, in real time; `nil` is without a limit.
///   - seed: What chance is made of; `nil` takes `INTERLEAVING_SEED` from the environment, or 1.
///   - stepLimit: After how many steps a schedule is taken to be endless.
///   - allowsLeaks: Whether tasks may outlive the body.
///   - patience: How long, in real time, something on another thread may take to resume a task when nothing else can run,
///     before that is a hang.
///   - fileID: Where an issue is recorded.
///   - filePath: Where an issue is recorded.
///   - line: Where an issue is recorded.
///   - column: Where an issue is recorded.
///   - body: What is explored. Each run must do the same for the same schedule.
/// - Returns: What came of it.
@discardableResult
public func explore(
    _ strategy: Strategy = .portfolio, schedules: Int = 1_000, for time: Duration? = nil, seed: UInt64? = nil,
    stepLimit: Int = 100_000, allowsLeaks: Bool = false, patience: Duration = .seconds(5), fileID: String = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column,
    _ body: @escaping @Sendable () async throws -> Void
) -> Exploration {
    let exploration = exploration(
        strategy, schedules: schedules, for: time, seed: seed, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        patience: patience, body)
    if exploration.outcome != .passed {
        IssueReport(fileID: fileID, filePath: filePath, line: line, column: column).record(exploration.report)
    }
    return exploration
}

/// Runs an asynchronous body under many schedules, and says what came of it: as ``explore(_:schedules:for:seed:stepLimit:allowsLeaks:patience:fileID:filePath:line:column:_:)``,
/// but records nothing.
public func exploration(
    _ strategy: Strategy = .portfolio, schedules: Int = 1_000, for time: Duration? = nil, seed: UInt64? = nil,
    stepLimit: Int = 100_000, allowsLeaks: Bool = false, patience: Duration = .seconds(5),
    _ body: @escaping @Sendable () async throws -> Void
) -> Exploration {
    explored(
        strategy, schedules: schedules, for: time, seed: seed, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        patience: patience, missing: RuntimeSupport.missing, body)
}

/// Explores with what is left of the runtime without what is missing.
func explored(
    _ strategy: Strategy, schedules: Int, for time: Duration? = nil, seed: UInt64? = nil, stepLimit: Int = 100_000,
    allowsLeaks: Bool = false, patience: Duration = .seconds(5), missing: String?, _ body: @escaping ExplorationBody
) -> Exploration {
    var refused = Exploration()
    if host != nil {
        refused.outcome = .failed("Nothing was explored: an exploration was begun within another.")
        return refused
    }
    let explorer = Explorer(
        strategy: strategy, schedules: schedules, time: time,
        seed: seed ?? environmentSeed ?? 1, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
        runner: RuntimeSupport.runner(missing: missing, patience: patience), body: body)
    var exploration = explorer.run()
    exploration.limitation = missing.map(RuntimeSupport.limitation)
    return exploration
}

/// What runs the schedule that the calling task is a part of; `nil` outside of explorations.
private var host: (any ScheduleHost)? {
    #if os(Linux) && compiler(>=6.3)
        if let engine = Engine.current { return engine }
    #endif
    return TaskExecutorRun.current
}

private var environmentSeed: UInt64? {
    #if canImport(Glibc)
        getenv("INTERLEAVING_SEED").flatMap { UInt64(String(cString: $0)) }
    #else
        nil
    #endif
}

/// Checks that something holds, in the body of an exploration: the first that does not fails the schedule.
///
/// Elsewhere it records an issue, as `#expect` does.
///
/// - Parameters:
///   - condition: What must hold.
///   - message: What is the matter if it does not.
///   - fileID: Where an issue is recorded outside of explorations.
///   - filePath: Where an issue is recorded outside of explorations.
///   - line: Where an issue is recorded outside of explorations.
///   - column: Where an issue is recorded outside of explorations.
public func check(
    _ condition: Bool, _ message: @autoclosure () -> String = "a check did not hold",
    fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if condition { return }
    if let host { return host.fail(message()) }
    IssueReport(fileID: fileID, filePath: filePath, line: line, column: column).record(message())
}

/// Waits until nothing else can run, in the body of an exploration; time does not go on meanwhile.
///
/// Elsewhere it lets others run a few times, and promises nothing.
public func settle() async {
    if host != nil { return await withCheckedContinuation { host?.whenSettled($0) } }
    for _ in 0..<100 { await Task.yield() }
}

/// Runs an asynchronous body once, in virtual time: sleeps and timeouts take none, and clocks show when they end.
///
/// Runs on the calling thread, and returns when the body has returned. The order isn't explored: the task that became
/// ready first goes on. What never ends is recorded as an issue; so is a runtime that has no virtual time, where nothing is run.
///
/// - Parameters:
///   - fileID: Where an issue is recorded.
///   - filePath: Where an issue is recorded.
///   - line: Where an issue is recorded.
///   - column: Where an issue is recorded.
///   - body: What is run.
public func withVirtualTime(
    fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    _ body: @escaping @Sendable () async throws -> Void
) {
    runInVirtualTime(
        missing: RuntimeSupport.missing,
        IssueReport(fileID: fileID, filePath: filePath, line: line, column: column), body)
}

/// Runs in virtual time, or says why there is none.
func runInVirtualTime(missing: String?, _ report: IssueReport, _ body: @escaping ExplorationBody) {
    if let missing {
        report.record("Nothing was run: there is no virtual time without \(missing).")
        return
    }
    let exploration = explored(.inOrder, schedules: 1, allowsLeaks: true, missing: nil, body)
    if exploration.outcome != .passed { report.record(exploration.report) }
}

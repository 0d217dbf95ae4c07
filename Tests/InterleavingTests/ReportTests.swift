import Foundation
import Interleaving
import Testing

@Suite(.timeLimit(.minutes(20))) struct ReportTests {
    @Test func aFailureIsOneIssueWithItsTrace() {
        withKnownIssue {
            explore(schedules: 500) {
                let ledger = Ledger()
                async let first: Void = ledger.add(1)
                async let second: Void = ledger.add(1)
                _ = await (first, second)
                check(await ledger.sum == 2, "lost update")
            }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.hasPrefix("lost update · after ") && text.contains("replay with explore(.replay(\"x1:")
                && text.contains("task 1")
                && (addName.isEmpty || text.contains(addName))
                && issue.sourceLocation?.fileName == "ReportTests.swift"
        }
    }

    @Test(arguments: [(1, "1 schedule passed"), (2, "2 schedules passed, 1 of them different")])
    func successIsReportedWithTheNumberOfSchedules(schedules: Int, report: String) {
        #expect(exploration(.random, schedules: schedules) { await Task.yield() }.report == report)
    }

    @Test func aTraceIsSmallAndReadable() {
        let found = exploration(schedules: 500, for: minimising) {
            print("begun")
            let ledger = Ledger()
            async let first: Void = ledger.add(1)
            async let second: Void = ledger.add(1)
            _ = await (first, second)
            let sum = await ledger.sum
            print("sum \(sum)")
            check(sum == 2, "lost update")
        }
        // One preemption causes the failure, so the code has one digit other than 0, besides that of the prefix `x1:`.
        #expect(found.replayCode?.filter { $0 != "0" && $0 != "x" && $0 != ":" }.count ?? 9 <= 2, "\(found.report)")
        #expect(found.output == "begun\nsum 1\n")
        #expect(found.trace.steps.contains { $0.action.hasPrefix(addName) })
        #expect(Set(found.trace.steps.map(\.task)) == [1, 2, 3])
        let lines = found.trace.table.split(separator: "\n")
        #expect(lines.first?.contains("task 1") == true && lines.first?.contains("│ task 3") == true)
        #expect(lines.count == found.trace.steps.count + 2)
    }

    @Test func hungTaskIsNamed() {
        let found = exploration(schedules: 100, hangTimeout: .milliseconds(50)) {
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await forEver(waiting) }
            }
        }
        guard case .hung(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #if DEBUG
            #expect(tasks.contains { $0.callStack.first == "forEver" }, "\(found.report)")
        #endif
        #expect(!tasks.isEmpty)
        #expect(found.report.contains("task 2 waits for a continuation"))
    }

    @Test func aThrownErrorIsAFailure() {
        let found = exploration { throw CancellationError() }
        #expect(found.outcome == .failed("threw CancellationError()"))
        #expect(found.schedules == 1)
    }

    @Test func endlessTaskStopsAtTheStepLimit() {
        let found = exploration(stepLimit: 500) { while true { await Task.yield() } }
        #expect(found.outcome == .stepLimit(500))
    }

    @Test func remainingTaskIsALeakUnlessAllowed() {
        let body: @Sendable () async -> Void = { Task { try? await Task.sleep(for: .seconds(1)) } }
        guard case .leaked(let tasks) = exploration(schedules: 20, body).outcome else {
            Issue.record("the sleeping task isn't reported")
            return
        }
        #expect(tasks.count == 1)
        #expect(exploration(schedules: 20, allowsLeaks: true, body).outcome == .passed)
    }

    @Test func nondeterminismIsReported() {
        let runs = Shared(0)
        let found = exploration(schedules: 100) {
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            check(run != 7, "the seventh")
        }
        guard case .nondeterministic(let message) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #expect(message.contains("the seventh"))
    }

    @Test func crashReportSaysHowToReproduceIt() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let runs = Shared(0)
            explore(schedules: 100, seed: 5) {
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                await Task.yield()
                precondition(run < 7, "it is the seventh")
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("\nInterleaving: the program crashed in schedule 7 of an exploration.\n"), "\(text)")
        #expect(text.contains(": INTERLEAVING_SEED=5 swift test"), "\(text)")
    }

    /// A crash names a code that crashes again, and then also says its last steps.
    @Test func crashCanBeReplayed() async throws {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            crashAtLostUpdate()
        }
        let crash = String(decoding: try #require(first).standardErrorContent, as: UTF8.self)
        let command = try #require(crash.firstMatch(of: /INTERLEAVING_REPLAY='([^']*)' swift test\n/), "\(crash)")
        #expect(command.1.hasPrefix("x1:") && command.1.contains("@InterleavingTests/ReportTests.swift:"))
        #expect(!crash.contains("last steps:\n"))
        let replay = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [request = String(command.1) as String] in
            setenv("INTERLEAVING_REPLAY", request, 1)
            crashAtLostUpdate()
        }
        let again = String(decoding: try #require(replay).standardErrorContent, as: UTF8.self)
        #expect(again.contains("the program crashed in schedule 1 of an exploration.\n"), "\(again)")
        // The code is the same for the same schedule.
        #expect(again.contains("INTERLEAVING_REPLAY='\(command.1)' swift test\n"), "\(again)")
        let steps = try #require(again.firstRange(of: "Its last steps:\n"), "\(again)")
        let lines = again[steps.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("  task ") }
        #expect(lines.last?.hasPrefix("  task 1: ") == true, "\(again)")
        #expect(lines.contains { $0.hasPrefix("  task 3: \(addName)") }, "\(again)")
    }

    @Test func randomNumbersDependOnTheSeed() {
        let seen = Shared<[[Int]]>([])
        for seed in [1, 1, 2] as [UInt64] {
            explore(.inOrder, seed: seed) {
                let numbers = (0..<4).map { _ in Int.random(in: 0..<1_000_000) }
                seen.withLock { $0.append(numbers) }
            }
        }
        let numbers = seen.withLock { $0 }
        #expect(numbers[0] == numbers[1] && numbers[0] != numbers[2])
    }

    @Test func exhaustiveSearchEndsAfterAllSchedules() {
        let orders = Shared<Set<[Int]>>([])
        let found = exploration(.exhaustive(preemptions: nil), schedules: 10_000) {
            let order = Shared<[Int]>([])
            async let first: Void = order.withLock { $0.append(1) }
            async let second: Void = order.withLock { $0.append(2) }
            _ = await (first, second)
            orders.withLock { orders in
                let order = order.withLock { $0 }
                _ = orders.insert(order)
            }
        }
        #expect(found.isExhausted && found.outcome == .passed)
        #expect(orders.withLock { $0 } == [[1, 2], [2, 1]])
        #expect(found.coverage.search?.estimatedFraction == 1)
        #expect(found.report == "all \(found.schedules) schedules passed")
    }

    @Test(arguments: ["", "x2:01", "x1:-", "x1:(12", "x1:(a)"]) func invalidReplayCodeIsRefused(_ code: String) {
        guard case .failed(let message) = exploration(.replay(code), {}).outcome else {
            Issue.record("\(code) was replayed")
            return
        }
        #expect(message.contains("isn't a replay code"))
    }

    @Test func anExplorationWithinAnotherIsRefused() {
        let inner = Shared<Outcome?>(nil)
        explore(.inOrder) {
            let outcome = exploration {}.outcome
            inner.withLock { $0 = outcome }
        }
        guard case .failed(let message) = inner.withLock({ $0 }) else {
            Issue.record("the inner exploration ran")
            return
        }
        #expect(message.contains("within another"))
    }

    /// The reported schedule has no more interruptions than its bug needs, whichever schedule failed first.
    @Test(arguments: [
        "lost update by re-entrancy": 1, "two locks in opposite order": 1, "four switches deep": 3,
        "A, B, A shows the first A": 1, "a cancelled waiter keeps its permit": 0,
        "a stream finished before its last value": 1,
    ])
    func failingScheduleHasFewInterruptions(bug: String, interruptions: Int) throws {
        let bug = try #require(Bug.all.first { $0.name == bug })
        for seed in 1...5 as ClosedRange<UInt64> {
            let found = exploration(
                .random, schedules: 20_000, for: minimising, seed: seed, hangTimeout: .milliseconds(1), bug.faulty)
            #expect(found.outcome != .passed)
            let count = found.trace.steps.count { $0.isInterruption }
            #expect(count <= interruptions, "\(found.report)")
        }
    }

    @Test func timeLimitIncludesMinimising() {
        let runs = Shared(0)
        let found = exploration(.random, schedules: .max, for: .milliseconds(200)) {
            runs.withLock { $0 += 1 }
            let sums = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        for _ in 0..<10 {
                            sums.withLock { $0 = max(number, $0) }
                            await Task.yield()
                        }
                    }
                }
            }
            check(false, "it always fails")
        }
        #expect(found.outcome == .failed("it always fails"))
        // Without a limit, a thousand schedules are tried.
        #expect(runs.withLock { $0 } < 900)
    }

    @Test func timeLimitEndsTheExploration() {
        let found = exploration(schedules: .max, for: .milliseconds(50)) { await Task.yield() }
        #expect(found.outcome == .passed)
        #expect(found.schedules > 0)
    }

    @Test @MainActor func explorationWorksOnTheMainActor() {
        explore(schedules: 100) {
            await MainActor.run { MainActor.assertIsolated() }
            try await Task.sleep(for: .seconds(60))
        }
    }

    @Test(arguments: 0..<4) func explorationsWorkInParallel(_ seed: Int) {
        let found = exploration(schedules: 2_000, seed: UInt64(seed)) {
            let ledger = Ledger()
            async let first: Void = ledger.add(1)
            async let second: Void = ledger.add(1)
            _ = await (first, second)
            check(await ledger.sum == 2, "lost update")
        }
        #expect(found.outcome == .failed("lost update"))
    }

    /// The hash is the same in every process, in debug and in release: if it changes, earlier replay codes are invalid.
    @Test func theSameSeedGivesTheSameHashEverywhere() {
        let found = exploration(schedules: 200, seed: 3) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<3 { await Task.yield() } } }
            }
        }
        #expect(found.hash == 6_119_287_800_915_177_543, "\(found.hash)")
    }
}

// An optimised build inlines functions, so its traces don't name them.
#if DEBUG
    private let addName = "Ledger.add"
#else
    private let addName = ""
#endif

/// Explores a lost update that ends the process, but only with one random number.
private func crashAtLostUpdate() {
    explore(.random, schedules: 1_000, seed: 3) {
        let ledger = Ledger()
        let amount = Int.random(in: 1...9)
        async let first: Void = ledger.add(1)
        async let second: Void = ledger.add(amount)
        _ = await (first, second)
        let sum = await ledger.sum
        precondition(sum == 1 + amount || amount != 7, "lost update")
    }
}

@inline(never)
private func forEver(_ waiting: Shared<[CheckedContinuation<Void, Never>]>) async {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    keepActorHop()
}

private actor Ledger {
    private(set) var sum = 0

    func add(_ amount: Int) async {
        let before = sum
        await Task.yield()
        sum = before + amount
    }
}

import Foundation
import Interleaving
import Testing

private let text: @Sendable (Issue) -> String = { issue in
    issue.comments.map(\.rawValue).joined(separator: "\n")
}

private func isReport(_ issue: Issue) -> Bool {
    text(issue).contains("· after ")
}

/// Counts the schedules that a test ran, for a later check.
private let runs = Shared<[String: Int]>([:])

private func count(_ name: String) {
    runs.withLock { $0[name, default: 0] += 1 }
}

@Suite(.timeLimit(.minutes(5)), .serialized) struct TraitTests {
    @Suite(.explored(.random, schedules: 30), .serialized) struct ExploredSuite {
        private let ledger = TraitLedger()

        @Test func everyScheduleHasAnInstanceOfItsOwn() async {
            count("suite")
            async let first: Void = ledger.addAtOnce(1)
            async let second: Void = ledger.addAtOnce(1)
            _ = await (first, second)
            #expect(await ledger.sum == 2)
        }

        @Test(.explored(.random, schedules: 7)) func aTestsOwnTraitReplacesThatOfItsSuite() async throws {
            count("own")
            try await Task.sleep(for: .seconds(3600))
        }

        @Test(.explored(.random, schedules: 5), arguments: [1, 2, 3])
        func eachCaseIsAnExploration(amount: Int) async throws {
            count("case \(amount)")
            await ledger.addAtOnce(amount)
            try #require(await ledger.sum == amount)
        }

        @Test @MainActor func testOnTheMainActorIsExplored() async {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            count("main")
        }

        @Test(.explored(.random, schedules: 20, preemptsAtLocks: true)) func jobsAreInterruptedAtLocks() async {
            let counter = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { counter.withLock { $0 += 1 } } }
            }
            #expect(counter.withLock { $0 } == 2)
            count("locks")
        }

        @Test func knownIssueIsNoFailure() async {
            await withKnownIssue {
                await Task.yield()
                #expect(await ledger.sum == 1)
            }
        }
    }

    @Test func everyTestRanItsNumberOfSchedules() {
        // Serialized suites run their tests in the order of the source: those above have run, if they run at all.
        let runs = runs.withLock { $0 }
        guard !runs.isEmpty else { return }
        for (name, schedules) in [
            "suite": 30, "own": 7, "case 1": 5, "case 2": 5, "case 3": 5, "locks": 20, "main": 30,
        ] {
            #expect(runs[name, default: schedules] == schedules, "\(name)")
        }
    }

    @Test func failedExpectationIsRecordedOnceAtItsPlace() async throws {
        let issues = Shared<[Issue]>([])
        let line = #line + 8
        try await withKnownIssue {
            try await explored(.explored(schedules: 500)) {
                let ledger = TraitLedger()
                async let first: Void = ledger.add(1)
                async let second: Void = ledger.add(1)
                _ = await (first, second)
                let sum = await ledger.sum
                #expect(sum == 2, "lost update")
            }
        } matching: { issue in
            // An issue that matches here is known already in its schedule, and doesn't fail it.
            guard isReport(issue) else { return false }
            issues.withLock { $0.append(issue) }
            return true
        }
        #expect(issues.withLock { $0.map { $0.sourceLocation?.line } } == [line])
        let report = issues.withLock { $0.last.map(text) } ?? ""
        #expect(report.hasPrefix("Expectation failed: (sum → 1) == 2: lost update · after"), "\(report)")
        #expect(report.contains("task 3"), "\(report)")
    }

    @Test func failedRequirementStopsItsSchedule() async throws {
        let passed = Shared(0)
        try await withKnownIssue {
            try await explored(.explored(schedules: 10)) {
                let sum = await TraitLedger().sum
                try #require(sum == 1)
                passed.withLock { $0 += 1 }
            }
        } matching: { issue in
            isReport(issue) && text(issue).contains("sum → 0) == 1")
        }
        #expect(passed.withLock { $0 } == 0)
    }

    @Test func failedCheckIsRecordedAtItsPlace() async throws {
        let line = #line + 3
        try await withKnownIssue {
            try await explored(.explored(schedules: 10)) {
                check(false, "it fails")
            }
        } matching: { issue in
            issue.sourceLocation?.line == line && text(issue).hasPrefix("it fails · after 1")
        }
    }

    @Test func hungTestIsRecordedAtTheTest() async throws {
        let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
        try await withKnownIssue {
            try await explored(.explored(schedules: 10, hangTimeout: .milliseconds(1))) {
                await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            }
        } matching: { issue in
            issue.sourceLocation == Test.current?.sourceLocation
                && text(issue).hasPrefix("hung")
        }
    }

    @Test func failedExpectationBetweenLocksIsCaptured() async throws {
        try await withKnownIssue {
            try await explored(.explored(schedules: 500, preemptsAtLocks: true)) {
                let counter = LockedCounter()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            let before = counter.value
                            counter.value = before + 1
                        }
                    }
                }
                let sum = counter.value
                #expect(sum == 2)
            }
        } matching: { issue in
            isReport(issue) && text(issue).hasPrefix("Expectation failed: (sum → 1) == 2 · after")
        }
    }

    @Test func thrownErrorIsAnIssue() async throws {
        try await withKnownIssue {
            try await explored(.explored(schedules: 10)) { throw CancellationError() }
        } matching: { issue in
            text(issue).hasPrefix("threw CancellationError()")
        }
    }

    @Test func expectationsWorkInExploreToo() {
        let line = #line + 5
        withKnownIssue {
            explore(schedules: 100) {
                await Task.yield()
                let sum = 1 + 1
                #expect(sum == 3)
            }
        } matching: { issue in
            isReport(issue) && issue.sourceLocation?.line == line && text(issue).contains("sum → 2) == 3")
        }
    }

    /// Runs a body as the trait runs the test.
    private func explored(
        _ trait: ExplorationTrait, _ body: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws {
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
}

private actor TraitLedger {
    private(set) var sum = 0

    func add(_ amount: Int) async {
        let before = sum
        await Task.yield()
        sum = before + amount
    }

    func addAtOnce(_ amount: Int) {
        sum += amount
    }
}

private final class LockedCounter: @unchecked Sendable {
    // Unchecked: the lock protects the value.
    private let lock = NSLock()
    private var stored = 0

    var value: Int {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}

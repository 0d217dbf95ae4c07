import Dispatch
import Foundation
import Testing

@testable import Interleaving

/// Tests what still works if the runtime's private interfaces aren't as expected.
@Suite(.timeLimit(.minutes(20))) struct TaskExecutorTests {
    private func explored(
        _ strategy: Strategy = .portfolio, schedules: Int = 500, stepLimit: Int = 100_000,
        hangTimeout: Duration = .seconds(600),
        _ body: @escaping @Sendable () async throws -> Void
    ) -> Exploration {
        Interleaving.explored(
            strategy, schedules: schedules, stepLimit: stepLimit, hangTimeout: hangTimeout, missing: "a hook", body)
    }

    @Test func lostUpdateBetweenChildTasksIsFound() {
        let body: @Sendable () async -> Void = {
            let balance = Shared(100)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let before = balance.withLock { $0 }
                        await Task.yield()
                        balance.withLock { $0 = before - 1 }
                    }
                }
            }
            check(balance.withLock { $0 } == 98, "lost update")
        }
        let found = explored { await body() }
        #expect(found.outcome == .failed("lost update"))
        #expect(found.report.contains("without a hook only tasks that prefer an executor are explored"))
        #expect(Set(found.trace.steps.map(\.task)) == [1, 2, 3])
        let again = explored(.replay(found.replayCode ?? "")) { await body() }
        #expect(again.outcome == found.outcome && again.trace == found.trace)
    }

    @Test(arguments: [Strategy.random, .pct(3), .exhaustive(preemptions: nil)])
    func bothOrdersAreExplored(_ strategy: Strategy) {
        let orders = Shared<Set<[Int]>>([])
        let found = explored(strategy) {
            let order = Shared<[Int]>([])
            let actor = Turn()
            async let first: Void = actor.take(1, order)
            async let second: Void = actor.take(2, order)
            _ = await (first, second)
            let seen = order.withLock { $0 }
            orders.withLock { _ = $0.insert(seen) }
        }
        #expect(found.outcome == .passed)
        #expect(orders.withLock { $0 } == [[1, 2], [2, 1]])
    }

    @Test func theSameSeedGivesTheSameSchedules() {
        let hashes = (0..<2).map { _ in
            explored {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { for _ in 0..<3 { await Task.yield() } } }
                }
            }.hash
        }
        #expect(hashes[0] == hashes[1])
    }

    /// Explores on a separate thread, because work outside the exploration needs the cooperative pool's threads.
    private func exploredOnOwnThread(_ body: @escaping @Sendable () async throws -> Void) async -> Exploration {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: explored(schedules: 20, body)) }
        }
    }

    @Test func workOutsideTheExplorationReturnsToItsThread() async {
        let queue = DispatchQueue(label: "elsewhere")
        let threads = Shared<Set<pthread_t>>([])
        let found = await exploredOnOwnThread {
            try await Task.sleep(for: .milliseconds(1))
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
            let number = await Task.detached { 7 }.value
            check(number == 7)
            threads.withLock { _ = $0.insert(pthread_self()) }
        }
        #expect(found.outcome == .passed, "\(found.report)")
        #expect(found.foreignResumes >= 20)
        #expect(threads.withLock { $0.count } == 1)
    }

    @Test func failedCheckInAnEscapedTaskFailsTheExploration() async {
        let found = await exploredOnOwnThread { await Task { check(false, "elsewhere") }.value }
        #expect(found.outcome == .failed("elsewhere"))
    }

    @Test func continuationThatNeverResumesIsAHang() {
        let found = explored(hangTimeout: .milliseconds(50)) {
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        }
        #expect(found.outcome == .hung([]) && found.schedules == 1)
    }

    @Test func endlessTaskStopsAtTheStepLimit() {
        #expect(explored(stepLimit: 500) { while true { await Task.yield() } }.outcome == .stepLimit(500))
    }

    @Test func anErrorIsAFailure() {
        #expect(explored { throw CancellationError() }.outcome == .failed("threw CancellationError()"))
    }

    @Test func waitForOtherTasksRunsAllRunnableTasks() {
        let found = explored {
            let count = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<3 { await Task.yield() }
                        count.withLock { $0 += 1 }
                    }
                }
                await waitForOtherTasks()
                check(count.withLock { $0 } == 3, "\(count.withLock { $0 }) after waiting for other tasks")
            }
        }
        #expect(found.outcome == .passed, "\(found.report)")
    }

    @Test func anExplorationWithinAnotherIsRefused() {
        let inner = Shared<Outcome?>(nil)
        _ = explored(.inOrder) {
            let outcome = exploration {}.outcome
            inner.withLock { $0 = outcome }
        }
        guard case .failed(let message) = inner.withLock({ $0 }) else {
            Issue.record("the inner exploration ran")
            return
        }
        #expect(message.contains("within another"))
    }

    @Test func virtualTimeIsRefusedWithItsReason() {
        let hasRun = Shared(false)
        withKnownIssue {
            let report = IssueReport(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
            runInVirtualTime(missing: "a hook", report) { hasRun.withLock { $0 = true } }
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["Nothing was run: there is no virtual time without a hook."]
        }
        #expect(!hasRun.withLock { $0 })
    }

    /// Correct code never fails, although fewer scheduling choices are explored.
    @Test(arguments: Bug.known) func correctCodePasses(_ bug: Bug) {
        let found = explored(schedules: 200) { try await bug.correct() }
        #expect(found.outcome == .passed, "\(found.report)")
    }
}

private actor Turn {
    func take(_ number: Int, _ order: Shared<[Int]>) async {
        await Task.yield()
        order.withLock { $0.append(number) }
    }
}

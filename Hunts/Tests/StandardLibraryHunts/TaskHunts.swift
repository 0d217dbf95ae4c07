import HuntSupport
import Interleaving
import Synchronization
import Testing

@Suite struct TaskHunts {
    @TaskLocal private static var number = 0

    @Test func sleepReturnsOnceWhenCancelledAtItsEnd() {
        hunt("Task.sleep", "cancellation at the time of the end either throws or comes too late") {
            let clock = ContinuousClock()
            let start = clock.now
            let sleeper = Task {
                do { try await Task.sleep(for: .seconds(1)) } catch { return Task.isCancelled }
                return clock.now - start == .seconds(1)
            }
            let canceller = Task {
                try await Task.sleep(for: .seconds(1))
                sleeper.cancel()
            }
            let isRight = await sleeper.value
            try await canceller.value
            check(isRight, "the sleep threw without cancellation, or took \(clock.now - start)")
        }
    }

    @Test func cancelledSleepEndsAtOnce() {
        hunt("Task.sleep", "a cancelled sleep throws at the time of the cancellation") {
            let clock = ContinuousClock()
            let start = clock.now
            let sleeper = Task { try await Task.sleep(for: .seconds(3600)) }
            let canceller = Task { sleeper.cancel() }
            let result = await sleeper.result
            await canceller.value
            check(clock.now == start, "it took \(clock.now - start)")
            check(throws: result, "it did not throw")
        }
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() {
        hunt("Task.sleep", "sleepers wake in the order of their deadlines") {
            let woken = Log<Int>()
            await withTaskGroup { group in
                for number in [3, 1, 2] {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(number))
                        woken.append(number)
                    }
                }
            }
            check(woken.elements == [1, 2, 3], "woke \(woken.elements)")
        }
    }

    @Test func taskLocalsAreInherited() {
        hunt("TaskLocal", "children and unstructured tasks inherit the value, detached ones don't, others don't see it")
        {
            await withTaskGroup { group in
                for number in 1...2 {
                    group.addTask {
                        await Self.$number.withValue(number) {
                            await Task.yield()
                            async let child = Self.number
                            let unstructured = Task { Self.number }
                            let detached = Task.detached { Self.number }
                            let values = await [child, unstructured.value, detached.value, Self.number]
                            check(values == [number, number, 0, number], "\(values) instead of \(number)")
                        }
                        check(Self.number == 0, "\(Self.number) remains")
                    }
                }
            }
        }
    }

    @Test func escalationReachesTheHandler() {
        hunt("withTaskPriorityEscalationHandler", "a handler is called only with rising priorities, in the operation") {
            let calls = Log<[UInt8]>()
            let task = Task(priority: .low) {
                await withTaskPriorityEscalationHandler {
                    for _ in 0..<3 { await Task.yield() }
                } onPriorityEscalated: { old, new in
                    calls.append([old.rawValue, new.rawValue])
                }
                return calls.count
            }
            let first = Task { task.escalatePriority(to: .medium) }
            let second = Task { task.escalatePriority(to: .high) }
            let count = await task.value
            await first.value
            await second.value
            check(calls.elements.allSatisfy { $0[0] < $0[1] }, "called with \(calls.elements)")
            check(calls.count <= 2, "called \(calls.count) times")
            check(calls.count == count, "called after the operation's end")
        }
    }

    @Test func continuationIsResumedOnce() {
        hunt("withCheckedContinuation", "a continuation that one of two tasks takes from a lock is resumed once") {
            let waiter = Waiter()
            let task = Task {
                await withCheckedContinuation { continuation in waiter.continuation.withLock { $0 = continuation } }
            }
            await waitForOtherTasks()
            let resumers = (1...2).map { number in
                Task { waiter.continuation.withLock { $0.take() }?.resume(returning: number) }
            }
            let number = await task.value
            for resumer in resumers { await resumer.value }
            check(number == 1 || number == 2, "resumed with \(number)")
        }
    }

    @Test func mainActorRunsTasksInOrder() {
        hunt("MainActor", "tasks that are created on the main actor run there in the order of their creation") {
            let order = Log<Int>()
            await Task { @MainActor in
                let tasks = (0..<3).map { number in Task { @MainActor in order.append(number) } }
                for task in tasks { await task.value }
            }.value
            check(order.elements == [0, 1, 2], "ran \(order.elements)")
        }
    }
}

private final class Waiter: Sendable {
    let continuation = Mutex<CheckedContinuation<Int, Never>?>(nil)
}

/// Checks that a result is a failure.
private func check(throws result: Result<Void, any Error>, _ message: String) {
    if case .success = result { check(false, message) }
}

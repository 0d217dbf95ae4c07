import Foundation
import Interleaving
import Testing

@Suite(.timeLimit(.minutes(20))) struct TimeTests {
    @Test func sleepsAdvanceVirtualClocksWithoutWaiting() {
        let start = ContinuousClock.now
        withVirtualTime {
            let before = (ContinuousClock.now, SuspendingClock.now, Date())
            try await Task.sleep(for: .seconds(1))
            try await Task.sleep(nanoseconds: 1_000_000_000)
            try await Task.sleep(until: .now + .seconds(3600), clock: .suspending)
            check(ContinuousClock.now - before.0 == .seconds(3602), "\(ContinuousClock.now - before.0)")
            check(SuspendingClock.now - before.1 == .seconds(3602), "\(SuspendingClock.now - before.1)")
            let elapsed = Date().timeIntervalSince(before.2)
            check(abs(elapsed - 3602) < 0.001, "\(elapsed)")
        }
        #expect(ContinuousClock.now - start < .seconds(3602))
    }

    @Test func sleepsOfAnyLengthEnd() {
        withVirtualTime {
            let start = ContinuousClock.now
            let longest = Duration.nanoseconds(Int64.max)
            let durations: [Duration] = [.seconds(1), longest, longest + .milliseconds(100), .seconds(1), .seconds(-1)]
            for duration in durations { try await Task.sleep(for: duration) }
            check(ContinuousClock.now - start > .seconds(1_000_000_000), "\(ContinuousClock.now - start)")
        }
    }

    @Test func timeStandsStillWhileATaskCanRun() {
        explore(schedules: 300) {
            let start = ContinuousClock.now
            let sleeper = Task { try? await Task.sleep(for: .seconds(1)) }
            for _ in 0..<20 {
                await Task.yield()
                check(ContinuousClock.now == start, "time advanced")
            }
            await sleeper.value
            check(ContinuousClock.now - start == .seconds(1), "the sleep did not take one second")
        }
    }

    @Test func earliestSleeperWakesFirst() {
        explore(schedules: 200) {
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for seconds in [3, 1, 2] {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(seconds))
                        order.withLock { $0.append(seconds) }
                    }
                }
            }
            check(order.withLock { $0 } == [1, 2, 3], "\(order.withLock { $0 })")
        }
    }

    @Test func shorterTimeoutWins() {
        withVirtualTime {
            let start = Date()
            let winner = try await withThrowingTaskGroup(of: Int.self) { group in
                for seconds in [5, 2] {
                    group.addTask {
                        try await Task.sleep(for: .seconds(seconds))
                        return seconds
                    }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? 0
            }
            check(winner == 2 && abs(Date().timeIntervalSince(start) - 2) < 0.001, "\(winner)")
        }
    }

    @Test func aCancelledSleepEndsAtOnce() {
        explore(schedules: 200) {
            let start = ContinuousClock.now
            let sleeper = Task { try await Task.sleep(for: .seconds(1000)) }
            await waitForOtherTasks()
            sleeper.cancel()
            let result = await sleeper.result
            check((try? result.get()) == nil, "the sleep was not cancelled")
            check(ContinuousClock.now == start, "time advanced")
        }
    }

    @Test func waitForOtherTasksDoesNotAdvanceTime() {
        explore(schedules: 300) {
            let count = Shared(0)
            let tasks = (0..<3).map { _ in
                Task {
                    for _ in 0..<5 { await Task.yield() }
                    count.withLock { $0 += 1 }
                    try? await Task.sleep(for: .seconds(1))
                    count.withLock { $0 += 1 }
                }
            }
            await waitForOtherTasks()
            check(count.withLock { $0 } == 3, "\(count.withLock { $0 }) before time advances")
            for task in tasks { await task.value }
        }
    }

    @Test func codeOutsideTheExplorationSeesRealTime() async {
        let explored = Shared(false)
        async let exploring: Void = Task.detached {
            explore(schedules: 2_000) {
                try await Task.sleep(for: .seconds(3600))
                // The virtual date is in 2001.
                check(Date() < Date(timeIntervalSince1970: 1_700_000_000), "the date is real")
            }
            explored.withLock { $0 = true }
        }.value
        repeat {
            #expect(Date() > Date(timeIntervalSince1970: 1_700_000_000))
            await Task.yield()
        } while !explored.withLock { $0 }
        await exploring
    }
}

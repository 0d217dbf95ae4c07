import Dispatch
import Foundation
import Futures
import Testing
import VirtualTime

@testable import FuturesFoundation

/// Tests ``WorkerThreads``: the limit on threads, and how work ends by cancellation and at its deadline.
@Suite(.timeLimit(.minutes(5))) struct WorkerThreadTests {
    /// Holds a thread until the test opens it.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let arrival = Promise<Void, Never>()

        func hold() {
            arrival.resolve(())
            semaphore.wait()
        }

        func arrived() async { await arrival.future.value }

        func open() { semaphore.signal() }
    }

    /// The current and the maximum number of concurrent calls.
    private final class Count: Sendable {
        private let counts = Lock((now: 0, maximum: 0))

        var maximum: Int { counts.withLock { $0.maximum } }

        func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.maximum = max(counts.maximum, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test func workReturnsItsValue() async throws {
        let threads = WorkerThreads(limit: 2)
        #expect(try await threads.run("Adding", within: .seconds(300)) { _ in 3 } == 3)
        #expect(await threads.runUncancellable { _ in 4 } == 4)
    }

    /// Holds threads until a number of them has arrived.
    private final class Meeting: Sendable {
        private let missing: Lock<Int>
        private let semaphore = DispatchSemaphore(value: 0)

        init(of count: Int) {
            missing = Lock(count)
        }

        func arrive() {
            let left = missing.withLock { missing in
                missing -= 1
                return missing
            }
            // Each thread releases the next one.
            if left > 0 { semaphore.wait() }
            semaphore.signal()
        }
    }

    /// Disk access that takes long must not delay others.
    ///
    /// The threads of a concurrent `DispatchQueue` took a minute to begin.
    @Test(.timeLimit(.minutes(1))) func allThreadsUpToTheLimitRunAtTheSameTime() async {
        let meeting = Meeting(of: 64)
        await withDiscardingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { await WorkerThreads.disk.runUncancellable { _ in meeting.arrive() } }
            }
        }
    }

    @Test func noMoreThreadsRunThanTheLimitAndAllWorkIsDone() async {
        let (threads, count) = (WorkerThreads(limit: 3), Count())
        let sum = await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask {
                    await threads.runUncancellable { _ in
                        count.begin()
                        // Lets another thread run: if there were too many, they would be counted.
                        sched_yield()
                        count.end()
                        return number
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 999 * 1_000 / 2)
        #expect((1...3).contains(count.maximum))
    }

    @Test func addedWorkRunsInOrderOnOneThread() async {
        let threads = WorkerThreads(limit: 1)
        let order = Lock<[Int]>([])
        for number in 0..<100 { threads.add { order.withLock { $0.append(number) } } }
        await threads.runUncancellable { _ in }
        let numbers = order.withLock(\.self)
        #expect(numbers == Array(0..<100))
    }

    @Test func cancellationEndsWorkThatChecksItsToken() async {
        let (threads, gate, ended) = (WorkerThreads(limit: 1), Gate(), Promise<Void, Never>())
        let task = Task { () async -> WorkError? in
            do throws(WorkError) {
                try await threads.run("Drawing", within: .seconds(300)) { token throws(WorkError) in
                    gate.hold()
                    defer { ended.resolve(()) }
                    try token.check()
                }
                return nil
            } catch {
                return error
            }
        }
        await gate.arrived()
        task.cancel()
        // The caller continues before the work notices.
        #expect(await task.value == WorkError(.cancelled, "Drawing"))
        gate.open()
        await ended.future.value
        #expect(await threads.runUncancellable { token in !token.isEnded })
    }

    @Test func workPastItsDeadlineFailsWithItsName() async {
        let (gate, clock) = (Gate(), ManualClock())
        let threads = WorkerThreads(limit: 1, clock: clock)
        let checked = Promise<WorkError?, Never>(valueOnAbandon: { nil })
        let task = Task { () async -> WorkError? in
            do throws(WorkError) {
                try await threads.run("Exporting the board", within: .seconds(10)) { token in
                    gate.hold()
                    do throws(WorkError) {
                        try token.check()
                        checked.resolve(nil)
                    } catch {
                        checked.resolve(error)
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        await gate.arrived()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        let error = await task.value
        #expect(error?.code == .timedOut)
        #expect(error?.message.hasPrefix("Exporting the board took too long") == true)
        gate.open()
        #expect(await checked.future.value?.code == .timedOut)
    }

    @Test func queuedWorkPastItsDeadlineNeverBegins() async {
        let (gate, clock, count) = (Gate(), ManualClock(), Count())
        let threads = WorkerThreads(limit: 1, clock: clock)
        async let holding: Void = threads.runUncancellable { _ in gate.hold() }
        await gate.arrived()
        async let waiting = Self.code {
            try await threads.run("Drawing", within: .seconds(5)) { _ in count.begin() }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await waiting == .timedOut)
        gate.open()
        await holding
        await threads.runUncancellable { _ in }
        #expect(count.maximum == 0)
    }

    private static func code(_ body: () async throws -> Void) async -> WorkError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? WorkError)?.code
        }
    }

    @Test func uncancellableWorkSeesThatItsCallerIsCancelled() async {
        let (threads, gate) = (WorkerThreads(limit: 1), Gate())
        let task = Task {
            await threads.runUncancellable { token in
                gate.hold()
                return token.isEnded
            }
        }
        await gate.arrived()
        task.cancel()
        gate.open()
        #expect(await task.value)
    }

    /// All threads are blocked and more work is queued; the program's tasks still run.
    @Test func blockedWorkerThreadsDoNotBlockTasks() async {
        let threads = WorkerThreads(limit: 4)
        let (gates, isHeld) = ((0..<16).map { _ in Gate() }, Promise<Void, Never>())
        await withTaskGroup { group in
            for gate in gates {
                group.addTask {
                    await threads.runUncancellable { _ in
                        isHeld.resolve(())
                        gate.hold()
                    }
                }
            }
            await isHeld.future.value
            let sum = await withTaskGroup { others in
                for number in 0..<100 { others.addTask { number } }
                return await others.reduce(0, +)
            }
            #expect(sum == 4_950)
            for gate in gates { gate.open() }
        }
    }
}

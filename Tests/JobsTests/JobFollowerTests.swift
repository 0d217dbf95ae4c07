import Foundation
import Futures
import Interleaving
import MemoryJobs
import Persistence
import Testing

@testable import Jobs

/// Tests followers in virtual time.
@Suite(.timeLimit(.minutes(20))) struct JobFollowerTests {
    private static func end(_ queue: MemoryJobQueue) throws {
        guard let lease = try queue.lease(lanes: ["default"], worker: "w", for: 30) else { return }
        let isAccepted = try queue.end(lease, .succeeded(Data()))
        check(isAccepted)
    }

    private static func error(_ follower: JobFollower, _ id: Job.ID) async -> JobError? {
        do throws(JobError) {
            _ = try await follower.end(of: id)
            return nil
        } catch {
            return error
        }
    }

    @Test func jobsThatEndBeforeOrAfterTheCallAreReported() {
        withVirtualTime {
            let queue = memoryQueue()
            let follower = JobFollower(of: queue)
            _ = try queue.enqueue(.test("a"))
            try Self.end(queue)
            let first = try await follower.end(of: "a")
            check(first.hasEnded)
            // A second waiter restarts the reader.
            _ = try queue.enqueue(.test("b"))
            let waiting = Task { try await follower.end(of: "b") }
            await pause(1)
            let stopwatch = Stopwatch(ContinuousClock())
            try Self.end(queue)
            let second = try await waiting.value
            check(second.job.id == "b")
            check(stopwatch.elapsed < .seconds(1), "only the polling found the end")
        }
    }

    @Test func waitEndsOnRemovalOfItsJobOnCancellationAndOnClose() {
        withVirtualTime {
            let queue = memoryQueue()
            let follower = JobFollower(of: queue)
            for name in ["a", "b", "c"] { _ = try queue.enqueue(.test(name)) }
            let waits = (["a", "b", "c"] as [Job.ID]).map { id in Task { await Self.error(follower, id) } }
            await pause(1)
            try queue.discard("a")
            waits[1].cancel()
            check(await waits[0].value == .cancelled)
            check(await waits[1].value == .cancelled)
            await follower.close()
            check(await waits[2].value == .closed)
            check(await Self.error(follower, "b") == .closed)
            check(await Self.error(JobFollower(of: queue), "none") == .cancelled)
        }
    }

    @Test func endArrivesAtOnceAfterTheRevisionCouldNotBeRead() {
        withVirtualTime {
            let base = memoryQueue()
            let reads = Lock(0)
            let queue = FaultyQueue(base) { name throws(StoreError) in
                guard name == "lastRevision" else { return }
                let number = reads.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { throw StoreError(.abandoned, "at first") }
            }
            _ = try base.enqueue(.test("a"))
            let waiting = Task { try await JobFollower(of: queue).end(of: "a") }
            await pause(1)
            let stopwatch = Stopwatch(ContinuousClock())
            try Self.end(base)
            let record = try await waiting.value
            check(record.hasEnded)
            check(stopwatch.elapsed < .seconds(1), "only the polling found the end")
        }
    }

    @Test func removalOfAJobDoesNotEndTheWaitForANewJobWithItsID() {
        withVirtualTime {
            let base = memoryQueue()
            var queue = FaultyQueue(base) { _ in }
            queue.afterRecord = { await pause(2) }
            let follower = JobFollower(of: queue)
            let removed = Task { await Self.error(follower, "a") }
            await pause(1)
            _ = try base.enqueue(.test("a"))
            let new = Task { try await follower.end(of: "a") }
            check(await removed.value == .cancelled)
            try Self.end(base)
            let record = try await new.value
            check(record.hasEnded)
        }
    }

    @Test func followerRetriesWhenTheQueueFails() {
        withVirtualTime {
            let base = memoryQueue()
            let calls = Lock(0)
            let queue = FaultyQueue(base) { name throws(StoreError) in
                let number = calls.withLock { count in
                    count += 1
                    return count
                }
                if number < 5 { throw StoreError(.abandoned, "at first") }
            }
            _ = try base.enqueue(.test("a"))
            let waiting = Task { try await JobFollower(of: queue).end(of: "a") }
            await pause(1)
            try Self.end(base)
            let record = try await waiting.value
            check(record.hasEnded)
        }
    }
}

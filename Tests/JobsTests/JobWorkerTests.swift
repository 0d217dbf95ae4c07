import Foundation
import Futures
import Interleaving
import MemoryJobs
import Persistence
import SeededChance
import Testing

@testable import Jobs

/// Creates an in-memory queue that uses the same clock as the workers.
func memoryQueue(_ policy: JobPolicy = JobPolicy()) -> MemoryJobQueue {
    let stopwatch = Stopwatch(ContinuousClock())
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    return MemoryJobQueue(policy: policy, now: { start + stopwatch.elapsed / .seconds(1) })
}

extension JobWorker.Configuration {
    static func test(_ name: String, slots: Int = 1) -> Self { Self(name: name, slots: ["default": slots]) }
}

/// Runs a worker during a closure.
func withWorker<Value: Sendable>(_ worker: JobWorker, _ body: () async throws -> Value) async throws -> Value {
    let working = Task { await worker.run() }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    working.cancel()
    await working.value
    return try result.get()
}

func pause(_ seconds: Double) async {
    try? await ContinuousClock().sleep(for: .seconds(seconds))
}

/// Tests workers and followers in virtual time.
@Suite(.timeLimit(.minutes(20))) struct JobWorkerTests {
    @Test func aLeaseIsRenewedWhileItsJobRuns() {
        withVirtualTime {
            let queue = memoryQueue()
            let worker = JobWorker(queue: queue, configuration: .test("w")) { lease, _ in
                await pause(300)
                return .succeeded(Data("\(lease.attempt)".utf8))
            }
            let record = try await withWorker(worker) {
                _ = try queue.enqueue(.test("a"))
                return try await JobFollower(of: queue).end(of: "a")
            }
            check(record.phase == .succeeded(Data("1".utf8)), "\(record)")
        }
    }

    @Test func progressIsThrottledAndTheLastArrives() {
        withVirtualTime {
            let base = memoryQueue()
            let renewals = Lock(0)
            let queue = FaultyQueue(base) { name in if name == "renew" { renewals.withLock { $0 += 1 } } }
            let worker = JobWorker(queue: queue, configuration: .test("w")) { _, progress in
                for number in 1...100 {
                    progress(Data("\(number)".utf8))
                    await pause(0.01)
                }
                await pause(1)
                return .succeeded(Data())
            }
            let seen = Lock<[String]>([])
            _ = try await withWorker(worker) {
                _ = try base.enqueue(.test("a"))
                return try await JobFollower(of: queue).end(of: "a") { data in
                    seen.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
                }
            }
            let (count, last) = (renewals.withLock(\.self), seen.withLock(\.last))
            check((5...12).contains(count), "\(count) renewals")
            check(last == "100", "\(String(describing: last)) was the last")
        }
    }

    @Test func aCancelledJobsTaskIsCancelledAndTheSlotIsFree() {
        withVirtualTime {
            let queue = memoryQueue()
            let cancelled = Lock<[Job.ID]>([])
            let worker = JobWorker(queue: queue, configuration: .test("w")) { lease, _ in
                if lease.job.id == "long" { await pause(1e6) }
                if Task.isCancelled { cancelled.withLock { $0.append(lease.job.id) } }
                return .succeeded(Data())
            }
            try await withWorker(worker) {
                let follower = JobFollower(of: queue)
                _ = try queue.enqueue(.test("long"))
                _ = try queue.enqueue(.test("next"))
                await pause(100)
                try queue.cancel("long")
                let long = try await follower.end(of: "long")
                check(long.phase == .failed(.cancelled), "\(long)")
                let next = try await follower.end(of: "next")
                check(next.phase == .succeeded(Data()), "\(next)")
            }
            check(cancelled.withLock(\.self) == ["long"])
        }
    }

    @Test func aWorkerThatIsCancelledReleasesItsJobs() {
        withVirtualTime {
            let queue = memoryQueue()
            let refused = Lock(0)
            let worker = JobWorker(
                queue: queue, configuration: .test("w", slots: 2), onRejection: { _ in refused.withLock { $0 += 1 } }
            ) { _, _ in
                await pause(1e6)
                return .lost(.test)
            }
            try await withWorker(worker) {
                for name in ["a", "b", "c"] { _ = try queue.enqueue(.test(name)) }
                await pause(40)
                let running = try await queue.overview(limit: 9).unfinished.filter { $0.attempts == 1 }
                check(running.map(\.job.id) == ["a", "b"], "\(running)")
            }
            for record in try await queue.overview(limit: 9).unfinished {
                guard case .waiting = record.phase else { return check(false, "\(record)") }
                check(record.attempts == 0, "\(record)")
            }
            check(refused.withLock(\.self) == 2)
        }
    }

    @Test func stalledWorkerIsRefusedAndAnotherRunsItsJob() {
        withVirtualTime {
            let queue = memoryQueue()
            let isStalled = Lock(false)
            let stalling = FaultyQueue(queue) { name throws(StoreError) in
                if isStalled.withLock(\.self) { throw StoreError(.abandoned, "stalled") }
            }
            let refused = Lock<[JobLease]>([])
            let slow = JobWorker(
                queue: stalling, configuration: .test("slow"),
                onRejection: { lease in refused.withLock { $0.append(lease) } }
            ) { _, _ in
                isStalled.withLock { $0 = true }
                await pause(60)
                isStalled.withLock { $0 = false }
                return .succeeded(Data("slow".utf8))
            }
            let fast = JobWorker(queue: queue, configuration: .test("fast")) { _, _ in .succeeded(Data("fast".utf8)) }
            try await withWorker(slow) {
                _ = try queue.enqueue(.test("a"))
                await pause(1)
                try await withWorker(fast) {
                    let record = try await JobFollower(of: queue).end(of: "a")
                    check(record.phase == .succeeded(Data("fast".utf8)), "\(record)")
                    await pause(100)
                }
                check(try queue.record("a")?.phase == .succeeded(Data("fast".utf8)))
            }
            check(refused.withLock(\.self).map(\.token) == [1])
        }
    }

    @Test func workerRespectsItsSlotsAndSurvivesAFailingQueue() {
        withVirtualTime {
            let base = memoryQueue()
            let chance = Lock(SeededChance(seed: 1))
            let queue = FaultyQueue(base) { name throws(StoreError) in
                let isFault = chance.withLock { Int.random(in: 0..<4, using: &$0) == 0 }
                if isFault { throw StoreError(.abandoned, "now and then") }
            }
            let running = Lock((now: 0, maximum: 0))
            let worker = JobWorker(queue: queue, configuration: .test("w", slots: 3)) { _, _ in
                running.withLock { $0 = ($0.now + 1, max($0.maximum, $0.now + 1)) }
                await pause(20)
                running.withLock { $0.now -= 1 }
                return .succeeded(Data())
            }
            try await withWorker(worker) {
                let follower = JobFollower(of: queue)
                for number in 0..<20 { _ = try base.enqueue(.test("\(number)")) }
                for number in 0..<20 {
                    let record = try await follower.end(of: Job.ID("\(number)"))
                    check(record.phase == .succeeded(Data()) && record.attempts == 1, "\(record)")
                }
            }
            check(running.withLock(\.maximum) == 3)
        }
    }

    @Test func tasksOfEndedAttemptsAreReleased() {
        withVirtualTime {
            let queue = memoryQueue()
            // The tasks that report refusals. Two are equal only if the first was released, and its memory reused.
            let tasks = Lock<Set<Int>>([])
            let worker = JobWorker(
                queue: queue, configuration: .test("w"),
                onRejection: { _ in
                    withUnsafeCurrentTask { task in tasks.withLock { _ = $0.insert(task.hashValue) } }
                }
            ) { lease, _ in
                try? queue.cancel(lease.job.id)
                return .succeeded(Data())
            }
            try await withWorker(worker) {
                for number in 1...200 { _ = try queue.enqueue(.test("\(number)")) }
                _ = try await JobFollower(of: queue).end(of: "200")
            }
            let count = tasks.withLock(\.count)
            check((1..<200).contains(count), "\(count) of 200 tasks existed at once")
        }
    }

    @Test func lostReplyToAnEndedAttemptIsNotReportedAsRejection() {
        withVirtualTime {
            let queue = memoryQueue()
            let refused = Lock(0)
            let endedCount = Lock(0)
            let losing = FaultyQueue(queue) { name throws(StoreError) in
                guard name == "ended" else { return }
                let number = endedCount.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { throw StoreError(.abandoned, "the reply is lost") }
            }
            let worker = JobWorker(
                queue: losing, configuration: .test("w"),
                onRejection: { _ in refused.withLock { $0 += 1 } }
            ) { _, _ in .succeeded(Data()) }
            try await withWorker(worker) {
                _ = try queue.enqueue(.test("a"))
                _ = try await JobFollower(of: queue).end(of: "a")
                await pause(60)
            }
            check(refused.withLock(\.self) == 0)
        }
    }
}

import Foundation
import Futures
import Interleaving
import Persistence
import Synchronization
import Testing

@testable import Jobs

/// A worker and those who wait for its jobs, in virtual time.
@Suite(.timeLimit(.minutes(10))) struct JobWorkerTests {
    /// A queue in virtual time, a follower, and workers that run what the test says.
    private struct Bench: Sendable {
        let queue: MemoryJobQueue
        let follower: JobFollower

        init() {
            let (start, clock) = (Date(timeIntervalSince1970: 1_800_000_000), Stopwatch(ContinuousClock()))
            queue = MemoryJobQueue(now: { start + clock.elapsed / .seconds(1) })
            follower = JobFollower(of: queue)
        }

        func worker(
            _ name: String = "w", slots: Int = 1, wasRefused: @escaping @Sendable (JobLease) -> Void = { _ in },
            run: @escaping JobWorker.Run
        ) -> Task<Void, Never> {
            let worker = JobWorker(
                queue: queue, configuration: JobWorker.Configuration(name: name, slots: ["default": slots]),
                wasRefused: wasRefused, run: run)
            return Task { await worker.run() }
        }

        func end(of id: Job.ID) async -> Result<JobRecord.Phase, JobError> {
            do throws(JobError) {
                return .success(try await follower.end(of: id).phase)
            } catch {
                return .failure(error)
            }
        }
    }

    private static func sleep(_ seconds: Double) async throws {
        try await Stopwatch(ContinuousClock()).sleep(until: .seconds(seconds))
    }

    @Test func aJobThatTakesLongKeepsItsLease() {
        withVirtualTime {
            let bench = Bench()
            let worker = bench.worker { _, _ in
                try? await Self.sleep(1_000)
                return .succeeded(Data([1]))
            }
            try bench.queue.enqueue(.test("a"))
            #expect(await bench.end(of: "a") == .success(.succeeded(Data([1]))))
            #expect(try bench.queue.record("a")?.attempts == 1)
            worker.cancel()
            await worker.value
        }
    }

    @Test func aLostAttemptIsRepeatedAfterItsPause() {
        withVirtualTime {
            let bench = Bench()
            let times = Mutex<[Double]>([])
            let clock = Stopwatch(ContinuousClock())
            let worker = bench.worker { lease, _ in
                times.withLock { $0.append((clock.elapsed / .seconds(1)).rounded(.down)) }
                return lease.attempt < 3 ? .lost(.died) : .succeeded(Data())
            }
            try bench.queue.enqueue(.test("a"))
            #expect(await bench.end(of: "a") == .success(.succeeded(Data())))
            #expect(times.withLock { $0 } == [0, 0, 2])
            worker.cancel()
            await worker.value
        }
    }

    @Test func slotsLimitWhatRunsAtATime() {
        withVirtualTime {
            let bench = Bench()
            let counts = Mutex((running: 0, most: 0))
            let worker = bench.worker(slots: 3) { _, _ in
                counts.withLock { counts in
                    counts.running += 1
                    counts.most = max(counts.most, counts.running)
                }
                try? await Self.sleep(1)
                counts.withLock { $0.running -= 1 }
                return .succeeded(Data())
            }
            let ids = (0..<10).map { Job.ID("\($0)") }
            for id in ids { try bench.queue.enqueue(.test(id)) }
            for id in ids { #expect(await bench.end(of: id) == .success(.succeeded(Data()))) }
            #expect(counts.withLock { $0.most } == 3)
            worker.cancel()
            await worker.value
        }
    }

    @Test func progressArrivesThrottledAndTheLastOfItAlways() {
        withVirtualTime {
            let bench = Bench()
            let seen = Mutex<[UInt8]>([])
            let worker = bench.worker { _, progress in
                for step in 0..<100 as Range<UInt8> {
                    progress(Data([step]))
                    try? await Self.sleep(0.01)
                }
                try? await Self.sleep(1)
                return .succeeded(Data())
            }
            try bench.queue.enqueue(.test("a"))
            _ = try await bench.follower.end(of: "a") { data in seen.withLock { $0.append(contentsOf: data) } }
            let steps = seen.withLock { $0 }
            #expect(steps == steps.sorted() && steps.last == 99)
            #expect((5...15).contains(Set(steps).count), "\(steps)")
            worker.cancel()
            await worker.value
        }
    }

    @Test func aCancelledJobIsEnded() {
        withVirtualTime {
            let bench = Bench()
            let wasCancelled = Promise<Bool, Never>(valueOnAbandon: { false })
            let refused = Promise<JobLease, Never>(valueOnAbandon: { fatalError("The worker was dropped.") })
            let worker = bench.worker(wasRefused: { refused.resolve($0) }) { _, _ in
                try? await Self.sleep(1_000)
                wasCancelled.resolve(Task.isCancelled)
                return .succeeded(Data())
            }
            try bench.queue.enqueue(.test("a"))
            async let end = bench.end(of: "a")
            try await Self.sleep(1)
            try bench.queue.cancel("a")
            #expect(await end == .success(.failed(.cancelled)))
            #expect(await wasCancelled.future.value)
            #expect(await refused.future.value.job.id == "a")
            #expect(try bench.queue.record("a")?.phase == .failed(.cancelled))
            worker.cancel()
            await worker.value
        }
    }

    @Test func aWorkerThatShutsDownReleasesItsJobForTheNext() {
        withVirtualTime {
            let bench = Bench()
            let first = bench.worker("first") { _, _ in
                try? await Self.sleep(1_000)
                // It takes a while to end.
                await Task { try? await Self.sleep(4) }.value
                return .lost(.died)
            }
            try bench.queue.enqueue(.test("a"))
            try await Self.sleep(1)
            first.cancel()
            let second = bench.worker("second") { _, _ in .succeeded(Data([2])) }
            // At once, although the first hasn't ended.
            let clock = Stopwatch(ContinuousClock())
            #expect(await bench.end(of: "a") == .success(.succeeded(Data([2]))))
            #expect(clock.elapsed < .seconds(1))
            #expect(try bench.queue.record("a")?.attempts == 1)
            second.cancel()
            await first.value
            await second.value
            #expect(try bench.queue.record("a")?.phase == .succeeded(Data([2])))
        }
    }

    @Test func aResultOfALeaseThatWasLostIsRefused() {
        withVirtualTime {
            let bench = Bench()
            try bench.queue.enqueue(.test("a"))
            // A worker that stops: its lease is never renewed.
            let stopped = try #require(try bench.queue.lease(lanes: ["default"], worker: "stopped", for: 30))
            let second = bench.worker("second") { _, _ in
                try? await Self.sleep(5)
                return .succeeded(Data([2]))
            }
            let clock = Stopwatch(ContinuousClock())
            async let end = bench.end(of: "a")
            try await Self.sleep(33)
            #expect(try !bench.queue.end(stopped, .succeeded(Data([1]))))
            #expect(await end == .success(.succeeded(Data([2]))))
            #expect(clock.elapsed > .seconds(35) && clock.elapsed < .seconds(37))
            second.cancel()
            await second.value
        }
    }

    @Test func aFollowerOfAnEndedJobAndOfARemovedOneReturns() {
        withVirtualTime {
            let bench = Bench()
            try bench.queue.enqueue(.test("a"))
            let lease = try #require(try bench.queue.lease(lanes: ["default"], worker: "w", for: 30))
            #expect(try bench.queue.end(lease, .failed(.broken)))
            #expect(await bench.end(of: "a") == .success(.failed(.broken)))
            #expect(await bench.end(of: "none") == .failure(.cancelled))
            try bench.queue.enqueue(.test("b"))
            async let end = bench.end(of: "b")
            try await Self.sleep(1)
            try bench.queue.settle("b")
            #expect(await end == .failure(.cancelled))
        }
    }

    @Test func aFollowerWhoseTaskIsCancelledOrThatIsClosedReturnsAndTheJobGoesOn() {
        withVirtualTime {
            let bench = Bench()
            for id in ["a", "b"] as [Job.ID] { try bench.queue.enqueue(.test(id)) }
            let cancelled = Task { await bench.end(of: "a") }
            async let closed = bench.end(of: "b")
            try await Self.sleep(1)
            cancelled.cancel()
            #expect(await cancelled.value == .failure(.cancelled))
            await bench.follower.close()
            #expect(await closed == .failure(.closed))
            #expect(await bench.end(of: "b") == .failure(.closed))
            #expect(try bench.queue.overview(limit: 9).unfinished.count == 2)
        }
    }

    @Test func aQueueThatFailsNowAndThenLosesNothing() {
        withVirtualTime {
            let bench = Bench()
            let flaky = FlakyQueue(bench.queue)
            let worker = JobWorker(
                queue: flaky, configuration: JobWorker.Configuration(name: "w", slots: ["default": 2])
            ) { _, progress in
                progress(Data([1]))
                try? await Self.sleep(20)
                return .succeeded(Data())
            }
            let working = Task { await worker.run() }
            let ids = (0..<6).map { Job.ID("\($0)") }
            for id in ids { try bench.queue.enqueue(.test(id)) }
            for id in ids { #expect(await bench.end(of: id) == .success(.succeeded(Data()))) }
            #expect(flaky.failures > 10)
            working.cancel()
            await working.value
        }
    }
}

/// A queue whose every third call fails.
private final class FlakyQueue: JobQueue {
    private let queue: MemoryJobQueue
    private let calls = Mutex((all: 0, failed: 0))

    init(_ queue: MemoryJobQueue) {
        self.queue = queue
    }

    var failures: Int { calls.withLock { $0.failed } }

    private func pass() throws(PersistenceError) {
        let fails = calls.withLock { calls in
            calls.all += 1
            if calls.all % 3 == 0 { calls.failed += 1 }
            return calls.all % 3 == 0
        }
        if fails { throw PersistenceError(.locked, "The database is busy.") }
    }

    func enqueue(_ job: Job) throws(PersistenceError) -> JobRecord { try queue.enqueue(job) }
    func record(_ id: Job.ID) throws(PersistenceError) -> JobRecord? { try queue.record(id) }
    func cancel(_ id: Job.ID) throws(PersistenceError) { try queue.cancel(id) }
    func settle(_ id: Job.ID) throws(PersistenceError) { try queue.settle(id) }
    func removeRequests() throws(PersistenceError) { try queue.removeRequests() }
    func lose(worker: String) throws(PersistenceError) { try queue.lose(worker: worker) }
    func outputs() throws(PersistenceError) -> Set<String> { try queue.outputs() }
    func retry(_ id: Job.ID) throws(PersistenceError) -> Bool { try queue.retry(id) }
    func dismiss(_ id: Job.ID) throws(PersistenceError) -> Bool { try queue.dismiss(id) }
    func hints() -> AsyncStream<Void> { queue.hints() }

    func overview(limit: Int) throws(PersistenceError) -> (unfinished: [JobRecord], dead: [JobRecord]) {
        try queue.overview(limit: limit)
    }

    func changes(since revision: Int64) throws(PersistenceError) -> (records: [JobRecord], revision: Int64) {
        try queue.changes(since: revision)
    }

    func lease(lanes: Set<String>, worker: String, for duration: TimeInterval) throws(PersistenceError) -> JobLease? {
        try pass()
        return try queue.lease(lanes: lanes, worker: worker, for: duration)
    }

    func renew(_ lease: JobLease, for duration: TimeInterval, progress: Data?) throws(PersistenceError) -> Bool {
        try pass()
        return try queue.renew(lease, for: duration, progress: progress)
    }

    func lost(of leases: [JobLease]) throws(PersistenceError) -> [JobLease] {
        try pass()
        return try queue.lost(of: leases)
    }

    func end(_ lease: JobLease, _ attempt: JobAttempt) throws(PersistenceError) -> Bool {
        try pass()
        return try queue.end(lease, attempt)
    }

    func release(_ lease: JobLease) throws(PersistenceError) {
        try pass()
        try queue.release(lease)
    }

    func expire() throws(PersistenceError) {
        try pass()
        try queue.expire()
    }

    func nextPause() throws(PersistenceError) -> TimeInterval? {
        try pass()
        return try queue.nextPause()
    }
}

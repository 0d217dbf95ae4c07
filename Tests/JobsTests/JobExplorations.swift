import Foundation
import Futures
import Interleaving
import MemoryJobs
import Persistence
import StoreTesting
import Testing

@testable import Jobs

/// Explores schedules of leasing, renewing, ending and expiring jobs.
@Suite(.timeLimit(.minutes(20))) struct JobExplorations {
    private static let schedules = isSoak ? 10_000 : 300

    /// Collects the jobs whose results were rejected.
    private final class Results: Sendable {
        private let refused = Lock<[Job.ID]>([])

        func refuse(_ lease: JobLease) { refused.withLock { $0.append(lease.job.id) } }
        var refusals: [Job.ID] { refused.withLock(\.self) }
    }

    private static func worker(
        _ name: String, _ queue: any JobQueue, _ results: Results, seconds: Double = 0
    ) -> JobWorker {
        var configuration = JobWorker.Configuration.test(name)
        configuration.lease = .seconds(3)
        return JobWorker(queue: queue, configuration: configuration, onRejection: results.refuse) { lease, _ in
            if seconds > 0 { await pause(seconds) }
            return .succeeded(Data("\(name) \(lease.token)".utf8))
        }
    }

    /// Checks that no job is still leased.
    private static func checkEnd(_ queue: MemoryJobQueue) throws {
        for record in try queue.changes(since: 0).records {
            guard case .running = record.phase else { continue }
            check(false, "a job is still leased: \(record)")
        }
    }

    @Test func twoWorkersRunEachJobOnceAndFollowersEnd() {
        let exploration = explore(schedules: Self.schedules) {
            let queue = memoryQueue()
            let results = Results()
            let workers = ["one", "two"].map { name in
                let worker = Self.worker(name, queue, results)
                return Task { await worker.run() }
            }
            let follower = JobFollower(of: queue)
            let ids: [Job.ID] = ["a", "b", "c"]
            let waits = try ids.map { id in
                _ = try queue.enqueue(.test(id.description, owner: id == "c" ? "bob" : "ann"))
                return Task { try await follower.end(of: id) }
            }
            let cancelling = Task { try queue.cancel("b") }
            for (id, wait) in zip(ids, waits) {
                let record = try await wait.value
                switch record.phase {
                case .succeeded(let result):
                    let hasTokenOfTheLease = String(decoding: result, as: UTF8.self).hasSuffix(" \(record.token)")
                    check(hasTokenOfTheLease, "\(record)")
                case .failed(.cancelled): check(id == "b", "\(record)")
                default: check(false, "\(record)")
                }
                check(record.attempts <= 1, "\(record)")
            }
            try await cancelling.value
            for worker in workers { worker.cancel() }
            for worker in workers { await worker.value }
            try Self.checkEnd(queue)
            check(results.refusals.allSatisfy { $0 == "b" }, "\(results.refusals) results were refused")
        }
        print("two workers: \(exploration.schedules) schedules")
    }

    @Test func aWorkerThatShutsDownLosesNoJob() {
        let exploration = explore(schedules: Self.schedules) {
            let queue = memoryQueue()
            let results = Results()
            let first = Self.worker("first", queue, results, seconds: 1)
            let second = Self.worker("second", queue, results)
            let ending = Task { await first.run() }
            for name in ["a", "b"] { _ = try queue.enqueue(.test(name)) }
            await Task.yield()
            ending.cancel()
            let staying = Task { await second.run() }
            let follower = JobFollower(of: queue)
            for id in ["a", "b"] as [Job.ID] {
                let record = try await follower.end(of: id)
                // An attempt whose task was cancelled may still have succeeded; a released job is run by the other
                // worker.
                guard case .succeeded = record.phase, record.attempts == 1 else { return check(false, "\(record)") }
            }
            await ending.value
            staying.cancel()
            await staying.value
            try Self.checkEnd(queue)
        }
        print("a shutdown: \(exploration.schedules) schedules")
    }
}

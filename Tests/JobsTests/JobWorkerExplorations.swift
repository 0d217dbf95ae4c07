import Foundation
import Futures
import Interleaving
import MemoryJobs
import StoreTesting
import Testing

@testable import Jobs

/// Explores schedules of workers, a queue and followers.
@Suite(.timeLimit(.minutes(20))) struct JobWorkerExplorations {
    private static let schedules = isSoak ? 20_000 : 500

    /// A queue and a follower in virtual time.
    private final class WorkerFixture: Sendable {
        let queue: MemoryJobQueue
        let follower: JobFollower

        init() {
            let (start, clock) = (Date(timeIntervalSince1970: 1_800_000_000), Stopwatch(ContinuousClock()))
            queue = MemoryJobQueue(now: { start + clock.elapsed / .seconds(1) })
            follower = JobFollower(of: queue)
        }

        /// Runs a worker whose attempts take the given number of seconds.
        func worker(_ name: String, _ seconds: @escaping @Sendable (JobLease) -> Double) -> Task<Void, Never> {
            var configuration = JobWorker.Configuration(name: name, slots: ["default": 2])
            configuration.lease = .seconds(3)
            let worker = JobWorker(queue: queue, configuration: configuration) { lease, progress in
                progress(Data([1]))
                try? await Stopwatch(ContinuousClock()).sleep(until: .seconds(seconds(lease)))
                guard !Task.isCancelled else {
                    return .lost(JobError(code: JobError.lostCode, message: "It died.", canRetry: true))
                }
                return .succeeded(Data(name.utf8))
            }
            return Task { await worker.run() }
        }

        func enqueue(_ ids: [Job.ID]) throws {
            for id in ids { try queue.enqueue(.test(id.description)) }
        }

        func finalPhase(of id: Job.ID) async -> JobRecord.Phase? {
            try? await follower.end(of: id).phase
        }

        /// Ends the workers, and checks that no job is still leased.
        func end(_ workers: [Task<Void, Never>]) async throws {
            for worker in workers { worker.cancel() }
            for worker in workers { await worker.value }
            for record in try queue.changes(since: 0).records {
                if case .running = record.phase { check(false, "\(record.job.id) is still leased") }
            }
        }
    }

    private static func isSuccess(_ phase: JobRecord.Phase?) -> Bool {
        if case .succeeded = phase { true } else { false }
    }

    /// Jobs take less than the duration of a lease, or longer, so that workers must renew it.
    @Test(arguments: [1.0, 7.0]) func twoWorkersRunEachJobOnce(seconds: Double) {
        explore(schedules: Self.schedules) {
            let fixture = WorkerFixture()
            let workers = [fixture.worker("a") { _ in seconds }, fixture.worker("b") { _ in seconds }]
            let ids = ["1", "2", "3"] as [Job.ID]
            try fixture.enqueue(ids)
            for id in ids {
                let phase = await fixture.finalPhase(of: id)
                check(Self.isSuccess(phase), "\(id): \(String(describing: phase))")
                let attempts = try fixture.queue.record(id)?.attempts
                check(attempts == 1, "\(id) took \(attempts ?? 0) attempts")
            }
            try await fixture.end(workers)
        }
    }

    @Test func aWorkerThatShutsDownLosesNothing() {
        explore(schedules: Self.schedules) {
            let fixture = WorkerFixture()
            let first = fixture.worker("first") { _ in 2 }
            let ids = ["1", "2"] as [Job.ID]
            try fixture.enqueue(ids)
            async let ends = [fixture.finalPhase(of: "1"), fixture.finalPhase(of: "2")]
            first.cancel()
            let second = fixture.worker("second") { _ in 1 }
            for phase in await ends { check(Self.isSuccess(phase), "\(String(describing: phase))") }
            for id in ids {
                let attempts = try fixture.queue.record(id)?.attempts
                check(attempts == 1, "\(id) took \(attempts ?? 0) attempts")
            }
            try await fixture.end([first, second])
        }
    }

    @Test func onlyOneResultIsAcceptedAfterALeaseExpires() {
        explore(schedules: Self.schedules) {
            let fixture = WorkerFixture()
            try fixture.enqueue(["1"])
            guard let stopped = try fixture.queue.lease(lanes: ["default"], worker: "stopped", for: 3) else {
                return check(false, "no lease")
            }
            let worker = fixture.worker("b") { _ in 1 }
            async let end = fixture.finalPhase(of: "1")
            async let late = Task {
                try await Stopwatch(ContinuousClock()).sleep(until: .seconds(3.2))
                return try fixture.queue.end(stopped, .succeeded(Data("stopped".utf8)))
            }.value
            let wasAccepted = try await late
            let phase = await end
            // Exactly one of the two results is accepted.
            let winner = wasAccepted ? "stopped" : "b"
            check(
                phase == .succeeded(Data(winner.utf8)),
                "\(String(describing: phase)), and the late result: \(wasAccepted)")
            try await fixture.end([worker])
        }
    }

    @Test func cancellingARunningJobEndsEachWait() {
        explore(schedules: Self.schedules) {
            let fixture = WorkerFixture()
            let worker = fixture.worker("a") { _ in 1 }
            try fixture.enqueue(["1", "2"])
            async let first = fixture.finalPhase(of: "1")
            async let second = fixture.finalPhase(of: "2")
            async let cancelling: Void = Task {
                try await Stopwatch(ContinuousClock()).sleep(until: .seconds(1))
                try fixture.queue.cancel("1")
            }.value
            try await cancelling
            let phase = await first
            check(Self.isSuccess(phase) || phase == .failed(.cancelled), "\(String(describing: phase))")
            let recorded = try fixture.queue.record("1")?.phase
            check(recorded == phase, "The follower's outcome differs from the queue's.")
            let other = await second
            check(Self.isSuccess(other), "\(String(describing: other))")
            try await fixture.end([worker])
        }
    }

    @Test func removingARunningJobEndsItsWait() {
        explore(schedules: Self.schedules) {
            let fixture = WorkerFixture()
            let worker = fixture.worker("a") { _ in 1 }
            try fixture.enqueue(["1"])
            async let end = fixture.finalPhase(of: "1")
            async let removing: Void = Task {
                try await Stopwatch(ContinuousClock()).sleep(until: .seconds(1))
                try fixture.queue.discard("1")
            }.value
            try await removing
            let phase = await end
            check(phase == nil || Self.isSuccess(phase), "\(String(describing: phase))")
            try await fixture.end([worker])
        }
    }
}

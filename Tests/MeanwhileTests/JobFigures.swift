import BrowserDriver
import Capture
import FixtureSite
import Foundation
import Jobs
import MemoryJobs
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import SystemPackage
import Testing

@testable import Meanwhile

/// Measures the overhead of the queue; `script/bench jobs` prints it.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["JOB_FIGURES"] == "1"))
struct JobFigures {
    private static let rounds = 25

    @Test func queueOverheadIsMeasured() async throws {
        try await withSite { site, workspace in
            let data = try DataFolder.open(at: workspace.data)
            let database = try await AppDatabase.open(in: data, migrations: DatabaseSchema.migrations)
            defer { database.close() }
            let queue = SQLiteJobQueue(database: database)
            var process = ChildProcess.Configuration()
            process.executable = .init(Program.path)
            process.arguments = ["--allow", "127.0.0.1"]
            let pool = JobProcessPool(JobProcessPool.Configuration(data: data, process: process))
            process.arguments += ["--data", data.path, "--name", "figures"]
            let worker = try ChildProcess("worker", process) { _ in true }
            let measurement = OverheadMeasurement(queue: queue, follower: JobFollower(of: queue), pool: pool)
            let captures = CaptureJobs(queue: queue, options: CaptureOptions())
            try await measurement.compare("capture") {
                try captures.job(
                    CaptureAttempt(page: SavedPage.ID(), owner: "ann", number: 1),
                    CaptureRequest(url: site.url("/plain"), formats: [.png]))
            }
            let parameters = PictureFetchParameters(address: site.address("/image/5.png"), limit: 1_000_000)
            let payload = try JSONEncoder().encode(parameters)
            try await measurement.compare("picture fetch") {
                Job(
                    id: Job.ID("picture/\(UUID())"), owner: "ann", kind: JobKind.pictureFetch.rawValue,
                    lane: JobKind.pictureFetch.lane, payload: payload)
            }
            await measurement.follower.close()
            await worker.end()
            await pool.close()
        }
    }

    private struct OverheadMeasurement {
        let queue: SQLiteJobQueue
        let follower: JobFollower
        let pool: JobProcessPool
        private let direct = MemoryJobQueue()

        init(queue: SQLiteJobQueue, follower: JobFollower, pool: JobProcessPool) {
            (self.queue, self.follower, self.pool) = (queue, follower, pool)
        }

        /// Times a job run directly and through the queue, alternately, and prints the medians.
        func compare(_ name: String, _ job: () throws -> Job) async throws {
            var times: (direct: [Duration], queued: [Duration]) = ([], [])
            for round in 0...rounds {
                let (first, second) = (try job(), try job())
                let direct = try await time { try await run(first) }
                let queued = try await time { try await enqueue(second) }
                // The first round isn't counted, because it starts the browsers that later rounds find idle.
                if round > 0 { (times.direct, times.queued) = (times.direct + [direct], times.queued + [queued]) }
            }
            let (direct, queued) = (median(times.direct), median(times.queued))
            print("\(name): \(direct) directly, \(queued) through the queue, which costs \(queued - direct)")
        }

        private func run(_ job: Job) async throws {
            try direct.enqueue(job)
            let lease = try #require(try direct.lease(lanes: [job.lane], worker: "w", for: 100))
            guard case .succeeded = await pool.run(lease, progress: { _ in }) else {
                throw JobError(code: "figures", message: "The job failed.", canRetry: false)
            }
            pool.configuration.data.jobs.output(lease.outputName).remove()
        }

        private func enqueue(_ job: Job) async throws {
            try await queue.enqueue(job)
            let record = try await follower.end(of: job.id)
            guard case .succeeded = record.phase else {
                throw JobError(code: "figures", message: "\(record)", canRetry: false)
            }
            pool.configuration.data.jobs.output(record.outputName).remove()
        }

        /// Times an operation, after a pause in which the next idle process starts.
        private func time(_ body: () async throws -> Void) async throws -> Duration {
            let ready = ContinuousClock.now + .seconds(1)
            try await eventually("the next process is ready") { ContinuousClock.now >= ready }
            let start = ContinuousClock.now
            try await body()
            return ContinuousClock.now - start
        }

        private var rounds: Int { JobFigures.rounds }

        private func median(_ times: [Duration]) -> Duration {
            times.sorted()[times.count / 2]
        }
    }
}

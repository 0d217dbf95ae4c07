import Foundation
import Futures
import MemoryJobs
import Persistence
import PostgreSQL
import ServedPostgreSQL
import StoreTesting
import Testing
import VirtualTime

@testable import Jobs

/// The implementations that must pass the conformance suite.
enum JobQueueKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case database
    case postgreSQL

    var testDescription: String { rawValue }
}

/// A data folder for the jobs of one test, with a manual date.
///
/// The folder is removed when the last reference to it is released.
final class JobQueueFixture: Sendable {
    private let folder: TemporaryFolder
    private let time = ManualDate()

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: String { folder.path }

    var now: Date { time.now }

    func advance(by seconds: TimeInterval) {
        time.advance(by: seconds)
    }

    func open(_ kind: JobQueueKind, _ policy: JobPolicy = JobPolicy()) async throws -> any JobQueue {
        switch kind {
        case .memory: MemoryJobQueue(policy: policy, now: { self.now })
        case .database: try await openDatabase(policy).queue
        case .postgreSQL: try await openPostgreSQL(policy).queue
        }
    }

    /// Opens a queue in PostgreSQL with its own connections, as another process would.
    func openPostgreSQL(
        _ policy: JobPolicy = JobPolicy()
    ) async throws -> (queue: SQLiteJobQueue, database: PostgresDatabase) {
        let database = try await PostgresDatabase.open(
            ServedPostgreSQL.schema(for: path), limits: ServedPostgreSQL.limits,
            migrations: SQLiteJobQueue.postgreSQLMigrations)
        let queue = SQLiteJobQueue(
            in: database, signal: database.changeSignal(of: "jobs"), policy: policy, now: { self.now })
        return (queue, database)
    }

    /// Opens a queue with its own database connection, as another process would.
    func openDatabase(
        _ policy: JobPolicy = JobPolicy(), clock: any Clock<Duration> = ManualClock()
    ) async throws -> (queue: SQLiteJobQueue, database: AppDatabase) {
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: "\(path)/data"), migrations: SQLiteJobQueue.migrations)
        return (SQLiteJobQueue(database: database, policy: policy, clock: clock, now: { self.now }), database)
    }
}

extension Job {
    static func test(
        _ id: String, owner: OwnerID = "ann", lane: String = "default", priority: Int = 0, deadline: Date? = nil,
        lifetime: Lifetime = .durable
    ) -> Job {
        Job(
            id: ID(id), owner: owner, kind: "test", lane: lane, priority: priority, payload: Data(id.utf8),
            deadline: deadline, lifetime: lifetime)
    }
}

extension JobQueue {
    /// Leases the next job for 30 seconds.
    func next(_ worker: String = "w", lanes: Set<String> = ["default"]) async throws -> JobLease? {
        try await lease(lanes: lanes, worker: worker, for: 30)
    }

    func phase(_ id: Job.ID) async throws -> JobRecord.Phase? {
        try await record(id)?.phase
    }
}

extension JobError {
    static let test = JobError(code: "test", message: "A test failed it.", canRetry: false)
}

import Foundation
import Persistence
import Synchronization

@testable import Jobs

// GRDB has types of these names too.
typealias Database = Persistence.Database
typealias PersistenceError = Persistence.PersistenceError

/// A time that a test moves.
final class ManualTime: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        date.withLock { $0 += seconds }
    }
}

/// The queues that all behave alike.
enum QueueKind: CaseIterable, Sendable {
    case memory, sqlite

    /// A new queue, and nothing in it.
    func place(policy: JobPolicy = JobPolicy()) async throws -> QueuePlace {
        let time = ManualTime()
        switch self {
        case .memory:
            return QueuePlace(queue: MemoryJobQueue(policy: policy, now: { time.now }), time: time, folder: nil)
        case .sqlite:
            let folder = try TemporaryData()
            let queue = SQLiteJobQueue(database: try await folder.open(), policy: policy, now: { time.now })
            return QueuePlace(queue: queue, time: time, folder: folder)
        }
    }
}

/// A queue, its time, and what must stay for as long as it is used.
struct QueuePlace: Sendable {
    let queue: any JobQueue
    let time: ManualTime
    let folder: TemporaryData?

    /// Leases the next job, for ten seconds.
    func lease(_ lanes: Set<String> = ["default"], worker: String = "w") async throws -> JobLease? {
        try await queue.lease(lanes: lanes, worker: worker, for: 10)
    }

    func phase(_ id: Job.ID) async throws -> JobRecord.Phase? {
        try await queue.record(id)?.phase
    }
}

/// A data folder, which goes with this object.
final class TemporaryData: Sendable {
    let path = NSTemporaryDirectory() + "meanwhile-jobs-\(UUID().uuidString)"
    private let databases = Mutex<[Database]>([])

    init() throws {
        _ = try DataFolder.open(at: path)
    }

    deinit {
        databases.withLock { for database in $0 { database.close() } }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Opens the database, as another process would.
    func open() async throws -> Database {
        let database = try await Database.open(
            in: DataFolder.open(at: path), migrations: SQLiteJobQueue.migrations)
        databases.withLock { $0.append(database) }
        return database
    }
}

extension Job {
    /// A job of Ann's.
    static func test(
        _ id: Job.ID, owner: String = "ann", lane: String = "default", priority: Int = 0, deadline: Date? = nil,
        lifetime: Lifetime = .durable
    ) -> Job {
        Job(
            id: id, owner: owner, kind: "test", lane: lane, subject: "a test", priority: priority,
            payload: Data("payload of \(id)".utf8), input: "incoming/\(id)", attemptLimit: .seconds(7),
            deadline: deadline, lifetime: lifetime)
    }
}

extension JobError {
    static let broken = JobError(code: "broken", message: "It broke.", canRetry: true, details: Data([1, 2]))
    static let died = JobError(code: lostCode, message: "The process died.", canRetry: true)
}

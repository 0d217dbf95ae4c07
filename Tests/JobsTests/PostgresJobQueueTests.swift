import Foundation
import Persistence
import PostgreSQL
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Jobs

/// Tests the queue in PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct PostgresJobQueueTests {
    private func open(_ schema: PostgresAddress) async throws -> (queue: SQLiteJobQueue, database: PostgresDatabase) {
        let database = try await PostgresDatabase.open(
            schema, limits: ServedPostgreSQL.limits, migrations: SQLiteJobQueue.postgreSQLMigrations)
        return (SQLiteJobQueue(in: database, signal: database.changeSignal(of: "jobs")), database)
    }

    /// The clocks of the servers of a cluster may differ; leases are measured by the database's.
    @Test func timesAreThoseOfTheDatabase() async throws {
        let (queue, database) = try await open(try await ServedPostgreSQL.newSchema())
        let clock = "SELECT extract(epoch FROM clock_timestamp())"
        let before = try await database.readRows { try $0.value(clock, as: Double.self) }
        let record = try await queue.enqueue(.test("a"))
        let after = try await database.readRows { try $0.value(clock, as: Double.self) }
        let time = record.changedAt.timeIntervalSince1970
        #expect(time >= before ?? .infinity)
        #expect(time <= after ?? 0)
    }

    /// Each job is leased by one of many workers at the same time, and ended once.
    @Test func workersOfSeveralServersShareTheJobs() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (queue, database) = try await open(schema)
        try await database.writeRows(locking: []) { transaction in
            for number in 0..<300 {
                try queue.enqueue(.test("\(number)", owner: OwnerID(rawValue: "owner\(number % 7)")), in: transaction)
            }
        }
        let ended = try await withThrowingTaskGroup(of: [Job.ID].self) { group in
            for server in 0..<3 {
                let (other, _) = try await open(schema)
                for worker in 0..<4 {
                    group.addTask {
                        var ended: [Job.ID] = []
                        while let lease = try await other.next("\(server)/\(worker)") {
                            if try await other.end(lease, .succeeded(Data())) { ended.append(lease.job.id) }
                        }
                        return ended
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ended.count == 300)
        #expect(Set(ended).count == 300)
    }

    @Test func jobIsEnqueuedOnlyWithTheCallersTransaction() async throws {
        struct Refused: Error {}
        let (queue, database) = try await open(try await ServedPostgreSQL.newSchema())
        await #expect(throws: StoreError.self) {
            try await database.writeRows(locking: []) { transaction in
                try queue.enqueue(.test("a"), in: transaction)
                throw Refused()
            }
        }
        #expect(try await queue.record("a") == nil)
        var hints = queue.updates().makeAsyncIterator()
        try await database.writeRows(locking: []) { try queue.enqueue(.test("a"), in: $0) }
        #expect(await hints.next() != nil)
        #expect(try await queue.record("a") != nil)
    }
}

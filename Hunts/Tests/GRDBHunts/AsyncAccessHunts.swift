import GRDB
import HuntSupport
import Interleaving
import Testing

/// GRDB's asynchronous accesses, which run in an actor whose executor is the database's dispatch queue.
@Suite struct AsyncAccessHunts {
    @Test func concurrentWritesLoseNothing() {
        hunt("DatabaseQueue async", "concurrent writes lose nothing", preemptsAtLocks: true) {
            let database = try await counterDatabase()
            async let first: Void = increment(database)
            async let second: Void = increment(database)
            _ = try await (first, second)
            let count = try await value(database)
            check(count == 2, "counted \(count)")
        }
    }

    @Test func cancelledWriteIsDoneOrNot() {
        hunt("DatabaseQueue async", "a cancelled write throws if and only if it isn't done", preemptsAtLocks: true) {
            let database = try await counterDatabase()
            let cancelled = Task { try await increment(database) }
            async let other: Void = increment(database)
            async let cancellation: Void = { cancelled.cancel() }()
            let result = await cancelled.result
            // The other write isn't cancelled with it.
            _ = try await (other, cancellation)
            let count = try await value(database)
            switch result {
            case .success: check(count == 2, "returned, but counted \(count)")
            case .failure(let error):
                check(error is CancellationError, "threw \(error)")
                check(count == 1, "threw, but counted \(count)")
            }
        }
    }
}

private func counterDatabase() async throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try await database.write { database in
        try database.execute(sql: "CREATE TABLE counter (value INTEGER); INSERT INTO counter VALUES (0)")
    }
    return database
}

private func increment(_ database: DatabaseQueue) async throws {
    try await database.write { try $0.execute(sql: "UPDATE counter SET value = value + 1") }
}

private func value(_ database: DatabaseQueue) async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "SELECT value FROM counter") ?? -1 }
}

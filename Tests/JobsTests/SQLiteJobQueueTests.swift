import DamagedDatabase
import Foundation
import Futures
import GRDB
import Persistence
import Testing
import VirtualTime

@testable import Jobs

/// Tests the queue in a database.
@Suite(.timeLimit(.minutes(20))) struct SQLiteJobQueueTests {
    struct Refused: Error {}

    @Test func aJobIsCommittedAndRolledBackWithItsTransaction() async throws {
        let (queue, database) = try await JobQueueFixture().openDatabase()
        try await database.write { try queue.enqueue(.test("a/1"), in: $0) }
        #expect(try await queue.record("a/1") != nil)
        await #expect(throws: StoreError.self) {
            try await database.write { connection in
                try queue.enqueue(.test("a/2"), in: connection)
                try queue.discard(beginningWith: "a/", in: connection)
                throw Refused()
            }
        }
        #expect(try await queue.record("a/1") != nil)
        #expect(try await queue.record("a/2") == nil)
    }

    @Test func jobsAreRemovedByNamePrefix() async throws {
        var policy = JobPolicy()
        policy.attempts = 1
        let (queue, database) = try await JobQueueFixture().openDatabase(policy)
        try await queue.enqueue(.test("p/1/dead"))
        let lease = try #require(try await queue.next())
        #expect(try await queue.end(lease, .lost(.test)))
        for name in ["p/1/a", "p/1/é", "p/10", "p/2"] { try await queue.enqueue(.test(name)) }
        try await database.write { try queue.discard(beginningWith: "p/1/", in: $0) }
        #expect(try await queue.changes(since: 0).records.map(\.job.id) == ["p/1/dead", "p/10", "p/2"])
        try await database.write { try queue.remove(beginningWith: "p/1/", in: $0) }
        #expect(try await queue.changes(since: 0).records.map(\.job.id) == ["p/10", "p/2"])
    }

    @Test func waitingJobsAreRaisedByNamePrefix() async throws {
        let (queue, database) = try await JobQueueFixture().openDatabase()
        for (name, priority) in [("a/1", -1), ("p/1", -1), ("p/2", 5), ("p/3", -1), ("q/1", -1)] {
            try await queue.enqueue(.test(name, priority: priority))
        }
        try await database.write { try queue.raise(beginningWith: "p/", to: 0, in: $0) }
        var order: [String] = []
        while let lease = try await queue.next() { order.append(lease.job.id.description) }
        #expect(order == ["p/2", "p/1", "p/3", "a/1", "q/1"])
        // A running job keeps its priority.
        try await database.write { try queue.raise(beginningWith: "a/", to: 9, in: $0) }
        #expect(try await queue.record("a/1")?.job.priority == -1)
    }

    /// The clock of the fallback never advances, so only the signal can have caused an update.
    @Test func changeOfAnotherConnectionArrivesWithoutTheFallback() async throws {
        let fixture = try JobQueueFixture()
        let (one, database) = try await fixture.openDatabase()
        let (other, _) = try await fixture.openDatabase()
        var hints = other.updates().makeAsyncIterator()
        try await one.enqueue(.test("a"))
        while try await other.record("a") == nil { _ = await hints.next() }
        try await database.write { try one.enqueue(.test("b"), in: $0) }
        while try await other.record("b") == nil { _ = await hints.next() }
        let lease = try #require(try await other.next())
        #expect(try await other.end(lease, .succeeded(Data())))
        #expect(try await one.record("a")?.hasEnded == true)
    }

    @Test func fallbackReportsChangesWithoutTheSignalFile() async throws {
        let fixture = try JobQueueFixture()
        let clock = ManualClock()
        let (one, _) = try await fixture.openDatabase()
        try FileManager.default.createDirectory(
            atPath: "\(fixture.path)/data/jobs.changed", withIntermediateDirectories: false)
        let (other, _) = try await fixture.openDatabase(clock: clock)
        let hints = other.updates()
        await clock.waitForSleepers(1)
        try await one.enqueue(.test("a"))
        let hint = Task {
            for await _ in hints { return true }
            return false
        }
        clock.advance(by: CommitSignal.fallbackInterval)
        #expect(await hint.value)
    }

    /// Damages each column of all rows: no call may fail, only the jobs.
    @Test func damagedRowsFailNoCall() async throws {
        let fixture = try JobQueueFixture()
        var policy = JobPolicy()
        policy.attempts = 2
        do {
            let (queue, database) = try await fixture.openDatabase(policy)
            for name in ["a", "b", "c", "d", "e"] {
                try await queue.enqueue(
                    .test(name, owner: OwnerID(rawValue: name), priority: 1, deadline: fixture.now + 60))
            }
            let leases = [try #require(try await queue.next()), try #require(try await queue.next())]
            _ = try await queue.renew(leases[0], for: 30, progress: Data())
            _ = try await queue.end(leases[1], .succeeded(Data()))
            try await queue.cancel("c")
            database.close()
        }
        let damaged = try DamagedDatabase(at: "\(fixture.path)/data/meanwhile.sqlite")
        var (opened, errors) = (0, 0)
        for column in try damaged.columns(ofTables: "job") {
            for value in DamagedDatabase.values where try damaged.damage(column, value) {
                guard let (queue, database) = try? await fixture.openDatabase(policy) else { continue }
                opened += 1
                errors += await Self.useAll(queue)
                database.close()
            }
        }
        #expect(errors == 0)
        #expect(opened > 100)
    }

    /// Damages the job of one of two owners: that job is reported as failed, and the other owner's job runs.
    @Test(arguments: ["owner", "starts_at", "attempts", "enqueued_at", "lane", "priority"])
    func aDamagedRowFailsOnlyItsJob(column: String) async throws {
        let fixture = try JobQueueFixture()
        do {
            let (queue, database) = try await fixture.openDatabase()
            for name in ["a", "b"] { try await queue.enqueue(.test(name, owner: OwnerID(rawValue: name))) }
            database.close()
        }
        // Removes the constraints that would reject the damage.
        _ = try DamagedDatabase(at: "\(fixture.path)/data/meanwhile.sqlite")
        let (queue, database) = try await fixture.openDatabase()
        try await database.write { try $0.execute(sql: "UPDATE job SET \(column) = x'00ff' WHERE id = 'a'") }
        let enqueued = try await queue.enqueue(.test("a"))
        #expect(enqueued.phase == .failed(.damaged) && enqueued.hasEnded)
        let lease = try #require(try await queue.next())
        #expect(lease.job.id == "b")
        #expect(try await queue.end(lease, .succeeded(Data())))
        #expect(try await queue.overview(limit: 9).unfinished.isEmpty)
    }

    /// The stored error is in a format that no version of this program writes.
    @Test func unreadableStoredErrorStillFailsTheJob() async throws {
        let (queue, database) = try await JobQueueFixture().openDatabase()
        try await queue.enqueue(.test("a"))
        try await queue.cancel("a")
        try await database.write { try $0.execute(sql: "UPDATE job SET error = '{', changed_at = 9e999") }
        let record = try #require(try await queue.record("a"))
        guard case .failed(let error) = record.phase else { throw Refused() }
        #expect(error.code == "unreadable")
    }

    /// Calls every operation.
    ///
    /// - Returns: The number of failed calls.
    private static func useAll(_ queue: SQLiteJobQueue) async -> Int {
        var errors = 0
        func attempt<Value>(_ operation: () async throws -> Value) async -> Value? {
            do {
                return try await operation()
            } catch {
                errors += 1
                return nil
            }
        }
        _ = await attempt { try await queue.expire() }
        _ = await attempt { try await queue.nextPause() }
        _ = await attempt { try await queue.changes(since: 0) }
        _ = await attempt { try await queue.overview(limit: 9) }
        _ = await attempt { try await queue.enqueue(.test("new")) }
        for name in ["a", "b", "c"] as [Job.ID] {
            _ = await attempt { try await queue.record(name) }
            _ = await attempt { try await queue.retry(name) }
            _ = await attempt { try await queue.dismiss(name) }
        }
        for _ in 0..<5 {
            guard let lease = await attempt({ try await queue.next() }).flatMap(\.self) else { continue }
            _ = await attempt { try await queue.renew(lease, for: 30, progress: nil) }
            _ = await attempt { try await queue.lostLeases(among: [lease]) }
            _ = await attempt { try await queue.end(lease, .lost(.test)) }
        }
        _ = await attempt { try await queue.endLeases(ofWorker: "w") }
        _ = await attempt { try await queue.cancel("a") }
        _ = await attempt { try await queue.discard("a") }
        _ = await attempt { try await queue.removeJobsOfRequests() }
        return errors
    }

    /// Explains each query as executed, and checks that it uses an index.
    @Test func noQueryScansTheTable() async throws {
        let fixture = try JobQueueFixture()
        let (queue, database) = try await fixture.openDatabase()
        try await queue.enqueue(.test("a"))
        let now = fixture.now
        let scans = try await database.write { connection in
            let statements = Lock<[String]>([])
            connection.trace { event in
                statements.withLock { $0.append(event.expandedDescription) }
            }
            var table = SQLiteJobTable(connection: SQLiteConnection(connection))
            _ = try table.enqueue(.test("b"), at: now)
            let lease = try table.lease(lanes: ["default"], to: "w", at: now, for: 30)
            if let lease { _ = try table.end(lease, .succeeded(Data()), at: now, JobPolicy()) }
            _ = try table.hasExpired(at: now)
            _ = try table.hasDeadToPrune(JobPolicy(), at: now)
            _ = try table.expire(at: now, JobPolicy())
            _ = try table.nextTime(after: now)
            _ = try table.running(worker: "w")
            _ = try table.changed(since: 1)
            _ = try table.remove(beginningWith: "x", keepsDeadLetters: false)
            _ = try table.remove(beginningWith: "x", keepsDeadLetters: true)
            _ = try table.discard("a")
            connection.trace(options: [])
            let executed = statements.withLock(\.self)
            #expect(executed.count > 20)
            return try executed.flatMap { sql in
                try Row.fetchAll(connection, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
                    .filter { $0.contains("SCAN job") && !$0.contains("INDEX") && !$0.contains("job_counter") }
                    .map { "\($0): \(sql)" }
            }
        }
        #expect(scans == [])
    }
}

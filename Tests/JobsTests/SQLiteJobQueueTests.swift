import Foundation
import GRDB
import Persistence
import Synchronization
import Testing

@testable import Jobs

/// What only the queue in a database does.
@Suite(.timeLimit(.minutes(10))) struct SQLiteJobQueueTests {
    @Test func aJobIsCommittedOrRolledBackWithTheTransactionThatWantsIt() async throws {
        let folder = try TemporaryData()
        let database = try await folder.open()
        let queue = SQLiteJobQueue(database: database)
        var hints = queue.hints().makeAsyncIterator()
        try await database.write { try queue.enqueue(.test("a"), in: $0) }
        #expect(await hints.next() != nil)
        #expect(try await queue.record("a") != nil)
        struct Refusal: Error {}
        await #expect(throws: Persistence.PersistenceError.self) {
            try await database.write { transaction in
                try queue.enqueue(.test("b"), in: transaction)
                try queue.remove(beginningWith: "a", in: transaction)
                throw Refusal()
            }
        }
        #expect(try await queue.record("b") == nil)
        #expect(try await queue.record("a") != nil)
    }

    @Test func jobsAreRemovedByTheBeginningOfTheirNames() async throws {
        let folder = try TemporaryData()
        let database = try await folder.open()
        var policy = JobPolicy()
        policy.attempts = 1
        let queue = SQLiteJobQueue(database: database, policy: policy)
        for id in ["x/1", "x/2", "x/é", "xy", "w"] as [Job.ID] { try await queue.enqueue(.test(id)) }
        let lease = try #require(try await queue.lease(lanes: ["default"], worker: "w", for: 10))
        #expect(lease.job.id == "x/1")
        #expect(try await queue.end(lease, .lost(.died)))
        try await database.write { try queue.settle(beginningWith: "x/", in: $0) }
        let (unfinished, dead) = try await queue.overview(limit: 9)
        #expect(unfinished.map(\.job.id) == ["xy", "w"] && dead.map(\.job.id) == ["x/1"])
        try await database.write { try queue.remove(beginningWith: "x/", in: $0) }
        #expect(try await queue.overview(limit: 9).dead.isEmpty)
    }

    @Test func anotherProcessIsToldWithoutPolling() async throws {
        let folder = try TemporaryData()
        let first = SQLiteJobQueue(database: try await folder.open(), clock: StoppedClock())
        let second = SQLiteJobQueue(database: try await folder.open(), clock: StoppedClock())
        let hints = second.hints()
        try await first.enqueue(.test("a"))
        var iterator = hints.makeAsyncIterator()
        // The fallback's clock stands still: only the signal can have told it.
        #expect(await iterator.next() != nil)
        #expect(try await second.record("a") != nil)
        let lease = try #require(try await second.lease(lanes: ["default"], worker: "w", for: 10))
        var ends = first.hints().makeAsyncIterator()
        #expect(try await second.end(lease, .succeeded(Data())))
        #expect(await ends.next() != nil)
    }

    @Test func withoutASignalTheFallbackTells() async throws {
        let folder = try TemporaryData()
        // A folder in its place: the signal's file can't be made.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/jobs.changed", withIntermediateDirectories: false)
        let queue = SQLiteJobQueue(database: try await folder.open(), clock: QuickClock())
        let other = SQLiteJobQueue(database: try await folder.open(), clock: StoppedClock())
        let hints = queue.hints()
        try await other.enqueue(.test("a"))
        for await _ in hints { if try await queue.record("a") != nil { break } }
    }

    @Test func allJobsAreThereAfterARestart() async throws {
        let folder = try TemporaryData()
        let database = try await folder.open()
        let queue = SQLiteJobQueue(database: database)
        for id in ["a", "b", "c"] as [Job.ID] { try await queue.enqueue(.test(id, deadline: Date() + 1_000)) }
        let lease = try #require(try await queue.lease(lanes: ["default"], worker: "w", for: 10))
        #expect(try await queue.end(lease, .failed(.broken)))
        _ = try await queue.lease(lanes: ["default"], worker: "w", for: 10)
        let records = try await queue.changes(since: 0).records
        database.close()
        let next = SQLiteJobQueue(database: try await folder.open())
        #expect(try await next.changes(since: 0).records == records)
        #expect(try await next.lease(lanes: ["default"], worker: "w", for: 10)?.token == 3)
    }

    @Test func twoProcessesLeaseEachJobOnce() async throws {
        let folder = try TemporaryData()
        let queues = [
            SQLiteJobQueue(database: try await folder.open()), SQLiteJobQueue(database: try await folder.open()),
        ]
        for number in 0..<40 { try await queues[0].enqueue(.test(Job.ID("\(number)"))) }
        let leased = try await withThrowingTaskGroup(of: [Job.ID].self) { group in
            for (number, queue) in (queues + queues).enumerated() {
                group.addTask { try await Self.doAll(of: queue, worker: "\(number)") }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(leased.count == 40 && Set(leased).count == 40)
    }

    private static func doAll(of queue: SQLiteJobQueue, worker: String) async throws -> [Job.ID] {
        var done: [Job.ID] = []
        while let lease = try await queue.lease(lanes: ["default"], worker: worker, for: 10) {
            done.append(lease.job.id)
            #expect(try await queue.end(lease, .succeeded(Data())))
        }
        return done
    }

    @Test(
        arguments: [
            "attempts", "token", "priority", "enqueued_at", "starts_at", "deadline", "revision", "attempt_limit",
        ],
        ["9223372036854775807", "-9223372036854775808", "-1", "1e308", "'text'", "x'ff'", "NULL"])
    func aHostileValueEndsOnlyTheCall(column: String, value: String) async throws {
        let folder = try TemporaryData()
        let database = try await folder.open()
        let queue = SQLiteJobQueue(database: database)
        try await queue.enqueue(.test("a"))
        // As a table would be that another program made: it takes everything.
        try await database.write { connection in
            try connection.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'STRICT', ''), 'NOT NULL', ''), ' INTEGER,', ',')
                        WHERE name = 'job';
                    PRAGMA writable_schema = RESET;
                    PRAGMA ignore_check_constraints = ON;
                    """)
        }
        let other = try await folder.open()
        try await other.write { connection in
            try connection.execute(
                sql: "PRAGMA ignore_check_constraints = ON; UPDATE job SET \(column) = \(value)")
        }
        for queue in [queue, SQLiteJobQueue(database: other)] {
            _ = try? await queue.record("a")
            _ = try? await queue.changes(since: 0)
            _ = try? await queue.nextPause()
            _ = try? await queue.overview(limit: 9)
            _ = try? await queue.expire()
            if let lease = try? await queue.lease(lanes: ["default"], worker: "w", for: 10) {
                _ = try? await queue.renew(lease, for: 10, progress: Data())
                _ = try? await queue.end(lease, .lost(.died))
            }
            _ = try? await queue.cancel("a")
            _ = try? await queue.settle("a")
        }
    }

    @Test func noQueryGoesThroughAllJobs() async throws {
        let folder = try TemporaryData()
        let database = try await folder.open()
        let statements = Mutex<Set<String>>([])
        try await database.write { connection in
            connection.trace { event in
                guard case .statement(let statement) = event else { return }
                _ = statements.withLock { $0.insert(statement.sql) }
            }
        }
        let queue = SQLiteJobQueue(database: database)
        for owner in ["ann", "bob"] {
            for number in 0..<20 { try await queue.enqueue(.test(Job.ID("\(owner) \(number)"), owner: owner)) }
        }
        let lease = try #require(try await queue.lease(lanes: ["default"], worker: "w", for: 10))
        #expect(try await queue.renew(lease, for: 10, progress: Data()))
        #expect(try await queue.end(lease, .lost(.died)))
        try await queue.cancel("ann 3")
        try await queue.settle("ann 3")
        try await queue.expire()
        let plans = try await database.read { [seen = statements.withLock { $0 }] connection in
            try seen.filter { $0.contains("job") && !$0.hasPrefix("PRAGMA") }.flatMap { sql in
                let names = Array(repeating: DatabaseValue.null, count: sql.count(where: { $0 == "?" }))
                let statement = try connection.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                statement.setUncheckedArguments(StatementArguments(names))
                return try Row.fetchAll(statement).map { "\($0["detail"] as String? ?? ""): \(sql)" }
            }
        }
        #expect(!plans.isEmpty)
        let scans = plans.filter { $0.hasPrefix("SCAN job:") || $0.hasPrefix("SCAN job ") && !$0.contains("USING") }
        #expect(scans.isEmpty, "\(scans)")
    }
}

/// A clock that stands still.
private struct StoppedClock: Clock {
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
    }
}

/// A clock on which each sleep takes a millisecond.
private struct QuickClock: Clock {
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: ContinuousClock.now + .milliseconds(1))
    }
}

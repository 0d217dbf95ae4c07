import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// Transactions, conflicts, and lost connections.
@Suite(.timeLimit(.minutes(5))) struct PostgresTransactionTests {
    struct Refused: Error {}

    @Test func failedWorkWritesNothing() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let hasRun = Shared(false)
        for _ in 0..<20 {
            let error = await #expect(throws: StoreError.self) {
                try await database.writeRows(locking: []) { connection in
                    connection.afterCommit { hasRun.change { $0 = true } }
                    _ = try connection.execute("UPDATE counter SET number = 7")
                    throw Refused()
                }
            }
            #expect(error?.code == .abandoned)
            #expect(error?.cause is Refused)
        }
        #expect(try await database.number() == 0)
        #expect(!hasRun.now)
    }

    @Test func refusedStatementIsExplainedAndLeavesTheConnectionUsable() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        for sql in ["SELEKT 1", "INSERT INTO counter VALUES ('a', 1)", "SELECT 1 / 0", "SELECT ?"] {
            let error = await #expect(throws: StoreError.self) {
                try await database.writeRows(locking: []) { _ = try $0.execute(sql) }
            }
            #expect(error?.code == .queryFailed, "\(sql)")
        }
        try await database.increment()
        #expect(try await database.number() == 1)
    }

    /// After a failed statement, PostgreSQL rolls back even if it is told to commit.
    @Test func failureThatTheWorkIgnoresIsReported() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let error = await #expect(throws: StoreError.self) {
            try await database.writeRows(locking: []) { connection in
                _ = try connection.execute("UPDATE counter SET number = 7")
                _ = try? connection.execute("SELECT 1 / 0")
            }
        }
        #expect(error?.code == .queryFailed)
        #expect(try await database.number() == 0)
    }

    /// A read that always had only one statement runs without a transaction, until it has a second one.
    @Test(arguments: [true, false])
    func readWithASecondStatementIsRepeatedInATransaction(ignoresErrors: Bool) async throws {
        var limits = ServedPostgreSQL.limits
        limits.connections = 1
        let database = try await openDatabase(nil, limits, counter)
        let writer = database.reopened(ServedPostgreSQL.limits)
        defer { writer.close() }
        let sql = "SELECT number FROM counter"
        for _ in 0..<3 {
            #expect(try await database.readRows { try $0.value(sql, as: Int.self) } == 0)
        }
        let attempts = Shared(0)
        let (hasRead, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let numbers = database.readRows { connection -> [Int?] in
            attempts.change { $0 += 1 }
            let first = try connection.value(sql, as: Int.self)
            hasRead.signal()
            hasWritten.wait()
            if ignoresErrors { return [first, try? connection.value(sql, as: Int.self)] }
            return [first, try connection.value(sql, as: Int.self)]
        }
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    hasRead.wait()
                    continuation.resume()
                }
            }
            try await writer.increment()
            hasWritten.signal()
        }
        // The second attempt sees the first increment, but not the second one, which came between its statements.
        #expect(try await numbers == [1, 1])
        #expect(attempts.now == 2)
        // It doesn't have to be repeated again.
        let known = try await database.readRows { connection -> [Int?] in
            attempts.change { $0 += 1 }
            return [try connection.value(sql, as: Int.self), try connection.value(sql, as: Int.self)]
        }
        #expect(known == [2, 2] && attempts.now == 3)
    }

    @Test func readSeesOneSnapshot() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let (hasRead, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let numbers = database.readRows { connection -> [Int] in
            let first = try connection.value("SELECT number FROM counter", as: Int.self)
            hasRead.signal()
            hasWritten.wait()
            return [first, try connection.value("SELECT number FROM counter", as: Int.self)].compactMap(\.self)
        }
        await onThread { hasRead.wait() }
        try await database.increment()
        hasWritten.signal()
        #expect(try await numbers == [0, 0])
        #expect(try await database.number() == 1)
    }

    @Test func readCanNotWrite() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let error = await #expect(throws: StoreError.self) {
            try await database.readRows { _ = try $0.execute("UPDATE counter SET number = 7") }
        }
        #expect(error?.code == .notWritable)
    }

    @Test func actionsRunOnceAfterTheCommit() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let order = Shared<[String]>([])
        try await database.writeRows(locking: []) { connection in
            connection.afterCommit { order.change { $0.append("after") } }
            _ = try connection.execute("UPDATE counter SET number = 7")
            order.change { $0.append("within") }
        }
        #expect(order.now == ["within", "after"])
    }

    /// Each of two transactions waits for a row that the other one has changed.
    @Test func deadlockedTransactionIsRepeated() async throws {
        let database = try await openDatabase(
            nil, ServedPostgreSQL.limits, counter, "INSERT INTO counter VALUES ('b', 0)")
        let runs = Shared(0)
        let both = DispatchGroup()
        both.enter()
        both.enter()
        let isFirst = Shared<Set<String>>([])
        @Sendable func change(_ names: [String]) async throws {
            try await database.writeRows(locking: []) { connection in
                runs.change { $0 += 1 }
                _ = try connection.execute("UPDATE counter SET number = number + 1 WHERE name = ?", [names[0]])
                // In its first run, each waits until the other one has changed its first row too.
                if isFirst.change({ $0.insert(names[0]).inserted }) {
                    both.leave()
                    both.wait()
                }
                _ = try connection.execute("UPDATE counter SET number = number + 1 WHERE name = ?", [names[1]])
            }
        }
        async let first: Void = change(["a", "b"])
        async let second: Void = change(["b", "a"])
        _ = try await (first, second)
        #expect(try await database.number("a") == 2)
        #expect(try await database.number("b") == 2)
        // The one that was ended may take its row again before the other wakes up, and then there is another deadlock.
        #expect(runs.now >= 3)
    }

    /// The numbers of a sequence aren't given in the order of the commits: a reader that has seen a larger one must not have
    /// missed a smaller one.
    @Test func lockedNumbersBecomeVisibleInTheirOrder() async throws {
        let database = try await openDatabase(
            nil, ServedPostgreSQL.limits, "CREATE SEQUENCE numbers; CREATE TABLE change (number BIGINT NOT NULL)")
        let lock = SQLLock(part: "changes", owner: "ann")
        let (hasNumber, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        @Sendable func insert(_ connection: any SQLConnection) throws {
            _ = try connection.execute("INSERT INTO change (number) VALUES (nextval('numbers'))")
        }
        async let first: Void = database.writeRows(locking: [lock]) { connection in
            try insert(connection)
            hasNumber.signal()
            mayCommit.wait()
        }
        await onThread { hasNumber.wait() }
        async let second: Void = database.writeRows(locking: [lock]) { try insert($0) }
        // Another owner's change isn't delayed.
        try await database.writeRows(locking: [SQLLock(part: "changes", owner: "bob")]) { try insert($0) }
        // The second writer waits for the lock; without it, its number 2 would become visible before 1.
        let waiting = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND (CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT))
                    = hashtextextended(current_schema() || '/changes/ann', 0)
            """
        func visible() async throws -> [Int] {
            try await database.readRows { try $0.values("SELECT number FROM change ORDER BY number") }
        }
        try await eventually {
            let isWaiting = try await database.readRows { try $0.value(waiting, as: Int.self) } == 1
            let numbers = try await visible()
            return isWaiting || numbers.contains(3)
        }
        #expect(try await visible() == [2])
        mayCommit.signal()
        _ = try await (first, second)
        #expect(try await visible() == [1, 2, 3])
    }

    @Test func locksWithSeveralNamesDoNotDeadlock() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        let locks = ["a", "b", "c"].map { SQLLock(part: $0) }
        let runs = Shared(0)
        @Sendable func increment(_ locks: [SQLLock]) async throws {
            try await database.writeRows(locking: locks) { connection in
                runs.change { $0 += 1 }
                let old = try connection.value("SELECT number FROM counter", as: Int.self) ?? 0
                _ = try connection.execute("UPDATE counter SET number = ?", [old + 1])
            }
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask { try await increment(number.isMultiple(of: 2) ? locks : locks.reversed()) }
            }
            try await group.waitForAll()
        }
        #expect(try await database.number() == 60)
        #expect(runs.now == 60)
    }

    @Test func manyTasksShareFewConnections() async throws {
        var limits = ServedPostgreSQL.limits
        limits.connections = 2
        let database = try await openDatabase(nil, limits, counter)
        let open = Shared(0)
        let most = Shared(0)
        @Sendable func read() async throws {
            try await database.readRows { connection in
                let now = open.next()
                most.change { $0 = max($0, now) }
                _ = try connection.row("SELECT number FROM counter")
                open.change { $0 -= 1 }
            }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await read() } }
            try await group.waitForAll()
        }
        #expect((1...2).contains(most.now))
    }

    @Test func cancelledTaskDoesNotBeginItsWork() async throws {
        var limits = ServedPostgreSQL.limits
        limits.connections = 1
        let database = try await openDatabase(nil, limits, counter)
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let blocking: Void = database.readRows { connection in
            _ = try connection.row("SELECT 1")
            hasBegun.signal()
            mayEnd.wait()
        }
        await onThread { hasBegun.wait() }
        let waiting = Task { try await database.increment() }
        waiting.cancel()
        mayEnd.signal()
        try await blocking
        let result = await waiting.result
        #expect(throws: StoreError.self) { try result.get() }
        #expect(try await database.number() == 0)
    }

    @Test func closedDatabaseRefusesEverything() async throws {
        let database = try await openDatabase(nil, ServedPostgreSQL.limits, counter)
        #expect(try await database.number() == 0)
        database.close()
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await database.increment() }
            #expect(error?.code == .closed)
        }
    }
}

/// Waits on a thread that may block.
func onThread(_ wait: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            wait()
            continuation.resume()
        }
    }
}

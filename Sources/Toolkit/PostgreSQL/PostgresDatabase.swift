package import Foundation
import Futures
package import Persistence

/// A PostgreSQL database that any number of servers and workers share.
///
/// Reads see a snapshot (`REPEATABLE READ`). Writes are `READ COMMITTED` and hold advisory locks: see ``SQLLock``. A transaction is
/// repeated after a deadlock, and after its server has ended or has become a standby; with several hosts in the address, the one
/// that accepts writes is used.
package final class PostgresDatabase: SQLDatabase {
    package let name: String
    private let address: PostgresAddress
    private let limits: PostgresLimits
    private let schema: String
    private let pool: PostgresPool
    private let notifier: PostgresNotifier
    private let observer = Lock<(@Sendable (DatabaseAccess) -> Void)?>(nil)
    /// The number of writes.
    private let writes = Lock(0)
    /// The server whose writes these are; `nil` if any program may write.
    private let fence = Lock<UUID?>(nil)

    private init(
        _ address: PostgresAddress, _ limits: PostgresLimits, schema: String, clock: any Clock<Duration>
    ) {
        self.address = address
        self.limits = limits
        self.schema = schema
        name = address.description
        pool = PostgresPool(address, limits)
        // The name of a channel may have 63 bytes, as that of a schema.
        let channel = "meanwhile/\(schema)"
        notifier = PostgresNotifier(
            address, limits, channel: channel.utf8.count < 64 ? channel : schema, clock: clock)
    }

    deinit {
        pool.close()
        notifier.close()
    }

    /// Opens a database and migrates it.
    ///
    /// - Parameters:
    ///   - address: Where it is.
    ///   - limits: How long it may take.
    ///   - migrations: The migrations of all targets, those of each target in order. Those that ran before don't run again.
    ///   - clock: The clock of the interval at which watchers of signals look for changes.
    ///   - opensUnfinishedMove: Whether to open the target of an unfinished ``DatabaseMove``, which is refused otherwise.
    /// - Returns: The database.
    /// - Throws: ``StoreError``: `newerVersion` if a newer program has migrated the database; `inputOutput` if no server can be
    ///   reached; `notWritable` if it refuses the user; or another error if it can't be opened. Nothing was changed.
    package static func open(
        _ address: PostgresAddress, limits: PostgresLimits = PostgresLimits(), migrations: [SQLMigration],
        clock: any Clock<Duration> = ContinuousClock(), opensUnfinishedMove: Bool = false
    ) async throws(StoreError) -> PostgresDatabase {
        let schema = try await PostgresMigrator(address, limits, opensUnfinishedMove: opensUnfinishedMove)
            .migrate(migrations)
        return PostgresDatabase(address, limits, schema: schema, clock: clock)
    }

    /// The same database with connections of its own and other limits.
    func reopened(_ limits: PostgresLimits, clock: any Clock<Duration> = ContinuousClock()) -> PostgresDatabase {
        PostgresDatabase(address, limits, schema: schema, clock: clock)
    }

    /// Closes the connections that aren't in use, because their server may have gone without closing them.
    func closeIdleConnections() { pool.closeIdle() }

    /// The number of notifications that were sent, for tests.
    var notificationCount: Int { notifier.sentCount }

    /// Closes the connections; later operations fail with the code `closed`.
    ///
    /// It waits until other processes have been notified of all changes, and so must not be called within a read or a write.
    package func close() {
        pool.close()
        notifier.close()
        notifier.waitForEnd()
    }

    /// Commits writes from now on only while a ``ClusterMember`` is registered.
    ///
    /// Later writes fail with the code `inUse`.
    func fence(by server: UUID) {
        fence.withLock { $0 = server }
    }

    /// Reports each read and write from now on; the closure must not block.
    package func observe(_ report: @escaping @Sendable (DatabaseAccess) -> Void) {
        observer.withLock { $0 = report }
    }
}

extension PostgresDatabase {
    package var dialect: SQLDialect { .postgreSQL }

    package var lastChange: Int64? { nil }

    package var instanceID: UUID { pool.instanceID }

    package func changeSignal(of part: String) -> any ChangeSignal { notifier.signal(part) }

    package func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(.read, body)
    }

    package func writeRows<Value: Sendable>(
        locking locks: [SQLLock], _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(.write(locks), body)
    }

    private func perform<Value: Sendable>(
        _ kind: PostgresTransaction.Kind, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let (report, fence) = (observer.withLock(\.self), fence.withLock(\.self))
        let requestedAt = ContinuousClock.now
        let (outcome, ran) = try await retrying { pool, deadline in
            await pool.run(until: deadline) { connection in
                let beganAt = ContinuousClock.now
                let outcome = try PostgresTransaction(on: connection, kind, fence: fence).perform(body)
                return (outcome, .now - beganAt)
            }
        } isDone: { (outcome: PostgresTransaction.Outcome<Value>, _: Duration) async throws(StoreError) in
            guard let unconfirmed = outcome.unconfirmed else { return true }
            return try await isCommitted(unconfirmed)
        }
        if case .write = kind { await tidy() }
        report?(DatabaseAccess(kind: kind.access, waited: .now - requestedAt - ran, ran: ran))
        for action in outcome.actions { action() }
        return outcome.value
    }

    /// Repeats an operation while its errors are worth it, and the time for it hasn't passed.
    private func retrying<Value: Sendable>(
        _ operation: (PostgresPool, ContinuousClock.Instant) async -> Result<Value, any Error>,
        isDone: (Value) async throws(StoreError) -> Bool = { _ in true }
    ) async throws(StoreError) -> Value {
        let stopwatch = Stopwatch(ContinuousClock())
        let backoff = Backoff(firstPause: .milliseconds(10), longestPause: .seconds(1))
        var failures = 0
        while true {
            var failure: any Error
            switch await operation(pool, .now + limits.waiting) {
            case .success(let value):
                if try await isDone(value) { return value }
                failure = PostgresError(sqlState: "40001", message: "The transaction was rolled back.")
            case .failure(let error): failure = error
            }
            failures += 1
            let end = stopwatch.elapsed + backoff.pause(after: failures)
            guard (failure as? PostgresError)?.isWorthRetrying == true, end < limits.retrying else {
                throw StoreError(failure, ofPostgreSQLDatabase: name)
            }
            // A cancelled task doesn't wait any longer.
            do { try await stopwatch.sleep(until: end) } catch { throw StoreError(error, ofPostgreSQLDatabase: name) }
        }
    }

    /// Finds out whether a transaction was committed, although its connection was lost.
    ///
    /// It inserts the transaction's token. That waits until the server has ended the transaction; if the token isn't there then, the
    /// transaction can't be committed any more.
    ///
    /// - Returns: `false` if it was rolled back.
    /// - Throws: ``StoreError`` with the code `timedOut` if that can't be known.
    private func isCommitted(_ transaction: PostgresTransaction.Unconfirmed) async throws(StoreError) -> Bool {
        // Not in the caller's task: a cancelled one must learn the outcome too.
        let finding = Task { () async throws(StoreError) -> Bool in
            try await retrying { pool, deadline in
                await pool.run(until: deadline) { connection -> Bool in
                    let insertion = PostgresConnection.Command(
                        sql: "INSERT INTO commit_token (token) VALUES (?) ON CONFLICT DO NOTHING",
                        arguments: [transaction.token])
                    return try connection.run([insertion])[0].changedRows == 0
                }
            }
        }
        do {
            return try await finding.result.get()
        } catch {
            throw StoreError(
                .timedOut,
                "The connection to \(name) was lost while a change was being written. Check whether it is there before you "
                    + "try again.", cause: transaction.cause)
        }
    }

    /// Deletes tokens that are no longer needed, once in a while.
    private func tidy() async {
        let isDue = writes.withLock { count in
            count += 1
            return count.isMultiple(of: 10_000)
        }
        guard isDue else { return }
        _ = await pool.run(until: .now + limits.waiting) { connection in
            _ = try connection.run([.init(sql: PostgresMigrator.tokenDeletion)])
        }
    }
}

extension PostgresTransaction.Kind {
    fileprivate var access: DatabaseAccess.Kind {
        switch self {
        case .read: .read
        case .write: .write
        }
    }
}

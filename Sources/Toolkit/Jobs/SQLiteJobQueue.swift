package import Foundation
package import GRDB
package import Persistence

/// A job queue in the database of a data folder.
///
/// A ``ChangeSignal`` reports changes by other processes; as a fallback, the queue also polls every few seconds.
package final class SQLiteJobQueue: Sendable {
    private let database: any SQLDatabase
    private let signal: any ChangeSignal
    private let listeners: ChangeListeners<UnspecifiedChange>
    private let policy: JobPolicy
    /// `nil` for the database's clock, on which the servers of a cluster agree.
    private let now: (@Sendable () -> Date)?
    private let removeOutput: @Sendable (String) -> Void

    /// Opens the queue in the database of a data folder.
    ///
    /// - Parameters:
    ///   - database: The database, opened with ``migrations``.
    ///   - policy: The retry and retention limits.
    ///   - clock: The clock of the fallback polling.
    ///   - now: The current time; all processes that use the data folder must agree on it.
    ///   - removeOutput: Called with the name of a succeeded job's output after a caller's transaction has removed the
    ///     job. It is called on the thread of the database's writer, so it must not block.
    package convenience init(
        database: AppDatabase, policy: JobPolicy = JobPolicy(),
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
        removeOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            in: database, signal: CommitSignal(in: database.folder, name: "jobs", clock: clock), policy: policy,
            now: now, removeOutput: removeOutput)
    }

    /// Opens the queue in a database of any kind, with the signal of the part `jobs`.
    ///
    /// Without `now`, the time is that of the database's server, or of this computer if the database is a file.
    package init(
        in database: any SQLDatabase, signal: any ChangeSignal, policy: JobPolicy = JobPolicy(),
        now: (@Sendable () -> Date)? = nil, removeOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.database = database
        self.signal = signal
        self.policy = policy
        self.now = now
        self.removeOutput = removeOutput
        listeners = ChangeListeners { listeners in
            signal.watch { [weak listeners] in listeners?.report() }.watch
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteJobTable, Date) throws -> Value
    ) async throws(StoreError) -> Value {
        try await failingDamagedJobs { [database, now] () async throws(StoreError) in
            try await database.readRows { try body(SQLiteJobTable(connection: $0), Self.time(now, $0)) }
        }
    }

    /// Runs a transaction; if a job's row can't be read, fails all such jobs, and retries the transaction once.
    private func failingDamagedJobs<Value: Sendable>(
        _ body: @Sendable () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            guard error.cause is SQLDecodingError else { throw error }
            let hasChanged = try await database.writeRows(locking: [.jobs]) { [now] in
                try SQLiteJobTable(connection: $0).failDamaged(at: Self.time(now, $0))
            }
            if hasChanged { notify() }
            return try await body()
        }
    }

    /// Runs a transaction, and notifies all processes if it changed anything.
    @discardableResult
    private func write<Value: Sendable>(
        _ hasChanged: (Value) -> Bool, _ body: @escaping @Sendable (inout SQLiteJobTable, Date) throws -> Value
    ) async throws(StoreError) -> Value {
        let value = try await failingDamagedJobs { [database, now] () async throws(StoreError) in
            try await database.writeRows(locking: [.jobs]) { connection in
                var table = SQLiteJobTable(connection: connection)
                return try body(&table, Self.time(now, connection))
            }
        }
        if hasChanged(value) { notify() }
        return value
    }

    /// Runs a transaction that returns whether it changed anything.
    @discardableResult
    private func change(
        _ body: @escaping @Sendable (inout SQLiteJobTable, Date) throws -> Bool
    ) async throws(StoreError) -> Bool {
        try await write({ (hasChanged: Bool) in hasChanged }, body)
    }

    private static func time(_ now: (@Sendable () -> Date)?, _ connection: any SQLConnection) throws -> Date {
        if let now { return now() }
        guard connection.dialect == .postgreSQL else { return Date() }
        let seconds = try connection.value(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)", as: Double.self)
        return seconds.map(Date.init(timeIntervalSince1970:)) ?? Date()
    }

    private func notify() {
        signal.send()
    }
}

// MARK: - In callers' transactions

extension SQLiteJobQueue {
    /// Enqueues a job in the caller's transaction, so that both commit or neither does.
    ///
    /// - Throws: A database error; the caller must then roll back the transaction.
    package func enqueue(_ job: Job, in transaction: any SQLConnection) throws {
        try transaction.lock(.jobs)
        var table = SQLiteJobTable(connection: transaction)
        do {
            _ = try table.enqueue(job, at: Self.time(now, transaction))
        } catch is SQLDecodingError {
            let time = try Self.time(now, transaction)
            try table.failDamaged(at: time)
            _ = try table.enqueue(job, at: time)
        }
        notifyAfterCommit(transaction)
    }

    /// Takes the lock of the jobs, in a transaction that takes another lock before it changes jobs: transactions that take
    /// locks in different orders can wait for each other.
    package func lock(in transaction: any SQLConnection) throws { try transaction.lock(.jobs) }

    /// Gives waiting jobs whose IDs begin with a prefix a priority, unless theirs is larger.
    package func raise(beginningWith prefix: String, to priority: Int, in transaction: any SQLConnection) throws {
        try transaction.lock(.jobs)
        try SQLiteJobTable(connection: transaction).raise(beginningWith: prefix, to: priority)
        notifyAfterCommit(transaction)
    }

    /// Removes jobs whose IDs begin with a prefix, dead letters included; workers cancel those that are running.
    package func remove(beginningWith prefix: String, in transaction: any SQLConnection) throws {
        try remove(beginningWith: prefix, keepsDeadLetters: false, in: transaction)
    }

    /// Removes jobs whose IDs begin with a prefix; dead letters stay.
    package func discard(beginningWith prefix: String, in transaction: any SQLConnection) throws {
        try remove(beginningWith: prefix, keepsDeadLetters: true, in: transaction)
    }

    private func remove(beginningWith prefix: String, keepsDeadLetters: Bool, in transaction: any SQLConnection) throws
    {
        try transaction.lock(.jobs)
        let outputs = try SQLiteJobTable(connection: transaction)
            .remove(beginningWith: prefix, keepsDeadLetters: keepsDeadLetters)
        // Not before the commit: if the program crashes first, the jobs remain, and their outputs are needed again.
        notifyAfterCommit(transaction) { [removeOutput] in outputs.forEach(removeOutput) }
    }

    private func notifyAfterCommit(_ transaction: any SQLConnection, _ then: @escaping @Sendable () -> Void = {}) {
        transaction.afterCommit { [self] in
            then()
            notify()
        }
    }
}

// MARK: - In callers' transactions of SQLite

extension SQLiteJobQueue {
    /// Enqueues a job in the caller's transaction, so that both commit or neither does.
    package func enqueue(_ job: Job, in transaction: Database) throws {
        try enqueue(job, in: SQLiteConnection(transaction))
    }

    /// Gives waiting jobs whose IDs begin with a prefix a priority, unless theirs is larger.
    package func raise(beginningWith prefix: String, to priority: Int, in transaction: Database) throws {
        try raise(beginningWith: prefix, to: priority, in: SQLiteConnection(transaction))
    }

    /// Removes jobs whose IDs begin with a prefix, dead letters included; workers cancel those that are running.
    package func remove(beginningWith prefix: String, in transaction: Database) throws {
        try remove(beginningWith: prefix, in: SQLiteConnection(transaction))
    }

    /// Removes jobs whose IDs begin with a prefix; dead letters stay.
    package func discard(beginningWith prefix: String, in transaction: Database) throws {
        try discard(beginningWith: prefix, in: SQLiteConnection(transaction))
    }
}

extension SQLiteJobQueue: JobQueue {
    @discardableResult
    package func enqueue(_ job: Job) async throws(StoreError) -> JobRecord {
        try await write({ $0.isNew }, { try $0.enqueue(job, at: $1) }).record
    }

    package func record(_ id: Job.ID) async throws(StoreError) -> JobRecord? {
        try await read { table, _ in try table.record(id) }
    }

    package func cancel(_ id: Job.ID) async throws(StoreError) {
        try await change { table, now in try table.change(id) { $0.fail(.cancelled, at: now) } }
    }

    package func discard(_ id: Job.ID) async throws(StoreError) {
        try await change { table, _ in try table.discard(id) }
    }

    package func removeJobsOfRequests() async throws(StoreError) {
        try await change { table, _ in try table.removeJobsOfRequests() }
    }

    package func removeEndedJobsOfRequests(olderThan age: TimeInterval) async throws(StoreError) {
        // Usually there are none, and a read doesn't wait for writes.
        let isNeeded = try await read { table, now in
            try table.jobsOfRequests().contains { $0.hasEnded && $0.changedAt <= now - age }
        }
        guard isNeeded else { return }
        try await change { table, now in try table.removeEndedJobsOfRequests(until: now - age) }
    }

    package func lease(
        lanes: Set<String>, worker: String, for duration: TimeInterval
    ) async throws(StoreError) -> JobLease? {
        // Workers call this after each update and seldom find a job, so it reads first: a read doesn't wait for writes.
        guard try await read({ try $0.next(lanes: lanes, at: $1) }) != nil else { return nil }
        return try await write({ $0 != nil }, { try $0.lease(lanes: lanes, to: worker, at: $1, for: duration) })
    }

    package func renew(
        _ lease: JobLease, for duration: TimeInterval, progress: Data?
    ) async throws(StoreError) -> Bool {
        try await write(
            { (isHeld: Bool) in isHeld && progress != nil },
            { table, now in
                try table.change(lease.sequence) { $0.renew(lease, at: now, for: duration, progress: progress) }
            })
    }

    package func lostLeases(among leases: [JobLease]) async throws(StoreError) -> [JobLease] {
        try await read { table, _ in
            try leases.filter { try table.record($0.sequence)?.isHeld(by: $0) != true }
        }
    }

    package func end(_ lease: JobLease, _ attempt: JobAttempt) async throws(StoreError) -> Bool {
        try await write({ $0.hasChanged }, { [policy] in try $0.end(lease, attempt, at: $1, policy) }).isAccepted
    }

    package func release(_ lease: JobLease) async throws(StoreError) {
        try await change { table, now in try table.change(lease.sequence) { $0.release(lease, at: now) } }
    }

    package func endLeases(ofWorker worker: String) async throws(StoreError) {
        try await change { [policy] table, now in
            try table.change(table.running(worker: worker)) { $0.endLease(ofWorker: worker, at: now, policy) }
        }
    }

    package func expire() async throws(StoreError) {
        let isDue = try await read { [policy] table, now in
            // Usually nothing has expired, and there are few dead letters, all recent. A read checks that without
            // waiting for writes.
            try table.hasExpired(at: now) || table.hasDeadToPrune(policy, at: now)
        }
        guard isDue else { return }
        try await change { [policy] table, now in try table.expire(at: now, policy) }
    }

    package func outputs() async throws(StoreError) -> Set<String> {
        try await read { table, _ in try table.outputs() }
    }

    package func nextPause() async throws(StoreError) -> Duration? {
        try await read { table, now in try table.nextTime(after: now).map { Duration(from: now, to: $0) } }
    }

    package func overview(of owner: OwnerID?, limit: Int) async throws(StoreError) -> (
        unfinished: [JobRecord], dead: [JobRecord]
    ) {
        try await read { table, _ in
            let dead = try table.dead().filter { owner == nil || $0.job.owner == owner }
            return (try table.unfinished(of: owner, limit: limit), Array(dead.prefix(limit)))
        }
    }

    package func loads() async throws(StoreError) -> [JobLaneLoad] {
        try await read { table, _ in try table.loads() }
    }

    package func retry(_ id: Job.ID) async throws(StoreError) -> Bool {
        try await change { table, now in try table.change(id) { $0.retry(at: now) } }
    }

    package func dismiss(_ id: Job.ID) async throws(StoreError) -> Bool {
        try await change { table, _ in try table.dismiss(id) }
    }

    package func updates() -> Updates<Void> {
        listeners.unspecifiedUpdates()
    }

    package func changes(
        since revision: Int64
    ) async throws(StoreError) -> (records: [JobRecord], revision: Int64) {
        try await read { table, _ in (try table.changed(since: revision), try table.lastRevision()) }
    }

    package func lastRevision() async throws(StoreError) -> Int64 {
        try await read { table, _ in try table.lastRevision() }
    }
}

extension SQLLock {
    /// Locks all jobs: the next one to run depends on those of all owners.
    fileprivate static let jobs = SQLLock(part: "jobs")
}

public import Foundation
public import GRDB

/// A store in the database, beside the apps' own rows.
///
/// Any number of processes may share it, each with its own ``AppDatabase``. The previous copy of each value is stored in a second
/// row. A damaged row is moved to the table `stored_set_aside`.
public struct SQLiteStore: Sendable {
    let database: any SQLDatabase
    let owner: OwnerID
    let now: @Sendable () -> Date
    let verified = VerifiedRows()
    private let watch: DatabaseWatch<StoreKey>

    /// Creates a store of one owner's values; different owners may use the same keys.
    public init(database: AppDatabase, owner: OwnerID, now: @escaping @Sendable () -> Date = { Date() }) {
        self.init(in: database, owner: owner, now: now)
    }

    /// Creates a store of one owner's values in a database of any kind.
    package init(in database: any SQLDatabase, owner: OwnerID, now: @escaping @Sendable () -> Date = { Date() }) {
        self.database = database
        self.owner = owner
        self.now = now
        self.watch = DatabaseWatch(database, part: "values", last: database.lastChange) { last, connection in
            try Self.changes(after: last, of: owner, in: connection)
        }
    }
}

extension SQLiteStore: Store {
    /// Reads the record of a key.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        let row = try await database.readRows { try newestRow(of: key, in: $0) }
        guard let row, !row.isRemoval else { return nil }
        if let record = row.record(of: key) {
            verified.note(key, row.sequence)
            return record
        }
        let outcome = try await write { try repaired(key, in: $0) }
        watch.committed()
        return try outcome.orThrow()
    }

    /// The keys with a prefix, sorted.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        let names = try await database.readRows { connection in
            try connection.values(
                """
                SELECT key FROM stored_value AS newest
                WHERE owner = ?1 AND key >= ?2 AND substr(key, 1, length(?2)) = ?2 AND payload IS NOT NULL
                    AND sequence = (
                        SELECT max(sequence) FROM stored_value WHERE owner = newest.owner AND key = newest.key)
                ORDER BY key
                """, [owner, prefix], as: String.self)
        }
        return names.compactMap { try? StoreKey($0) }
    }

    /// Performs all writes durably, or none of them.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        let outcome = try await write { try put(writes, in: $0) }
        note(outcome)
        return outcome.result
    }

    /// Moves a value's row to the table `stored_set_aside`.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        let record = try await write { connection -> SetAsideRecord? in
            guard try repaired(key, in: connection).record?.revision == revision,
                let row = try newestRow(of: key, in: connection)
            else { return nil }
            return try setAside(row, of: key, because: reason, in: connection)
        }
        watch.committed()
        return record
    }

    /// The values that are set aside, oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await database.readRows { try setAsideRows(in: $0).map(\.record) }
    }

    /// Reads a value that is set aside; its bytes are the payload.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await database.readRows { try setAsideContent(of: record, in: $0)?.content }
    }

    /// Restores a value that was set aside, in one transaction.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        let (restored, outcome) = try await write {
            try restore(record, expecting: expectation, because: reason, in: $0)
        }
        note(outcome)
        return restored
    }

    /// Deletes a value that is set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await write { try removeSetAside(record, in: $0) }
    }

    /// The keys whose rows this or another process may have changed, from now on.
    public func updates() -> Updates<Set<StoreKey>> {
        watch.updates()
    }
}

extension SQLiteStore {
    /// Performs writes within a transaction of ``AppDatabase/write(_:)``, so that rows, blobs and values are committed together.
    ///
    /// After a conflict, nothing was written, and the transaction can continue. After an error, it must not be committed.
    public func commit(_ writes: [StoreWrite], in transaction: Database) throws -> CommitResult {
        guard transaction.isInsideTransaction, !transaction.configuration.readonly else {
            throw StoreError(.queryFailed, "Values can be stored only in a write of the database.")
        }
        return try commit(writes, in: SQLiteConnection(transaction))
    }

    /// Performs writes within a transaction of ``SQLDatabase/writeRows(locking:_:)``, as ``commit(_:in:)`` of SQLite does.
    package func commit(_ writes: [StoreWrite], in transaction: any SQLConnection) throws -> CommitResult {
        try transaction.lock(lock)
        let outcome = try put(writes, in: transaction)
        transaction.afterCommit { note(outcome) }
        return outcome.result
    }
}

extension SQLiteStore {
    /// The outcome of a commit, to be recorded when its transaction is committed.
    struct Outcome {
        var result: CommitResult
        var written: [StoreKey: Int64] = [:]
        var changed: Set<StoreKey> = []
        /// The last change before it.
        var before: Int64 = 0
        /// The last change, which is an earlier commit's if nothing was written; `nil` after a conflict.
        var change: Int64?
    }

    /// The change numbers of an owner's values are given, and their rows committed, in the same order.
    private var lock: SQLLock { SQLLock(part: "values", owner: owner) }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.writeRows(locking: [lock], body)
    }

    private func note(_ outcome: Outcome) {
        for (key, change) in outcome.written { verified.note(key, change) }
        if let change = outcome.change { watch.committed(outcome.changed, after: outcome.before, upTo: change) }
    }

    /// The keys whose rows have changed since a change, and the number of the last change; `nil` if none have.
    private static func changes(
        after last: Int64, of owner: OwnerID, in connection: any SQLConnection
    ) throws -> (changes: Set<StoreKey>, last: Int64)? {
        let newest = try lastChange(of: owner, in: connection)
        guard newest > last else { return nil }
        let names = try connection.values(
            "SELECT DISTINCT key FROM stored_value WHERE sequence > ? AND owner = ?", [last, owner], as: String.self)
        return (Set(names.compactMap { try? StoreKey($0) }), newest)
    }

    func put(_ writes: [StoreWrite], in transaction: any SQLConnection) throws -> Outcome {
        try StoreWrite.check(writes)
        var rows: [StoreKey: RowVersion] = [:]
        var conflicts: [StoreKey: StoredRecord?] = [:]
        for write in writes {
            let row = try verifiedVersion(of: write.key, in: transaction)
            rows[write.key] = row
            if try !write.isAllowed(over: row?.stored) {
                conflicts.updateValue(try repaired(write.key, in: transaction).record, forKey: write.key)
            }
        }
        guard conflicts.isEmpty else { return Outcome(result: .conflict(conflicts)) }
        // With several writes, repairing one row may have made a change that the versions of the others don't include.
        let before =
            try (writes.count == 1 ? rows.values.first?.lastChange : nil) ?? Self.lastChange(of: owner, in: transaction)
        var change = before
        var written: [StoreKey: Int64] = [:]
        var changed: Set<StoreKey> = []
        for write in writes {
            let row = rows[write.key]
            // Removing an absent value writes no row. If it took a number, the next change would get the same one and not be
            // reported.
            guard write.content != nil || row?.stored != nil else { continue }
            change = try Self.changeNumber(after: change, in: transaction)
            changed.insert(write.key)
            if let content = write.content {
                try Self.put(content, of: write.key, owner: owner, over: row, as: change, in: transaction)
                written[write.key] = change
            } else {
                try remove(write.key, as: change, in: transaction)
            }
        }
        return Outcome(
            result: .committed(written.mapValues { Revision("\($0)") }), written: written, changed: changed,
            before: before, change: change)
    }
}

import Crypto
import Foundation
import Futures
import GRDB

extension SQLiteStore {
    /// The migrations of the store's tables.
    ///
    /// A key has up to two rows: the one with the later change is current; the other is the previous copy, and is overwritten
    /// by the next write. A removed key has one row without a payload, so that other processes notice the removal.
    static let migrations = [
        AppDatabase.Migration("persistence.2") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE stored_value (
                        owner TEXT NOT NULL,
                        key TEXT NOT NULL,
                        slot INTEGER NOT NULL CHECK (slot IN (0, 1)),
                        sequence INTEGER NOT NULL UNIQUE,
                        revision INTEGER NOT NULL,
                        format TEXT NOT NULL,
                        version INTEGER NOT NULL,
                        checksum BLOB NOT NULL,
                        payload BLOB,
                        UNIQUE (owner, key, slot)
                    ) STRICT;
                    CREATE TABLE stored_set_aside (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        owner TEXT NOT NULL,
                        key TEXT NOT NULL,
                        revision INTEGER NOT NULL,
                        format TEXT NOT NULL,
                        version INTEGER NOT NULL,
                        checksum BLOB NOT NULL,
                        payload BLOB,
                        reason TEXT NOT NULL,
                        time REAL NOT NULL
                    ) STRICT;
                    CREATE INDEX stored_set_aside_of_owner ON stored_set_aside (owner);
                    """)
        }
    ]

    /// The number of the last change of any owner; 0 if there was none.
    static func lastChange(in connection: Database) throws -> Int64 {
        try Int64.fetchOne(connection.cachedStatement(sql: "SELECT max(sequence) FROM stored_value")) ?? 0
    }

    /// The number of the next change.
    ///
    /// The first number is random, so that the revisions of a new database differ from those of one that was set aside.
    ///
    /// - Throws: ``StoreError`` with the code `corrupt` if `last` is the greatest number, which only a damaged database contains.
    static func changeNumber(after last: Int64) throws(StoreError) -> Int64 {
        guard last < .max else {
            throw StoreError(
                .corrupt,
                "The database's change counter is damaged. Restore the database from a backup.")
        }
        return last == 0 ? Int64.random(in: 1...(1 << 40)) << 20 : last + 1
    }
}

/// The place and version of a key's current row, which are checked before the key's value is overwritten.
struct RowVersion {
    var slot: Int
    var sequence: Int64
    /// The revision, format and version of the current value; `nil` if it was removed.
    var stored: StoredVersion?
    /// The number of the last change of any key.
    var lastChange: Int64
}

/// A row of a key: a current value, its previous copy, or one that was set aside.
struct StoredRow {
    var slot: Int
    var sequence: Int64
    var revision: Int64
    var format: String?
    var version: Int?
    var checksum: Data?
    var payload: Data?
    var isRemoval: Bool

    /// Decodes a row: its slot, sequence, revision, format, version, checksum and payload, in this order.
    init(_ row: Row) throws {
        self.slot = try row.decode(atIndex: 0)
        self.sequence = try row.decode(atIndex: 1)
        self.revision = try row.decode(atIndex: 2)
        self.format = String.fromDatabaseValue(row[3])
        self.version = Int.fromDatabaseValue(row[4])
        self.checksum = Data.fromDatabaseValue(row[5])
        self.payload = Data.fromDatabaseValue(row[6])
        self.isRemoval = (row[6] as DatabaseValue).isNull
    }

    /// The row's record; `nil` if the row is damaged or a removal.
    func record(of key: StoreKey) -> StoredRecord? {
        guard let format, let version, let payload, let checksum else { return nil }
        let content = StoredContent(format: format, version: version, payload: payload)
        guard SQLiteStore.checksum(of: content, key, revision) == checksum else { return nil }
        return StoredRecord(content: content, revision: Revision("\(revision)"))
    }
}

/// The rows that this process has written, or verified when reading; they need no verification before they are overwritten.
final class VerifiedRows: Sendable {
    private let rows = Lock<[StoreKey: Int64]>([:])
    private static let capacity = 4_096

    func note(_ key: StoreKey, _ sequence: Int64) {
        rows.withLock { rows in
            if rows.count >= Self.capacity { rows = [:] }
            rows[key] = sequence
        }
    }

    func contains(_ key: StoreKey, _ sequence: Int64) -> Bool {
        rows.withLock { $0[key] == sequence }
    }
}

extension SQLiteStore {
    static func checksum(of content: StoredContent, _ key: StoreKey, _ revision: Int64) -> Data {
        var hash = SHA256()
        hash.update(data: Data("\(key)\n\(content.format)\n\(content.version)\n\(revision)\n".utf8))
        hash.update(data: content.payload)
        return Data(hash.finalize())
    }

    /// The current row of a key, with its payload.
    func newestRow(of key: StoreKey, in connection: Database) throws -> StoredRow? {
        let row = try Row.fetchOne(
            connection.cachedStatement(
                sql: """
                    SELECT slot, sequence, revision, format, version, checksum, payload FROM stored_value
                    WHERE rowid = (
                        SELECT rowid FROM stored_value WHERE owner = ? AND key = ? ORDER BY sequence DESC LIMIT 1)
                    """), arguments: [owner, key.name])
        return try row.map(StoredRow.init)
    }

    /// Sets a key's damaged rows aside, and returns the version to check before its value is overwritten.
    func verifiedVersion(of key: StoreKey, in connection: Database) throws -> RowVersion? {
        let version = try version(of: key, in: connection)
        guard let version, version.stored != nil, !verified.contains(key, version.sequence) else { return version }
        if try repaired(key, in: connection).damaged.isEmpty { return version }
        return try self.version(of: key, in: connection)
    }

    private func version(of key: StoreKey, in connection: Database) throws -> RowVersion? {
        let row = try Row.fetchOne(
            connection.cachedStatement(
                sql: """
                    SELECT slot, sequence, revision, format, version, payload IS NULL,
                        (SELECT max(sequence) FROM stored_value)
                    FROM stored_value WHERE owner = ? AND key = ? ORDER BY sequence DESC LIMIT 1
                    """), arguments: [owner, key.name])
        return try row.map { row in
            let isRemoval: Bool = try row.decode(atIndex: 5)
            let revision: Int64 = try row.decode(atIndex: 2)
            return RowVersion(
                slot: try row.decode(atIndex: 0), sequence: try row.decode(atIndex: 1),
                stored: isRemoval
                    ? nil
                    : StoredVersion(
                        revision: Revision("\(revision)"), format: String.fromDatabaseValue(row[3]) ?? "",
                        version: Int.fromDatabaseValue(row[4]) ?? 0),
                lastChange: try row.decode(atIndex: 6))
        }
    }

    /// Writes to the row that isn't current.
    static func put(
        _ content: StoredContent, of key: StoreKey, owner: OwnerID, over row: RowVersion?, as change: Int64,
        in connection: Database
    ) throws {
        try connection.cachedStatement(
            sql: """
                INSERT INTO stored_value (owner, key, slot, sequence, revision, format, version, checksum, payload)
                VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8)
                ON CONFLICT (owner, key, slot) DO UPDATE SET
                    sequence = ?4, revision = ?4, format = ?5, version = ?6, checksum = ?7, payload = ?8
                """
        ).execute(arguments: [
            owner, key.name, row?.slot == 0 ? 1 : 0, change, content.format, content.version,
            checksum(of: content, key, change), content.payload,
        ])
    }

    /// Replaces the rows of a key by one without a payload.
    func remove(_ key: StoreKey, as change: Int64, in connection: Database) throws {
        try connection.cachedStatement(sql: "DELETE FROM stored_value WHERE owner = ? AND key = ?")
            .execute(arguments: [owner, key.name])
        try connection.cachedStatement(
            sql: """
                INSERT INTO stored_value (owner, key, slot, sequence, revision, format, version, checksum)
                VALUES (?1, ?2, 0, ?3, ?3, '', 0, x'')
                """
        ).execute(arguments: [owner, key.name, change])
    }
}

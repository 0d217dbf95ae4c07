import Foundation
public import GRDB

extension SQLiteStore {
    /// Reads within a transaction of ``Database/write(_:)``, to change what is read there.
    ///
    /// What is damaged is set aside, and the copy from before takes its place. After an error the transaction must not
    /// be committed.
    public func read(_ key: StoreKey, in transaction: GRDB.Database) throws -> StoredRecord? {
        guard transaction.isInsideTransaction, !transaction.configuration.readonly else {
            throw PersistenceError(.queryFailed, "Values are changed within a write of the database only.")
        }
        return try repaired(key, in: transaction).record
    }

    /// Reads all that is kept under names that begin so, in one transaction and by one statement.
    ///
    /// What is damaged is set aside, and the copy from before takes its place; if there is none, it is left out, and stands
    /// in ``setAsideRecords()``.
    public func records(
        beginningWith prefix: String
    ) async throws(PersistenceError) -> [StoreKey: StoredRecord] {
        var (records, damaged) = try await database.read { try newestRecords(beginningWith: prefix, in: $0) }
        for key in damaged {
            do throws(PersistenceError) {
                records[key] = try await read(key)
            } catch  where error.code == .corrupt {
                // It has been set aside.
            }
        }
        return records
    }

    private func newestRecords(
        beginningWith prefix: String, in connection: GRDB.Database
    ) throws -> (records: [StoreKey: StoredRecord], damaged: [StoreKey]) {
        var records: [StoreKey: StoredRecord] = [:]
        var damaged: [StoreKey] = []
        let rows = try Row.fetchCursor(
            connection.cachedStatement(
                sql: """
                    SELECT slot, sequence, revision, format, version, checksum, payload, key FROM stored_value AS newest
                    WHERE owner = ?1 AND key >= ?2 AND substr(key, 1, length(?2)) = ?2 AND payload IS NOT NULL
                        AND sequence = (
                            SELECT max(sequence) FROM stored_value WHERE owner = newest.owner AND key = newest.key)
                    """), arguments: [owner, prefix])
        while let row = try rows.next() {
            guard let key = String.fromDatabaseValue(row[7]).flatMap({ try? StoreKey($0) }) else { continue }
            if let record = try StoredRow(row).record(of: key) {
                records[key] = record
            } else {
                damaged.append(key)
            }
        }
        return (records, damaged)
    }

    /// Adds values of an owner who has none of these names: in migrations, which run before there can be a store.
    public static func add(
        _ contents: [StoreKey: StoredContent], owner: String, in transaction: GRDB.Database
    ) throws {
        var last = try lastChange(in: transaction)
        for (key, content) in contents.sorted(by: { $0.key < $1.key }) {
            last = try change(after: last)
            try put(content, of: key, owner: owner, over: nil, as: last, in: transaction)
        }
    }

    /// The owners of values whose names begin so, in order; it looks at the values of all owners.
    public static func owners(
        ofKeysBeginningWith prefix: String, in database: Database
    ) async throws(PersistenceError) -> [String] {
        try await database.read { connection in
            try String.fetchAll(
                connection,
                sql: """
                    SELECT DISTINCT owner FROM stored_value
                    WHERE substr(key, 1, length(?1)) = ?1 AND payload IS NOT NULL ORDER BY owner
                    """, arguments: [prefix])
        }
    }
}

package import Foundation
package import GRDB

extension SQLiteStore {
    /// Moves values to an app's own tables, in a migration, in the order in which they were first written.
    ///
    /// For each key, it takes the newest intact copy. Rows with an invalid key are skipped.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys.
    ///   - transaction: The migration's connection.
    ///   - take: Receives a value's payload and its owner; if it returns `false`, the value is not removed.
    /// - Throws: An error of SQLite, or one of `take`.
    package static func extract(
        valuesBeginningWith prefix: String, in transaction: Database,
        _ take: (_ payload: Data, _ owner: OwnerID, _ transaction: Database) throws -> Bool
    ) throws {
        struct Name: Hashable {
            var owner: OwnerID
            var key: String
        }
        let rows = try SQLiteConnection(transaction).rows(
            """
            SELECT slot, sequence, revision, format, version, checksum, payload, owner, key FROM stored_value
            WHERE substr(key, 1, length(?1)) = ?1 AND payload IS NOT NULL ORDER BY rowid
            """, [prefix])
        var newest: [Name: (sequence: Int64, payload: Data)] = [:]
        var names: [Name] = []
        for found in rows {
            let (row, name) = (
                try StoredRow(found), Name(owner: try found.decode(atIndex: 7), key: try found.decode(atIndex: 8))
            )
            guard let key = try? StoreKey(name.key), let record = row.record(of: key) else { continue }
            if newest[name] == nil { names.append(name) }
            if newest[name].map({ $0.sequence < row.sequence }) ?? true {
                newest[name] = (row.sequence, record.content.payload)
            }
        }
        for name in names {
            guard let payload = newest[name]?.payload, try take(payload, name.owner, transaction) else { continue }
            try transaction.execute(
                sql: "DELETE FROM stored_value WHERE owner = ? AND key = ?", arguments: [name.owner, name.key])
        }
    }
}

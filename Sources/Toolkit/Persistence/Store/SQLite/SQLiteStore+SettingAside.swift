import Foundation
import GRDB

extension SQLiteStore {
    /// Reads a value in a write; what is damaged is set aside, and the copy from before takes its place.
    func mended(
        _ key: StoreKey, in connection: GRDB.Database
    ) throws -> (record: StoredRecord?, recovery: SetAsideRecord?) {
        var recovery: SetAsideRecord?
        while true {
            guard let row = try newestRow(of: key, in: connection), !row.isRemoval else { return (nil, recovery) }
            guard var record = row.record(of: key) else {
                recovery = try setAside(row, of: key, because: "its checksum is wrong", in: connection)
                continue
            }
            record.recovery = recovery
            return (record, recovery)
        }
    }

    /// Moves a row to the others that were set aside; the copy from before counts from then on, if there is one.
    func setAside(
        _ row: StoredRow, of key: StoreKey, because reason: String, in connection: GRDB.Database
    ) throws -> SetAsideRecord {
        // As it is read again: the one conversion rounds.
        let time = Date(timeIntervalSince1970: now().timeIntervalSince1970)
        try connection.execute(
            sql: """
                INSERT INTO stored_set_aside (owner, key, revision, format, version, checksum, payload, reason, time)
                SELECT owner, key, revision, format, version, checksum, payload, ?, ? FROM stored_value
                WHERE owner = ? AND key = ? AND slot = ?
                """, arguments: [reason, time.timeIntervalSince1970, owner, key.name, row.slot])
        let id = connection.lastInsertedRowID
        // The row becomes a removal, and the other, if it holds anything, a later change: no number goes down or comes
        // twice.
        let removal = try Self.change(after: Self.lastChange(in: connection))
        try connection.execute(
            sql: """
                UPDATE stored_value SET sequence = ?, format = '', version = 0, checksum = x'', payload = NULL
                WHERE owner = ? AND key = ? AND slot = ?
                """, arguments: [removal, owner, key.name, row.slot])
        try connection.execute(
            sql: """
                UPDATE stored_value SET sequence = ?
                WHERE owner = ? AND key = ? AND slot != ? AND payload IS NOT NULL
                """, arguments: [try Self.change(after: removal), owner, key.name, row.slot])
        return SetAsideRecord(key: key, place: place(setAside: id), reason: reason, time: time)
    }

    /// Where a row is that was set aside.
    func place(setAside id: Int64) -> String {
        "\(database.folder.databasePath), table stored_set_aside, row \(id)"
    }
}

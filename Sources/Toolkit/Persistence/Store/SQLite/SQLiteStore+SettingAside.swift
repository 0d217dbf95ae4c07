import Foundation

extension SQLiteStore {
    /// Reads a value in a write transaction; a damaged row is set aside and replaced by its previous copy.
    func repaired(_ key: StoreKey, in connection: any SQLConnection) throws -> RepairedRecord {
        var damaged: [SetAsideRecord] = []
        while let row = try newestRow(of: key, in: connection), !row.isRemoval {
            if var record = row.record(of: key) {
                record.recovery = damaged.last
                return RepairedRecord(record: record, damaged: damaged)
            }
            damaged.append(try setAside(row, of: key, because: "its checksum is wrong", in: connection))
        }
        return RepairedRecord(damaged: damaged)
    }

    /// Moves a row to the table of rows that are set aside; the previous copy becomes current, if there is one.
    func setAside(
        _ row: StoredRow, of key: StoreKey, because reason: String, in connection: any SQLConnection
    ) throws -> SetAsideRecord {
        let record = try copyAside(row, of: key, because: reason, in: connection)
        // The row becomes a removal, and the previous copy, if there is one, becomes a later change: the numbers never decrease
        // or repeat.
        let removal = try Self.changeNumber(
            after: Self.lastChange(of: owner, in: connection), in: connection)
        try connection.execute(
            """
            UPDATE stored_value SET sequence = ?, format = '', version = 0, checksum = ?, payload = NULL
            WHERE owner = ? AND key = ? AND slot = ?
            """, [removal, Data(), owner, key.name, row.slot])
        try connection.execute(
            """
            UPDATE stored_value SET sequence = ?
            WHERE owner = ? AND key = ? AND slot != ? AND payload IS NOT NULL
            """, [try Self.changeNumber(after: removal, in: connection), owner, key.name, row.slot])
        return record
    }

    /// Copies a row to the table of rows that are set aside.
    private func copyAside(
        _ row: StoredRow, of key: StoreKey, because reason: String, in connection: any SQLConnection
    ) throws -> SetAsideRecord {
        // Rounded by the same conversion as when it is read, so that both times are equal.
        let time = Date(timeIntervalSince1970: now().timeIntervalSince1970)
        let id: Int64? = try connection.value(
            """
            INSERT INTO stored_set_aside (owner, key, revision, format, version, checksum, payload, reason, time)
            SELECT owner, key, revision, format, version, checksum, payload, ?, CAST(? AS DOUBLE PRECISION)
            FROM stored_value WHERE owner = ? AND key = ? AND slot = ?
            RETURNING id
            """, [reason, time.timeIntervalSince1970, owner, key.name, row.slot])
        return SetAsideRecord(key: key, place: place(setAside: id ?? 0), reason: reason, time: time)
    }

    /// A description of the place of a row that is set aside.
    func place(setAside id: Int64) -> String {
        "\(database.name), table stored_set_aside, row \(id)"
    }
}

// MARK: - Values that are set aside

extension SQLiteStore {
    /// The rows that are set aside, oldest first.
    func setAsideRows(in connection: any SQLConnection) throws -> [(id: Int64, record: SetAsideRecord)] {
        try connection.rows(
            "SELECT id, key, reason, time FROM stored_set_aside WHERE owner = ? ORDER BY id", [owner]
        ).compactMap { row in
            guard let key = try? StoreKey(row.decode(String.self, atIndex: 1)) else { return nil }
            let id = try row.decode(Int64.self, atIndex: 0)
            let record = SetAsideRecord(
                key: key, place: place(setAside: id), reason: try row.decode(String.self, atIndex: 2),
                time: Date(timeIntervalSince1970: try row.decode(Double.self, atIndex: 3)))
            return (id, record)
        }
    }

    /// A row that is set aside, and its content; `nil` if it no longer exists.
    func setAsideContent(
        of record: SetAsideRecord, in connection: any SQLConnection
    ) throws -> (id: Int64, content: SetAsideContent)? {
        guard let id = try setAsideRows(in: connection).first(where: { $0.record.id == record.id })?.id,
            let values = try connection.row(
                "SELECT 0, 0, revision, format, version, checksum, payload FROM stored_set_aside WHERE id = ?", [id])
        else { return nil }
        let row = try StoredRow(values)
        let content: Result<StoredContent, StoreError> =
            if let found = row.record(of: record.key) {
                .success(found.content)
            } else {
                .failure(.damaged(record, "its checksum is wrong"))
            }
        return (id, SetAsideContent(bytes: row.payload ?? Data(), content: content))
    }

    /// Restores a value that is set aside.
    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, because reason: String,
        in connection: any SQLConnection
    ) throws -> (restored: RestoredRecord, outcome: Outcome) {
        guard let (id, found) = try setAsideContent(of: record, in: connection) else {
            throw StoreError.noLongerSetAside(record)
        }
        let write = StoreWrite(record.key, try found.content.get(), expecting: expectation)
        var replaced: SetAsideRecord?
        if try verifiedVersion(of: record.key, in: connection)?.stored != nil,
            let row = try newestRow(of: record.key, in: connection)
        {
            replaced = try copyAside(row, of: record.key, because: reason, in: connection)
        }
        // If this throws, the transaction's rollback removes the copy.
        let outcome = try put([write], in: connection)
        guard case .committed(let revisions) = outcome.result, let revision = revisions[record.key] else {
            throw StoreError.conflict(restoring: record)
        }
        try remove(setAside: id, in: connection)
        return (RestoredRecord(revision: revision, replaced: replaced), outcome)
    }

    /// Deletes a row that is set aside.
    func removeSetAside(_ record: SetAsideRecord, in connection: any SQLConnection) throws -> Bool {
        guard let id = try setAsideRows(in: connection).first(where: { $0.record.id == record.id })?.id else {
            return false
        }
        try remove(setAside: id, in: connection)
        return true
    }

    private func remove(setAside id: Int64, in connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM stored_set_aside WHERE id = ?", [id])
    }
}

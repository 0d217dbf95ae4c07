package import GRDB

// Gives all of an owner's data to another owner.

extension AppDatabase {
    /// Gives all data of an owner to another one, who must have none, in one transaction.
    ///
    /// Every table with a column `owner` is changed, except those of accounts, so that a new table needs no change here.
    /// What the other owner already has, such as unchanged settings, is exchanged. No other process may use the data of these
    /// owners meanwhile.
    ///
    /// - Parameters:
    ///   - source: The owner of the data.
    ///   - target: The new owner.
    /// - Returns: The number of rows that were moved.
    /// - Throws: ``StoreError``: `conflict` if the other owner has pages, boards, drinks or files.
    package func moveData(from source: OwnerID, to target: OwnerID) async throws(StoreError) -> Int {
        guard source != target else { return 0 }
        do {
            return try await write { transaction in
                let used = try Int.fetchOne(
                    transaction, sql: "SELECT coalesce(sum(amount), 0) FROM owner_usage WHERE owner = ?",
                    arguments: [target])
                guard used == 0 else {
                    throw StoreError(
                        .conflict, "This person has data already. Nothing was moved. Choose a person without data.")
                }
                let tables = try Self.ownedTables(transaction)
                // A name that no owner has.
                let neither: OwnerID = "moving from \(source) to \(target)"
                try Self.rename(target, to: neither, in: tables, transaction)
                let count = try Self.rename(source, to: target, in: tables, transaction)
                try Self.rename(neither, to: source, in: tables, transaction)
                return count
            }
        } catch {
            throw error.cause as? StoreError ?? error
        }
    }

    /// The tables with a column `owner`, except those of accounts.
    ///
    /// The counters come first: the triggers of other tables then find the new owner's counters.
    package static func ownedTables(_ connection: Database) throws -> [String] {
        let tables = try String.fetchAll(
            connection,
            sql: """
                SELECT part.name FROM sqlite_schema AS part JOIN pragma_table_info(part.name) AS field
                WHERE part.type = 'table' AND field.name = 'owner'
                    AND part.name NOT IN ('account', 'account_session', 'account_token', 'account_request')
                ORDER BY part.name
                """)
        return tables.filter { $0 == "owner_usage" } + tables.filter { $0 != "owner_usage" }
    }

    @discardableResult
    private static func rename(
        _ source: OwnerID, to target: OwnerID, in tables: [String], _ transaction: Database
    ) throws -> Int {
        var count = 0
        for table in tables {
            try transaction.execute(
                sql: "UPDATE \"\(table)\" SET owner = ? WHERE owner = ?", arguments: [target, source])
            count += transaction.changesCount
        }
        return count
    }
}

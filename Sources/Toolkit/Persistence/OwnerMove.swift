// Gives all of an owner's data to another owner.

extension SQLDatabase {
    /// Gives all data of an owner to another one, who must have none, in one transaction.
    ///
    /// Every table with a column `owner` is changed, except those of accounts and of servers, so that a new table needs no
    /// change here. What the other owner already has, such as unchanged settings, is exchanged. No other process may use the
    /// data of these owners meanwhile.
    ///
    /// - Parameters:
    ///   - source: The owner of the data.
    ///   - target: The new owner.
    ///   - check: Called first in the transaction; if it throws, nothing is moved.
    /// - Returns: The number of rows that were moved.
    /// - Throws: ``StoreError``: `conflict` if the other owner has pages, boards, drinks or files.
    package func moveData(
        from source: OwnerID, to target: OwnerID,
        after check: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws(StoreError) -> Int {
        guard source != target else { return 0 }
        do {
            return try await writeRows(locking: []) { transaction in
                try check(transaction)
                let used = try transaction.value(
                    "SELECT coalesce(sum(amount), 0) FROM owner_usage WHERE owner = ?", [target], as: Int64.self)
                guard used == 0 else {
                    throw StoreError(
                        .conflict, "This person has data already. Nothing was moved. Choose a person without data.")
                }
                let tables = try ownedTables(transaction)
                // A name that no owner has.
                let neither: OwnerID = "moving from \(source) to \(target)"
                try rename(target, to: neither, in: tables, transaction)
                let count = try rename(source, to: target, in: tables, transaction)
                try rename(neither, to: source, in: tables, transaction)
                return count
            }
        } catch {
            throw error.cause as? StoreError ?? error
        }
    }

    /// The tables with a column `owner`, except those of accounts and of servers.
    ///
    /// The counters come first: the triggers of other tables then find the new owner's counters.
    package func ownedTables(_ connection: any SQLConnection) throws -> [String] {
        let sql =
            switch dialect {
            case .sqlite:
                """
                SELECT part.name FROM sqlite_schema AS part JOIN pragma_table_info(part.name) AS field
                WHERE part.type = 'table' AND field.name = 'owner' ORDER BY part.name
                """
            case .postgreSQL:
                """
                SELECT CAST(table_name AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema() AND column_name = 'owner' ORDER BY table_name
                """
            }
        let all: [String] = try connection.values(sql)
        let others = ["account", "account_session", "account_token", "account_request", "owner_lease"]
        let tables = all.filter { !others.contains($0) }
        return tables.filter { $0 == "owner_usage" } + tables.filter { $0 != "owner_usage" }
    }

    @discardableResult
    private func rename(
        _ source: OwnerID, to target: OwnerID, in tables: [String], _ transaction: any SQLConnection
    ) throws -> Int {
        try tables.reduce(0) { count, table in
            try count + transaction.execute("UPDATE \"\(table)\" SET owner = ? WHERE owner = ?", [target, source])
        }
    }
}

import Crypto
import Digests
import Foundation

/// Copies the rows of a ``DatabaseMove``, and compares them.
///
/// The target's mark names this attempt. Each transaction checks it, so that only the latest attempt writes.
struct DatabaseCopy: Sendable {
    let move: DatabaseMove
    let mark: DatabaseMoveMark
    let tables: [MovedTable]

    private var source: any SQLDatabase { move.source }
    private var target: any SQLDatabase { move.target }

    /// The keys of the last rows that were copied, by table; empty if there is none yet.
    typealias Positions = [String: [SQLValue]]

    /// Serialises attempts, so that one never copies rows that another one is writing.
    private static let lock = SQLLock(part: "move")
    private static let positions = "\(DatabaseMoveMark.table)_position"
    private static let triggers = "\(DatabaseMoveMark.table)_trigger"

    /// Writes to the target, if this is still the latest attempt.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await target.writeRows(locking: [Self.lock]) { connection in
            try mark.check(in: connection)
            return try body(connection)
        }
    }
}

// MARK: - Beginning and end

extension DatabaseCopy {
    /// Marks the target as incomplete, and switches its triggers off, which would count the rows again.
    ///
    /// - Returns: How far an earlier attempt has copied each table; `nil` if there was none.
    func prepareTarget(wasMoved: Bool) async throws(StoreError) -> Positions? {
        let name = target.name
        return try await target.writeRows(locking: [Self.lock]) { connection in
            if let old = try DatabaseMoveMark(in: connection) {
                if old.run == mark.run {
                    throw StoreError(
                        .conflict, "The source and the target are the same database. Choose another target.")
                }
                guard old.role == .target, old.id == mark.id else {
                    let part = old.role == .target ? "the target of a move from" : "the source of a move to"
                    throw StoreError(
                        .conflict, "\(name) is \(part) \(old.place). Choose an empty database, or another folder.")
                }
                try mark.write(in: connection)
                // An attempt that failed at the end has switched them on.
                try switchTriggersOff(connection)
                return try readPositions(connection)
            }
            for table in tables where !move.seededTables.contains(table.name) {
                guard try table.page(after: [], in: connection, limit: 1).isEmpty else {
                    throw StoreError(
                        .conflict,
                        "\(name) has data already, in the table \(table.name). Nothing was moved. Choose an empty "
                            + "database, or another folder.")
                }
            }
            try mark.write(in: connection)
            try createTables(connection)
            try switchTriggersOff(connection)
            for table in tables where move.seededTables.contains(table.name) {
                try connection.execute("DELETE FROM \(quoted(table.name))")
            }
            return nil
        }
    }

    private func createTables(_ connection: any SQLConnection) throws {
        let bytes = connection.dialect == .sqlite ? "BLOB" : "BYTEA"
        try connection.execute(
            """
            CREATE TABLE \(Self.positions) (
                name TEXT NOT NULL PRIMARY KEY, position \(bytes) NOT NULL)
            """)
        for table in tables {
            try connection.execute(
                "INSERT INTO \(Self.positions) (name, position) VALUES (?, ?)", [table.name, Data()])
        }
    }

    private func readPositions(_ connection: any SQLConnection) throws -> Positions {
        var positions: Positions = [:]
        for row in try connection.rows("SELECT name, position FROM \(Self.positions)") {
            positions[try row.decode(atIndex: 0)] = try CanonicalValues.decode(try row.decode(atIndex: 1))
        }
        return positions
    }

    private func switchTriggersOff(_ connection: any SQLConnection) throws {
        switch connection.dialect {
        case .postgreSQL:
            for table in tables {
                try connection.execute("ALTER TABLE \(quoted(table.name)) DISABLE TRIGGER USER")
            }
        case .sqlite:
            // SQLite can't switch them off.
            try connection.execute("CREATE TABLE IF NOT EXISTS \(Self.triggers) (statement TEXT NOT NULL)")
            try connection.execute(
                "INSERT INTO \(Self.triggers) SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
            let names = try connection.values(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'", as: String.self)
            for name in names { try connection.execute("DROP TRIGGER \(quoted(name))") }
        }
    }

    private func switchTriggersOn(_ connection: any SQLConnection) throws {
        switch connection.dialect {
        case .postgreSQL:
            for table in tables {
                try connection.execute("ALTER TABLE \(quoted(table.name)) ENABLE TRIGGER USER")
            }
        case .sqlite:
            let statements = try connection.values("SELECT statement FROM \(Self.triggers)", as: String.self)
            for statement in statements { try connection.execute(statement) }
            try connection.execute("DELETE FROM \(Self.triggers)")
        }
    }

    /// Continues the source's numbers, and switches the triggers on.
    func completeTarget() async throws(StoreError) {
        let hasChanges = tables.contains { $0.name == "stored_value" }
        let numbers = try await source.readRows { connection in
            let numbers = try tables.map { try $0.isNumberedInSource ? lastNumber(of: $0, connection) : 0 }
            let changes =
                hasChanges && connection.dialect == .postgreSQL
                ? try number(of: SQLiteStore.changeSequence, connection) : 0
            return (tables: numbers, changes: changes)
        }
        try await write { connection in
            for (table, last) in zip(tables, numbers.tables) { try setNumber(of: table, to: last, connection) }
            if hasChanges, connection.dialect == .postgreSQL {
                let last = try connection.value("SELECT max(sequence) FROM stored_value", as: Int64.self) ?? 0
                try raise(SQLiteStore.changeSequence, to: max(last, numbers.changes), connection)
            }
            try switchTriggersOn(connection)
        }
    }

    /// Makes the target an ordinary database.
    func removeMark() async throws(StoreError) {
        try await write { connection in
            if connection.dialect == .sqlite { try connection.execute("DROP TABLE \(Self.triggers)") }
            try connection.execute("DROP TABLE \(Self.positions)")
            try connection.execute("DROP TABLE \(DatabaseMoveMark.table)")
        }
    }
}

// MARK: - Numbers

extension DatabaseCopy {
    /// The last number that the source gave in a table's column, perhaps to a row that was deleted.
    private func lastNumber(of table: MovedTable, _ connection: any SQLConnection) throws -> Int64 {
        switch connection.dialect {
        case .sqlite:
            try connection.value("SELECT seq FROM sqlite_sequence WHERE name = ?", [table.name]) ?? 0
        case .postgreSQL:
            try sequence(of: table, connection).map { try number(of: $0, connection) } ?? 0
        }
    }

    /// The sequence of a table's column in PostgreSQL, in quotation marks if it needs them.
    private func sequence(of table: MovedTable, _ connection: any SQLConnection) throws -> String? {
        try connection.value(
            "SELECT pg_get_serial_sequence(?, ?)", [quoted(table.name), table.numberedColumn], as: String.self)
    }

    private func number(of sequence: String, _ connection: any SQLConnection) throws -> Int64 {
        try connection.value("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM \(sequence)") ?? 0
    }

    private func raise(_ sequence: String, to number: Int64, _ connection: any SQLConnection) throws {
        guard try number > self.number(of: sequence, connection) else { return }
        _ = try connection.row("SELECT setval(CAST(CAST(? AS TEXT) AS regclass), ?)", [sequence, number])
    }

    private func setNumber(of table: MovedTable, to last: Int64, _ connection: any SQLConnection) throws {
        guard let column = table.numberedColumn else { return }
        let highest =
            try connection.value("SELECT max(\(quoted(column))) FROM \(quoted(table.name))", as: Int64.self) ?? 0
        let number = max(last, highest)
        guard number > 0 else { return }
        switch connection.dialect {
        case .sqlite:
            let count = try connection.execute(
                "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [number, table.name])
            if count == 0 {
                try connection.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table.name, number])
            }
        case .postgreSQL:
            if let sequence = try sequence(of: table, connection) { try raise(sequence, to: number, connection) }
        }
    }
}

// MARK: - Copying

extension DatabaseCopy {
    /// Removes the rows of tables that have changed in the source since an earlier attempt, and of all tables whose foreign keys
    /// refer to them.
    func removeOutdatedRows(_ positions: Positions) async throws(StoreError) {
        var outdated: Set<String> = []
        for table in tables {
            guard let position = positions[table.name] else {
                throw StoreError(
                    .conflict,
                    "Another version of this program has started to move the data to \(target.name). Start again with an "
                        + "empty database.")
            }
            if !table.parents.isDisjoint(with: outdated) {
                outdated.insert(table.name)
                continue
            }
            // The target has no rows after the position.
            let copied = try await digest(of: table, in: target)
            let isCurrent =
                position.isEmpty
                ? copied.rows == 0 : try await digest(of: table, in: source, through: position) == copied
            if !isCurrent { outdated.insert(table.name) }
        }
        let removed = tables.filter { outdated.contains($0.name) }
        guard !removed.isEmpty else { return }
        try await write { connection in
            for table in removed { try table.index?.clear(connection) }
            switch connection.dialect {
            case .postgreSQL:
                try connection.execute("TRUNCATE \(removed.map { quoted($0.name) }.joined(separator: ", "))")
            case .sqlite:
                for table in removed.reversed() { try connection.execute("DELETE FROM \(quoted(table.name))") }
            }
            for table in removed {
                try connection.execute(
                    "UPDATE \(Self.positions) SET position = ? WHERE name = ?", [Data(), table.name])
            }
        }
    }

    /// Copies the rows of a table that the target doesn't have yet.
    func copy(_ table: MovedTable, _ report: @Sendable (Int) -> Void) async throws(StoreError) {
        var position = try await target.readRows { try readPositions($0)[table.name] ?? [] }
        var count = 0
        report(count)
        while true {
            let (last, limit) = (position, move.batchRows)
            let rows = try await source.readRows { try table.page(after: last, in: $0, limit: limit) }
            guard let row = rows.last else { break }
            let next = table.key(of: row)
            try await write { connection in
                try table.insert(rows, in: connection)
                try connection.execute(
                    "UPDATE \(Self.positions) SET position = ? WHERE name = ?",
                    [CanonicalValues.encode(next), table.name])
            }
            position = next
            count += rows.count
            report(count)
            try await move.afterBatch()
        }
    }
}

// MARK: - Comparing

extension DatabaseCopy {
    /// Compares the rows of a table in both databases.
    ///
    /// - Returns: Their number and SHA-256.
    /// - Throws: ``StoreError`` with the code `conflict` if they differ.
    func verify(
        _ table: MovedTable, _ report: @Sendable (Int) -> Void
    ) async throws(StoreError) -> DatabaseMove.Summary.Table {
        let old = try await digest(of: table, in: source, report)
        if move.keys[table.name] != nil {
            // Pages leave rows out if several have the same key, which no constraint prevents.
            let count = try await source.readRows { connection in
                try connection.value("SELECT count(*) FROM \(quoted(table.name))", as: Int.self)
            }
            guard count == old.rows else {
                throw StoreError(
                    .corrupt,
                    "Several rows of the table \(table.name) in \(source.name) have the same key. Remove all but one, and "
                        + "start the move again.")
            }
        }
        let new = try await digest(of: table, in: target, report)
        guard old == new else {
            let reason =
                old.rows == new.rows
                ? "their hashes differ" : "it has \(old.rows) rows in the source and \(new.rows) in the target"
            throw StoreError(
                .conflict,
                "The table \(table.name) in \(target.name) differs from \(source.name): \(reason). The data was not moved. "
                    + "Make sure that no other program changes the target, and start the move again.")
        }
        return old
    }

    /// Hashes the rows of a table in the order of their keys, up to a key.
    private func digest(
        of table: MovedTable, in database: any SQLDatabase, through end: [SQLValue]? = nil,
        _ report: @Sendable (Int) -> Void = { _ in }
    ) async throws(StoreError) -> DatabaseMove.Summary.Table {
        var hash = SHA256()
        var (count, bytes, position): (Int, Int64, [SQLValue]) = (0, 0, [])
        while true {
            let last = position
            let rows = try await database.readRows { try table.page(after: last, through: end, in: $0) }
            guard let row = rows.last else { break }
            for row in rows {
                let data = CanonicalValues.encode(row)
                hash.update(data: data)
                bytes += Int64(row.reduce(0) { $0 + $1.bytes })
            }
            count += rows.count
            position = table.key(of: row)
            report(count)
        }
        return .init(name: table.name, rows: count, bytes: bytes, digest: hash.finalize().hexadecimal)
    }
}

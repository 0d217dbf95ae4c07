import Foundation

/// What a database says about a move of its data: one row in a table, and triggers that refuse changes.
///
/// In the source, the row's `place` names the target; in the target, the source. The triggers are stored in the
/// database, so every program that has it open, whatever its version, refuses changes at once and reads on; and so does
/// a program that opens it after the moving process was killed.
package struct DatabaseMoveMark: Hashable, Sendable {
    enum Role: String, Sendable {
        case source, target
    }

    enum State: String, Sendable {
        /// Triggers refuse changes of the source; the target is incomplete.
        case moving
        /// An attempt has failed, and the source can be changed again.
        case interrupted
        /// The source's data is in the target; triggers refuse changes of the source.
        case moved
    }

    /// The ID that source and target share.
    var id: String
    /// The ID of the latest attempt; attempts before it have to end.
    var run: String
    var role: Role
    var state: State
    var place: String

    package static let table = "data_move"
    /// The SQLSTATE with which the triggers refuse changes in PostgreSQL.
    package static let sqlState = "MW001"
    private static let (movingPrefix, movedPrefix) = ("The data is being moved to ", "The data was moved to ")

    /// The message of the triggers within that of a database, which may add lines and a severity; `nil` if it isn't
    /// theirs.
    package static func refusal(in message: String) -> String? {
        for prefix in [movingPrefix, movedPrefix] {
            guard let start = message.range(of: prefix)?.lowerBound else { continue }
            return String(message[start...].prefix { $0 != "\n" })
        }
        return nil
    }

    /// What a program hears that changes the source.
    var refusal: String {
        switch state {
        case .moved: "\(Self.movedPrefix)\(place). It can't be changed here any more. Use it there."
        case .moving, .interrupted:
            "\(Self.movingPrefix)\(place), and can't be changed until that ends. If the move was interrupted, start it "
                + "again."
        }
    }

    /// Why a program must not open the target of an unfinished move.
    ///
    /// - Parameters:
    ///   - name: The name of the database.
    ///   - source: The name of the source.
    /// - Returns: The error.
    package static func unfinished(_ name: String, from source: String) -> StoreError {
        StoreError(
            .notWritable,
            "\(name) is incomplete, because the data of \(source) is being moved to it. If the move was interrupted, "
                + "start it again.")
    }
}

// MARK: - Rows

extension DatabaseMoveMark {
    /// Reads the mark of a database; `nil` if there is none.
    init?(in connection: any SQLConnection) throws {
        let exists =
            switch connection.dialect {
            case .sqlite: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(Self.table)'"
            case .postgreSQL: "SELECT to_regclass('\(Self.table)') IS NOT NULL"
            }
        guard try connection.value(exists, as: Bool.self) == true,
            let row = try connection.row("SELECT id, run, role, state, place FROM \(Self.table)")
        else { return nil }
        guard let role = Role(rawValue: try row.decode(atIndex: 2)),
            let state = State(rawValue: try row.decode(atIndex: 3))
        else {
            throw StoreError(.newerVersion, "A newer version of this program moves this data. Use that version.")
        }
        self.init(
            id: try row.decode(atIndex: 0), run: try row.decode(atIndex: 1), role: role, state: state,
            place: try row.decode(atIndex: 4))
    }

    /// Writes the mark in place of the previous one.
    func write(in connection: any SQLConnection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
                id TEXT NOT NULL, run TEXT NOT NULL, role TEXT NOT NULL, state TEXT NOT NULL, place TEXT NOT NULL)
            """)
        try connection.execute("DELETE FROM \(Self.table)")
        try connection.execute(
            "INSERT INTO \(Self.table) (id, run, role, state, place) VALUES (?, ?, ?, ?, ?)",
            [id, run, role.rawValue, state.rawValue, place])
    }

    /// - Throws: ``StoreError`` with the code `inUse` if this isn't the database's mark: another attempt has begun.
    func check(in connection: any SQLConnection) throws {
        guard try DatabaseMoveMark(in: connection) == self else {
            throw StoreError(
                .inUse, "Another process has started to move this data. Let it finish, or start the move again.")
        }
    }
}

// MARK: - Triggers

extension DatabaseMoveMark {
    private static let trigger = "data_move_refuse"

    /// Makes triggers refuse all changes of tables with the mark's message; in PostgreSQL, waits for transactions that
    /// have changed them.
    func refuseChanges(of tables: [String], in connection: any SQLConnection) throws {
        let message = refusal.replacing("'", with: "''")
        switch connection.dialect {
        case .sqlite:
            try Self.allowChanges(in: connection)
            for table in tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try connection.execute(
                        """
                        CREATE TRIGGER \(quoted("\(Self.trigger)_\(event)_\(table)".lowercased()))
                        BEFORE \(event) ON \(quoted(table)) BEGIN SELECT RAISE(ABORT, '\(message)'); END
                        """)
                }
            }
        case .postgreSQL:
            let body = "BEGIN RAISE EXCEPTION USING ERRCODE = '\(Self.sqlState)', MESSAGE = '\(message)'; END"
            // All tables first and in the same order, because each lock waits for transactions.
            let names = tables.sorted().map(quoted).joined(separator: ", ")
            try connection.execute("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE")
            try connection.execute(
                """
                CREATE OR REPLACE FUNCTION \(Self.trigger)() RETURNS trigger LANGUAGE plpgsql
                AS '\(body.replacing("'", with: "''"))'
                """)
            for table in tables {
                try connection.execute(
                    """
                    CREATE OR REPLACE TRIGGER \(Self.trigger) BEFORE INSERT OR UPDATE OR DELETE ON \(quoted(table))
                    FOR EACH ROW EXECUTE FUNCTION \(Self.trigger)()
                    """)
            }
        }
    }

    /// Removes the triggers.
    static func allowChanges(in connection: any SQLConnection) throws {
        switch connection.dialect {
        case .sqlite:
            let names = try connection.values(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, \(trigger.count)) = ?",
                [trigger], as: String.self)
            for name in names { try connection.execute("DROP TRIGGER \(quoted(name))") }
        case .postgreSQL:
            try connection.execute("DROP FUNCTION IF EXISTS \(trigger)() CASCADE")
        }
    }
}

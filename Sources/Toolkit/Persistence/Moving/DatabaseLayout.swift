/// The tables of a database, as the database itself describes them.
struct DatabaseLayout: Sendable {
    /// The types that values have in both databases.
    enum Kind: String, Sendable {
        case integer, real, text, blob
    }

    struct Column: Hashable, Sendable {
        var name: String
        /// `nil` if the type exists only in one database.
        var kind: Kind?
        var isNullable: Bool
        /// Whether the database numbers the rows in this column.
        var isNumbered = false
    }

    struct Table: Sendable {
        var name: String
        var columns: [Column]
        /// The columns of the primary key; empty if there is none.
        var primaryKey: [String] = []
        /// The columns of the unique constraints.
        var uniqueKeys: [[String]] = []
        /// The tables to which foreign keys refer.
        var parents: Set<String> = []
    }

    /// The ordinary tables by name, without those of migrations and moves.
    var tables: [String: Table] = [:]
    /// The names of views, virtual and foreign tables.
    var others: Set<String> = []
    /// The sequences that belong to no column.
    var sequences: Set<String> = []

    /// The tables of the databases themselves: migrations, tokens of commits, moves, and the servers that use a database.
    private static let ownTables: Set<String> = [
        "grdb_migrations", "schema_migration", "commit_token", "cluster_server", "owner_lease", "cluster_secret",
    ]

    private static func isOwn(_ table: String) -> Bool {
        ownTables.contains(table) || table == DatabaseMoveMark.table || table.hasPrefix("\(DatabaseMoveMark.table)_")
    }

    /// Reads the layout of a database.
    init(_ connection: any SQLConnection) throws {
        switch connection.dialect {
        case .sqlite: try readSQLite(connection)
        case .postgreSQL: try readPostgreSQL(connection)
        }
    }
}

extension DatabaseLayout.Table {
    /// The first unique key without columns that may be null.
    var uniqueKey: [String]? {
        uniqueKeys.first { key in
            key.allSatisfy { name in columns.contains { $0.name == name && !$0.isNullable } }
        }
    }
}

// MARK: - SQLite

extension DatabaseLayout {
    private mutating func readSQLite(_ connection: any SQLConnection) throws {
        let rows = try connection.rows(
            """
            SELECT name, type FROM pragma_table_list
            WHERE schema = 'main' AND type != 'shadow' AND substr(name, 1, 7) != 'sqlite_' ORDER BY name
            """)
        for row in rows {
            let name: String = try row.decode(atIndex: 0)
            if Self.isOwn(name) { continue }
            guard try row.decode(String.self, atIndex: 1) == "table" else {
                others.insert(name)
                continue
            }
            tables[name] = try Self.sqliteTable(name, connection)
        }
    }

    private static func sqliteTable(_ name: String, _ connection: any SQLConnection) throws -> Table {
        let isNumbered =
            try connection.value(
                "SELECT sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema WHERE type = 'table' AND name = ?", [name],
                as: Bool.self) ?? false
        var table = Table(name: name, columns: [])
        var key: [(place: Int, name: String)] = []
        // Generated columns are hidden; a move can't copy them.
        for row in try connection.rows(
            #"SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid"#, [name])
        {
            let (column, place): (String, Int) = (try row.decode(atIndex: 0), try row.decode(atIndex: 3))
            if place > 0 { key.append((place, column)) }
            let kinds: [String: Kind] = ["INTEGER": .integer, "REAL": .real, "TEXT": .text, "BLOB": .blob]
            let type: String = try row.decode(atIndex: 1)
            let isHidden: Bool = try row.decode(atIndex: 4)
            table.columns.append(
                Column(
                    name: column, kind: isHidden ? nil : kinds[type],
                    isNullable: try !row.decode(Bool.self, atIndex: 2) && place == 0,
                    isNumbered: isNumbered && place > 0))
        }
        table.primaryKey = key.sorted { $0.place < $1.place }.map(\.name)
        for index in try connection.values(
            #"SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial AND origin = 'u' ORDER BY seq DESC"#,
            [name], as: String.self)
        {
            table.uniqueKeys.append(
                try connection.values(
                    "SELECT name FROM pragma_index_info(?) ORDER BY seqno", [index], as: String.self))
        }
        table.parents = Set(
            try connection.values(#"SELECT "table" FROM pragma_foreign_key_list(?)"#, [name], as: String.self))
        return table
    }
}

// MARK: - PostgreSQL

extension DatabaseLayout {
    /// Joins the tables of the current schema.
    private static let joiningSchema =
        "JOIN pg_namespace AS space ON space.oid = part.relnamespace AND space.nspname = current_schema()"

    private mutating func readPostgreSQL(_ connection: any SQLConnection) throws {
        let rows = try connection.rows(
            """
            SELECT CAST(part.relname AS TEXT), CAST(part.relkind AS TEXT) FROM pg_class AS part \(Self.joiningSchema)
            WHERE part.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY part.relname
            """)
        for row in rows {
            let name: String = try row.decode(atIndex: 0)
            if Self.isOwn(name) { continue }
            if try row.decode(String.self, atIndex: 1) == "r" {
                tables[name] = Table(name: name, columns: [])
            } else {
                others.insert(name)
            }
        }
        try readColumns(connection)
        try readConstraints(connection)
        sequences = Set(
            try connection.values(
                """
                SELECT CAST(part.relname AS TEXT) FROM pg_class AS part \(Self.joiningSchema)
                WHERE part.relkind = 'S' AND NOT EXISTS (
                    SELECT 1 FROM pg_depend WHERE objid = part.oid AND deptype IN ('a', 'i') AND refobjsubid > 0)
                """, as: String.self))
    }

    private mutating func readColumns(_ connection: any SQLConnection) throws {
        let rows = try connection.rows(
            """
            SELECT CAST(part.relname AS TEXT), CAST(field.attname AS TEXT), format_type(field.atttypid, NULL),
                field.attnotnull, field.attidentity != '', field.attgenerated != ''
            FROM pg_class AS part \(Self.joiningSchema) JOIN pg_attribute AS field ON field.attrelid = part.oid
            WHERE part.relkind = 'r' AND field.attnum > 0 AND NOT field.attisdropped
            ORDER BY part.relname, field.attnum
            """)
        let kinds: [String: Kind] = [
            "bigint": .integer, "integer": .integer, "smallint": .integer, "boolean": .integer,
            "double precision": .real, "text": .text, "bytea": .blob,
        ]
        for row in rows {
            let isGenerated: Bool = try row.decode(atIndex: 5)
            let type: String = try row.decode(atIndex: 2)
            tables[try row.decode(atIndex: 0)]?.columns.append(
                Column(
                    name: try row.decode(atIndex: 1), kind: isGenerated ? nil : kinds[type],
                    isNullable: try !row.decode(Bool.self, atIndex: 3), isNumbered: try row.decode(atIndex: 4)))
        }
    }

    private mutating func readConstraints(_ connection: any SQLConnection) throws {
        let rows = try connection.rows(
            """
            SELECT CAST(part.relname AS TEXT), CAST(rule.contype AS TEXT), CAST(rule.conname AS TEXT),
                CAST(field.attname AS TEXT), CAST(parent.relname AS TEXT)
            FROM pg_class AS part \(Self.joiningSchema) JOIN pg_constraint AS rule ON rule.conrelid = part.oid
            CROSS JOIN unnest(rule.conkey) WITH ORDINALITY AS element (number, place)
            JOIN pg_attribute AS field ON field.attrelid = part.oid AND field.attnum = element.number
            LEFT JOIN pg_class AS parent ON parent.oid = rule.confrelid
            WHERE rule.contype IN ('p', 'u', 'f') ORDER BY part.relname, rule.conname, element.place
            """)
        var keys: [String: (table: String, columns: [String])] = [:]
        for row in rows {
            let (table, column): (String, String) = (try row.decode(atIndex: 0), try row.decode(atIndex: 3))
            switch try row.decode(String.self, atIndex: 1) {
            case "p": tables[table]?.primaryKey.append(column)
            case "u":
                let name: String = try row.decode(atIndex: 2)
                keys[name, default: (table, [])].columns.append(column)
            default: tables[table]?.parents.insert(try row.decode(atIndex: 4))
            }
        }
        for (_, key) in keys.sorted(by: { $0.key < $1.key }) { tables[key.table]?.uniqueKeys.append(key.columns) }
    }
}

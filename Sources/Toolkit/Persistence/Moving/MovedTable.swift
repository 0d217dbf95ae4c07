import Foundation

/// A table that a move copies, and its statements in the SQL of each database.
struct MovedTable: Sendable {
    typealias Kind = DatabaseLayout.Kind

    /// A row, and its values in the order of the columns.
    typealias Row = [SQLValue]

    /// A column that is copied.
    struct Column: Hashable, Sendable {
        var name: String
        var kind: Kind
    }

    let name: String
    /// In the order of their names, which doesn't depend on the database.
    let columns: [Column]
    /// The columns whose values identify a row, and order the rows.
    let key: [Column]
    /// The tables to which foreign keys refer.
    let parents: Set<String>
    /// The column that the target numbers; `nil` if there is none.
    let numberedColumn: String?
    /// Whether the source numbers the same column, and remembers numbers of deleted rows.
    let isNumberedInSource: Bool
    let index: DerivedIndex?
    /// The places of the key's columns in a row.
    private let keyPlaces: [Int]

    init(
        name: String, columns: [Column], key: [Column], parents: Set<String>, numberedColumn: String?,
        isNumberedInSource: Bool, index: DerivedIndex?
    ) {
        self.name = name
        self.columns = columns
        self.key = key
        self.parents = parents
        self.numberedColumn = numberedColumn
        self.isNumberedInSource = isNumberedInSource
        self.index = index
        keyPlaces = key.compactMap { columns.firstIndex(of: $0) }
    }

    /// The key of a row.
    func key(of row: Row) -> [SQLValue] { keyPlaces.map { row[$0] } }
}

/// A name in quotation marks, so that it may be a word of SQL.
func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

// MARK: - Reading

extension MovedTable {
    /// The number of rows of a page.
    static let maximumRows = 500
    /// The size of a page in bytes, which only a single row may exceed.
    static let maximumBytes = 8 << 20

    /// Reads rows in the order of their keys.
    ///
    /// - Parameters:
    ///   - position: The key of the last row before the page; empty for the first page.
    ///   - end: The key of the last row; `nil` if there is no limit.
    ///   - connection: The connection of a transaction.
    ///   - limit: The largest number of rows.
    /// - Returns: The rows; empty after the last one.
    /// - Throws: An error of the database, or ``StoreError`` with the code `corrupt` if a text isn't UTF-8.
    func page(
        after position: [SQLValue], through end: [SQLValue]? = nil, in connection: any SQLConnection,
        limit: Int = maximumRows
    ) throws -> [Row] {
        var (conditions, arguments): ([String], SQLArguments) = ([], [])
        func compare(_ comparison: String, _ values: [SQLValue]) {
            conditions.append(
                "(\(keyNames)) \(comparison) (\(placeholders(key, connection.dialect)))")
            arguments.values += self.arguments(values, connection.dialect)
        }
        if !position.isEmpty { compare(">", position) }
        if let end { compare("<=", end) }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        var (rows, bytes): ([Row], Int) = ([], 0)
        let sql: String
        switch connection.dialect {
        case .sqlite:
            sql = """
                SELECT \(selected(.sqlite)) FROM \(quoted(name)) \(condition) ORDER BY \(keyNames)
                LIMIT \(limit)
                """
        case .postgreSQL:
            sql = paged(condition, limit)
            arguments.values.append(.integer(Int64(Self.maximumBytes)))
        }
        try connection.forEachRow(sql, arguments) { row in
            let values = try decode(row.values)
            bytes += values.reduce(0) { $0 + $1.bytes }
            rows.append(values)
            return bytes < Self.maximumBytes
        }
        return rows
    }

    /// A page in PostgreSQL, where a result is sent as a whole: the server adds up the sizes of the rows.
    private func paged(_ condition: String, _ limit: Int) -> String {
        let sizes = columns.map { column in
            switch column.kind {
            case .integer, .real: "8"
            case .text, .blob: "coalesce(octet_length(\(quoted(column.name))), 0)"
            }
        }
        let names = selected(.postgreSQL)
        return """
            SELECT \(names) FROM (
                SELECT \(names), sum(row_bytes) OVER (ORDER BY \(keyNames)) - row_bytes AS bytes_before FROM (
                    SELECT \(names), CAST(\(sizes.joined(separator: " + ")) AS BIGINT) AS row_bytes
                    FROM \(quoted(name)) \(condition) ORDER BY \(keyNames) LIMIT \(limit)) AS page
            ) AS measured WHERE bytes_before < ? ORDER BY \(keyNames)
            """
    }

    private var keyNames: String { key.map { quoted($0.name) }.joined(separator: ", ") }

    /// The columns; those with texts as bytes in SQLite, whose texts would be read only up to U+0000.
    private func selected(_ dialect: SQLDialect) -> String {
        columns.map { column in
            dialect == .sqlite && column.kind == .text
                ? "CAST(\(quoted(column.name)) AS BLOB)" : quoted(column.name)
        }.joined(separator: ", ")
    }

    private func decode(_ values: [SQLValue]) throws(StoreError) -> Row {
        var row = values
        for (place, column) in columns.enumerated() where column.kind == .text {
            guard case .blob(let bytes) = values[place] else { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw StoreError(
                    .corrupt,
                    "A text in the column \(column.name) of the table \(name) isn't UTF-8. Restore a backup, or repair "
                        + "it.")
            }
            row[place] = .text(text)
        }
        return row
    }
}

extension SQLValue {
    /// About how many bytes the value takes.
    var bytes: Int {
        switch self {
        case .null: 1
        case .integer, .real: 8
        case .text(let text): text.utf8.count
        case .blob(let data): data.count
        }
    }
}

// MARK: - Writing

extension MovedTable {
    /// Inserts rows.
    ///
    /// - Throws: An error of the database, or ``StoreError`` with the code `notEncodable` if it can't store a value.
    func insert(_ rows: [Row], in connection: any SQLConnection) throws {
        switch connection.dialect {
        case .sqlite:
            for row in rows {
                try checkNumbers(row)
                try insert(rows: [row], connection)
            }
        case .postgreSQL:
            // A few different statements, because each is prepared.
            var rest = rows[...]
            for count in [64, 8, 1] {
                while rest.count >= count {
                    try insert(rows: Array(rest.prefix(count)), connection)
                    rest = rest.dropFirst(count)
                }
            }
        }
        guard let index else { return }
        try index.add(
            rows.compactMap { row in
                if case .integer(let number) = key(of: row).first { number } else { nil }
            }, connection)
    }

    private func insert(rows: [Row], _ connection: any SQLConnection) throws {
        let names = columns.map { quoted($0.name) }.joined(separator: ", ")
        let row = "(\(placeholders(columns, connection.dialect)))"
        var values: SQLArguments = []
        for row in rows { values.values += arguments(row, connection.dialect) }
        try connection.execute(
            """
            INSERT INTO \(quoted(name)) (\(names)) VALUES
            \(Array(repeating: row, count: rows.count).joined(separator: ", "))
            """, values)
    }

    /// SQLite would store a number that is none as null.
    private func checkNumbers(_ row: Row) throws(StoreError) {
        for (column, value) in zip(columns, row) {
            guard case .real(let number) = value, number.isNaN else { continue }
            throw StoreError(
                .notEncodable,
                "SQLite can't store “not a number”, which a row of the table \(name) has in the column \(column.name). "
                    + "Change this row first.")
        }
    }

    private func placeholders(_ columns: [Column], _ dialect: SQLDialect) -> String {
        columns.map { dialect == .sqlite && $0.kind == .text ? "CAST(? AS TEXT)" : "?" }.joined(separator: ", ")
    }

    /// Values as arguments; texts as bytes in SQLite, which would end at U+0000.
    private func arguments(_ values: [SQLValue], _ dialect: SQLDialect) -> [SQLValue] {
        guard dialect == .sqlite else { return values }
        return values.map { value in
            if case .text(let text) = value { .blob(Data(text.utf8)) } else { value }
        }
    }
}

// MARK: - The plan

extension MovedTable {
    /// The tables to copy from one database to another, each after those to which its foreign keys refer.
    ///
    /// - Parameters:
    ///   - source: The tables of the source.
    ///   - target: Those of the target.
    ///   - indexes: What is not copied.
    ///   - keys: The columns that identify rows of tables without such a constraint.
    /// - Returns: The tables.
    /// - Throws: ``StoreError`` with the code `migrationFailed` if a table or a column of the source isn't known.
    static func all(
        from source: DatabaseLayout, to target: DatabaseLayout, indexes: [DerivedIndex], keys: [String: [String]]
    ) throws(StoreError) -> [MovedTable] {
        for layout in [source, target] {
            if let other = layout.others.subtracting(indexes.flatMap(\.virtualTables)).min() {
                throw unknown("\(other) is a view or a virtual table that this program doesn't know")
            }
            if let sequence = layout.sequences.subtracting([SQLiteStore.changeSequence]).min() {
                throw unknown("\(sequence) is a sequence that this program doesn't know")
            }
        }
        var tables: [MovedTable] = []
        for (name, table) in source.tables.sorted(by: { $0.key < $1.key }) {
            guard let other = target.tables[name] else {
                throw unknown("the target has no table \(name)")
            }
            tables.append(try MovedTable(from: table, to: other, indexes.first { $0.table == name }, key: keys[name]))
        }
        return try sorted(tables)
    }

    private init(
        from source: DatabaseLayout.Table, to target: DatabaseLayout.Table, _ index: DerivedIndex?, key own: [String]?
    ) throws(StoreError) {
        var (columns, numbered): ([Column], String?) = ([], nil)
        let derived = index?.columns ?? []
        for column in source.columns where !derived.contains(column.name) {
            guard let kind = column.kind, let other = target.columns.first(where: { $0.name == column.name }),
                other.kind == kind
            else { throw Self.unknown("the column \(column.name) of the table \(source.name) differs") }
            columns.append(Column(name: column.name, kind: kind))
            if other.isNumbered { numbered = column.name }
        }
        let names = Set(columns.map(\.name))
        if let more = target.columns.first(where: { !names.contains($0.name) && !derived.contains($0.name) }) {
            throw Self.unknown("the source has no column \(more.name) in the table \(source.name)")
        }
        let primary = source.primaryKey.isEmpty ? target.primaryKey : source.primaryKey
        let key = own ?? (primary.isEmpty ? source.uniqueKey ?? target.uniqueKey ?? [] : primary)
        guard !key.isEmpty else { throw Self.unknown("the table \(source.name) has no key") }
        self.init(
            name: source.name, columns: columns.sorted { $0.name < $1.name },
            key: key.compactMap { name in columns.first { $0.name == name } },
            parents: source.parents.union(target.parents).subtracting([source.name]), numberedColumn: numbered,
            isNumberedInSource: source.columns.contains { $0.name == numbered && $0.isNumbered }, index: index)
    }

    private static func sorted(_ tables: [MovedTable]) throws(StoreError) -> [MovedTable] {
        var (sorted, names, rest): ([MovedTable], Set<String>, [MovedTable]) = ([], [], tables)
        while !rest.isEmpty {
            let free = rest.filter { $0.parents.isSubset(of: names) }
            if free.isEmpty { throw unknown("the foreign keys of \(rest[0].name) form a circle") }
            sorted += free
            names.formUnion(free.map(\.name))
            rest.removeAll { names.contains($0.name) }
        }
        return sorted
    }

    private static func unknown(_ reason: String) -> StoreError {
        StoreError(
            .migrationFailed,
            "The data can't be moved: \(reason). Use the same version of this program for both databases. Nothing was "
                + "changed.")
    }
}

import Foundation
import GRDB

/// A database with values that this program never writes, as in a corrupted or maliciously crafted file.
///
/// Its tables lack STRICT and NOT NULL, as those of a crafted file may: SQLite trusts the schema in the file. CHECK
/// constraints are ignored when values are set.
package struct DamagedDatabase {
    /// A column of a table.
    package struct Column: Sendable, CustomStringConvertible {
        package let table: String
        package let name: String

        package var description: String { "\(table).\(name)" }
    }

    /// The values to set columns to, in SQL: NULL, and values of each other type.
    package static let values = ["NULL", "'text'", "x'00ff'", "-9223372036854775808", "9e999", "0.5"]

    private let path: String
    private let original: Data

    /// - Parameter path: The database file, which no connection may have open.
    /// - Throws: An error of SQLite, or a file error.
    package init(at path: String) throws {
        self.path = path
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { connection in
            try connection.execute(
                sql: """
                    PRAGMA wal_checkpoint(TRUNCATE);
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(replace(replace(replace(
                        sql, ' IS NOT NULL', ' NOTNULL'), ' STRICT, WITHOUT ROWID', ' WITHOUT ROWID'), ') STRICT', ')'),
                        ' NOT NULL', '')
                    WHERE type = 'table';
                    PRAGMA writable_schema = OFF;
                    """)
        }
        try queue.close()
        self.original = try Data(contentsOf: URL(filePath: path))
    }

    /// The columns of all tables whose names have a prefix.
    package func columns(ofTables prefix: String) throws -> [Column] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.inDatabase { connection in
            let sql = """
                SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
                WHERE tables.type = 'table' AND tables.name GLOB ? || '*' ORDER BY 1, 2
                """
            return try Row.fetchAll(connection, sql: sql, arguments: [prefix]).map {
                Column(table: try $0.decode(atIndex: 0), name: try $0.decode(atIndex: 1))
            }
        }
    }

    /// Restores the original database, and sets a column of all rows to a value.
    ///
    /// - Returns: Whether any row was changed.
    package func damage(_ column: Column, _ value: String) throws -> Bool {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try original.write(to: URL(filePath: path))
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.inDatabase { connection in
            do {
                try connection.execute(
                    sql: """
                        PRAGMA ignore_check_constraints = ON;
                        UPDATE OR IGNORE \(column.table) SET "\(column.name)" = \(value);
                        """)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
                // The rowid is an integer in every table.
                return false
            }
            return connection.changesCount > 0
        }
    }
}

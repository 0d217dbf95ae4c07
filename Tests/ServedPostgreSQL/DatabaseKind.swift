package import Foundation
package import Persistence
import PostgreSQL

/// The databases in which stores must behave alike.
package enum DatabaseKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite
    case postgreSQL

    package var description: String { rawValue }
}

extension DatabaseKind {
    /// Opens the database of a test, as another process would.
    ///
    /// - Parameters:
    ///   - folder: The test's folder: a data folder for SQLite, and the name of a schema in PostgreSQL.
    ///   - sqlite: The migrations of the tables in SQLite.
    ///   - postgreSQL: The migrations of the tables in PostgreSQL.
    /// - Returns: The database.
    /// - Throws: ``StoreError``, or an error of the server's start.
    package func open(
        in folder: String, _ sqlite: [AppDatabase.Migration], _ postgreSQL: [SQLMigration]
    ) async throws -> any SQLDatabase {
        switch self {
        case .sqlite: try await AppDatabase.open(in: DataFolder.open(at: folder), migrations: sqlite)
        case .postgreSQL:
            try await PostgresDatabase.open(
                ServedPostgreSQL.schema(for: folder), limits: ServedPostgreSQL.limits, migrations: postgreSQL)
        }
    }
}

extension SQLDatabase {
    /// Everything that is stored: the file of SQLite, or all rows of these tables in PostgreSQL.
    package func storedBytes(_ tables: String...) async throws -> Data {
        if let database = self as? AppDatabase {
            database.close()
            return try Data(contentsOf: URL(filePath: database.folder.path).appending(path: "meanwhile.sqlite"))
        }
        return try await readRows { connection in
            Data(
                try tables.flatMap { table in
                    try connection.values("SELECT CAST(line AS TEXT) FROM \(table) AS line", as: String.self)
                }.joined(separator: "\n").utf8)
        }
    }
}

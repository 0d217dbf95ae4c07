package import Foundation
package import GRDB

extension AppDatabase: SQLDatabase {
    package var dialect: SQLDialect { .sqlite }

    package var name: String { folder.databasePath }

    package func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read { [instanceID] in try body(SQLiteConnection($0, instanceID: instanceID)) }
    }

    /// Writes in a transaction; the locks aren't needed, because no other write runs.
    package func writeRows<Value: Sendable>(
        locking locks: [SQLLock], _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write { [instanceID] in try body(SQLiteConnection($0, instanceID: instanceID)) }
    }

    package func changeSignal(of part: String) -> any ChangeSignal { signal(part) }
}

/// A connection to SQLite, within a transaction.
package struct SQLiteConnection: SQLConnection {
    package let database: Database

    package let instanceID: UUID

    /// - Parameters:
    ///   - database: GRDB's connection.
    ///   - instanceID: The ID of the ``AppDatabase``, which only some stores need.
    package init(_ database: Database, instanceID: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    {
        (self.database, self.instanceID) = (database, instanceID)
    }

    package var dialect: SQLDialect { .sqlite }

    package var isWriting: Bool { database.isInsideTransaction && !database.configuration.readonly }

    package func forEachRow(
        _ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Bool
    ) throws {
        let statement = try database.cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
        let columns = SQLRow.Columns(statement.columnNames)
        while let row = try rows.next() {
            guard try body(SQLRow(row.databaseValues.map(SQLValue.init), of: columns)) else { return }
        }
    }

    @discardableResult
    package func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
        return database.changesCount
    }

    package func lock(_ lock: SQLLock) {}

    package func afterCommit(_ action: @escaping @Sendable () -> Void) {
        database.afterNextTransaction { _ in action() }
    }
}

extension SQLConnection {
    /// GRDB's connection, for stores that are written in the SQL of SQLite.
    ///
    /// - Throws: ``StoreError`` with the code `queryFailed` if this isn't SQLite.
    package var sqlite: Database {
        get throws {
            guard let connection = self as? SQLiteConnection else {
                throw StoreError(.queryFailed, "This store works only in SQLite.")
            }
            return connection.database
        }
    }
}

extension StatementArguments {
    fileprivate init(_ arguments: SQLArguments) {
        self.init(
            arguments.values.map { value -> (any DatabaseValueConvertible)? in
                switch value {
                case .null: nil
                case .integer(let number): number
                case .real(let number): number
                case .text(let text): text
                case .blob(let data): data
                }
            })
    }
}

extension SQLValue {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .integer(number)
            case .double(let number): .real(number)
            case .string(let text): .text(text)
            case .blob(let data): .blob(data)
            }
    }
}

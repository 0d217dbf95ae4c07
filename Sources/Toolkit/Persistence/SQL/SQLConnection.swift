package import Foundation

/// The connection of a transaction.
///
/// Placeholders are `?`, or `?1`, `?2` and so on.
package protocol SQLConnection {
    var dialect: SQLDialect { get }
    /// The ID of the database when the connection was opened: see ``SQLDatabase/instanceID``.
    var instanceID: UUID { get }

    /// Whether the transaction may change rows.
    var isWriting: Bool { get }

    /// Runs a statement and passes each row of its result to a closure, until it returns `false`.
    ///
    /// - Throws: An error of the database, which only the database can convert to a ``StoreError``; or the closure's error.
    func forEachRow(
        _ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Bool
    ) throws

    /// Runs a statement.
    ///
    /// - Returns: The number of rows that it inserted, changed or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int

    /// Takes a further lock: see ``SQLDatabase/writeRows(locking:_:)``.
    func lock(_ lock: SQLLock) throws

    /// Performs an action when the transaction has been committed; if it fails, the action is forgotten.
    func afterCommit(_ action: @escaping @Sendable () -> Void)
}

extension SQLConnection {
    /// Runs a statement without arguments.
    @discardableResult
    package func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// The rows of a statement's result.
    package func rows(_ sql: String, _ arguments: SQLArguments = []) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try forEachRow(sql, arguments) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// The first row of a statement's result; `nil` if it has none.
    package func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        var first: SQLRow?
        try forEachRow(sql, arguments) { row in
            first = row
            return false
        }
        return first
    }

    /// The first column of each row of a statement's result.
    package func values<Value: SQLConvertible>(
        _ sql: String, _ arguments: SQLArguments = [], as type: Value.Type = Value.self
    ) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(sql, arguments) { row in
            values.append(try row.decode(atIndex: 0))
            return true
        }
        return values
    }

    /// The first column of the first row of a statement's result; `nil` if it has no rows, or the column is null.
    package func value<Value: SQLConvertible>(
        _ sql: String, _ arguments: SQLArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try row(sql, arguments)?.decode(Value?.self, atIndex: 0)
    }
}

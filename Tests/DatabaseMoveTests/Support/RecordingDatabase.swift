import Foundation
import Futures
import Persistence

/// A PostgreSQL database that records the statements of its transactions.
final class RecordingDatabase: SQLDatabase {
    struct Statement: Sendable {
        var sql: String
        var arguments: [SQLValue]
    }

    struct Transaction: Sendable {
        var isWriting: Bool
        var statements: [Statement] = []
    }

    let base: any SQLDatabase
    private let recorded = Lock<[Transaction]>([])

    init(_ base: any SQLDatabase) {
        self.base = base
    }

    /// The transactions with statements so far, which are forgotten.
    func take() -> [Transaction] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded.filter { !$0.statements.isEmpty }
        }
    }

    var dialect: SQLDialect { base.dialect }
    var name: String { base.name }
    var instanceID: UUID { base.instanceID }
    var lastChange: Int64? { base.lastChange }

    func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await base.readRows { try self.record(in: $0, isWriting: false, [], body) }
    }

    func writeRows<Value: Sendable>(
        locking locks: [SQLLock], _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await base.writeRows(locking: locks) { try self.record(in: $0, isWriting: true, locks, body) }
    }

    func changeSignal(of part: String) -> any ChangeSignal { base.changeSignal(of: part) }
    func observe(_ report: @escaping @Sendable (DatabaseAccess) -> Void) { base.observe(report) }
    func close() { base.close() }

    private func record<Value>(
        in connection: any SQLConnection, isWriting: Bool, _ locks: [SQLLock],
        _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        let recording = RecordingConnection(connection, Transaction(isWriting: isWriting))
        for lock in locks { recording.note(lock) }
        let value = try body(recording)
        // A body can run again; only its last run counts.
        recorded.withLock { $0.append(recording.transaction) }
        return value
    }
}

private final class RecordingConnection: SQLConnection {
    private let base: any SQLConnection
    private(set) var transaction: RecordingDatabase.Transaction

    init(_ base: any SQLConnection, _ transaction: RecordingDatabase.Transaction) {
        (self.base, self.transaction) = (base, transaction)
    }

    var dialect: SQLDialect { base.dialect }
    var instanceID: UUID { base.instanceID }
    var isWriting: Bool { base.isWriting }

    func note(_ lock: SQLLock) {
        let function = lock.isShared ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock"
        transaction.statements.append(
            .init(sql: "SELECT \(function)(hashtextextended(?, 0))", arguments: [.text(lock.name)]))
    }

    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Bool) throws {
        transaction.statements.append(.init(sql: sql, arguments: arguments.values))
        try base.forEachRow(sql, arguments, body)
    }

    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        transaction.statements.append(.init(sql: sql, arguments: arguments.values))
        return try base.execute(sql, arguments)
    }

    func lock(_ lock: SQLLock) throws {
        note(lock)
        try base.lock(lock)
    }

    func afterCommit(_ action: @escaping @Sendable () -> Void) { base.afterCommit(action) }
}

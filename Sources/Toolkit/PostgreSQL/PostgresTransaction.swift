import Foundation
import Persistence

/// A transaction of a ``PostgresDatabase``, while it runs on the thread of its connection.
final class PostgresTransaction: SQLConnection {
    enum Kind: Sendable {
        /// Sees a snapshot of the database.
        case read
        /// Holds these locks, and sees what was committed before each statement.
        case write([SQLLock])
    }

    /// What a transaction has returned.
    struct Outcome<Value: Sendable>: Sendable {
        var value: Value
        /// The actions to perform once the commit is confirmed.
        var actions: [@Sendable () -> Void]
        /// `nil` if the commit is confirmed.
        var unconfirmed: Unconfirmed?
    }

    /// The connection was lost while the transaction was being committed.
    struct Unconfirmed: Sendable {
        var token: String
        var cause: PostgresError
    }

    private let connection: PostgresConnection
    private let kind: Kind
    /// The server that must be registered for the transaction to be committed; `nil` if any program may write.
    private let fence: UUID?
    /// The statements that begin the transaction, until they are sent with its first statement.
    private var opening: [PostgresConnection.Command] = []
    /// A text that the transaction inserts, so that its commit can be looked up.
    ///
    /// PostgreSQL can look up transactions by their numbers, but gives numbers again after a crash, and after another server has
    /// become the primary.
    private let token = UUID().uuidString
    /// The position of the statement that inserts the token.
    private var tokenIndex = 0
    /// The locks, those of the opening included.
    private var held: Set<SQLLock> = []
    private var actions: [@Sendable () -> Void] = []
    /// The statements of a read.
    private var statements: [String] = []
    /// Whether the only statement of a read may run without a transaction.
    private let mayBeLone: Bool
    /// Whether the first statement of a read ran without a transaction, because it was the only one before.
    private var isLone = false

    private struct NeedsTransaction: Error {}

    init(on connection: PostgresConnection, _ kind: Kind, fence: UUID? = nil, mayBeLone: Bool = true) {
        self.connection = connection
        self.mayBeLone = mayBeLone
        self.kind = kind
        self.fence = fence
        switch kind {
        case .read:
            opening = [.init(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
        case .write(let locks):
            opening = [.init(sql: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")]
            if let fence {
                // The server isn't removed while the lock is held.
                opening += [
                    Self.command(taking: .server(fence).shared),
                    .init(
                        sql: """
                            INSERT INTO commit_token (token)
                            SELECT CAST(? AS TEXT) WHERE EXISTS (SELECT 1 FROM cluster_server WHERE id = ?)
                            """, arguments: [token, fence.uuidString]),
                ]
            } else {
                opening.append(.init(sql: "INSERT INTO commit_token (token) VALUES (?)", arguments: [token]))
            }
            tokenIndex = opening.count - 1
            // Always in the same order, so that transactions with several locks don't wait for each other.
            held = Set(locks)
            opening += locks.sorted { $0.name < $1.name }.map(Self.command(taking:))
        }
    }

    var dialect: SQLDialect { .postgreSQL }

    var instanceID: UUID { connection.instanceID }

    var isWriting: Bool {
        switch kind {
        case .read: false
        case .write: true
        }
    }

    /// The key includes the schema, so that programs in different schemas of a database don't wait for each other.
    private static func command(taking lock: SQLLock) -> PostgresConnection.Command {
        let function = lock.isShared ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock"
        return .init(
            sql: "SELECT \(function)(hashtextextended(current_schema() || '/' || CAST(? AS TEXT), 0))",
            arguments: [lock.name])
    }
}

extension PostgresTransaction {
    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Bool) throws {
        try run(sql, arguments).forEachRow(body)
    }

    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try run(sql, arguments).changedRows
    }

    func lock(_ lock: SQLLock) throws {
        if isHeld(lock) {
            // The first statement takes the locks. Without one, a body that only changes files would run without them.
            if !opening.isEmpty { _ = try run([]) }
            return
        }
        _ = try run([Self.command(taking: lock)])
        held.insert(lock)
    }

    private func isHeld(_ lock: SQLLock) -> Bool {
        held.contains(lock) || lock.isShared && held.contains { $0.name == lock.name }
    }

    func afterCommit(_ action: @escaping @Sendable () -> Void) {
        actions.append(action)
    }

    private func run(_ sql: String, _ arguments: SQLArguments) throws -> PostgresResult {
        try run([.init(sql: sql, arguments: arguments)])[0]
    }

    private func run(_ commands: [PostgresConnection.Command]) throws -> [PostgresResult] {
        if case .read = kind {
            statements += commands.map(\.sql)
            if isLone { throw NeedsTransaction() }
            // A single statement sees a snapshot by itself. If there are more, the read is repeated in a transaction.
            isLone = mayBeLone && statements.count == 1 && connection.loneReads[statements[0]] == true
            if isLone { opening = [] }
        }
        let opening = opening
        self.opening = []
        let results = try connection.run(opening + commands)
        if fence != nil, !opening.isEmpty, isWriting, results[tokenIndex].changedRows == 0 {
            throw ClusterMember.replaced
        }
        return Array(results.dropFirst(opening.count))
    }
}

extension PostgresTransaction {
    /// Runs work in a transaction, and commits it.
    ///
    /// - Throws: The error of the work or the database; then nothing was written.
    func perform<Value>(_ work: (any SQLConnection) throws -> Value) throws -> Outcome<Value> {
        let value: Value
        do {
            value = try work(self)
            // Even if the work has ignored the error.
            if isLone, statements.count > 1 { throw NeedsTransaction() }
        } catch  where isLone && statements.count > 1 {
            connection.loneReads[statements[0]] = false
            return try PostgresTransaction(on: connection, kind, mayBeLone: false).perform(work)
        } catch {
            rollBack()
            // Otherwise it would be repeated, because it is also the error of a standby.
            if case .read = kind, (error as? PostgresError)?.sqlState == "25006" {
                throw StoreError(.notWritable, "A read must not write.", cause: error)
            }
            throw error
        }
        // Nothing was read or written.
        guard opening.isEmpty else { return Outcome(value: value, actions: actions) }
        if case .read = kind {
            if isLone { return Outcome(value: value, actions: actions) }
            if let first = statements.first, statements.count > 1 || connection.loneReads[first] == nil {
                connection.loneReads[first] = statements.count == 1
            }
            // Nothing can be lost if this fails: the connection is then opened again.
            try? connection.runLater("COMMIT")
            return Outcome(value: value, actions: actions)
        }
        var outcome = Outcome(value: value, actions: actions)
        do throws(PostgresError) {
            let result = try connection.run([.init(sql: "COMMIT")])[0]
            guard result.command == "COMMIT" else {
                throw PostgresError(
                    sqlState: "25P02", message: "A failed statement was ignored, so nothing was committed.")
            }
        } catch {
            // Even an error of the server may hide that it has committed, if it then ends the connection.
            guard connection.isBroken else { throw error }
            outcome.unconfirmed = Unconfirmed(token: token, cause: error)
        }
        return outcome
    }

    private func rollBack() {
        if opening.isEmpty, !isLone { connection.rollBack() }
    }
}

package import Foundation

/// A relational database that stores share: SQLite or PostgreSQL.
///
/// Stores are written once, in the SQL that both understand; where they differ, a store asks for the ``dialect``. Any number of
/// processes may use the database at the same time, on any number of machines if it is PostgreSQL.
package protocol SQLDatabase: Sendable {
    /// The SQL that the database understands.
    var dialect: SQLDialect { get }
    /// Names the database in messages, such as its path; it contains no password.
    var name: String { get }
    /// A random ID of this instance: opening the database again gives another ID.
    ///
    /// It also changes when a standby becomes the primary, which may lack the last changes and give their numbers again. What a
    /// process remembers by such numbers is valid only together with the ID.
    var instanceID: UUID { get }
    /// The last change of a ``SQLiteStore`` when the database was opened; `nil` if it is unknown.
    var lastChange: Int64? { get }

    /// Reads in a transaction, which sees a snapshot of the database.
    ///
    /// - Parameter body: Reads; it must not store the connection. If the connection to the database fails, it may run again.
    /// - Returns: The body's result.
    /// - Throws: ``StoreError``: `abandoned` if the body throws another error, which is the cause; `cancelled` if the task was
    ///   cancelled while it waited for its turn.
    func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Writes in a transaction, while no other transaction holds any of the same locks.
    ///
    /// When this returns, the changes are durable. If it throws, nothing was written, except with the code `timedOut`: then the
    /// answer was lost, and the changes may have been written.
    ///
    /// - Parameters:
    ///   - locks: What the transaction reads or changes, and no other transaction may change meanwhile. With the lock of an
    ///     owner, numbers that are given to that owner's changes become visible in their order. They are taken together with the
    ///     first statement; a body without one must call ``SQLConnection/lock(_:)``.
    ///   - body: Reads and writes; it must not store the connection, nor begin or end transactions. It runs again after a
    ///     conflict with another transaction, or if the connection to the database fails.
    /// - Returns: The body's result.
    /// - Throws: ``StoreError``, as ``readRows(_:)`` does.
    func writeRows<Value: Sendable>(
        locking locks: [SQLLock], _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Notifies all processes of changes to a part of the database; each call for the same part returns the same signal.
    func changeSignal(of part: String) -> any ChangeSignal

    /// Reports each read and write from now on.
    ///
    /// - Parameter report: Called on the thread of the connection, so it must not block.
    func observe(_ report: @escaping @Sendable (DatabaseAccess) -> Void)

    /// Closes the database; later operations fail with the code `closed`.
    ///
    /// It waits for operations in progress, and so must not be called within a read or a write.
    func close()
}

/// The SQL of a database.
package enum SQLDialect: Hashable, Sendable {
    case sqlite, postgreSQL
}

/// What only one transaction at a time may change.
///
/// SQLite has one writer at a time and needs no locks. In PostgreSQL, this is an advisory lock, held until the end of the
/// transaction: https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
package struct SQLLock: Hashable, Sendable {
    package let name: String
    /// Whether other transactions may hold the lock too, if theirs are shared.
    package private(set) var isShared = false

    /// Locks a part of the database, such as `jobs`.
    package init(part: String) {
        name = part
    }

    /// Locks one owner's rows in a part of the database.
    package init(part: String, owner: OwnerID) {
        name = "\(part)/\(owner)"
    }

    /// The same lock for transactions that exclude only those with the exclusive lock.
    ///
    /// A transaction that holds the shared lock must not take the exclusive one: two such transactions would wait for
    /// each other.
    package var shared: SQLLock {
        var lock = self
        lock.isShared = true
        return lock
    }
}

/// Notifies other processes, and other parts of this one, of changes.
///
/// A signal is a hint and may be lost: watchers look for changes at an interval too.
package protocol ChangeSignal: AnyObject, Sendable {
    /// Notifies all watchers, also those of other processes.
    ///
    /// - Parameter watcher: The watcher that sends the signal, and isn't notified.
    /// - Returns: Whether this signal may have replaced another one; if so, the sender must look for changes itself.
    @discardableResult
    func send(from watcher: Int?) -> Bool

    /// Calls a closure after each signal of other senders, and at an interval; several signals may result in one call.
    ///
    /// - Parameter report: The closure; it must return quickly.
    /// - Returns: A number for ``send(from:)``, and the watch, to be stopped.
    func watch(_ report: @escaping @Sendable () -> Void) -> (watcher: Int, watch: ChangeWatch)
}

extension ChangeSignal {
    /// Notifies all watchers.
    @discardableResult
    package func send() -> Bool { send(from: nil) }
}

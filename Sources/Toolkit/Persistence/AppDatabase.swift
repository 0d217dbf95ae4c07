import DurableFiles
package import Foundation
import Futures
public import GRDB
import Synchronization

/// The SQLite database of a ``DataFolder``, and its connections.
///
/// Any task may use it at any time. All writes are serialised, including those of other processes that share the
/// folder. Reads run concurrently, and each sees a snapshot of the database from when the read began.
public final class AppDatabase: Sendable {
    /// A change of the schema: creates a part of it, or converts its previous form.
    ///
    /// A released migration never changes.
    public struct Migration: Sendable {
        /// The migration's identifier: the name of the target and a number, such as `library.1`.
        public var identifier: String
        /// The identifiers of the migrations that this one replaces; empty if it replaces none.
        public var replaced: Set<String>
        /// The tables that this migration creates for what can be made again from other data, such as a search index.
        ///
        /// They are only checked for damage when a small database is opened, because reading a large one takes long.
        public var derivedTables: Set<String> = []
        /// Creates the schema, or changes that of the preceding migration, in its own transaction.
        public var migrate: @Sendable (Database) throws -> Void
        /// Converts the schema of the replaced migrations, in its own transaction.
        public var convert: @Sendable (Database) throws -> Void

        /// Creates a migration; foreign keys are checked at its end.
        public init(_ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void) {
            self.init(identifier, replacing: [], converting: { _ in }, migrate: migrate)
        }

        /// Creates a migration that creates a whole schema, and replaces the earlier migrations that built it step by step.
        ///
        /// A database in which only some of the replaced migrations ran is too old: it is refused, and not changed.
        ///
        /// - Parameters:
        ///   - identifier: The name of the target and a number, such as `library.4`.
        ///   - replaced: The identifiers of all replaced migrations.
        ///   - convert: Converts their schema to this one.
        ///   - migrate: Creates the schema if none of them ran. Either this or `convert` runs, in its own transaction; foreign
        ///     keys are checked at its end.
        public init(
            _ identifier: String, replacing replaced: Set<String>,
            converting convert: @escaping @Sendable (Database) throws -> Void,
            migrate: @escaping @Sendable (Database) throws -> Void
        ) {
            self.identifier = identifier
            self.replaced = replaced
            self.convert = convert
            self.migrate = migrate
        }

        /// Creates or converts the schema, and deletes the records of the migrations that this one replaces.
        func run(in connection: Database) throws {
            if try DatabaseMigrator().appliedIdentifiers(connection).isDisjoint(with: replaced) {
                return try migrate(connection)
            }
            try convert(connection)
            for identifier in replaced {
                try connection.execute(
                    sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [identifier])
            }
        }
    }

    /// The folder that contains the database.
    public let folder: DataFolder

    /// The path that a damaged database was moved to when this one was opened; the user must be informed.
    ///
    /// It is a folder within the data folder, and a complete data folder itself. The open database is a new one.
    public let setAside: String?

    /// A random ID of this instance: opening the database again, for example after files were restored, gives another ID.
    package let instanceID = UUID()

    /// The last change of a ``SQLiteStore`` when the database was opened.
    package let lastChange: Int64?

    let pool: DatabasePool
    /// The shared lock that keeps other processes from moving the files away.
    private let usageLock: FileLock
    private let isClosed = Atomic(false)
    private let signals = Lock<[String: CommitSignal]>([:])
    private let observer = Lock<(@Sendable (DatabaseAccess) -> Void)?>(nil)
    private let objectStore = Lock<(any BlobObjects)?>(nil)

    init(folder: DataFolder, setAside: String?, pool: DatabasePool, usageLock: FileLock, lastChange: Int64) {
        self.folder = folder
        self.setAside = setAside
        self.pool = pool
        self.usageLock = usageLock
        self.lastChange = lastChange
    }

    // There is no `deinit` that closes the pool: the last reference may be released on the queue of a connection, where
    // waiting for that queue would crash. The pool closes itself when it is released, and so does the lock.
}

extension AppDatabase {
    /// Opens the database of a folder, creates it if there is none, and migrates it.
    ///
    /// A damaged database is moved away with its blobs, and a new one is created: see ``setAside``. Cancelling the task doesn't
    /// interrupt the opening.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - migrations: The migrations of all targets, those of each target in order. Those that ran before don't run again.
    /// - Returns: The database.
    /// - Throws: ``StoreError``: `newerVersion` if a newer program has migrated the database, and `olderVersion` if the
    ///   program that has migrated it is too old; in both cases, nothing was changed. `locked` if another process takes
    ///   too long to open the database; or another error if it can't be opened.
    public static func open(
        in folder: DataFolder, migrations: [Migration]
    ) async throws(StoreError) -> AppDatabase {
        try await DiskWork.run { () throws(StoreError) in
            try DatabaseOpening(folder: folder, migrations: migrations).open()
        }
    }

    /// Opens the database of a folder as ``open(in:migrations:)`` does, even if it is the target of an unfinished move: see
    /// ``DatabaseMove``.
    package static func open(
        in folder: DataFolder, migrations: [Migration], opensUnfinishedMove: Bool
    ) async throws(StoreError) -> AppDatabase {
        try await DiskWork.run { () throws(StoreError) in
            try DatabaseOpening(
                folder: folder, migrations: migrations, opensUnfinishedMove: opensUnfinishedMove
            ).open()
        }
    }

    /// Reads in a transaction.
    ///
    /// - Parameter body: Reads; it must not store the connection.
    /// - Returns: The body's result.
    /// - Throws: ``StoreError``: `abandoned` if the body throws another error, which is the cause; `cancelled` if the task was
    ///   cancelled while it waited for its turn.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(.read) { operation in
            self.pool.asyncRead { connection in
                operation.run { try body(connection.get()) }
            }
        }
    }

    /// Writes in a transaction, while no other write runs.
    ///
    /// When this returns, the changes are durable: they survive the end of the process and a crash of the machine. If it throws,
    /// nothing was written. Cancelling the task doesn't interrupt a write that has started.
    ///
    /// - Parameter body: Reads and writes; it must not store the connection, nor begin or end transactions.
    /// - Returns: The body's result.
    /// - Throws: ``StoreError``: `abandoned` if the body throws another error, which is the cause; `cancelled` if the task was
    ///   cancelled while it waited for its turn.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(.write) { operation in
            self.pool.asyncWriteWithoutTransaction { connection in
                operation.run {
                    var value: [Value] = []
                    try connection.inTransaction(.immediate) {
                        value = [try body(connection)]
                        return .commit
                    }
                    return value[0]
                }
            }
        }
    }

    /// Waits for the operations in progress and closes the database; later operations fail with the code `closed`.
    ///
    /// The wait blocks the thread, so this must not be called within a read or a write.
    public func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // An observer may hold what holds this database.
        observer.withLock { $0 = nil }
        try? pool.close()
        emptyLog()
        usageLock.release()
    }

    /// Checkpoints the log, because GRDB closes its writer before its readers.
    ///
    /// SQLite checkpoints by itself only if the connection that is closed last can write.
    private func emptyLog() {
        guard Disk.stamp(of: folder.logPath) != nil, let last = try? DatabaseQueue(path: folder.databasePath) else {
            return
        }
        // If another process has the database open, the log is left to it.
        try? last.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        try? last.close()
    }
}

extension AppDatabase {
    /// The signal of a part of the database; each call for the same part returns the same signal.
    package func signal(_ part: String) -> CommitSignal {
        signals.withLock { signals in
            if let signal = signals[part] { return signal }
            let signal = CommitSignal(in: folder, name: part)
            signals[part] = signal
            return signal
        }
    }

    /// Reports each read and write from now on.
    ///
    /// - Parameter report: Called on the thread of the connection, so it must not block.
    package func observe(_ report: @escaping @Sendable (DatabaseAccess) -> Void) {
        observer.withLock { $0 = report }
    }

    /// The store of the blobs' contents outside the folder, for backups and verifications too; `nil` if there is none.
    package var objects: (any BlobObjects)? {
        get { objectStore.withLock(\.self) }
        set { objectStore.withLock { $0 = newValue } }
    }

    /// Waits for a connection, and for the work on it.
    private func perform<Value: Sendable>(
        _ kind: DatabaseAccess.Kind, _ begin: (PendingOperation<Value>) -> Void
    ) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .acquiring) else {
            throw StoreError(.closed, "\(folder.databasePath) has been closed.")
        }
        let cancellation = Cancellation()
        let measurement = observer.withLock(\.self).map {
            Measurement(kind: kind, requestedAt: .now, report: $0)
        }
        let path = folder.databasePath
        let result: Result<Value, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(
                    PendingOperation(
                        cancellation: cancellation, request: RequestID.current, measurement: measurement,
                        continuation: continuation))
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .releasing)
        }
        return try result.mapError { StoreError($0, ofDatabaseAt: path) }.get()
    }
}

/// A flag that tells other threads that a task was cancelled.
final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

/// A pending read or write.
private struct PendingOperation<Value: Sendable>: Sendable {
    var cancellation: Cancellation
    /// The request that waits for the operation; the connection's thread belongs to no task.
    var request: String?
    /// `nil` if the database has no observer.
    var measurement: Measurement?
    var continuation: CheckedContinuation<Result<Value, any Error>, Never>

    /// Performs the work, unless the task was cancelled while it waited.
    func run(_ work: () throws -> Value) {
        let beganAt = ContinuousClock.now
        let result = Result {
            if cancellation.isRequested.load(ordering: .acquiring) { throw CancellationError() }
            return try RequestID.$current.withValue(request) { try work() }
        }
        measurement?.end(beganAt)
        continuation.resume(returning: result)
    }
}

/// Reports how long an operation took.
private struct Measurement: Sendable {
    var kind: DatabaseAccess.Kind
    var requestedAt: ContinuousClock.Instant
    var report: @Sendable (DatabaseAccess) -> Void

    func end(_ beganAt: ContinuousClock.Instant) {
        report(DatabaseAccess(kind: kind, waited: beganAt - requestedAt, ran: .now - beganAt))
    }
}

extension AppDatabase.Migration {
    /// The migrations of this target, which run before all others.
    static let own =
        BlobStore.migrations + SQLiteStore.migrations + OwnerUsage.migrations
        + [BlobStore.pieceMigration, BlobStore.claimMigration]
}

extension [AppDatabase.Migration] {
    /// Checks whether the migrations support a database.
    ///
    /// - Parameters:
    ///   - connection: The database.
    ///   - name: The database's name in the message, such as its path.
    /// - Returns: An error with the code `newerVersion` or `olderVersion`; `nil` if the database is supported.
    /// - Throws: An error of SQLite.
    func refusal(of connection: Database, named name: String) throws -> StoreError? {
        let applied = try DatabaseMigrator().appliedIdentifiers(connection)
        let known = reduce(into: Set<String>()) { $0.formUnion($1.replaced.union([$1.identifier])) }
        if let newest = applied.subtracting(known).max() {
            return StoreError(
                .newerVersion,
                "\(name) was written by a newer version of this program (it knows “\(newest)”). Use that version, or "
                    + "choose another data folder. Nothing was changed.")
        }
        for migration in self where !applied.isDisjoint(with: migration.replaced) {
            guard let missing = migration.replaced.subtracting(applied).max() else { continue }
            return StoreError(
                .olderVersion,
                "\(name) was written by a version of this program that is too old (it doesn't know “\(missing)”). Open it "
                    + "once with a version from before “\(migration.identifier)”, then with this one. Nothing was "
                    + "changed.")
        }
        return nil
    }
}

extension DataFolder {
    /// The path of the database file.
    var databasePath: String { path(of: "meanwhile.sqlite") }

    /// The path of SQLite's write-ahead log.
    var logPath: String { path(of: "meanwhile.sqlite-wal") }

    /// The path of the folder of the blobs.
    var blobsPath: String { path(of: "blobs") }
}

import DurableFiles
package import Foundation
import Futures
public import GRDB
import Synchronization

/// The one SQLite file that everything is kept in, and whoever reads and writes it.
///
/// Any task may use it at any time. Writes run one after another, also those of other processes that share the folder;
/// reads run beside them, and each sees the database as it was when the read began.
public final class AppDatabase: Sendable {
    /// What makes a part of the database, or brings it from its last schema into this one.
    ///
    /// Once released it never changes.
    public struct Migration: Sendable {
        /// Its name: the target's and a number, such as `library.1`.
        public var identifier: String
        /// The names of the migrations that made the last schema; none if there was none.
        public var replaced: Set<String>
        /// Makes the schema, or changes the one of the migration before, in a transaction of its own.
        public var migrate: @Sendable (Database) throws -> Void
        /// Brings the last schema into this one, in a transaction of its own.
        public var convert: @Sendable (Database) throws -> Void

        /// Creates a migration; foreign keys are checked at its end.
        public init(_ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void) {
            self.init(identifier, replacing: [], converting: { _ in }, migrate: migrate)
        }

        /// Creates a whole schema, which earlier migrations made step by step.
        ///
        /// A database in which only some of the earlier migrations ran is older than the last schema: it is refused, and
        /// nothing is changed.
        ///
        /// - Parameters:
        ///   - identifier: The target's name and a number, such as `library.4`.
        ///   - replaced: The names of all the earlier migrations.
        ///   - convert: Brings what they made into this schema.
        ///   - migrate: Makes the schema where none of them ran. Of both, one runs, in a transaction of its own; foreign keys
        ///     are checked at its end.
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

        /// Makes the schema, or converts the last one, and forgets the names of the migrations that this one replaces.
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

    /// The folder that it is in.
    public let folder: DataFolder

    /// Where the database was moved to by this opening, because it was damaged; people must be told.
    ///
    /// It is the path of a folder within the data folder, and a whole data folder itself. What is open is a new database.
    public let setAside: String?

    /// A random name of this opening: a copy of the files that is put back is opened anew.
    package let opening = UUID()

    /// The last change of a ``SQLiteStore`` when it was opened.
    let lastChange: Int64

    let pool: DatabasePool
    /// Keeps other processes from moving the files away.
    private let use: FileLock
    private let isClosed = Atomic(false)
    private let signals = Lock<[String: CommitSignal]>([:])

    init(folder: DataFolder, setAside: String?, pool: DatabasePool, use: FileLock, lastChange: Int64) {
        self.folder = folder
        self.setAside = setAside
        self.pool = pool
        self.use = use
        self.lastChange = lastChange
    }

    // No `deinit` closes it: the last reference may go on the queue of a connection, where waiting for that queue is
    // fatal. The pool closes itself when it goes, and the lock with it.
}

extension AppDatabase {
    /// Opens the database of a folder, makes it if there is none, and brings it into its newest form.
    ///
    /// A database that is damaged is moved away whole, with its blobs, and a new one is begun: see ``setAside``.
    /// Opening is not broken off by a cancellation.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - migrations: Those of every target, each target's in their order. Those that were run before are not run again.
    /// - Returns: The database.
    /// - Throws: ``StoreError``: with the code `newerVersion` if it was migrated by a newer program, or `olderVersion`
    ///   if by one that is too old, and nothing was changed; `locked`, if another process is opening it for too long; or
    ///   why else it cannot be opened.
    public static func open(
        in folder: DataFolder, migrations: [Migration]
    ) async throws(StoreError) -> AppDatabase {
        try await DiskWork.run { () throws(StoreError) in
            try DatabaseOpening(folder: folder, migrations: migrations).open()
        }
    }

    /// Reads in one transaction.
    ///
    /// - Parameter body: Reads; it must not keep the connection.
    /// - Returns: What was read.
    /// - Throws: ``StoreError``: `abandoned`, with its cause, if the body throws an error of its own; `cancelled`,
    ///   if the task was cancelled before it was its turn.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await turn { turn in
            self.pool.asyncRead { connection in
                turn.take { try body(connection.get()) }
            }
        }
    }

    /// Writes in one transaction, that no other write runs beside.
    ///
    /// When this returns, what was written survives the end of the process and of the machine. When it throws, nothing
    /// was written. A write that has begun is not broken off by a cancellation.
    ///
    /// - Parameter body: Reads and writes; it must not keep the connection, nor begin or end transactions.
    /// - Returns: What the body returns.
    /// - Throws: ``StoreError``: `abandoned`, with its cause, if the body throws an error of its own; `cancelled`,
    ///   if the task was cancelled before it was its turn.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await turn { turn in
            self.pool.asyncWriteWithoutTransaction { connection in
                turn.take {
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

    /// Closes the database, after what is under way; what comes later fails with the code `closed`.
    ///
    /// It waits, so that it must not be called from within a read or a write.
    public func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? pool.close()
        emptyLog()
        use.release()
    }

    /// SQLite empties its log into the file only if the last to leave may write, and GRDB closes its writer before its readers.
    private func emptyLog() {
        guard Disk.file(folder.logPath) != nil, let last = try? DatabaseQueue(path: folder.databasePath) else { return }
        // Where another process has it open, the log stays that one's.
        try? last.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        try? last.close()
    }
}

extension AppDatabase {
    /// The signal of a part of the database: one for all that watch the part by this opening.
    package func signal(_ part: String) -> CommitSignal {
        signals.withLock { signals in
            if let signal = signals[part] { return signal }
            let signal = CommitSignal(in: folder, name: part)
            signals[part] = signal
            return signal
        }
    }

    /// Waits for a connection, and for what is done with it.
    private func turn<Value: Sendable>(
        _ begin: (Turn<Value>) -> Void
    ) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .acquiring) else {
            throw StoreError(.closed, "\(folder.databasePath) has been closed.")
        }
        let isCancelled = Cancellation()
        let path = folder.databasePath
        let result: Result<Value, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(Turn(isCancelled: isCancelled, continuation: continuation))
            }
        } onCancel: {
            isCancelled.flag.store(true, ordering: .releasing)
        }
        return try result.mapError { StoreError($0, ofDatabaseAt: path) }.get()
    }
}

/// Whether a task was cancelled while others work for it.
final class Cancellation: Sendable {
    let flag = Atomic(false)
}

/// The turn of one read or write.
private struct Turn<Value: Sendable>: Sendable {
    var isCancelled: Cancellation
    var continuation: CheckedContinuation<Result<Value, any Error>, Never>

    /// Does what is to be done, unless the task was cancelled while it waited.
    func take(_ work: () throws -> Value) {
        let result = Result {
            if isCancelled.flag.load(ordering: .acquiring) { throw CancellationError() }
            return try work()
        }
        continuation.resume(returning: result)
    }
}

extension AppDatabase.Migration {
    /// Those of this target: they run before all others.
    static let own = BlobStore.migrations + SQLiteStore.migrations + OwnerUsage.migrations
}

extension [AppDatabase.Migration] {
    /// Why they can't be run on a database; `nil` if they can.
    ///
    /// - Parameters:
    ///   - connection: The database.
    ///   - name: What the message calls it, such as its path.
    /// - Returns: An error with the code `newerVersion` or `olderVersion`.
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
    /// The database's file.
    var databasePath: String { path(of: "meanwhile.sqlite") }

    /// Where SQLite keeps what it has not yet written into the database's file.
    var logPath: String { path(of: "meanwhile.sqlite-wal") }

    /// The folder of the blobs.
    var blobsPath: String { path(of: "blobs") }
}

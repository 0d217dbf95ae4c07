import DurableFiles
import Foundation
import GRDB
import SystemPackage

/// Opens a database, one process at a time: inspects it before any write, sets damaged files aside, and migrates.
struct DatabaseOpening {
    /// How long a transaction waits for the transactions of other processes, in seconds.
    static let busyTimeout = 10.0

    let folder: DataFolder
    let migrations: [AppDatabase.Migration]
    /// How long to wait while another process opens the same database.
    var openingTimeout = Duration.seconds(30)
    var now: @Sendable () -> Date = { Date() }
    /// The size of the largest database that is checked as a whole, in bytes.
    var wholeCheckBytes = Self.wholeCheckBytes
    /// Whether to open a database that is the target of an unfinished move.
    var opensUnfinishedMove = false

    func open() throws(StoreError) -> AppDatabase {
        try checkNames()
        let opening = try lock(".opening.lock")
        defer { opening.release() }
        try waitForTurn(opening)
        // Each process that has the database open shares this lock, so that no other process moves the files away.
        let usageLock = try lock(".database.lock")
        try folder.finishRestoring()
        try folder.makeFilesPrivate()
        var setAside = try DamagedFiles(folder: folder, now: now).finish(holding: usageLock)
        switch try inspection() {
        case .intact:
            break
        case .refused(let refusal):
            throw refusal
        case .damaged(let reason):
            setAside = try DamagedFiles(folder: folder, now: now).setAside(because: reason, holding: usageLock)
        }
        try acquire(usageLock, .shared)
        try makeFile()
        let pool = try openPool()
        try migrate(pool)
        let lastChange = try lastChange(in: pool)
        return AppDatabase(folder: folder, setAside: setAside, pool: pool, usageLock: usageLock, lastChange: lastChange)
    }
}

extension DatabaseOpening {
    private func checkNames() throws(StoreError) {
        var names: Set<String> = []
        for migration in AppDatabase.Migration.own + migrations where !names.insert(migration.identifier).inserted {
            throw StoreError(
                .invalidName, "Two migrations are named “\(migration.identifier)”: each needs a name of its own.")
        }
    }

    private func lock(_ name: String) throws(StoreError) -> FileLock {
        let path = folder.path(of: name)
        return try onDisk("could not be opened", at: path) { () throws(Errno) in try FileLock(at: path) }
    }

    private func acquire(_ lock: FileLock, _ kind: FileLock.Kind) throws(StoreError) {
        let isLocked = try onDisk("could not be locked", at: folder.path) { () throws(Errno) in
            try lock.tryAcquire(kind)
        }
        if isLocked { return }
        throw beingOpenedError
    }

    /// Polls for the lock: `flock` has no timeout, and a thread that blocks in it may block forever.
    private func waitForTurn(_ opening: FileLock) throws(StoreError) {
        let end = ContinuousClock.now + openingTimeout
        while true {
            let isLocked = try onDisk("could not be locked", at: folder.path) { () throws(Errno) in
                try opening.tryAcquire(.exclusive)
            }
            if isLocked { return }
            if ContinuousClock.now >= end { throw beingOpenedError }
            Thread.sleep(until: Date.now + 0.01)
        }
    }

    private var beingOpenedError: StoreError {
        StoreError(
            .locked,
            "\(folder.databasePath) was locked by another process that was opening it, for more than "
                + "\(openingTimeout.components.seconds) s. Try again when that process ends.")
    }
}

extension DatabaseOpening {
    /// The state of the existing files.
    private enum Inspection {
        case intact
        case refused(StoreError)
        case damaged(String)
    }

    /// Inspects the file without writing to it.
    private func inspection() throws(StoreError) -> Inspection {
        let path = folder.databasePath
        if Disk.isFolder(path) {
            throw StoreError(
                .notWritable, "\(path) is a folder, so the database cannot be created there. Move the folder elsewhere."
            )
        }
        guard (Disk.stamp(of: path)?.bytes ?? 0) > 0 else {
            // SQLite would treat the file as a new database, and delete the log with the committed changes.
            guard let left = DamagedFiles(folder: folder, now: now).strayFile else { return .intact }
            return .damaged("it is empty or missing, although \(left) exists")
        }
        do {
            return try inspect(path, readOnly: true)
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                return .damaged(error.message ?? "it is not a database")
            default:
                throw StoreError(error, ofDatabaseAt: path)
            }
        } catch {
            throw StoreError(error, ofDatabaseAt: path)
        }
    }

    private func inspect(_ path: String, readOnly: Bool) throws -> Inspection {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = Self.waiting
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { connection in
                if let refusal = try (AppDatabase.Migration.own + migrations).refusal(of: connection, named: path) {
                    return .refused(refusal)
                }
                if !opensUnfinishedMove, let mark = try DatabaseMoveMark(in: SQLiteConnection(connection)),
                    mark.role == .target
                {
                    return .refused(DatabaseMoveMark.unfinished(path, from: mark.place))
                }
                let problem = try problem(in: connection)
                return problem.map { .damaged($0) } ?? .intact
            }
        } catch let error as DatabaseError where readOnly && error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            // A process was killed while it created the database; only a writer may roll that back.
            return try inspect(path, readOnly: false)
        }
    }
}

extension DatabaseOpening {
    /// The size of the largest database that is checked as a whole, in bytes; reading it takes about 0.1 s.
    static let wholeCheckBytes = 64 << 20

    /// What is damaged; `nil` if nothing is.
    ///
    /// In a large database, tables that can be made again from others are left out. ``BackupWriter`` checks them, too.
    private func problem(in connection: Database) throws -> String? {
        let bytes = Disk.stamp(of: folder.databasePath)?.bytes ?? 0
        guard bytes > wholeCheckBytes else { return try Self.problem("PRAGMA quick_check(1)", in: connection) }
        let derived = migrations.reduce(into: Set<String>()) { $0.formUnion($1.derivedTables) }
        let tables = try String.fetchAll(
            connection, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
        for table in tables where !derived.contains(table) {
            let name = table.replacing("'", with: "''")
            if let problem = try Self.problem("PRAGMA quick_check('\(name)')", in: connection) { return problem }
        }
        return nil
    }

    private static func problem(_ check: String, in connection: Database) throws -> String? {
        let problems = try String.fetchAll(connection, sql: check)
        return problems == ["ok"] ? nil : problems.first ?? "its check gave no result"
    }
}

extension DatabaseOpening {
    /// How a write waits while other processes write.
    ///
    /// The pauses of SQLite's own timeout grow to 100 ms. A process that writes continuously unlocks the file only for
    /// much shorter moments, and a process that waits with such pauses misses them again and again. Short pauses of
    /// random length avoid this.
    private static var waiting: Database.BusyMode {
        let longest = 0.02
        return .callback { tries in
            guard Double(tries) * longest / 2 < busyTimeout else { return false }
            Thread.sleep(until: Date.now + Double.random(in: 0.001...longest))
            return true
        }
    }

    /// Creates the file if it is missing.
    ///
    /// SQLite would create it readable for every account, and gives its log the permissions of the file.
    private func makeFile() throws(StoreError) {
        do throws(Errno) {
            try Disk.real.writeNewFile(folder.databasePath, Data(), isDurable: false)
        } catch .fileExists {
            return
        } catch {
            throw StoreError(error, "could not be created", at: folder.databasePath)
        }
    }

    private func openPool() throws(StoreError) -> DatabasePool {
        do {
            var configuration = Configuration()
            configuration.label = "meanwhile"
            configuration.busyMode = Self.waiting
            configuration.foreignKeysEnabled = true
            let pool = try DatabasePool(path: folder.databasePath, configuration: configuration)
            // After opening, because GRDB sets NORMAL when it enables WAL. With NORMAL, a crash of the machine can lose
            // committed changes.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Disk.real.syncFolder(folder.path)
            return pool
        } catch let error as Errno {
            throw StoreError(error, "could not be synced", at: folder.path)
        } catch {
            throw StoreError(error, ofDatabaseAt: folder.databasePath)
        }
    }

    private func migrate(_ pool: DatabasePool) throws(StoreError) {
        let path = folder.databasePath
        var migrator = DatabaseMigrator()
        for migration in AppDatabase.Migration.own + migrations {
            migrator.registerMigration(migration.identifier) { connection in
                do {
                    try migration.run(in: connection)
                } catch {
                    throw Self.failure(of: migration, with: error, at: path)
                }
            }
        }
        do {
            try migrator.migrate(pool)
        } catch {
            throw StoreError(error, ofDatabaseAt: path)
        }
    }

    private func lastChange(in pool: DatabasePool) throws(StoreError) -> Int64 {
        do {
            return try pool.read { try SQLiteStore.lastChange(of: .local, in: SQLiteConnection($0)) }
        } catch {
            throw StoreError(error, ofDatabaseAt: folder.databasePath)
        }
    }

    /// Errors such as a full disk keep their code; failed statements and the migration's own errors become `migrationFailed`.
    private static func failure(
        of migration: AppDatabase.Migration, with error: any Error, at path: String
    ) -> StoreError {
        let error = StoreError(error, ofDatabaseAt: path)
        guard [.queryFailed, .abandoned].contains(error.code) else { return error }
        return StoreError(
            .migrationFailed,
            "\(path) could not be upgraded: the migration “\(migration.identifier)” failed. Nothing was changed. Use "
                + "the previous version of this program. (\(error.message))",
            cause: error.cause)
    }
}

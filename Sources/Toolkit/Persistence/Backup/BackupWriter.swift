import DurableFiles
public import Foundation
import GRDB
import SystemPackage

/// Writes a backup, or resumes an interrupted one.
///
/// It writes the blobs first: they never change, so that those of an interrupted backup can be reused. Then it takes a snapshot
/// of the database, and writes the blobs that were added meanwhile, the snapshot and the manifest.
struct BackupWriter {
    let database: AppDatabase
    let path: String
    let now: @Sendable () -> Date
    private var meter: BackupMeter
    private var written: [BlobStore.ID] = []
    private var writtenBytes: Int64 = 0

    init(_ database: AppDatabase, to path: String, now: @escaping @Sendable () -> Date, _ meter: BackupMeter) {
        self.database = database
        self.path = path
        self.now = now
        self.meter = meter
    }

    /// The file's path until it is complete.
    private var unfinishedPath: String { path + ".part" }
    private var copyPath: String { path + ".database" }
    /// The maximum number of copies of the database, which is copied again if blobs that it refers to were removed meanwhile.
    private static let maximumCopies = 3

    mutating func run() throws(StoreError) -> Backup.Summary {
        try refuseToOverwrite()
        let lock = try lock()
        defer { lock.release() }
        let file = try BackupFile(unfinishedPath, .updating)
        try resume(file)
        defer { try? removeCopy() }
        let copy = try copyDatabase(into: file)
        let manifest = try finish(file, copy)
        try file.sync()
        try refuseToOverwrite()
        try onDisk("could not be written", at: path) { () throws(Errno) in
            try Disk.real.rename(unfinishedPath, to: path)
            try Disk.real.syncEntry(path)
        }
        return manifest.summary
    }
}

extension BackupWriter {
    private func refuseToOverwrite() throws(StoreError) {
        guard Disk.exists(path) else { return }
        throw StoreError(.notWritable, "\(path) exists already, and was not overwritten. Choose another name.")
    }

    private func lock() throws(StoreError) -> FileLock {
        let path = unfinishedPath
        if let lock = try onDisk(
            "could not be created", at: path, { () throws(Errno) in try FileLock.acquired(at: path) })
        {
            return lock
        }
        throw StoreError(
            .inUse, "\(unfinishedPath) is being written by another process. Wait for it, or choose another name.")
    }

    /// Reuses the intact part of an interrupted attempt.
    private mutating func resume(_ file: BackupFile) throws(StoreError) {
        var hashed: [BlobStore.ID] = []
        var bytes: Int64 = 0
        var size: Int64 = 0
        let sink = BackupReader.Sink(
            begin: { _ throws(StoreError) in size = 0 },
            take: { data throws(StoreError) in size += Int64(data.count) },
            end: { entry throws(StoreError) in
                guard case .blob(let id) = entry else { return }
                hashed.append(id)
                bytes += size
            })
        var reader = BackupReader(file, meter, sink: sink)
        guard let end = try reader.readBeginning() else {
            throw StoreError(
                .notWritable,
                "\(unfinishedPath) exists already, and is not an interrupted backup. Move it away, or choose another "
                    + "name.")
        }
        meter = reader.meter
        try file.truncate(to: end)
        if end == 0 { try file.write(Data(BackupEntry.signature.header(size: 0))) }
        (written, writtenBytes) = (hashed, bytes)
    }

    /// Copies blobs and then the database, until all blobs that the copy refers to are included.
    private mutating func copyDatabase(
        into file: BackupFile
    ) throws(StoreError) -> (queue: DatabaseQueue, created: Date, missing: [BlobStore.ID]) {
        try removeCopy()
        let before = try blobs(in: database.pool)
        let included = Set(written)
        meter.progress.totalBytes =
            meter.progress.doneBytes + BlobRow.bytes(of: before.filter { !included.contains($0.id) })
            + Int64(Disk.stamp(of: database.folder.databasePath)?.bytes ?? 0)
        _ = try append(before, to: file)
        var attempt = 0
        while true {
            attempt += 1
            // In whole seconds, as the manifest encodes it.
            let created = Date(timeIntervalSince1970: now().timeIntervalSince1970.rounded(.down))
            let queue = try copy()
            // Blobs without references may have been swept.
            let missing = try append(try blobs(in: queue), to: file).filter(\.isReferenced)
            if missing.isEmpty || attempt == Self.maximumCopies { return (queue, created, missing.map(\.id)) }
            try? queue.close()
            try removeCopy()
        }
    }

    private mutating func finish(
        _ file: BackupFile, _ copy: (queue: DatabaseQueue, created: Date, missing: [BlobStore.ID])
    ) throws(StoreError) -> BackupManifest {
        let migrations: [String]
        do {
            migrations = try copy.queue.read { try DatabaseMigrator().appliedIdentifiers($0).sorted() }
            try copy.queue.close()
        } catch {
            throw StoreError(error, ofDatabaseAt: copyPath)
        }
        let source = try BackupFile(copyPath)
        let digest = try append(.database, source, to: file)
        guard let digest else { throw StoreError(.inputOutput, "\(copyPath) could not be read. Try again.") }
        let names = written.map { "\($0)\n" }.joined()
        let manifest = BackupManifest(
            summary: Backup.Summary(
                created: copy.created, databaseBytes: source.length, fileCount: written.count, fileBytes: writtenBytes,
                missing: copy.missing),
            databaseDigest: digest, filesDigest: BlobStore.ID(of: Data(names.utf8)), migrations: migrations)
        let list: Data
        do {
            list = try BackupManifest.encoder.encode(manifest)
        } catch {
            throw StoreError(.notEncodable, "The table of contents of \(path) could not be written.", cause: error)
        }
        let entry = BackupEntry.manifest(BlobStore.ID(of: list))
        try file.write(Data(entry.header(size: Int64(list.count))) + list)
        try file.write(Data(count: BackupEntry.padding(after: Int64(list.count)) + 2 * BackupEntry.blockSize))
        return manifest
    }
}

// MARK: - Blobs

extension BackupWriter {
    private func blobs(in reader: any DatabaseReader) throws(StoreError) -> [BlobRow] {
        do {
            return try reader.read { try BlobRow.all(in: $0) }
        } catch {
            throw StoreError(error, ofDatabaseAt: database.folder.databasePath)
        }
    }

    /// Appends the blobs that are not in the backup yet.
    ///
    /// - Returns: The blobs that are missing, damaged or unreadable.
    private mutating func append(_ blobs: [BlobRow], to file: BackupFile) throws(StoreError) -> [BlobRow] {
        var missing: [BlobRow] = []
        let included = Set(written)
        let store = BlobStore(database: database)
        for blob in blobs where !included.contains(blob.id) {
            try store.waitForFiles([blob.id])
            let path = store.path(of: blob.id)
            guard let source = try BackupFile.ofBlob(at: path), try append(.blob(blob.id), source, to: file) != nil
            else {
                missing.append(blob)
                continue
            }
            written.append(blob.id)
            writtenBytes += source.length
        }
        return missing
    }

    /// Appends a file.
    ///
    /// - Returns: The SHA-256 of its content; `nil` if it is damaged or can't be read, and then nothing is appended.
    private mutating func append(
        _ entry: BackupEntry, _ source: BackupFile, to file: BackupFile
    ) throws(StoreError) -> BlobStore.ID? {
        let start = try file.position()
        try file.write(Data(entry.header(size: source.length)))
        var meter = meter
        var digest = try source.digest { data throws(StoreError) in
            try meter.add(data.count)
            try file.write(data)
        }
        self.meter = meter
        if case .blob(let id) = entry, id != digest { digest = nil }
        if digest == nil {
            try file.truncate(to: start)
        } else {
            try file.write(Data(count: BackupEntry.padding(after: source.length)))
        }
        return digest
    }
}

// MARK: - The copy of the database

extension BackupWriter {
    private func removeCopy() throws(StoreError) {
        try onDisk("could not be removed", at: copyPath) { () throws(Errno) in
            for suffix in ["", "-journal", "-wal", "-shm"] { try Disk.real.removeFile(copyPath + suffix) }
        }
    }

    /// Copies a snapshot of the database while other connections may write.
    private mutating func copy() throws(StoreError) -> DatabaseQueue {
        try onDisk("could not be created", at: copyPath) { () throws(Errno) in
            // SQLite would make the file readable for every account.
            try Disk.real.writeNewFile(copyPath, Data(), isDurable: false)
        }
        let isCancelled = meter.isCancelled
        do {
            let queue = try DatabaseQueue(path: copyPath)
            try database.pool.read { source in
                // Start the snapshot: without it, each write of another process would restart the copy.
                _ = try Int.fetchOne(source, sql: "SELECT count(*) FROM sqlite_schema")
                try queue.writeWithoutTransaction { copy in
                    try source.backup(to: copy, pagesPerStep: 1_024) { _ in
                        if isCancelled() { throw CancellationError() }
                    }
                }
            }
            try queue.writeWithoutTransaction { connection in
                // Make it a single file, without a log.
                try connection.execute(sql: "PRAGMA journal_mode = DELETE")
                let problems = try String.fetchAll(connection, sql: "PRAGMA quick_check(1)")
                guard problems == ["ok"] else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problems.first)
                }
            }
            return queue
        } catch {
            throw StoreError(error, ofDatabaseAt: database.folder.databasePath)
        }
    }
}

extension AppDatabase {
    /// Copies all data into one file, which includes everything that was written before this call.
    ///
    /// Other tasks and processes may write meanwhile. The file gets its name when the backup is complete. An interrupted backup
    /// remains beside it as `NAME.part`, and the next backup of that name resumes it. The folder needs room for a second copy of
    /// the database.
    ///
    /// Throws ``StoreError``: `notWritable` if a file of that name exists, or `NAME.part` isn't an interrupted backup;
    /// `inUse` if another process is writing it; `corrupt` if the database is damaged; `cancelled`; or a disk error.
    public func backUp(
        to path: String, now: @escaping @Sendable () -> Date = { Date() },
        progress: @escaping Backup.ProgressHandler = { _ in }
    ) async throws(StoreError) -> Backup.Summary {
        try await BackupMeter.run(progress) { meter throws(StoreError) in
            var writing = BackupWriter(self, to: path, now: now, meter)
            return try writing.run()
        }
    }
}

import DurableFiles
import Foundation
import GRDB
import SystemPackage

/// Restores a backup into a data folder without a database.
///
/// The backup is unpacked into a subfolder and verified there. Then its files are moved into place, the blobs first and the
/// database last. As long as the subfolder exists and the database doesn't, the data folder can't be opened.
struct BackupRestorer {
    let folder: DataFolder
    let file: BackupFile
    let migrations: [AppDatabase.Migration]
    let meter: BackupMeter

    private var unpacked: String { folder.restoringPath }

    func run() throws(StoreError) -> Backup.Summary {
        try refuseToOverwrite()
        let locks = try lockExclusively()
        defer { for lock in locks { lock.release() } }
        // Another process may have created a database while this one waited for the locks.
        try refuseToOverwrite()
        try onDisk("could not be created", at: unpacked) { () throws(Errno) in
            if Disk.exists(unpacked) {
                // An earlier attempt was interrupted, so any blobs in place are its own.
                try Disk.real.removeTree(folder.blobsPath)
                try Disk.real.removeTree(unpacked)
            }
            try Disk.real.makeFolder(unpacked)
            try Disk.real.syncFolder(folder.path)
        }
        let manifest: BackupManifest
        do throws(StoreError) {
            manifest = try unpack()
            try check(manifest)
        } catch {
            // Clean up, so that another backup can be restored into the folder.
            try? Disk.real.removeTree(unpacked)
            throw error
        }
        try onDisk("could not be moved into place", at: unpacked) { () throws(Errno) in try putInPlace() }
        return manifest.summary
    }
}

extension BackupRestorer {
    private func refuseToOverwrite() throws(StoreError) {
        let existing = Disk.exists(folder.databasePath) ? folder.databasePath : nil
        let isResuming = Disk.exists(unpacked)
        guard let existing = existing ?? (isResuming ? nil : DamagedFiles(folder: folder, now: { Date() }).strayFile)
        else { return }
        throw StoreError(
            .notWritable,
            "\(folder.path) contains data already (\(existing)), which was not overwritten. Choose an empty folder, or "
                + "move that one away.")
    }

    private func lockExclusively() throws(StoreError) -> [FileLock] {
        var locks: [FileLock] = []
        for name in [".opening.lock", ".database.lock"] {
            let isFree: Bool
            do throws(Errno) {
                let lock = try FileLock(at: folder.path(of: name))
                locks.append(lock)
                isFree = try lock.tryAcquire(.exclusive)
            } catch {
                throw StoreError(error, "could not be locked", at: folder.path(of: name))
            }
            guard isFree else {
                throw StoreError(
                    .inUse, "\(folder.path) is in use by another process. Stop it, or choose another folder.")
            }
        }
        return locks
    }

    private func unpack() throws(StoreError) -> BackupManifest {
        let unpacked = unpacked
        var target: BackupFile?
        var folders: Set<String> = [unpacked]
        let sink = BackupReader.Sink(
            begin: { entry throws(StoreError) in
                let path = "\(unpacked)/\(entry.name)"
                try onDisk("could not be created", at: path) { () throws(Errno) in
                    var parent = FilePath(unpacked)
                    for component in FilePath(entry.name).removingLastComponent().components {
                        parent.append(component)
                        if folders.insert(parent.string).inserted { try Disk.real.makeFolder(parent.string) }
                    }
                }
                target = try BackupFile(path, .new)
            },
            take: { data throws(StoreError) in try target?.write(data) },
            end: { _ throws(StoreError) in
                try target?.sync()
                target = nil
            })
        var reader = BackupReader(file, meter, sink: sink)
        let manifest = try reader.readAll()
        try onDisk("could not be synced", at: unpacked) { () throws(Errno) in
            for path in folders.sorted(by: >) { try Disk.real.syncFolder(path) }
        }
        return manifest
    }

    /// Refuses a database that this program can't use, or that refers to blobs that the backup does not contain.
    private func check(_ manifest: BackupManifest) throws(StoreError) {
        let path = "\(unpacked)/\(BackupEntry.database.name)"
        do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            let (refusal, problems, referred) = try queue.read { connection in
                (
                    try (AppDatabase.Migration.own + migrations).refusal(of: connection, named: file.path),
                    try String.fetchAll(connection, sql: "PRAGMA quick_check(1)"),
                    try BlobRow.all(in: connection).filter(\.isReferenced).map(\.id)
                )
            }
            if let refusal { throw refusal }
            let missing = Set(manifest.summary.missing)
            let lost = referred.first {
                !missing.contains($0) && !Disk.exists("\(unpacked)/\(BackupEntry.blob($0).name)")
            }
            guard problems == ["ok"], lost == nil else {
                throw StoreError(
                    .corrupt,
                    "\(file.path) contains a damaged database: "
                        + (lost.map { "the file \($0) is missing." } ?? "\(problems.first ?? "it can't be checked").")
                        + " Nothing was changed. Use another backup.")
            }
            try queue.write { try BlobStore.forgetClaim(in: $0) }
        } catch {
            throw StoreError(error, ofDatabaseAt: path)
        }
    }

    private func putInPlace() throws(Errno) {
        let blobs = "\(unpacked)/blobs"
        if Disk.exists(blobs) {
            // The data folder may contain an empty folder of that name.
            try Disk.real.removeTree(folder.blobsPath)
            try Disk.real.rename(blobs, to: folder.blobsPath)
        }
        for name in DamagedFiles.names where name.hasPrefix("meanwhile.sqlite-") {
            try Disk.real.removeFile(folder.path(of: name))
        }
        try Disk.real.rename("\(unpacked)/\(BackupEntry.database.name)", to: folder.databasePath)
        try Disk.real.syncFolder(folder.path)
        try Disk.real.removeTree(unpacked)
        try Disk.real.syncFolder(folder.path)
    }
}

extension DataFolder {
    /// The folder that a backup is unpacked into before its files are moved into place.
    var restoringPath: String { path(of: ".restoring") }

    /// Refuses a folder with an incomplete restore, and cleans up after a complete one.
    func finishRestoring() throws(StoreError) {
        guard Disk.exists(restoringPath) else { return }
        guard Disk.exists(databasePath) else {
            throw StoreError(
                .missing,
                "The restore of a backup to \(path) was interrupted. Restore it again, or remove \(restoringPath) to "
                    + "start without data.")
        }
        try onDisk("could not be removed", at: restoringPath) { () throws(Errno) in
            try Disk.real.removeTree(restoringPath)
        }
    }
}

extension Disk {
    /// Removes a folder with all its contents, without following links.
    ///
    /// If it does not exist, nothing happens.
    func removeTree(_ path: String) throws(Errno) {
        guard Self.exists(path) else { return }
        try inspect?(.remove(path))
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            if Self.exists(path) { throw .ioError }
        }
    }
}

extension Backup {
    /// Restores a backup into an empty data folder.
    ///
    /// Every byte is verified before any file is moved into place. An interrupted restore leaves no database, and must be
    /// repeated. Throws `newerVersion` or `olderVersion` if this program can't read the backup, or the migrations don't support its
    /// database, `notWritable` if the folder contains data, `inUse` if another process uses it, and `corrupt` if the file is not a
    /// backup or is incomplete.
    public static func restore(
        _ path: String, into folder: DataFolder, migrations: [AppDatabase.Migration],
        progress: @escaping ProgressHandler = { _ in }
    ) async throws(StoreError) -> Summary {
        try await BackupMeter.run(progress) { meter throws(StoreError) in
            try BackupRestorer(
                folder: folder, file: BackupFile(path), migrations: migrations, meter: meter
            ).run()
        }
    }
}

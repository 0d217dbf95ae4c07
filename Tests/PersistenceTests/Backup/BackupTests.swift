import Dispatch
import DurableFiles
import Foundation
import Futures
import GRDB
import StoreTesting
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Backups of a whole data folder.
@Suite(.timeLimit(.minutes(20))) struct BackupTests {
    private let folder: TemporaryFolder
    private let other: TemporaryFolder
    private var path: String { "\(folder.path)/backup.tar" }

    init() throws {
        self.folder = try TemporaryFolder()
        self.other = try TemporaryFolder()
    }

    /// Creates a database with notes, a value, and blobs of these sizes.
    private func fill(_ lengths: [Int] = [0, 1, 511, 512, 513, 3_000_000]) async throws -> AppDatabase {
        let database = try await folder.database()
        try await database.add(note: "kept")
        try await SQLiteStore(database: database, owner: "sam").put("a", "1")
        let blobs = BlobStore(database: database)
        for (index, length) in lengths.enumerated() {
            let staged = try await blobs.stage(Data(repeating: UInt8(index), count: length))
            try await database.write { try blobs.add(staged, in: $0) }
        }
        return database
    }

    /// The content of a database, in a comparable form.
    private func content(of database: AppDatabase) async throws -> [String] {
        let blobs = BlobStore(database: database)
        let rows = try await database.blobs
        for row in rows {
            let id = try #require(BlobStore.ID(String(row.prefix(64))))
            _ = try await blobs.read(id)
        }
        let value = try await SQLiteStore(database: database, owner: "sam").read("a")?.text
        return try await database.notes + rows + [value ?? "none"]
    }

    private func restore(_ path: String? = nil) async throws -> Backup.Summary {
        try await Backup.restore(path ?? self.path, into: other.data, migrations: [.notes])
    }

    // MARK: Complete backups

    @Test func backupRestoresNotesValuesAndBlobs() async throws {
        let database = try await fill()
        let created = Date(timeIntervalSince1970: 1_800_000_000)
        let summary = try await database.backUp(to: path, now: { created })
        #expect(summary.created == created && summary.fileCount == 6 && summary.fileBytes == 3_001_537)
        #expect(summary.missing == [])
        #expect(try await Backup.verify(path) == summary)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(Set(Disk.names(in: folder.path)) == ["backup.tar", "data"])
        #expect(try await restore() == summary)
        let restored = try await other.database()
        #expect(restored.setAside == nil)
        #expect(try await content(of: restored) == content(of: database))
        #expect(try await restored.verify().problems == [])
        #expect(Disk.names(in: "\(other.path)/data").allSatisfy { $0 != ".restoring" })
        restored.close()
        database.close()
    }

    @Test func anEmptyDatabaseIsRestored() async throws {
        let database = try await folder.database()
        _ = try await database.backUp(to: path)
        #expect(try await restore().fileCount == 0)
        #expect(try await other.database().notes == [])
    }

    @Test func tarUnpacksABackup() async throws {
        let database = try await fill()
        _ = try await database.backUp(to: path)
        try FileManager.default.createDirectory(atPath: "\(other.path)/data", withIntermediateDirectories: true)
        let tar = Process()
        tar.executableURL = URL(filePath: "/bin/tar")
        tar.arguments = ["-xf", path, "-C", "\(other.path)/data"]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        try #require(chmod("\(other.path)/data", 0o700) == 0)
        let unpacked = try await other.database()
        #expect(try await content(of: unpacked) == content(of: database))
    }

    @Test func progressGrowsUpToTheTotal() async throws {
        let database = try await fill()
        for work in 0..<3 {
            let seen = Lock<[Backup.Progress]>([])
            let watch: Backup.ProgressHandler = { progress in seen.withLock { $0.append(progress) } }
            switch work {
            case 0: _ = try await database.backUp(to: path, progress: watch)
            case 1: _ = try await Backup.verify(path, progress: watch)
            default: _ = try await database.verify(progress: watch)
            }
            let all = seen.withLock { $0 }
            #expect(all.count > 5 && zip(all, all.dropFirst()).allSatisfy { $0.doneBytes <= $1.doneBytes })
            let last = try #require(all.last)
            #expect(last.doneBytes > 3_000_000 && last.doneBytes <= last.totalBytes)
        }
    }

    /// Checks that a backup contains everything that was acknowledged before it began, and is consistent.
    @Test func backupDuringWritesContainsAllEarlierWrites() async throws {
        let database = try await fill()
        let second = try await folder.database()
        let blobs = BlobStore(database: second)
        let acknowledged = Texts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        let text = "\(writer)-\(number)"
                        let staged = try await blobs.stage(Data(text.utf8))
                        try await second.write { connection in
                            try blobs.add(staged, in: connection)
                            try connection.execute(
                                sql: "INSERT INTO note (text, blob) VALUES (?, ?)", arguments: [text, staged.id])
                        }
                        acknowledged.insert(text)
                    }
                }
            }
            for number in 1...3 {
                let path = "\(folder.path)/\(number).tar"
                let count = acknowledged.all.count
                while acknowledged.all.count < count + 20 { await Task.yield() }
                let before = acknowledged.all
                _ = try await database.backUp(to: path)
                let other = try TemporaryFolder()
                let summary = try await Backup.restore(path, into: other.data, migrations: [.notes])
                #expect(summary.missing == [])
                let restored = try await other.database()
                #expect(try await restored.verify().problems == [])
                #expect(before.isSubset(of: try await restored.notes))
                let notes = try await restored.read {
                    try Int.fetchOne(
                        $0,
                        sql: "SELECT count(*) FROM note WHERE blob IS NOT NULL AND blob NOT IN (SELECT id FROM blob)")
                }
                #expect(notes == 0)
                restored.close()
            }
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error as StoreError) = result { #expect(error.code == .cancelled) }
            }
        }
    }

    // MARK: Existing files

    @Test func backupAndRestoreOverwriteNothing() async throws {
        let database = try await fill()
        try Data("mine".utf8).write(to: URL(filePath: path))
        #expect(await code { _ = try await database.backUp(to: path) } == .notWritable)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
        let second = "\(folder.path)/second.tar"
        try Data("mine too".utf8).write(to: URL(filePath: second + ".part"))
        #expect(await code { _ = try await database.backUp(to: second) } == .notWritable)
        #expect(try Data(contentsOf: URL(filePath: second + ".part")) == Data("mine too".utf8))
        #expect(await code { _ = try await database.backUp(to: "\(folder.path)/none/b.tar") } == .missing)
        let third = "\(folder.path)/third.tar"
        _ = try await database.backUp(to: third)
        let otherDatabase = try await other.database()
        try await otherDatabase.add(note: "theirs")
        #expect(await code { _ = try await restore(third) } == .notWritable)
        otherDatabase.close()
        #expect(await code { _ = try await restore(third) } == .notWritable)
        #expect(try await other.database().notes == ["theirs"])
    }

    @Test func secondBackupToTheSameFileIsRefused() async throws {
        let database = try await fill()
        let lock = try FileLock(at: path + ".part")
        #expect(try lock.tryAcquire(.exclusive))
        #expect(await code { _ = try await database.backUp(to: path) } == .inUse)
        lock.release()
        _ = try await database.backUp(to: path)
    }

    @Test func restoreIntoAFolderInUseIsRefused() async throws {
        let database = try await fill()
        _ = try await database.backUp(to: path)
        let lock = try FileLock(at: other.data.path(of: ".database.lock"))
        #expect(try lock.tryAcquire(.shared))
        #expect(await code { _ = try await restore() } == .inUse)
        lock.release()
        _ = try await restore()
    }

    // MARK: Interruptions

    /// A meter that cancels its operation after this many checks.
    private func meter(endingAfter limit: Int) -> BackupMeter {
        let checkCount = Lock(0)
        return BackupMeter(
            onProgress: { _ in },
            isCancelled: {
                checkCount.withLock { checkCount in
                    checkCount += 1
                    return checkCount > limit
                }
            })
    }

    @Test func interruptedBackupIsResumed() async throws {
        let database = try await fill([3_000_000, 2_000_000, 1_000_000])
        var attempts = 0
        var lengths: [Int] = []
        // Each attempt progresses further than the previous one; blobs that are complete are read again, but not written.
        while !FileManager.default.fileExists(atPath: path) {
            attempts += 1
            try #require(attempts < 100)
            var writing = BackupWriter(database, to: path, now: { Date() }, meter(endingAfter: attempts))
            do {
                _ = try writing.run()
            } catch {
                #expect(error.code == .cancelled)
                #expect(!FileManager.default.fileExists(atPath: path))
                lengths.append(Disk.stamp(of: path + ".part")?.bytes ?? 0)
            }
        }
        #expect(attempts > 3 && Set(lengths).count > 3)
        #expect(Set(Disk.names(in: folder.path)) == ["backup.tar", "data"])
        _ = try await restore()
        #expect(try await content(of: other.database()) == content(of: database))
    }

    @Test func backupCancelledWhileItCopiesTheDatabaseLeavesNoCopy() async throws {
        let database = try await folder.database()
        // More than SQLite copies in one step, after which the backup checks for cancellation.
        try await database.add(note: String(repeating: "a", count: 8_000_000))
        let copy = path + ".database"
        let meter = BackupMeter(onProgress: { _ in }, isCancelled: { Disk.exists(copy) })
        var writing = BackupWriter(database, to: path, now: { Date() }, meter)
        do {
            _ = try writing.run()
            Issue.record("The backup wasn't cancelled.")
        } catch {
            #expect(error.code == .cancelled)
        }
        #expect(Set(Disk.names(in: folder.path)) == ["backup.tar.part", "data"])
        _ = try await database.backUp(to: path)
    }

    /// A killed process may leave any prefix of a backup, followed by garbage.
    @Test func backupResumesFromAnyPartialFile() async throws {
        let database = try await fill([0, 1, 700])
        let second = "\(folder.path)/second.tar"
        _ = try await database.backUp(to: second)
        let whole = try Data(contentsOf: URL(filePath: second))
        for length in Array(stride(from: 0, through: 5_000, by: 250)) + [whole.count] {
            for rubbish in [Data(), Data(repeating: 7, count: 600), Data(count: 2_000)] {
                if length < 512, !rubbish.isEmpty { continue }
                try (whole.prefix(length) + rubbish).write(to: URL(filePath: path + ".part"))
                let summary = try await database.backUp(to: path)
                #expect(summary.fileCount == 3)
                #expect(try await Backup.verify(path) == summary)
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test func aCancelledTaskLeavesNoBackup() async throws {
        let database = try await fill()
        let (path, begun) = (path, AsyncStream.makeStream(of: Void.self))
        let released = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.backUp(
                to: path,
                progress: { _ in
                    begun.continuation.yield()
                    released.wait()
                })
        }
        _ = await begun.stream.first { _ in true }
        task.cancel()
        for _ in 0..<100 { released.signal() }
        let result = await task.result
        #expect(throws: StoreError.self) { try result.get() }
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try await database.backUp(to: path)
    }

    @Test func interruptedRestoreCanBeRepeated() async throws {
        let database = try await fill()
        _ = try await database.backUp(to: path)
        for limit in 0...6 {
            let restoring = BackupRestorer(
                folder: try other.data, file: try BackupFile(path), migrations: [.notes],
                meter: meter(endingAfter: limit))
            #expect(await code { _ = try restoring.run() } == .cancelled)
            #expect(try Disk.names(in: other.data.path).allSatisfy { $0.hasSuffix(".lock") })
        }
        // Simulates a killed process, before and after the blobs were moved into place.
        for isInPlace in [false, true] {
            let data = try other.data
            try FileManager.default.createDirectory(
                atPath: data.restoringPath + "/blobs/aa", withIntermediateDirectories: true)
            if isInPlace {
                try FileManager.default.createDirectory(
                    atPath: data.blobsPath + "/aa", withIntermediateDirectories: true)
                try Data("half".utf8).write(to: URL(filePath: data.blobsPath + "/aa/half"))
            }
            #expect(await code { _ = try await other.database() } == .missing)
        }
        _ = try await restore()
        #expect(try await content(of: other.database()) == content(of: database))
        // Killed after the database was moved into place.
        let restoring = try other.data.restoringPath
        try FileManager.default.createDirectory(atPath: restoring, withIntermediateDirectories: true)
        #expect(try await content(of: other.database()) == content(of: database))
        #expect(!FileManager.default.fileExists(atPath: restoring))
    }

    // MARK: Damage

    @Test func missingAndChangedBlobsAreReported() async throws {
        let database = try await fill([10, 20, 30])
        let blobs = BlobStore(database: database)
        let ids = [10, 20].enumerated().map { BlobStore.ID(of: Data(repeating: UInt8($0.offset), count: $0.element)) }
        try FileManager.default.removeItem(atPath: blobs.path(of: ids[0]))
        try Data("other".utf8).write(to: URL(filePath: blobs.path(of: ids[1])))
        #expect(
            try await Set(database.verify().problems)
                == ["\(blobs.path(of: ids[0])) is missing.", "\(blobs.path(of: ids[1])) has changed."])
        let summary = try await database.backUp(to: path)
        #expect(Set(summary.missing) == Set(ids) && summary.fileCount == 1 && summary.fileBytes == 30)
        #expect(try await Backup.verify(path) == summary)
        #expect(try await restore() == summary)
        #expect(try await other.database().verify().problems.count == 2)
    }

    @Test func unreadableBlobIsReportedAndLeftOut() async throws {
        let path = folder.path + "/shared"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try #require(chmod(path, 0o777) == 0)
        // Permissions don't apply to root.
        await #expect(processExitsWith: .success) { [path = path as String] in
            OtherAccount.switchAccount()
            let database = try await AppDatabase.open(in: DataFolder.open(at: "\(path)/data"), migrations: [.notes])
            let blobs = BlobStore(database: database)
            let intact = try await blobs.stage(Data("intact".utf8))
            let unreadable = try await blobs.stage(Data("unreadable".utf8))
            try await database.write { connection in
                try blobs.add(intact, in: connection)
                try blobs.add(unreadable, in: connection)
            }
            let file = blobs.path(of: unreadable.id)
            #expect(chmod(file, 0) == 0)
            #expect(try await database.verify().problems == ["\(file) can't be read."])
            let summary = try await database.backUp(to: "\(path)/backup.tar")
            #expect(summary.missing == [unreadable.id] && summary.fileCount == 1)
            #expect(try await Backup.verify("\(path)/backup.tar") == summary)
            database.close()
        }
    }

    @Test func fileThatFailsToBeReadHasNoDigest() throws {
        try Data("content".utf8).write(to: URL(filePath: path))
        // A file that is open only for writing can't be read.
        let file = try BackupFile(path, .appending)
        let digest = try file.digest { _ in }
        #expect(digest == nil)
    }

    @Test func everyChangedByteIsDetected() async throws {
        let database = try await fill([1, 700])
        _ = try await database.backUp(to: path)
        let whole = try Data(contentsOf: URL(filePath: path))
        let changed = "\(folder.path)/changed.tar"
        // Every byte of the blobs' headers and contents, and one byte of each later block.
        for index in Array(0..<3_000) + Array(stride(from: 3_000, to: whole.count, by: 509)) {
            var data = whole
            data[index] ^= 0x20
            try data.write(to: URL(filePath: changed))
            #expect(await code { _ = try await Backup.verify(changed) } == .corrupt, "byte \(index)")
        }
        for length in stride(from: 0, to: whole.count, by: 509) {
            try whole.prefix(length).write(to: URL(filePath: changed))
            #expect(await code { _ = try await Backup.verify(changed) } == .corrupt, "\(length) bytes")
            if length % 4 == 0 {
                #expect(await code { _ = try await restore(changed) } == .corrupt)
                #expect(try Disk.names(in: other.data.path).allSatisfy { $0.hasSuffix(".lock") })
            }
        }
        try (whole + Data([0])).write(to: URL(filePath: changed))
        #expect(await code { _ = try await Backup.verify(changed) } == .corrupt)
    }

    @Test func aBackupOfANewerProgramIsRefused() async throws {
        let database = try await folder.database([.notes, .init("test.2") { _ in }])
        _ = try await database.backUp(to: path)
        #expect(await code { _ = try await restore() } == .newerVersion)
        #expect(try Disk.names(in: other.data.path).allSatisfy { $0.hasSuffix(".lock") })
        _ = try await Backup.restore(path, into: other.data, migrations: [.notes, .init("test.2") { _ in }])
    }

    @Test func manifestOfAnotherVersionIsRefusedAsNewer() async throws {
        let manifest = Data("{}".utf8)
        let entry = BackupEntry.manifest(BlobStore.ID(of: manifest))
        var file = Data(BackupEntry.signature.header(size: 0))
        file += entry.header(size: Int64(manifest.count))
        file += manifest
        file += Data(count: BackupEntry.padding(after: Int64(manifest.count)))
        try file.write(to: URL(filePath: path))
        #expect(await code { _ = try await Backup.summary(of: path) } == .newerVersion)
        #expect(await code { _ = try await Backup.verify(path) } == .newerVersion)
    }

    @Test func aBackupOfAnOlderDatabaseIsMigratedWhenItIsOpened() async throws {
        try await fill().close()
        let newer: [AppDatabase.Migration] = [
            .notes, .init("test.2") { try $0.execute(sql: "ALTER TABLE note ADD COLUMN more TEXT") },
        ]
        let database = try await folder.database()
        _ = try await database.backUp(to: path)
        database.close()
        #expect(try await folder.database().notes == ["kept"])
        _ = try await Backup.restore(path, into: other.data, migrations: newer)
        let restored = try await other.database(newer)
        #expect(try await restored.read { try Int.fetchOne($0, sql: "SELECT count(more) FROM note") } == 0)
    }
}

/// A set of texts that several tasks add to.
private final class Texts: Sendable {
    private let texts = Lock<Set<String>>([])

    var all: Set<String> { texts.withLock { $0 } }

    func insert(_ text: String) {
        _ = texts.withLock { $0.insert(text) }
    }
}

/// The headers of the files in a backup.
@Suite struct BackupEntryTests {
    private static let id = BlobStore.ID(of: Data())

    @Test(arguments: [0, 1, 511, 512, 1 << 33 - 1, 1 << 33, 1 << 40, .max] as [Int64])
    func parsedHeaderEqualsTheWrittenOne(size: Int64) throws {
        for entry in [BackupEntry.signature, .blob(Self.id), .database, .manifest(Self.id)] {
            let read = try #require(BackupEntry.parse(entry.header(size: size)))
            #expect(read.entry == entry && read.size == size)
        }
    }

    @Test(arguments: [
        "", "/etc/passwd", "../meanwhile.sqlite", "./meanwhile.sqlite", "meanwhile.sqlite/", "blobs", "blobs/aa/\(id)",
        "blobs/e3/../e3/\(id)", "manifest-.json", "manifest-\(id)", "x\(id)", "MEANWHILE.SQLITE",
        "meanwhile.sqlite-wal",
    ])
    func invalidNamesAreRefused(name: String) {
        #expect(BackupEntry(name: name) == nil)
    }

    @Test func changedHeadersAreRefused() {
        let header = BackupEntry.database.header(size: 1_000)
        for index in header.indices {
            for value in [0, 0x20, 0x30, 0x37, 0x38, 0x7f, 0x80, 0xff] as [UInt8] where header[index] != value {
                var other = header
                other[index] = value
                #expect(BackupEntry.parse(other) == nil)
            }
        }
        #expect(BackupEntry.parse([]) == nil)
        #expect(BackupEntry.parse([UInt8](repeating: 0xff, count: 512)) == nil)
        #expect(BackupEntry.parse(Array(header.dropLast())) == nil)
    }
}

import DurableFiles
import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

/// Backup folders with retention, and data that was set aside.
@Suite(.timeLimit(.minutes(20))) struct BackupFolderTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/backups" }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private static func date(_ text: String) -> Date {
        (try? Date(text, strategy: .iso8601)) ?? .distantPast
    }

    private static let noon = date("2026-11-23T12:00:00Z")

    private func touch(_ name: String, _ content: String = "") throws {
        try Data(content.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    @Test func retentionKeepsSevenDaysFourWeeksAndTwelveMonths() {
        let days = (0..<500).map { Self.noon.addingTimeInterval(-86_400 * Double($0)) }
        let retained = BackupFolder.retained(of: days).sorted(by: >).map { $0.formatted(.iso8601.year().month().day()) }
        #expect(
            retained == [
                // The last seven days, the ends of weeks (22, 15 and 8 November), and the ends of earlier months.
                "2026-11-23", "2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17",
                "2026-11-15", "2026-11-08", "2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30",
                "2026-05-31", "2026-04-30", "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31",
            ])
    }

    @Test func retentionKeepsTheLastThreeOfOneDay() {
        let minutes = (0..<10).map { Self.noon.addingTimeInterval(-60 * Double($0)) }
        #expect(BackupFolder.retained(of: minutes) == Set(minutes.prefix(3)))
        #expect(BackupFolder.retained(of: []) == [])
        #expect(BackupFolder.retained(of: [Self.noon]) == [Self.noon])
    }

    @Test func backupIsCompleteAndItsNameContainsTheTime() async throws {
        let database = try await folder.database()
        let backups = try BackupFolder(at: path)
        #expect(try await backups.entries() == [])
        let summary = try await backups.backUp(database, now: { Self.noon })
        let entries = try await backups.entries()
        #expect(entries.map(\.name) == ["meanwhile-2026-11-23T12-00-00Z.tar"])
        #expect(entries.map(\.created) == [Self.noon])
        let file = try #require(try await backups.path(of: entries[0].name))
        #expect(try await Backup.verify(file) == summary)
        #expect(try await Backup.summary(of: file) == summary)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        database.close()
    }

    @Test func otherFilesAreNeitherListedNorDeleted() async throws {
        let database = try await folder.database()
        let backups = try BackupFolder(at: path)
        let foreign = [
            "notes.txt", "meanwhile-.tar", "meanwhile-2020-01-01T00-00-00Z.tar.gz",
            "meanwhile-2020-13-01T00-00-00Z.tar",
            "meanwhile-2020-1-1T00-00-00Z.tar",
        ]
        for name in foreign { try touch(name) }
        let old = (1...9).map { "meanwhile-2019-01-0\($0)T00-00-00Z.tar" }
        for name in old { try touch(name) }
        try FileManager.default.createDirectory(
            atPath: "\(path)/meanwhile-2018-01-01T00-00-00Z.tar", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/meanwhile-2017-01-01T00-00-00Z.tar", withDestinationPath: "/etc/passwd")
        #expect(try await backups.entries().map(\.name) == old.reversed())
        for name in foreign + [
            "..", "../data/meanwhile.sqlite", "meanwhile-2018-01-01T00-00-00Z.tar",
            "meanwhile-2017-01-01T00-00-00Z.tar",
        ] {
            #expect(try await backups.path(of: name) == nil, "\(name)")
        }
        _ = try await backups.backUp(database, now: { Self.noon })
        let names = Set(Disk.names(in: path))
        #expect(names.isSuperset(of: foreign))
        #expect(names.contains("meanwhile-2018-01-01T00-00-00Z.tar"))
        // The retention keeps the new backup and the last six of these, one for each of seven days. They include the
        // last backup of each week and month.
        #expect(try await backups.entries().dropFirst().map(\.name) == old.suffix(6).reversed())
        database.close()
    }

    @Test func interruptedBackupIsResumedUnderTheNewName() async throws {
        let database = try await folder.database()
        let backups = try BackupFolder(at: path)
        let old = "\(path)/meanwhile-2026-11-20T00-00-00Z.tar"
        let blobs = BlobStore(database: database)
        let staged = try await blobs.stage(Data(repeating: 7, count: 3_000_000))
        try await database.write { try blobs.add(staged, in: $0) }
        _ = try await database.backUp(to: old)
        // Simulates an interruption: the content is complete, but not renamed.
        try FileManager.default.moveItem(atPath: old, toPath: old + ".part")
        try touch("meanwhile-2026-11-19T00-00-00Z.tar.part", "older")
        try touch("meanwhile-2026-11-20T00-00-00Z.tar.database-wal", "a copy")
        _ = try await backups.backUp(database, now: { Self.noon })
        #expect(Set(Disk.names(in: path)) == ["meanwhile-2026-11-23T12-00-00Z.tar", ".backup.lock"])
        #expect(try await Backup.verify("\(path)/meanwhile-2026-11-23T12-00-00Z.tar").fileCount == 1)
        database.close()
    }

    @Test func backupsInTheSameSecondGetDifferentNames() async throws {
        let database = try await folder.database()
        let backups = try BackupFolder(at: path)
        for _ in 0..<3 { _ = try await backups.backUp(database, now: { Self.noon }) }
        #expect(
            try await backups.entries().map(\.name) == [
                "meanwhile-2026-11-23T12-00-02Z.tar", "meanwhile-2026-11-23T12-00-01Z.tar",
                "meanwhile-2026-11-23T12-00-00Z.tar",
            ])
        database.close()
    }

    @Test func concurrentBackupIsRefused() async throws {
        let database = try await folder.database()
        let backups = try BackupFolder(at: path)
        let lock = try FileLock(at: "\(path)/.backup.lock")
        let isFree = try lock.tryAcquire(.exclusive)
        #expect(isFree)
        let error = await #expect(throws: StoreError.self) { try await backups.backUp(database) }
        #expect(error?.code == .inUse)
        lock.release()
        _ = try await backups.backUp(database)
        database.close()
    }

    @Test func summaryOfAnotherFileIsRefused() async throws {
        _ = try BackupFolder(at: path)
        for content in ["", "rubbish", String(repeating: "\0", count: 4_096)] {
            try touch("file.tar", content)
            let error = await #expect(throws: StoreError.self) {
                try await Backup.summary(of: "\(path)/file.tar")
            }
            #expect(error?.code == .corrupt)
        }
    }

    // MARK: Data set aside

    @Test func valueSetAsideIsReturnedUnchanged() async throws {
        let database = try await folder.database()
        let store = SQLiteStore(database: database, owner: "sam")
        let key = StoreKey("notes/first")
        try await store.put("notes/first", "as it was")
        let record = try #require(try await store.read(key))
        _ = try await store.setAside(key, revision: record.revision, reason: "unknown format")
        let values = try await database.setAsideValues()
        #expect(values.map(\.owner) == ["sam"] && values.map(\.key) == ["notes/first"])
        #expect(values.map(\.reason) == ["unknown format"])
        #expect(values.map(\.bytes) == [record.content.payload.count])
        #expect(try await database.setAsideBytes(of: values[0].id) == record.content.payload)
        #expect(try await database.setAsideBytes(of: values[0].id + 1) == nil)
        database.close()
    }

    @Test func databaseSetAsideIsArchivedWithoutFollowingLinks() async throws {
        let data = try DataFolder.open(at: "\(folder.path)/data")
        let place = data.path(of: "set-aside-2026-11-23T12-00-00Z")
        let blob = String(repeating: "ab", count: 32)
        let content = [
            "meanwhile.sqlite": Data(repeating: 1, count: 2_000_000), "meanwhile.sqlite-wal": Data(),
            "blobs/ab/\(blob)": Data(repeating: 2, count: 512), "blobs/cd/x": Data(repeating: 3, count: 513),
        ]
        for (name, bytes) in content {
            let file = URL(filePath: "\(place)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
        try FileManager.default.createSymbolicLink(atPath: "\(place)/link", withDestinationPath: "/etc/passwd")
        try FileManager.default.createSymbolicLink(atPath: "\(place)/folder", withDestinationPath: "/etc")
        let folders = try await data.setAsideFolders()
        #expect(folders.map(\.name) == ["set-aside-2026-11-23T12-00-00Z"])
        #expect(folders[0].files == content.mapValues { Int64($0.count) })
        var archive = Data()
        for try await piece in folders[0].archive() { archive += piece }
        #expect(Int64(archive.count) == folders[0].archiveBytes)
        let file = "\(folder.path)/archive.tar"
        try archive.write(to: URL(filePath: file))
        let unpacked = "\(folder.path)/unpacked"
        try FileManager.default.createDirectory(atPath: unpacked, withIntermediateDirectories: false)
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", file, "-C", unpacked]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        for (name, bytes) in content {
            #expect(FileManager.default.contents(atPath: "\(unpacked)/\(name)") == bytes, "\(name)")
        }
    }
}

import DurableFiles
import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

@Suite(.timeLimit(.minutes(20))) struct DamagedDatabaseTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// The kinds of damage to a file.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case text, tornHeader, truncated, emptied, removed, overwrittenInside, wrongFreePageCount

        var testDescription: String { rawValue }

        func apply(to path: String) throws {
            let url = URL(filePath: path)
            var data = try Data(contentsOf: url)
            switch self {
            case .text: data = Data("This isn't a database, but it may be important.".utf8)
            case .tornHeader: data.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
            case .truncated: data = data.prefix(data.count / 2)
            case .emptied: data = Data()
            case .removed: return try FileManager.default.removeItem(at: url)
            case .overwrittenInside: data = data.prefix(4_096) + Data(repeating: 0xA5, count: data.count - 4_096)
            // The header's count of free pages: every table is readable, and only a check detects the damage.
            case .wrongFreePageCount: data[39] = 9
            }
            try data.write(to: url)
        }
    }

    @Test(arguments: Damage.allCases)
    func damagedDatabaseIsSetAsideAndReplaced(damage: Damage) async throws {
        let content = Data("a picture".utf8)
        let id = try await fill(with: content)
        try damage.apply(to: folder.databaseFile)
        let damaged = folder.files

        let database = try await folder.database()
        let setAside = try #require(database.setAside)
        #expect(setAside.hasPrefix(try folder.data.path + "/set-aside-"))
        #expect(try await database.notes == [])
        #expect(folder.files["blobs/\(id.description.prefix(2))/\(id)"] == nil)
        // Nothing is deleted: all files are in the new folder, with the same relative paths.
        let name = setAside.split(separator: "/").last.map(String.init) ?? ""
        for (file, bytes) in damaged where bytes > 0 {
            #expect(folder.files["\(name)/\(file)"] == bytes)
        }
        #expect(try Data(contentsOf: URL(filePath: "\(setAside)/blobs/\(id.description.prefix(2))/\(id)")) == content)

        try await database.add(note: "new")
        database.close()
        let again = try await folder.database()
        #expect(again.setAside == nil)
        #expect(try await again.notes == ["new"])
    }

    @Test(arguments: [("found", true), ("note", true), ("found", false), ("note", false)])
    func derivedTablesOfALargeDatabaseAreNotChecked(table: String, isLarge: Bool) async throws {
        var search = AppDatabase.Migration("tests.search") { connection in
            try connection.execute(sql: "CREATE TABLE found (word TEXT); INSERT INTO found VALUES ('new'), ('old')")
        }
        search.derivedTables = ["found"]
        let database = try await folder.database([.notes, search])
        try await database.add(note: "new")
        let (page, size) = try await database.read { connection in
            (
                try Int.fetchOne(
                    connection, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table]),
                try Int.fetchOne(connection, sql: "PRAGMA page_size")
            )
        }
        database.close()
        let (number, bytes) = (try #require(page), try #require(size))
        var data = try Data(contentsOf: URL(filePath: folder.databaseFile))
        data.replaceSubrange((number - 1) * bytes..<number * bytes, with: Data(repeating: 0xA5, count: bytes))
        try data.write(to: URL(filePath: folder.databaseFile))
        let opening = DatabaseOpening(
            folder: try folder.data, migrations: [.notes, search], wholeCheckBytes: isLarge ? 0 : 1 << 30)
        let opened = try await DiskWork.run { () throws(StoreError) in try opening.open() }
        #expect((opened.setAside == nil) == (isLarge && table == "found"))
        opened.close()
    }

    @Test func databasesSetAsideInOneSecondGetDifferentFolders() async throws {
        var places: Set<String> = []
        for _ in 0..<3 {
            let data = try folder.data
            try "no database".write(toFile: folder.databaseFile, atomically: false, encoding: .utf8)
            let opening = DatabaseOpening(
                folder: data, migrations: [.notes], now: { Date(timeIntervalSince1970: 1_800_000_000) })
            let database = try await DiskWork.run { () throws(StoreError) in try opening.open() }
            places.insert(try #require(database.setAside))
            database.close()
        }
        #expect(
            Set(places.map { URL(filePath: $0).lastPathComponent })
                == Set(["Z", "Z-2", "Z-3"].map { "set-aside-2027-01-15T08-00-00\($0)" }))
    }

    @Test func damagedDatabaseInUseIsNotSetAside() async throws {
        let use = try FileLock(at: folder.data.path(of: ".database.lock"))
        #expect(try use.tryAcquire(.shared))
        try "no database".write(toFile: folder.databaseFile, atomically: false, encoding: .utf8)
        let error = await error { _ = try await folder.database() }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("another process has it open") == true)
        #expect(try String(contentsOfFile: folder.databaseFile, encoding: .utf8) == "no database")
        use.release()
        #expect(try await folder.database().setAside != nil)
    }

    @Test func interruptedSettingAsideIsCompleted() async throws {
        let content = Data("a picture".utf8)
        let id = try await fill(with: content)
        try Damage.tornHeader.apply(to: folder.databaseFile)
        let data = try folder.data.path
        let partialFolder = "\(data)/set-aside-2027-01-15T08-00-00Z.part"
        try FileManager.default.createDirectory(atPath: partialFolder, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: "\(data)/blobs", toPath: "\(partialFolder)/blobs")

        let database = try await folder.database()
        #expect(database.setAside == "\(data)/set-aside-2027-01-15T08-00-00Z")
        #expect(folder.files["set-aside-2027-01-15T08-00-00Z/meanwhile.sqlite"] != nil)
        #expect(folder.files["set-aside-2027-01-15T08-00-00Z/blobs/\(id.description.prefix(2))/\(id)"] == content.count)
        #expect(!Disk.exists(partialFolder))
        #expect(try await database.notes == [])
    }

    @Test func setAsideFolderOpensAsADataFolder() async throws {
        let content = Data("a picture".utf8)
        let id = try await fill(with: content)
        let whole = try Data(contentsOf: URL(filePath: folder.databaseFile))
        try Damage.tornHeader.apply(to: folder.databaseFile)
        let database = try await folder.database()
        let setAside = try #require(database.setAside)
        try whole.write(to: URL(filePath: "\(setAside)/meanwhile.sqlite"))
        let repaired = try await AppDatabase.open(in: DataFolder.open(at: setAside), migrations: [.notes])
        #expect(repaired.setAside == nil)
        #expect(try await repaired.notes.count == 200)
        #expect(try await BlobStore(database: repaired).read(id) == content)
    }

    /// Writes enough rows for many pages, and a blob.
    private func fill(with content: Data) async throws -> BlobStore.ID {
        let database = try await folder.database()
        let note = String(repeating: "coffee ", count: 50)
        try await database.write { connection in
            for _ in 0..<200 {
                try connection.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [note])
            }
        }
        let blobs = BlobStore(database: database)
        let staged = try await blobs.stage(content)
        try await database.write { try blobs.add(staged, in: $0) }
        database.close()
        return staged.id
    }
}

@Suite(.timeLimit(.minutes(20))) struct DatabaseOpeningTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func newerVersionIsRefusedUnchanged() async throws {
        let newer = try await folder.database([.notes, .init("test.2") { _ in }])
        try await newer.add(note: "from the future")
        newer.close()
        try await expectRefusalOfTheNewerVersion()
    }

    @Test func newerVersionInUseIsRefusedUnchanged() async throws {
        let newer = try await folder.database([.notes, .init("test.2") { _ in }])
        try await newer.add(note: "still in the log")
        try await expectRefusalOfTheNewerVersion()
        #expect(try await newer.notes == ["still in the log"])
    }

    @Test func damagedNewerVersionIsRefusedUnchanged() async throws {
        let newer = try await folder.database([.notes, .init("test.2") { _ in }])
        newer.close()
        try DamagedDatabaseTests.Damage.wrongFreePageCount.apply(to: folder.databaseFile)
        try await expectRefusalOfTheNewerVersion()
    }

    private func expectRefusalOfTheNewerVersion() async throws {
        let log = URL(filePath: folder.databaseFile + "-wal")
        let before = try Data(contentsOf: URL(filePath: folder.databaseFile))
        let logBefore = try? Data(contentsOf: log)
        let error = await error { _ = try await folder.database() }
        #expect(error?.code == .newerVersion)
        #expect(error?.message.contains("test.2") == true)
        #expect(try Data(contentsOf: URL(filePath: folder.databaseFile)) == before)
        // To read the database at all, SQLite creates an empty log if there is none.
        #expect(try Data(contentsOf: log) == logBefore ?? Data())
    }

    @Test func rowsOnlyInTheLogAreRead() async throws {
        // Killed before the log was checkpointed, while the database file is almost empty.
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = try folder.data.path as String] in
            let database = try await AppDatabase.open(in: DataFolder.open(at: path), migrations: [.notes])
            try await database.add(note: "in the log")
            _ = kill(getpid(), SIGKILL)
        }
        #expect((folder.files["meanwhile.sqlite-wal"] ?? 0) > 0)
        let database = try await folder.database()
        #expect(database.setAside == nil)
        #expect(try await database.notes == ["in the log"])
    }

    @Test func emptyFileBecomesANewDatabase() async throws {
        _ = try folder.data
        #expect(FileManager.default.createFile(atPath: folder.databaseFile, contents: nil))
        let database = try await folder.database()
        #expect(database.setAside == nil)
        #expect(try await database.notes == [])
    }

    @Test func aLinkToAFileElsewhereIsFollowed() async throws {
        let database = try await folder.database()
        try await database.add(note: "elsewhere")
        database.close()
        let elsewhere = "\(folder.path)/elsewhere.sqlite"
        try FileManager.default.moveItem(atPath: folder.databaseFile, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: folder.databaseFile, withDestinationPath: elsewhere)
        let again = try await folder.database()
        #expect(again.setAside == nil)
        #expect(try await again.notes == ["elsewhere"])
    }

    @Test func aFolderInPlaceOfTheFileIsRefused() async throws {
        try FileManager.default.createDirectory(
            atPath: try folder.data.path + "/meanwhile.sqlite", withIntermediateDirectories: false)
        let error = await error { _ = try await folder.database() }
        #expect(error?.code == .notWritable)
        #expect(Disk.isFolder(folder.databaseFile))
    }

    @Test func openingTimesOutWhileTheLockIsHeld() async throws {
        let opening = try FileLock(at: folder.data.path(of: ".opening.lock"))
        #expect(try opening.tryAcquire(.exclusive))
        let database = DatabaseOpening(folder: try folder.data, migrations: [.notes], openingTimeout: .zero)
        let error = await error {
            _ = try await DiskWork.run { () throws(StoreError) in try database.open() }
        }
        #expect(error?.code == .locked)
        opening.release()
        _ = try await folder.database()
    }

    @Test func unreadableDatabaseIsNotSetAside() async throws {
        let database = try await folder.database()
        try await database.add(note: "mine alone")
        database.close()
        let data = try folder.data.path
        if OtherAccount.isAvailable {
            for path in [data] + Disk.names(in: data).map({ "\(data)/\($0)" }) { try OtherAccount.takeOwnership(path) }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.databaseFile)
        await #expect(processExitsWith: .success) { [data = data as String] in
            OtherAccount.switchAccount()
            let code = await code {
                _ = try await AppDatabase.open(in: DataFolder.open(at: data), migrations: [.notes])
            }
            #expect(code == .notWritable)
        }
        await #expect(processExitsWith: .success) { [data = data as String] in
            OtherAccount.switchAccount()
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: "\(data)/meanwhile.sqlite")
            let database = try await AppDatabase.open(in: DataFolder.open(at: data), migrations: [.notes])
            #expect(try await database.notes == ["mine alone"])
            database.close()
        }
    }
}

import DurableFiles
import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

/// Shortcomings of `UserDefaults` on Linux that the other stores must not have.
@Suite(.timeLimit(.minutes(20))) struct FaultsOfUserDefaultsTests {
    @Test(arguments: StoreKind.shared)
    func acknowledgedWriteSurvivesAKill(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        // Otherwise the other process would start the server, which would end with it.
        if kind == .postgreSQL { _ = try await fixture.open() }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = fixture.path as String, kind = kind as StoreKind] in
            try await kind.open(at: path).put("a", "kept")
            _ = kill(getpid(), SIGKILL)
        }
        #expect(try await fixture.open().text("a") == "kept")
    }

    @Test(arguments: StoreKind.allCases)
    func changeIsReported(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        var changes = store.updates().makeAsyncIterator()
        try await store.put("a", "1")
        #expect(await changes.next() == ["a"])
    }

    @Test(arguments: [StoreKind.folder, .plainFolder])
    func aFileIsNeverWrittenInPlace(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.put("a", "before")
        let name = try #require(Disk.names(in: fixture.path).first { $0.hasPrefix("a.") })
        let open = try FileHandle(forReadingFrom: URL(filePath: "\(fixture.path)/\(name)"))
        try await store.put("a", "after, and longer")
        let data = try #require(try open.readToEnd())
        #expect(String(decoding: data, as: UTF8.self).contains("before"))
    }

    @Test func damagedFileIsSetAsideInsteadOfOverwritten() async throws {
        let fixture = try StoreFixture(.folder)
        let file = URL(filePath: fixture.path + "/a.kept")
        try await fixture.open().put("a", "1")
        try Data("damaged".utf8).write(to: file)
        let store = try await fixture.open()
        try await store.put("a", "2")
        let aside = try #require(try await store.setAsideRecords().first)
        #expect(try Data(contentsOf: URL(filePath: aside.place)) == Data("damaged".utf8))
    }

    @Test func fileNamesDoNotDependOnTheProgramName() async throws {
        let fixture = try StoreFixture(.folder)
        try await fixture.open().put("a", "1")
        #expect(Disk.names(in: fixture.path) == [".lock", "a.kept"])
    }
}

@Suite(.timeLimit(.minutes(20))) struct FolderStoreTests {
    @Test func revisionsAndFileTimesGrowWhenTheClockGoesBackwards() async throws {
        for kind in [StoreKind.folder, .plainFolder] {
            let fixture = try StoreFixture(kind)
            let store = try await fixture.open()
            try await store.put("a", "1")
            let name = try #require(Disk.names(in: fixture.path).first { $0.hasPrefix("a.") })
            let path = "\(fixture.path)/\(name)"
            // Simulates a write a year in the future, followed by a correction of the clock.
            let ahead = Date(timeIntervalSinceNow: 31_000_000)
            try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: path)
            var revisions: Set<Revision> = []
            var written = try #require(try FileStamp(at: path)).modified
            for number in 0..<5 {
                revisions.insert(try await store.put("a", "\(number % 2)"))
                let time = try #require(try FileStamp(at: path)).modified
                #expect(time > written)
                written = time
            }
            #expect(revisions.count == 5)
            #expect(try await fixture.open().text("a") == "0")
        }
    }

    @Test func databaseOrderDoesNotDependOnTheClock() async throws {
        let fixture = try StoreFixture(.database)
        let time = ManualDate(Date())
        let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
        let store = SQLiteStore(database: database, owner: "sam", now: { time.now })
        let first = try await store.put("a", "1")
        time.advance(by: -1_000_000)
        let second = try await store.put("a", "2", expecting: .revision(first))
        _ = try await store.setAside("a", revision: second, reason: "later")
        time.advance(by: -1_000_000)
        _ = try await store.setAside("a", revision: first, reason: "earlier")
        #expect(try await store.setAsideRecords().map(\.reason) == ["later", "earlier"])
    }

    @Test func nextWriteRemovesFilesOfAKilledProcess() async throws {
        let fixture = try StoreFixture(.folder)
        try await fixture.open().put("a", "1")
        for name in ["a.kept.pending", "b.kept.pending", ".journal.pending"] {
            try Data("half".utf8).write(to: URL(filePath: "\(fixture.path)/\(name)"))
        }
        let store = try await fixture.open()
        #expect(try await store.text("a") == "1")
        #expect(try await store.keys == ["a"])
        try await store.put("a", "2")
        #expect(Disk.names(in: fixture.path) == [".lock", "a.kept", "a.kept.previous"])
    }

    @Test func removedFileIsNotRestoredFromItsPreviousCopy() async throws {
        let fixture = try StoreFixture(.folder)
        let store = try await fixture.open()
        try await store.put("a", "1")
        try await store.put("a", "2")
        try FileManager.default.removeItem(atPath: fixture.path + "/a.kept")
        #expect(try await store.read("a") == nil)
        try await store.put("a", "3", expecting: .nothing)
        try Data("torn".utf8).write(to: URL(filePath: fixture.path + "/a.kept"))
        #expect(await code { _ = try await store.read("a") } == .corrupt)
    }

    @Test func writeTimesOutWhileTheLockIsHeld() async throws {
        let fixture = try StoreFixture(.folder)
        try await fixture.open().put("a", "1")
        let lock = try FileLock(at: fixture.path + "/.lock")
        #expect(try lock.tryAcquire(.exclusive))
        let files = FolderFiles(path: fixture.path, style: .checked, disk: .real, now: { Date() })
        let store = FolderStore(files: files, lockTimeout: .milliseconds(20))
        #expect(await code { try await store.put("a", "2") } == .locked)
        #expect(try await store.text("a") == "1")
        lock.release()
        try await store.put("a", "2")
    }

    @Test func storesOfTwoStylesInOneFolderAreIndependent() async throws {
        let fixture = try StoreFixture(.folder)
        let plain = try await FolderStore.open(at: fixture.path, style: .plainJSON)
        try await fixture.open().put("a", "checked")
        try await plain.put("a", "plain", expecting: .nothing)
        #expect(try await fixture.open().text("a") == "checked")
        #expect(try await plain.text("a") == "plain")
        let text = try String(contentsOfFile: fixture.path + "/a.json", encoding: .utf8)
        #expect(text == "{\"format\":\"text\",\"version\":1,\"value\":\n\"plain\"\n}\n")
    }

    @Test func foreignFilesAreNotListed() async throws {
        let fixture = try StoreFixture(.folder)
        let store = try await fixture.open()
        for name in ["A.kept", "%61.kept", "%zz.kept", "%C3.kept", ".kept", "notes.txt", "a.kept~"] {
            try Data("of another".utf8).write(to: URL(filePath: "\(fixture.path)/\(name)"))
        }
        #expect(try await store.keys == [])
    }
}

@Suite(.timeLimit(.minutes(20))) struct SQLiteStoreTests {
    @Test func valuesCommitAndRollBackWithTheCallersRows() async throws {
        let folder = try TemporaryFolder()
        let database = try await folder.database()
        let store = SQLiteStore(database: database, owner: "sam")
        var changes = store.updates().makeAsyncIterator()
        let first = try await database.write { connection in
            try connection.execute(sql: "INSERT INTO note (text) VALUES ('kept')")
            return try store.commit([StoreWrite("a", .text("1"))], in: connection)
        }
        await changes.wait(for: ["a"])
        struct Refusal: Error {}
        let refused = await code {
            try await database.write { connection in
                _ = try store.commit([StoreWrite("a", .text("2"))], in: connection)
                try connection.execute(sql: "INSERT INTO note (text) VALUES ('lost')")
                throw Refusal()
            }
        }
        #expect(refused == .abandoned)
        #expect(try await database.notes == ["kept"])
        let record = try #require(try await store.read("a"))
        #expect(record.text == "1")
        #expect(first == .committed(["a": record.revision]))
        // The store must not trust the row of the rolled-back write, which it has noted as verified.
        try await store.put("a", "3", expecting: .revision(record.revision))
        let conflict = try await database.write { connection in
            try connection.execute(sql: "INSERT INTO note (text) VALUES ('kept too')")
            return try store.commit([StoreWrite("a", .text("4"), expecting: .nothing)], in: connection)
        }
        guard case .conflict = conflict else {
            Issue.record("no conflict: \(conflict)")
            return
        }
        #expect(try await database.notes == ["kept", "kept too"])
    }

    @Test func commitInAReadFails() async throws {
        let folder = try TemporaryFolder()
        let database = try await folder.database()
        let store = SQLiteStore(database: database, owner: "sam")
        let refused = await code {
            _ = try await database.read { try store.commit([StoreWrite("a", .text("1"))], in: $0) }
        }
        #expect(refused == .queryFailed)
    }

    @Test func revisionsOfTwoDatabasesDiffer() async throws {
        var revisions: Set<Revision> = []
        for _ in 0..<5 { revisions.insert(try await StoreFixture(.database).open().put("a", "1")) }
        #expect(revisions.count == 5)
    }
}

import DurableFiles
import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

/// Reading, restoring and removing values that are set aside, in every store.
@Suite(.timeLimit(.minutes(20))) struct SetAsideTests {
    /// Stores texts, and sets the last one aside.
    private static func setAside(
        _ texts: [String], as key: StoreKey = "a", reason: String = "a test", in store: any Store
    ) async throws -> SetAsideRecord {
        for text in texts { try await store.put(key, text) }
        let revision = try #require(try await store.read(key)?.revision)
        return try #require(try await store.setAside(key, revision: revision, reason: reason))
    }

    private static func text(_ record: SetAsideRecord, in store: any Store) async throws -> String? {
        guard let found = try await store.setAsideContent(of: record) else { return nil }
        return try JSONDecoder().decode(String.self, from: found.content.get().payload)
    }

    @Test(arguments: StoreKind.allCases)
    func setAsideValueIsReadBack(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let record = try await Self.setAside(["1", "2"], in: fixture.open())
        let other = try await fixture.open()
        #expect(try await other.setAsideRecords() == [record])
        let found = try #require(try await other.setAsideContent(of: record))
        #expect(try found.content.get() == .text("2"))
        #expect(found.bytes.range(of: StoredContent.text("2").payload) != nil)
        // Reading has no side effects.
        #expect(try await other.setAsideRecords() == [record])
        #expect(try await other.text("a") == "1")
    }

    @Test(arguments: StoreKind.allCases)
    func restoreStoresTheValueAndSetsTheCurrentOneAside(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1", "2"], in: store)
        let third = try await store.put("a", "3")
        let restored = try await fixture.open().restore(record, expecting: .revision(third), reason: "replaced")
        let now = try #require(try await fixture.open().read("a"))
        #expect(now.content == .text("2") && now.revision == restored.revision && now.recovery == nil)
        #expect(restored.revision != third)
        let replaced = try #require(restored.replaced)
        #expect(replaced.key == "a" && replaced.reason == "replaced" && replaced.id != record.id)
        #expect(try await store.setAsideRecords() == [replaced])
        #expect(try await Self.text(replaced, in: fixture.open()) == "3")
        // Restoring back and forth loses neither value.
        let back = try await store.restore(replaced, expecting: .anything, reason: "replaced again")
        #expect(try await fixture.open().text("a") == "3")
        let last = try #require(back.replaced)
        #expect(try await store.setAsideRecords() == [last])
        #expect(try await Self.text(last, in: store) == "2")
    }

    @Test(arguments: StoreKind.allCases)
    func restoreWorksWhereNothingIsStored(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1"], in: store)
        #expect(try await store.read("a") == nil)
        let restored = try await store.restore(record, expecting: .nothing, reason: "replaced")
        #expect(restored.replaced == nil)
        #expect(try await fixture.open().text("a") == "1")
        #expect(try await fixture.open().keys == ["a"])
        #expect(try await fixture.open().setAsideRecords() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func eitherOfTwoSetAsideValuesCanBeRestored(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let first = try await Self.setAside(["1"], reason: "first", in: store)
        let second = try await Self.setAside(["2"], reason: "second", in: store)
        #expect(first.id != second.id)
        #expect(try await Self.text(first, in: store) == "1")
        #expect(try await Self.text(second, in: store) == "2")
        try await store.put("a", "3")
        try await store.restore(first, expecting: .anything, reason: "replaced")
        #expect(try await fixture.open().text("a") == "1")
        let left = try await fixture.open().setAsideRecords()
        #expect(Set(left.map(\.reason)) == ["second", "replaced"])
        #expect(try await Self.text(second, in: fixture.open()) == "2")
        #expect(try await store.removeSetAside(second))
        #expect(try await fixture.open().setAsideRecords().map(\.reason) == ["replaced"])
    }

    @Test(arguments: StoreKind.allCases)
    func restoreWithAStaleRevisionIsAConflictAndChangesNothing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1"], in: store)
        let seen = try await store.put("a", "2")
        try await fixture.open().put("a", "3")
        for expectation in [StoreWrite.Expectation.revision(seen), .nothing] {
            let error = await error {
                try await store.restore(record, expecting: expectation, reason: "replaced")
            }
            #expect(error?.code == .conflict)
            #expect(error?.message.contains("“a” was changed meanwhile") == true)
        }
        #expect(try await fixture.open().text("a") == "3")
        #expect(try await fixture.open().setAsideRecords() == [record])
        try await store.remove("a")
        #expect(
            await code { try await store.restore(record, expecting: .revision(seen), reason: "replaced") } == .conflict)
        #expect(try await store.keys == [])
    }

    @Test(arguments: StoreKind.allCases)
    func removedOrRestoredRecordIsMissing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let removed = try await Self.setAside(["1"], in: store)
        let restored = try await Self.setAside(["2"], in: store)
        try await store.put("a", "3")
        let other = try await fixture.open()
        #expect(try await other.removeSetAside(removed))
        try await other.restore(restored, expecting: .anything, reason: "replaced")
        let left = try await store.setAsideRecords()
        for record in [removed, restored] {
            #expect(try await store.setAsideContent(of: record) == nil)
            #expect(
                await code { try await store.restore(record, expecting: .anything, reason: "again") } == .missing)
            #expect(try await !store.removeSetAside(record))
        }
        #expect(try await store.text("a") == "2")
        #expect(try await store.setAsideRecords() == left)
        #expect(left.map(\.reason) == ["replaced"])
    }

    @Test(arguments: StoreKind.allCases)
    func removingARecordKeepsOthersAndDeletesItsFile(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1"], in: store)
        let other = try await Self.setAside(["1"], as: "b", in: store)
        #expect(try await store.removeSetAside(record))
        #expect(try await fixture.open().setAsideRecords() == [other])
        #expect(try await store.removeSetAside(other))
        #expect(try await fixture.open().setAsideRecords() == [])
        if kind == .folder || kind == .plainFolder { #expect(Disk.names(in: fixture.path) == [".lock"]) }
    }

    @Test(arguments: StoreKind.allCases)
    func forgedRecordIsMissing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1", "2"], in: store)
        try Data("secret".utf8).write(to: URL(filePath: fixture.folder.path + "/a.damaged-2026"))
        var forged = [record, record, record, record]
        forged[0].key = "b"
        forged[1].time += 1
        forged[2].place += "-2"
        forged[3].place = fixture.folder.path + "/a.damaged-2026"
        for path in ["", "/", "..", "../a.damaged-2026", "a.kept", "/etc/passwd", "value/a", "note/a"] {
            forged.append(SetAsideRecord(key: "a", place: path, reason: "forged", time: record.time))
        }
        for record in forged {
            #expect(try await store.setAsideContent(of: record) == nil, "\(record.place)")
            #expect(await code { try await store.restore(record, expecting: .anything, reason: "") } == .missing)
            #expect(try await !store.removeSetAside(record))
        }
        #expect(try await store.text("a") == "1")
        #expect(try await store.setAsideRecords() == [record])
        #expect(Disk.exists(fixture.folder.path + "/a.damaged-2026"))
    }

    @Test(arguments: StoreKind.allCases)
    func restoreDoesNotReplaceANewerVersion(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1"], in: store)
        try await store.put("a", "newer", version: 3)
        #expect(
            await code { try await store.restore(record, expecting: .anything, reason: "replaced") } == .newerVersion)
        #expect(try await fixture.open().text("a") == "newer")
        #expect(try await fixture.open().setAsideRecords() == [record])
    }

    @Test(arguments: StoreKind.allCases)
    func settingARestoredValueAsideReturnsToThePreviousOne(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1"], in: store)
        try await store.put("a", "2")
        let restored = try await store.restore(record, expecting: .anything, reason: "replaced")
        try await store.put("b", "1")
        #expect(try await store.setAside("a", revision: restored.revision, reason: "again") != nil)
        #expect(try await fixture.open().text("a") == "2")
        #expect(try await fixture.open().setAsideRecords().count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func restoreIsReportedToListeners(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let record = try await Self.setAside(["1", "2"], in: store)
        let other = try await fixture.open()
        var changes = other.updates().makeAsyncIterator()
        try await store.restore(record, expecting: .anything, reason: "replaced")
        await changes.wait(for: ["a"])
        #expect(try await other.text("a") == "2")
    }
}

/// Damaged bytes can be read, but not restored until they are repaired.
@Suite(.timeLimit(.minutes(20))) struct DamagedSetAsideTests {
    @Test(arguments: [StoreKind.folder, .plainFolder])
    func damagedFileIsRestoredOnlyAfterItsRepair(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.put("a", "good")
        let file = URL(filePath: fixture.path + (kind == .folder ? "/a.kept" : "/a.json"))
        let good = try Data(contentsOf: file)
        try good.dropLast(5).write(to: file)
        // In the second after its modification, a file isn't treated as damaged: an editor may be saving it.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -10)], ofItemAtPath: file.path)
        #expect(await code { _ = try await store.read("a") } == .corrupt)
        try await store.put("a", "later")
        let record = try #require(try await store.setAsideRecords().first)
        let found = try #require(try await store.setAsideContent(of: record))
        #expect(found.bytes == good.dropLast(5))
        #expect(throws: StoreError.self) { try found.content.get() }
        let error = await error { try await store.restore(record, expecting: .anything, reason: "replaced") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("The set-aside copy of “a” is damaged") == true)
        #expect(try await store.text("a") == "later")
        #expect(try await store.setAsideRecords() == [record])
        try good.write(to: URL(filePath: record.place))
        try await store.restore(record, expecting: .anything, reason: "replaced")
        #expect(try await fixture.open().text("a") == "good")
    }

    @Test func damagedRowIsRestoredOnlyAfterItsRepair() async throws {
        let fixture = try StoreFixture(.database)
        let store = try await fixture.open()
        try await store.put("a", "good")
        let database = try await AppDatabase.open(in: DataFolder.open(at: fixture.path), migrations: [])
        try await database.write {
            try $0.execute(sql: "UPDATE stored_value SET payload = CAST(x'0001' || payload AS BLOB)")
        }
        #expect(await code { _ = try await store.read("a") } == .corrupt)
        try await store.put("a", "later")
        let record = try #require(try await store.setAsideRecords().first)
        let found = try #require(try await store.setAsideContent(of: record))
        #expect(found.bytes == Data([0, 1]) + StoredContent.text("good").payload)
        let value = try #require(try await database.setAsideValues().first)
        #expect(try await database.setAsideBytes(of: value.id) == found.bytes)
        #expect(await code { try await store.restore(record, expecting: .anything, reason: "") } == .corrupt)
        #expect(try await store.text("a") == "later")
        #expect(try await store.setAsideRecords() == [record])
        try await database.write { try $0.execute(sql: "UPDATE stored_set_aside SET payload = substr(payload, 3)") }
        try await store.restore(record, expecting: .anything, reason: "replaced")
        #expect(try await fixture.open().text("a") == "good")
        #expect(try await database.setAsideBytes(of: value.id) == nil)
    }
}

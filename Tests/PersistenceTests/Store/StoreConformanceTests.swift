import Foundation
import StoreTesting
import Testing

@testable import Persistence

/// The behaviour that all stores share.
@Suite(.timeLimit(.minutes(20))) struct StoreConformanceTests {
    @Test(arguments: StoreKind.allCases)
    func newStoreIsEmpty(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        #expect(try await store.read("palettes") == nil)
        #expect(try await store.keys == [])
        #expect(try await store.setAsideRecords() == [])
        #expect(try await store.commit([]) == .committed([:]))
    }

    @Test(arguments: StoreKind.allCases)
    func writtenValueIsReadByAnotherStore(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let content = StoredContent(format: "palettes", version: 3, payload: Data(#"{"a" : [1,  2.50, "ä\/"]}"#.utf8))
        let result = try await fixture.open().commit([StoreWrite("palettes", content)])
        guard case .committed(let revisions) = result else { throw UnexpectedConflict(result: result) }
        let record = try #require(try await fixture.open().read("palettes"))
        #expect(record.content == content)
        #expect(record.revision == revisions["palettes"])
        #expect(record.recovery == nil)
        #expect(try await fixture.open().keys == ["palettes"])
    }

    @Test(arguments: StoreKind.allCases.filter { $0 != .plainFolder })
    func anyBytesAreStored(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        for payload in [Data(), Data([0]), Data("\n".utf8), Data((0...255).map { UInt8($0) })] {
            let content = StoredContent(format: "x.y-1", version: 1, payload: payload)
            _ = try await store.commit([StoreWrite("bytes", content)])
            #expect(try await store.read("bytes")?.content == content)
        }
    }

    @Test func plainFolderRefusesContentThatIsNotJSON() async throws {
        let store = try await StoreFixture(.plainFolder).open()
        try await store.put("a", "before")
        for payload in ["", "{", "[1] 2", "\u{0}"] {
            let content = StoredContent(format: "text", version: 1, payload: Data(payload.utf8))
            #expect(await code { _ = try await store.commit([StoreWrite("a", content)]) } == .notEncodable)
        }
        #expect(try await store.text("a") == "before")
    }

    @Test(arguments: StoreKind.allCases)
    func everyWriteGetsADifferentRevision(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let other = try await fixture.open()
        var revisions: Set<Revision> = []
        // Write the same two texts many times, including after a removal.
        for round in 0..<20 {
            revisions.insert(try await (round % 3 == 0 ? other : store).put("a", round % 2 == 0 ? "A" : "B"))
            if round % 5 == 4 { try await store.remove("a") }
        }
        #expect(revisions.count == 20)
    }

    @Test(arguments: StoreKind.allCases)
    func removedValueIsNeitherReadNorListed(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.remove("never there")
        try await store.put("a", "1")
        try await store.put("a", "2")
        try await store.put("b", "1")
        try await store.remove("a")
        #expect(try await fixture.open().read("a") == nil)
        #expect(try await fixture.open().keys == ["b"])
        try await store.put("a", "3", expecting: .nothing)
        #expect(try await fixture.open().text("a") == "3")
        try await store.remove("a")
        try await store.remove("a")
        #expect(try await store.keys == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func keysAreSortedAndFilteredByPrefix(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        for name in ["b", "art/2", "art", "art/10", "Art/1", "art/", "ä", "a%rt", "a_rt"] {
            try await store.put(StoreKey(name), name)
        }
        let all = ["Art/1", "a%rt", "a_rt", "art", "art/", "art/10", "art/2", "b", "ä"]
        #expect(try await store.keys.map(\.name) == all)
        #expect(try await store.keys(beginningWith: "art/").map(\.name) == ["art/", "art/10", "art/2"])
        #expect(try await store.keys(beginningWith: "a%").map(\.name) == ["a%rt"])
        #expect(try await store.keys(beginningWith: "ä").map(\.name) == ["ä"])
        #expect(try await store.keys(beginningWith: "no") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func writeExpectingNothingConflictsWithAStoredValue(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        try await store.put("a", "1", expecting: .nothing)
        let stored = try #require(try await store.read("a"))
        let write = StoreWrite("a", .text("2"), expecting: .nothing)
        #expect(try await fixture.open().commit([write]) == .conflict(["a": stored]))
        #expect(try await store.read("a") == stored)
    }

    @Test(arguments: StoreKind.allCases)
    func writeExpectingAnOldRevisionConflicts(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let other = try await fixture.open()
        let first = try await store.put("a", "1")
        let second = try await other.put("a", "2", expecting: .revision(first))
        let stored = try #require(try await store.read("a"))
        #expect(stored.revision == second)
        let late = StoreWrite("a", .text("3"), expecting: .revision(first))
        #expect(try await store.commit([late]) == .conflict(["a": stored]))
        let removal = StoreWrite("a", nil, expecting: .revision(first))
        #expect(try await store.commit([removal]) == .conflict(["a": stored]))
        #expect(try await other.text("a") == "2")
        try await other.remove("a")
        #expect(try await store.commit([late]) == .conflict(["a": nil]))
        #expect(try await store.read("a") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func severalWritesAreCommittedTogetherOrNotAtAll(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let a = try await store.put("a", "1")
        try await store.put("gone", "1")
        let result = try await store.commit([
            StoreWrite("a", .text("2"), expecting: .revision(a)), StoreWrite("b", .text("2"), expecting: .nothing),
            StoreWrite("gone", nil), StoreWrite("never there", nil),
        ])
        guard case .committed(let revisions) = result else { throw UnexpectedConflict(result: result) }
        #expect(Set(revisions.keys) == ["a", "b"])
        let other = try await fixture.open()
        #expect(try await other.read("a")?.revision == revisions["a"])
        #expect(try await other.text("a") == "2")
        #expect(try await other.text("b") == "2")
        #expect(try await other.keys == ["a", "b"])

        let stored = try await other.read("a")
        let refused = try await other.commit([
            StoreWrite("b", .text("3")), StoreWrite("a", .text("3"), expecting: .revision(a)), StoreWrite("c", nil),
            StoreWrite("d", .text("3"), expecting: .revision(a)),
        ])
        #expect(refused == .conflict(["a": stored, "d": nil]))
        #expect(try await store.text("b") == "2")
        #expect(try await store.keys == ["a", "b"])
    }

    @Test(arguments: StoreKind.allCases)
    func invalidWritesAreRefused(kind: StoreKind) async throws {
        let store = try await StoreFixture(kind).open()
        let writesOfOneKey = [StoreWrite("a", .text("1")), StoreWrite("a", .text("2"))]
        #expect(await code { _ = try await store.commit(writesOfOneKey) } == .invalidName)
        for format in ["", "a b", "a\"b", "ä", String(repeating: "a", count: 65)] {
            let write = StoreWrite("a", .text("1", format: format))
            #expect(await code { _ = try await store.commit([write]) } == .invalidName)
        }
        #expect(await code { _ = try await store.commit([StoreWrite("a", .text("1", version: 0))]) } == .invalidName)
        #expect(try await store.keys == [])
    }

    @Test(arguments: StoreKind.allCases)
    func newerVersionIsNotOverwritten(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let revision = try await fixture.open().put("a", "newer", version: 3)
        let store = try await fixture.open()
        let stored = try await store.read("a")
        let error = await error {
            _ = try await store.commit([
                StoreWrite("b", .text("older")),
                StoreWrite("a", .text("older", version: 2), expecting: .revision(revision)),
            ])
        }
        #expect(error?.code == .newerVersion)
        #expect(error?.message.contains("“a” was written by a newer version of this program (text 3;") == true)
        #expect(try await store.read("a") == stored)
        #expect(try await store.keys == ["a"])
        // A write of another format, and a removal, are allowed.
        _ = try await store.commit([StoreWrite("a", .text("other", format: "other"))])
        try await store.put("b", "newer", version: 4)
        try await store.remove("b")
        #expect(try await store.text("a") == "other")
    }

    @Test(arguments: StoreKind.allCases)
    func setAsideValueIsReplacedByThePreviousCopy(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let first = try await store.put("a", "1")
        let second = try await store.put("a", "2")
        // Stored times may have a resolution of one second.
        let begin = Date(timeIntervalSinceNow: -1)
        #expect(try await store.setAside("a", revision: first, reason: "too old") == nil)
        #expect(try await store.setAside("b", revision: first, reason: "not there") == nil)
        let aside = try #require(try await store.setAside("a", revision: second, reason: "no palette"))
        #expect(aside.key == "a" && aside.reason == "no palette")
        let before = try #require(try await fixture.open().read("a"))
        #expect(before.text == "1" && before.recovery == nil)
        let asideToo = try #require(try await store.setAside("a", revision: before.revision, reason: "nor this"))
        #expect(asideToo.place != aside.place)
        #expect(try await fixture.open().read("a") == nil)
        #expect(try await fixture.open().keys == [])
        let records = try await fixture.open().setAsideRecords()
        #expect(records.map(\.place) == [aside.place, asideToo.place])
        #expect(records.map(\.reason) == ["no palette", "nor this"])
        let end = Date(timeIntervalSinceNow: 1)
        #expect(records.allSatisfy { (begin...end).contains($0.time) && $0.key == "a" })
        try await store.put("a", "3", expecting: .nothing)
        #expect(try await store.setAsideRecords().count == 2)
    }

    /// Names with a special meaning for a file system, a shell or a query.
    static let hardNames = [
        "A", "a", "\u{e4}", "a\u{308}", ".", "..", "../../etc/passwd", "a/b", "a\\b", "/", "con", "a.kept", "a.json",
        "a.kept.previous", "a.kept.pending", "a.json.damaged-2026", ".journal", ".lock", "%41", "%", "%2E", " ", " a ",
        "a'; DROP TABLE stored_value; --", "a\"b", "*?<>|:", "-rf", "~", "日本語の名前", "👩‍👩‍👧‍👦", "ﬀ", "İ", "ı", "ß",
        "ẞ",
        String(repeating: "Z", count: 80), String(repeating: "ä", count: 40),
    ]

    @Test(arguments: StoreKind.allCases)
    func specialCharactersInKeysAreHarmless(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        for name in Self.hardNames {
            try await store.put(StoreKey(name), "first of \(name)", expecting: .nothing)
            try await store.put(StoreKey(name), "text of \(name)")
        }
        let other = try await fixture.open()
        let keys = try Self.hardNames.map { try StoreKey($0) }
        #expect(try await other.keys == keys.sorted())
        for key in keys {
            #expect(try await other.text(key) == "text of \(key)")
            let revision = try #require(try await other.read(key)?.revision)
            let record = try await other.setAside(key, revision: revision, reason: "of \(key)")
            #expect(record?.key == key)
            #expect(try await other.text(key) == "first of \(key)")
        }
        let records = try await other.setAsideRecords()
        #expect(records.count == keys.count)
        #expect(Set(records.map(\.key)) == Set(keys))
        #expect(records.allSatisfy { $0.reason == "of \($0.key)" })
        let outside = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        let expected: [String] =
            switch kind {
            case .memory: []
            case .postgreSQL: ["data.postgresql"]
            case .defaults: ["data.lock"]
            case .folder, .plainFolder, .database: ["data"]
            }
        #expect(outside == expected)
    }

    static let invalidNames = [
        "", String(repeating: "a", count: 81), String(repeating: "ä", count: 41), "a\nb", "\u{0}", "\u{7f}",
    ]

    @Test(arguments: Self.invalidNames)
    func invalidKeyIsRefused(name: String) async {
        #expect(await code { _ = try StoreKey(name) } == .invalidName)
    }
}

/// The behaviour of all stores with many keys, large values and concurrent writers.
@Suite(.timeLimit(.minutes(20))) struct StoreLoadTests {
    @Test(arguments: StoreKind.allCases)
    func tenThousandKeysAreStored(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        let keys = try (0..<10_000).map { try StoreKey("key/\($0)") }
        for start in stride(from: 0, to: keys.count, by: 500) {
            let writes = keys[start..<start + 500].map { StoreWrite($0, .text("text of \($0)")) }
            guard case .committed = try await store.commit(writes) else {
                Issue.record("a conflict")
                return
            }
        }
        let other = try await fixture.open()
        #expect(try await other.keys == keys.sorted())
        #expect(try await other.keys(beginningWith: "key/99").count == 111)
        for number in stride(from: 0, to: 10_000, by: 97) {
            #expect(try await other.text(keys[number]) == "text of \(keys[number])")
        }
        try await other.put(keys[5_000], "again")
        #expect(try await store.text(keys[5_000]) == "again")
    }

    @Test(arguments: StoreKind.allCases)
    func valueOfFiftyMegabytesIsStored(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        let store = try await fixture.open()
        var payload = Data(repeating: UInt8(ascii: "a"), count: 50_000_000)
        payload[0] = UInt8(ascii: "\"")
        payload[payload.count - 1] = UInt8(ascii: "\"")
        let large = StoredContent(format: "large", version: 1, payload: payload)
        _ = try await store.commit([StoreWrite("large", large)])
        let read = try await fixture.open().read("large")
        #expect(read?.content == large)
        _ = try await store.commit([StoreWrite("large", .text("small", format: "large"))])
        #expect(try await fixture.open().text("large") == "small")
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentIncrementsOfOneKeyLoseNone(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let store = try await fixture.open()
                group.addTask { for _ in 0..<25 { try await store.increment("count") } }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.open().text("count") == "100")
    }
}

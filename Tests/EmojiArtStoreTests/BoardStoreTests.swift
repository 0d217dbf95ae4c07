import EmojiArtModel
import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of whole boards, run against every store.
@Suite(.timeLimit(.minutes(10))) struct BoardStoreTests {
    @Test(arguments: StoreKind.allCases)
    func newBoardStartsAtRevisionZero(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let art = try EmojiArt.test(3, background: .address("https://example.org/a.png"))
        let summary = try await fixture.store.create("board", named: "Sea 🌊", art: art)
        #expect(
            summary
                == BoardSummary(
                    id: "board", name: "Sea 🌊", emojiCount: 3, created: fixture.time.now, changed: fixture.time.now,
                    revision: 0))
        #expect(try await fixture.store.board() == Board(summary: summary, art: art))
        #expect(try await fixture.store.summary(of: "board", owner: "ann") == summary)
        #expect(try await fixture.store.boards(of: "ann", limit: 10, offset: 0) == [summary])
        #expect(try await fixture.store.count(of: "ann") == 1)
        #expect(try await fixture.store.changes(since: 0) == .entries([]))
    }

    @Test(arguments: StoreKind.allCases)
    func boardIDIsUniquePerOwner(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.create("board", named: "First")
        #expect(await error { try await fixture.store.create("board", named: "Second") } == .exists("board"))
        #expect(try await fixture.store.names() == ["First"])
        // Ids are per owner.
        try await fixture.store.create("board", named: "Bob's", owner: "bob")
        #expect(try await fixture.store.board()?.summary.name == "First")
        #expect(try await fixture.store.board("board", owner: "bob")?.summary.name == "Bob's")
        // A deleted board can be restored, so its id isn't free.
        try await fixture.store.delete("board", owner: "ann")
        #expect(await error { try await fixture.store.create("board", named: "Third") } == .exists("board"))
    }

    @Test(arguments: StoreKind.allCases)
    func boardsAreListedByLastChange(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        for name in ["one", "two", "three", "four"] {
            // All in the same millisecond, as the clock is manual.
            try await fixture.store.create(try #require(BoardID(name)), named: name)
        }
        #expect(try await fixture.store.names() == ["four", "three", "two", "one"])
        fixture.time.advance(by: 5)
        try await fixture.store.apply("b1", .add("a"), to: "one")
        #expect(try await fixture.store.names() == ["one", "four", "three", "two"])
        // Setting the clock back doesn't change the order.
        fixture.time.advance(by: -100)
        try await fixture.store.rename("three", to: "drei", owner: "ann")
        #expect(try await fixture.store.names() == ["drei", "one", "four", "two"])
        #expect(try await fixture.store.names(2) == ["drei", "one"])
        #expect(try await fixture.store.names(2, offset: 1) == ["one", "four"])
        #expect(try await fixture.store.names(2, offset: 3) == ["two"])
        #expect(try await fixture.store.names(2, offset: 4) == [])
        #expect(try await fixture.store.names(0) == [])
        #expect(try await fixture.store.names(-1, offset: -1) == [])
        // Reading a board, and batches without effect, don't change the order.
        _ = try await fixture.store.board("two")
        try await fixture.store.apply("b2", .move("nobody", x: 1, y: 1), to: "two")
        #expect(try await fixture.store.names() == ["drei", "one", "four", "two"])
    }

    @Test(arguments: StoreKind.allCases)
    func renamingChangesNameAndDate(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let old = try await fixture.store.create("board", named: "Old", art: try .test(2))
        fixture.time.advance(by: 60)
        try await fixture.store.rename("board", to: "New", owner: "ann")
        var expected = old
        (expected.name, expected.changed) = ("New", fixture.time.now)
        #expect(try await fixture.store.board() == Board(summary: expected, art: try .test(2)))
    }

    @Test(arguments: StoreKind.allCases)
    func boardIsRenamedOnlyFromTheExpectedName(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board", named: "22 Nov 2026")
        #expect(try await store.rename("board", from: "22 Nov 2026", to: "Dog face", owner: "ann"))
        #expect(try await store.names() == ["Dog face"])
        #expect(try await !store.rename("board", from: "22 Nov 2026", to: "Cat", owner: "ann"))
        #expect(try await store.names() == ["Dog face"])
        // Both normalizations of a name are the same name.
        try await store.rename("board", to: "Caf\u{E9}", owner: "ann")
        #expect(try await store.rename("board", from: "Cafe\u{301}", to: "Tea", owner: "ann"))
    }

    @Test(arguments: StoreKind.allCases)
    func missingBoardIsReportedByEveryCall(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        // Another owner's board counts as missing.
        try await store.create("board", owner: "bob")
        let missing = BoardStoreError.notFound("board")
        #expect(try await store.board() == nil)
        #expect(try await store.summary(of: "board", owner: "ann") == nil)
        #expect(try await store.names() == [])
        #expect(try await store.count(of: "ann") == 0)
        #expect(try await store.deleted(of: "ann") == [])
        #expect(await error { try await store.apply("b1", .add("a")) } == missing)
        #expect(await error { _ = try await store.changes(since: 0) } == missing)
        #expect(await error { try await store.rename("board", to: "New", owner: "ann") } == missing)
        #expect(
            await error { _ = try await store.rename("board", from: "Old", to: "New", owner: "ann") } == missing)
        #expect(await error { _ = try await store.duplicate("board", as: "copy", named: "C", owner: "ann") } == missing)
        #expect(await error { try await store.delete("board", owner: "ann") } == missing)
        #expect(await error { try await store.restore("board", owner: "ann") } == missing)
        #expect(await error { _ = try await store.add(.test(), for: "board", owner: "ann") } == missing)
        #expect(
            await error { _ = try await store.add(.test(), fetchedFrom: "https://a.b", for: "board", owner: "ann") }
                == missing)
        let picture = try await store.add(.test(), for: "board", owner: "bob")
        #expect(try await store.picture(picture, of: "board", owner: "ann") == nil)
        #expect(try await store.fetched("https://a.b") == nil)
        #expect(try await store.count(of: "bob") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func invalidNamesAreRefused(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        let longest = String(repeating: "é", count: 500)
        try await store.create("board", named: longest)
        let unusable = ["", longest + "e", "a\u{0}b", "two\nlines", "\u{85}", "bell\u{7}"]
        for name in unusable {
            func isRefused(_ operation: () async throws -> Void) async -> Bool {
                if case .invalid(let words) = await error(operation) { !words.isEmpty } else { false }
            }
            #expect(await isRefused { try await store.create("other", named: name) })
            #expect(await isRefused { try await store.rename("board", to: name, owner: "ann") })
            #expect(await isRefused { _ = try await store.duplicate("board", as: "copy", named: name, owner: "ann") })
        }
        #expect(try await store.names() == [longest])
    }

    @Test(arguments: StoreKind.allCases)
    func hostileTextIsStoredUnchanged(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let names = [
            "'; DROP TABLE art_board; --", #""\"\\\u0000"#, "<script>alert(1)</script>", "\u{202E}txt.exe", "👩‍👩‍👧‍👦🏳️‍🌈",
            "%00%s%n?1:a@b$c", "e\u{301}", "é", " ", "\u{FEFF}\u{200B}",
        ]
        for (number, name) in names.enumerated() {
            let id = try #require(BoardID("b\(number)"))
            try await fixture.store.create(id, named: name)
            let operations: [ArtOperation] = [
                .add(.test("x", "\"\\/")), .add(.test("y", "’\u{2028}")),
                .setBackground(.address("http://h/\u{1}\"\u{0}\\é")),
            ]
            let batch = OperationBatch(id: "DROP-TABLE_1", name: name + "\n\u{0}", operations: operations)
            let outcome = try await fixture.store.apply(batch, to: id, owner: "ann", author: "")
            let entry = LogEntry(revision: 1, batch: batch, author: "")
            #expect(outcome == BatchOutcome(revision: 1, refused: [], entry: entry))
            #expect(try await fixture.store.changes(since: 0, of: id) == .entries([entry]))
        }
        let found = try await fixture.store.names()
        #expect(found.map { Array($0.utf8) } == names.reversed().map { Array($0.utf8) })
        // Check the stored data rather than the process's cache.
        if let sqlite = fixture.sqlite {
            let (store, database) = try await sqlite.openAnother()
            defer { database.close() }
            for id in names.indices.compactMap({ BoardID("b\($0)") }) {
                #expect(try await store.board(id) == fixture.store.board(id))
                #expect(try await store.art(id).background == .address("http://h/\u{1}\"\u{0}\\é"))
                #expect(try await store.changes(since: 0, of: id) == fixture.store.changes(since: 0, of: id))
            }
        }
    }
}

// MARK: - Deleting

extension BoardStoreTests {
    @Test(arguments: StoreKind.allCases)
    func restoredBoardIsUnchanged(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.create("board", named: "One")
        try await fixture.store.apply("b1", .add("a"))
        try await fixture.store.create("other", named: "Two")
        let before = try await fixture.store.board()
        fixture.time.advance(by: 10)
        try await fixture.store.delete("board", owner: "ann")
        #expect(try await fixture.store.board() == nil)
        #expect(try await fixture.store.names() == ["Two"])
        #expect(try await fixture.store.count(of: "ann") == 1)
        #expect(try await fixture.store.deleted(of: "ann") == [before?.summary])
        #expect(await error { try await fixture.store.apply("b2", .add("b")) } == .notFound("board"))
        #expect(await error { try await fixture.store.delete("board", owner: "ann") } == .notFound("board"))
        #expect(await error { try await fixture.store.restore("board", owner: "bob") } == .notFound("board"))
        // The board can be restored until its period ends, even after tidying.
        fixture.time.advance(by: 599)
        try await fixture.store.tidy()
        try await fixture.store.restore("board", owner: "ann")
        #expect(try await fixture.store.board() == before)
        #expect(try await fixture.store.names() == ["Two", "One"])
        #expect(try await fixture.store.deleted(of: "ann") == [])
        // The log is restored too, and a batch sent again isn't applied twice.
        #expect(try await fixture.store.changes(since: 0).entries?.map(\.batch.id) == ["b1"])
        #expect(try await fixture.store.apply("b1", .add("a")).revision == 1)
        // Restoring twice isn't an error.
        try await fixture.store.restore("board", owner: "ann")
        #expect(try await fixture.store.board() == before)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func deletedBoardCannotBeRestoredAfterItsPeriod(kind: StoreKind, isTidied: Bool) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.create("board", named: "One")
        try await fixture.store.create("later", named: "Two")
        try await fixture.store.delete("board", owner: "ann")
        fixture.time.advance(by: 300)
        try await fixture.store.delete("later", owner: "ann")
        #expect(try await fixture.store.deleted(of: "ann").map(\.name) == ["Two", "One"])
        fixture.time.advance(by: 300)
        if isTidied { try await fixture.store.tidy() }
        #expect(try await fixture.store.deleted(of: "ann").map(\.name) == ["Two"])
        #expect(await error { try await fixture.store.restore("board", owner: "ann") } == .notFound("board"))
        try await fixture.store.restore("later", owner: "ann")
        #expect(try await fixture.store.names() == ["Two"])
        try await fixture.store.tidy()
        // The id is free again.
        try await fixture.store.create("board", named: "Anew")
        #expect(try await fixture.store.art() == EmojiArt())
        #expect(try await fixture.store.changes(since: 0) == .entries([]))
    }
}

extension BoardStoreTests {
    @Test(arguments: StoreKind.allCases)
    func discardedBoardCannotBeRestored(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.create("board", named: "One")
        try await fixture.store.discard("board", owner: "ann")
        #expect(try await fixture.store.names() == [])
        #expect(try await fixture.store.deleted(of: "ann") == [])
        #expect(await error { try await fixture.store.restore("board", owner: "ann") } == .notFound("board"))
        try await fixture.store.tidy()
        // The id is free again.
        try await fixture.store.create("board", named: "Anew")
    }
}

// MARK: - Duplicating

extension BoardStoreTests {
    @Test(arguments: StoreKind.allCases)
    func duplicateHasSameContentAndPictures(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board", named: "One", art: try .test(2))
        let dropped = try await store.add(.test("dropped"), for: "board", owner: "ann")
        _ = try await store.add(.test("fetched"), fetchedFrom: "https://a.b/c", for: "board", owner: "ann")
        try await store.apply("b1", .add("new"), .setBackground(.picture(dropped)))
        let copy = try await store.duplicate("board", as: "copy", named: "Two", owner: "ann")
        #expect(copy.revision == 0 && copy.emojiCount == 3 && copy.name == "Two" && copy.id == "copy")
        #expect(try await store.art("copy") == store.art("board"))
        #expect(try await store.changes(since: 0, of: "copy") == .entries([]))
        #expect(
            await error { _ = try await store.duplicate("board", as: "copy", named: "X", owner: "ann") }
                == .exists("copy"))
        // The copy has references of its own to its pictures.
        try await store.delete("board", owner: "ann")
        fixture.time.advance(by: 2 * 86_400)
        try await store.tidy()
        #expect(try await store.board() == nil)
        #expect(try await store.picture(dropped, of: "copy", owner: "ann") == .test("dropped"))
        // The copy has a log of its own: the same batch id isn't a duplicate.
        #expect(try await store.apply("b1", .delete("new"), to: "copy").revision == 1)
        #expect(try await store.art("copy").emojis.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func duplicateReusesFetchedPicture(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board", art: try .test(0, background: .address("https://a.b/c")))
        let id = try await store.add(.test("fetched"), fetchedFrom: "https://a.b/c", for: "board", owner: "ann")
        _ = try await store.duplicate("board", as: "copy", named: "Two", owner: "ann")
        let found = try await store.fetched("https://a.b/c", for: "copy")
        #expect(found == StoredPicture(id: id, type: "image/png", size: nil))
    }
}

import EmojiArtModel
import Foundation
import Persistence
import SeededChance
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of persistence and of concurrent processes.
@Suite(.timeLimit(.minutes(30))) struct SQLiteBoardStoreTests {
    @Test(arguments: DatabaseKind.allCases)
    func reopenedStoreHasAllData(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board", named: "One", art: try .test(4))
        let picture = try await fixture.store.add(.test(), for: "board", owner: "ann")
        for number in 1...17 { try await fixture.store.apply("b\(number)", .move("e1", x: Double(number), y: 0)) }
        try await fixture.store.apply("last", .setBackground(.picture(picture)), .move("gone", x: 0, y: 0))
        try await fixture.store.create("gone")
        try await fixture.store.delete("gone", owner: "ann")
        fixture.database.close()
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        #expect(try await store.names() == ["One"])
        let board = try #require(try await store.board())
        #expect(board.summary.revision == 18 && board.summary.emojiCount == 4)
        #expect(board.art.background == .picture(picture) && board.art.emoji("e1")?.x == 17)
        #expect(try await store.changes(since: 10).entries?.map(\.revision) == Array(11...18))
        #expect(try await store.picture(picture, of: "board", owner: "ann") == .test())
        #expect(try await store.apply("last").refused.map(\.reason) == [.gone])
        #expect(try await store.deleted(of: "ann").map(\.id) == ["gone"])
        // A store with a closed database reports an error.
        let failure = await error { _ = try await fixture.store.board() }
        guard case .failed(let words) = failure else {
            Issue.record("It threw \(String(describing: failure)).")
            return
        }
        #expect(words.contains("closed"))
    }

    /// A board of the earlier version, whose snapshot has no rotations.
    @Test(arguments: DatabaseKind.allCases)
    func boardOfAnEarlierFormatIsReadAndUpgradedWhenItChanges(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board", art: try .test(2))
        try await fixture.changeRows("UPDATE art_board SET format = 1")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        let expected = try EmojiArt.test(2)
        #expect(try await store.art() == expected)
        #expect(try await fixture.numbers("SELECT format FROM art_board") == [1])
        for number in 1...6 { try await store.apply("b\(number)", .rotate("e1", angle: Double(number))) }
        #expect(try await fixture.numbers("SELECT format FROM art_board") == [ArtSnapshot.format])
        let (again, anotherDatabase) = try await fixture.openAnother()
        defer { anotherDatabase.close() }
        #expect(try await again.art().emoji("e1")?.angle == 6)
    }

    @Test(arguments: DatabaseKind.allCases)
    func fullyRefusedBatchIsStoredCompactlyAndAnsweredTheSame(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        let moves = (0..<2_000).map { ArtOperation.move(EmojiID($0), x: 0, y: 0) }
        let batch = OperationBatch(id: "b", name: "Move", operations: moves)
        let first = try await fixture.store.apply(batch, to: "board", owner: "ann", author: "a")
        #expect(first.refused.count == 2_000 && first.refused.allSatisfy { $0.message.contains("was deleted") })
        #expect(try await fixture.store.apply(batch, to: "board", owner: "ann", author: "a") == first)
        let bytes = try await fixture.numbers("SELECT length(refused) FROM art_answer")
        #expect(bytes.allSatisfy { $0 < 50_000 } && bytes.count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cacheMatchesDatabaseAfterManyBatches(_ kind: DatabaseKind) async throws {
        var policy = BoardPolicy.small
        policy.snapshotBytes = 2_000
        let fixture = try await SQLiteFixture(kind, policy: policy)
        let boards: [BoardID] = ["one", "two", "three"]
        var arts: [BoardID: EmojiArt] = [:]
        for id in boards {
            try await fixture.store.create(id)
            arts[id] = EmojiArt()
        }
        // Another process writes now and then, so that neither cache is complete.
        let (other, database) = try await fixture.openAnother()
        defer { database.close() }
        var generator = SeededChance(seed: 8)
        for number in 0..<(isSoak ? 10_000 : 700) {
            let id = boards[number % 7 == 0 ? 0 : number % 3]
            let batch = OperationBatch.random("b\(number)", using: &generator)
            let store = number / 5 % 4 == 0 ? other : fixture.store
            let outcome = try await store.apply(batch, to: id, owner: "ann", author: "x")
            var art = arts[id, default: EmojiArt()]
            let expected = art.apply(batch) { _ in false }
            #expect(outcome.refused.shown == expected.refused.shown)
            arts[id] = art
            if number % 50 == 0 {
                #expect(try await fixture.store.art(id) == art)
                #expect(try await other.art(id) == art)
            }
        }
        let (reopened, third) = try await fixture.openAnother()
        defer { third.close() }
        for id in boards {
            let board = try #require(try await reopened.board(id))
            #expect(board.art == arts[id])
            #expect(board == (try await fixture.store.board(id)))
            #expect(board.summary.emojiCount == board.art.emojis.count)
            // The log is consistent from any point on.
            let since = board.summary.revision - policy.logEntries
            let entries = try #require(try await reopened.changes(since: since, of: id).entries)
            #expect(entries.map(\.revision) == Array(since + 1...board.summary.revision))
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func logIsTruncatedToItsLimit(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        try await fixture.store.apply("first", .add("a"))
        for number in 1...200 { try await fixture.store.apply("b\(number)", .move("a", x: Double(number), y: 0)) }
        let retained = try await fixture.numbers("SELECT revision FROM art_entry ORDER BY revision")
        let limit = BoardPolicy.small.logEntries + BoardPolicy.small.snapshotEntries
        #expect(retained == Array(202 - retained.count...201) && retained.count < limit && retained.count >= limit - 5)
        #expect(try await fixture.numbers("SELECT count(*) FROM art_snapshot") == [1])
        #expect(try await fixture.numbers("SELECT count(*) FROM art_answer") == [201])
    }

    @Test(arguments: DatabaseKind.allCases)
    func logOfLargeBatchesIsTruncatedSooner(_ kind: DatabaseKind) async throws {
        var policy = BoardPolicy()
        (policy.logBytes, policy.snapshotBytes) = (20_000, 5_000)
        let fixture = try await SQLiteFixture(kind, policy: policy)
        try await fixture.store.create("board")
        for number in 1...100 {
            let address = "https://a.b/\(number)" + String(repeating: "x", count: 1_000)
            try await fixture.store.apply("b\(number)", .setBackground(.address(address)))
        }
        #expect(try #require(try await fixture.numbers("SELECT sum(length(content)) FROM art_entry").first) < 26_000)
        #expect(try await fixture.store.changes(since: 90).entries?.count == 10)
        #expect(try await fixture.store.changes(since: 10).whole?.summary.revision == 100)
        #expect(try await fixture.openAnother().store.board() == fixture.store.board())
    }

    @Test(arguments: DatabaseKind.allCases)
    func picturesWithoutSizeAreListedUntilSizeIsSet(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        let size = try #require(PictureSize(width: 3, height: 2))
        let old = try await fixture.store.add(.test("old", size: size), for: "board", owner: "ann")
        try await fixture.changeRows("UPDATE art_picture SET width = NULL, height = NULL")
        fixture.database.close()
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        #expect(try await store.picture(old, of: "board", owner: "ann") == .test("old"))
        _ = try await store.add(.test("new", size: size), for: "board", owner: "ann")
        let found = try await store.picturesWithoutSize(limit: 10)
        #expect(found.map(\.picture) == [old] && found.map(\.board) == ["board"] && found.map(\.owner) == ["ann"])
        try await store.setSize(size, of: old, on: "board", owner: "ann")
        #expect(try await store.picturesWithoutSize(limit: 10).isEmpty)
        #expect(try await store.picture(old, of: "board", owner: "ann") == .test("old", size: size))
    }

    @Test(arguments: DatabaseKind.allCases)
    func expiredBoardLeavesNoRows(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        try await fixture.store.create("stays")
        try await fixture.store.apply("b1", .add("a"))
        _ = try await fixture.store.add(.test("1"), for: "board", owner: "ann")
        _ = try await fixture.store.add(.test("2"), fetchedFrom: "https://a.b", for: "board", owner: "ann")
        try await fixture.store.delete("board", owner: "ann")
        fixture.time.advance(by: 601)
        try await fixture.store.tidy()
        for table in ["art_entry", "art_answer", "art_picture", "art_address"] {
            #expect(try await fixture.numbers("SELECT count(*) FROM \(table)") == [0], "\(table)")
        }
        for table in ["art_board", "art_snapshot"] {
            #expect(try await fixture.numbers("SELECT count(*) FROM \(table)") == [1], "\(table)")
        }
        #expect(try await fixture.references == [0, 0])
    }

    @Test(arguments: DatabaseKind.allCases)
    func tidyRemovesMoreRowsThanOneTransaction(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        try await fixture.store.create("deleted")
        try await fixture.store.delete("deleted", owner: "ann")
        try await fixture.store.create("other")
        // Each board is within its budget, but together they have more pictures than one transaction removes.
        for (board, numbers) in [("board", 0..<60), ("other", 60..<120)] as [(BoardID, Range<Int>)] {
            for number in numbers { _ = try await fixture.store.add(.test("\(number)"), for: board, owner: "ann") }
        }
        try await fixture.changeRows(
            """
            WITH RECURSIVE counted (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 4100)
            INSERT INTO art_answer (board, batch, time, revision) SELECT 1, 'b' || number, 0, 0 FROM counted
            """)
        fixture.time.advance(by: 40 * 86_400)
        try await fixture.store.tidy()
        #expect(try await fixture.numbers("SELECT count(*) FROM art_picture") == [0])
        #expect(try await fixture.numbers("SELECT count(*) FROM art_answer") == [0])
        #expect(try await fixture.numbers("SELECT count(*) FROM art_board") == [2])
    }
}

// MARK: - Pictures

extension SQLiteBoardStoreTests {
    @Test(arguments: DatabaseKind.allCases)
    func samePictureIsStoredAsOneFile(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        for id: BoardID in ["one", "two"] {
            try await fixture.store.create(id)
            for _ in 0..<3 { _ = try await fixture.store.add(.test("same"), for: id, owner: "ann") }
            _ = try await fixture.store.add(.test("same"), fetchedFrom: "https://a.b", for: id, owner: "ann")
        }
        #expect(try await fixture.references == [2])
        #expect(fixture.fileCount == 1)
        _ = try await fixture.store.duplicate("one", as: "copy", named: "Copy", owner: "ann")
        #expect(try await fixture.references == [3])
        // A failed call leaves no file behind.
        _ = await error { _ = try await fixture.store.add(.test("new"), for: "nowhere", owner: "ann") }
        #expect(fixture.fileCount == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func tidyDeletesUnusedPicturesOnly(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        try await fixture.store.create("other")
        let shown = try await fixture.store.add(.test("shown"), for: "board", owner: "ann")
        try await fixture.store.apply("b1", .setBackground(.picture(shown)))
        let unused = try await fixture.store.add(.test("unused"), for: "board", owner: "ann")
        _ = try await fixture.store.add(.test("shown"), for: "other", owner: "ann")
        fixture.time.advance(by: 2 * 86_400)
        try await fixture.store.tidy()
        // The reference is removed; the file is retained for a period after its last reference was released.
        #expect(try await fixture.store.picture(unused, of: "board", owner: "ann") == nil)
        #expect(try await fixture.references == [0, 1])
        #expect(fixture.fileCount == 2)
        fixture.time.advance(by: 3_601)
        try await fixture.store.tidy()
        #expect(fixture.fileCount == 1)
        #expect(try await fixture.store.picture(shown, of: "board", owner: "ann") == .test("shown"))
        try await fixture.store.delete("board", owner: "ann")
        fixture.time.advance(by: 601)
        try await fixture.store.tidy()
        fixture.time.advance(by: 3_601)
        try await fixture.store.tidy()
        #expect(fixture.fileCount == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func damagedFileIsReportedAndRepairedWhenStoredAgain(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.create("board")
        let id = try await fixture.store.add(.test("picture"), for: "board", owner: "ann")
        let file = "\(fixture.path)/blobs/\(id.rawValue.prefix(2))/\(id)"
        try Data("something else".utf8).write(to: URL(filePath: file))
        let failure = await error { _ = try await fixture.store.picture(id, of: "board", owner: "ann") }
        guard case .failed(let words) = failure else {
            Issue.record("It threw \(String(describing: failure)).")
            return
        }
        #expect(words.contains("has changed"))
        #expect(try await fixture.store.add(.test("picture"), for: "board", owner: "ann") == id)
        #expect(try await fixture.store.picture(id, of: "board", owner: "ann") == .test("picture"))
        #expect(try await fixture.references == [1])
    }
}

extension OperationBatch {
    /// Realistic operations, most of which can be applied.
    fileprivate static func random(_ id: String, using generator: inout some RandomNumberGenerator) -> OperationBatch {
        let operations = (0..<Int.random(in: 0...6, using: &generator)).map { _ -> ArtOperation in
            let emoji = EmojiID("e\(Int.random(in: 0..<30, using: &generator))") ?? "none"
            let number = Double.random(in: -1_000...1_000, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...3: return .add(.test(emoji, ["🐶", "👩‍👩‍👧‍👦", "\"\\"][abs(Int(number)) % 3], x: number))
            case 4, 5: return .move(emoji, x: number, y: number / 3)
            case 6: return .resize(emoji, size: abs(number) + 1)
            case 7: return .reorder(emoji, z: number)
            case 8: return .delete(emoji)
            default: return .setBackground(number < 0 ? .blank : .address("https://example.org/\(number)"))
            }
        }
        return OperationBatch(id: id, name: "Step \(id)", operations: operations)
    }
}

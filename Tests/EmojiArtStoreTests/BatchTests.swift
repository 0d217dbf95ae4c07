import EmojiArtModel
import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of batches and changes, run against every store.
@Suite(.timeLimit(.minutes(10))) struct BatchTests {
    @Test(arguments: StoreKind.allCases)
    func eachBatchAddsRevisionAndLogEntry(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        fixture.time.advance(by: 7)
        #expect(try await store.apply("b1", .add("a"), .add("b"), author: "one").revision == 1)
        #expect(try await store.apply("b2", .move("a", x: 5, y: 6), author: "two").revision == 2)
        #expect(try await store.apply("b3", .delete("b"), .setBackground(.address("https://a.b/c"))).revision == 3)
        let board = try #require(try await store.board())
        #expect(board.summary.revision == 3 && board.summary.emojiCount == 1)
        #expect(board.summary.changed == fixture.time.now && board.summary.created < fixture.time.now)
        #expect(board.art.background == .address("https://a.b/c"))
        #expect(board.art.emojis == [Emoji(id: "a", text: "🐶", x: 5, y: 6, size: 40, z: 0)])
        let entries = try #require(try await store.changes(since: 0).entries)
        #expect(entries.map(\.revision) == [1, 2, 3])
        #expect(entries.map(\.author) == ["one", "two", "author"])
        #expect(entries.map(\.batch.id) == ["b1", "b2", "b3"])
        #expect(entries.map(\.batch.name) == ["Step b1", "Step b2", "Step b3"])
        #expect(entries[0].batch.operations == [.add("a"), .add("b")])
        #expect(try await store.changes(since: 1).entries == Array(entries.dropFirst()))
        #expect(try await store.changes(since: 3) == .entries([]))
    }

    @Test(arguments: StoreKind.allCases)
    func rotationFlipAndLockAreStored(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board", art: try .test(2))
        let operations: [ArtOperation] = [
            .rotate("e1", angle: 22.5), .flip("e1", isFlipped: true), .lock("e1", isLocked: true),
        ]
        for (index, operation) in operations.enumerated() { try await store.apply("o\(index)", operation) }
        let outcome = try await store.apply("bad", .rotate("e1", angle: 360), .rotate("gone", angle: 1))
        #expect(outcome.refused.map(\.reason) == [.number, .gone])
        // Enough batches that the store makes another snapshot.
        for number in 1...7 { try await store.apply("b\(number)", .move("e0", x: Double(number), y: 0)) }
        let emoji = try #require(try await store.art().emoji("e1"))
        #expect(emoji.angle == 22.5 && emoji.isFlipped && emoji.isLocked)
        let entries = try #require(try await store.changes(since: 0).entries)
        #expect(entries.prefix(3).flatMap(\.batch.operations) == operations)
    }

    @Test(arguments: StoreKind.allCases)
    func refusedOperationsAreReportedAndOthersApplied(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        let unknown = try #require(PictureID(String(repeating: "a", count: 64)))
        let outcome = try await store.apply(
            "b1", .add("a"), .move("gone", x: 1, y: 1), .resize("a", size: 50), .add("a", x: 9),
            .move("a", x: .nan, y: 0), .add(.test("t", "")), .setBackground(.address("ftp://a.b")),
            .setBackground(.picture(unknown)), .delete("gone"), .reorder("a", z: 2))
        #expect(outcome.revision == 1)
        #expect(outcome.refused.map(\.index) == [1, 3, 4, 5, 6, 7])
        #expect(outcome.refused.map(\.reason) == [.gone, .exists, .number, .text, .address, .picture])
        #expect(outcome.refused.allSatisfy { !$0.message.isEmpty })
        #expect(try await store.art().emojis == [Emoji(id: "a", text: "🐶", x: 0, y: -2.5, size: 50, z: 2)])
        // Operations without effect aren't logged.
        let entries = try await store.changes(since: 0).entries
        #expect(entries?.map(\.batch.operations) == [[.add("a"), .resize("a", size: 50), .reorder("a", z: 2)]])
    }

    @Test(arguments: StoreKind.allCases)
    func repeatedBatchGetsOriginalOutcome(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        // Fully applied, partly applied, fully refused, without effect, and empty.
        let batches: [(id: String, operations: [ArtOperation])] = [
            ("all", [.add("a"), .add("b")]), ("part", [.move("a", x: 3, y: 3), .move("gone", x: 1, y: 1)]),
            ("none", [.move("gone", x: 1, y: 1), .add("a", x: 77)]), ("idle", [.delete("gone")]), ("empty", []),
        ]
        func send(_ batch: (id: String, operations: [ArtOperation])) async throws -> BatchOutcome {
            try await store.apply(
                OperationBatch(id: batch.id, name: "Step", operations: batch.operations), to: "board", owner: "ann",
                author: "")
        }
        var outcomes: [BatchOutcome] = []
        for batch in batches { outcomes.append(try await send(batch)) }
        #expect(try await store.changes(since: 0) == .entries(outcomes.compactMap(\.entry)))
        #expect(outcomes.map(\.revision) == [1, 2, 2, 2, 2])
        #expect(outcomes.map(\.refused.count) == [0, 1, 2, 0, 0])
        // Applied now, the batches would have other outcomes.
        try await store.apply("later", .delete("a"), .add("gone"))
        let before = try await store.board()
        let entries = try await store.changes(since: 0)
        for (batch, outcome) in zip(batches, outcomes) { #expect(try await send(batch) == outcome.withoutEntry) }
        // A batch with the same ID and other operations also gets the original outcome.
        #expect(try await send(("all", [.delete("b")])) == outcomes[0].withoutEntry)
        #expect(try await store.board() == before)
        #expect(try await store.changes(since: 0) == entries)
        #expect(entries.entries?.map(\.batch.id) == ["all", "part", "later"])
        if let sqlite = fixture.sqlite {
            let (reopened, database) = try await sqlite.openAnother()
            defer { database.close() }
            for (batch, outcome) in zip(batches, outcomes) {
                #expect(try await reopened.apply(batch.id, .add("x")) == outcome.withoutEntry)
            }
        }
        // Batch ids are per board.
        try await store.create("other")
        #expect(try await store.apply("all", .add("a"), to: "other").revision == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func outcomeIsRememberedForAMonthEvenAfterLogIsTruncated(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        try await store.create("board")
        let outcome = try await store.apply("first", .add("a"), .move("gone", x: 1, y: 1))
        for number in 1...60 { try await store.apply("b\(number)", .move("a", x: Double(number), y: 0)) }
        #expect(try await store.changes(since: 0).entries == nil)
        fixture.time.advance(by: 29 * 86_400)
        try await store.tidy()
        #expect(try await store.apply("first", .add("b"), .move("gone", x: 1, y: 1)) == outcome.withoutEntry)
        fixture.time.advance(by: 2 * 86_400)
        try await store.tidy()
        #expect(try await store.apply("first", .add("b")).revision == 62)
    }

    @Test(arguments: StoreKind.allCases)
    func invalidBatchIsRefused(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        func isRefused(_ id: String, name: String = "Step", count: Int = 1, author: String = "") async -> Bool {
            let operations = Array(repeating: ArtOperation.delete("a"), count: count)
            let refusal = await error {
                _ = try await store.apply(
                    OperationBatch(id: id, name: name, operations: operations), to: "board", owner: "ann",
                    author: author)
            }
            if case .invalid(let message) = refusal { return !message.isEmpty } else { return false }
        }
        for id in ["", "a b", "é", "a\u{0}", String(repeating: "a", count: 65)] { #expect(await isRefused(id)) }
        #expect(await isRefused("long", name: String(repeating: "a", count: BoardLimits.nameBytes + 1)))
        #expect(await isRefused("many", count: BoardLimits.batchOperations + 1))
        #expect(await isRefused("author", author: "a\u{0}"))
        #expect(await isRefused("author", author: String(repeating: "a", count: 65)))
        #expect(await !isRefused(String(repeating: "a", count: 64), name: "", count: BoardLimits.batchOperations))
        #expect(try await store.board()?.summary.revision == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func fullBoardRefusesAdditions(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board", art: try .test(BoardLimits.emojis - 1))
        let outcome = try await store.apply("b1", .add("last"), .add("onetoomany"), .delete("e0"), .add("room"))
        #expect(outcome.refused.map(\.index) == [1] && outcome.refused.map(\.reason) == [.full])
        #expect(try await store.board()?.summary.emojiCount == BoardLimits.emojis)
    }
}

// MARK: - Catching up

extension BatchTests {
    @Test(arguments: StoreKind.allCases)
    func revisionOlderThanLogGetsWholeBoard(kind: StoreKind) async throws {
        let store = try await kind.fixture().store
        try await store.create("board")
        try await store.apply("first", .add("a"))
        for number in 1...100 { try await store.apply("b\(number)", .move("a", x: Double(number), y: 0)) }
        let board = try #require(try await store.board())
        #expect(board.summary.revision == 101)
        // The log has the guaranteed minimum of entries, but not the entire history.
        let retained = try #require(try await store.changes(since: 101 - BoardPolicy.small.logEntries).entries)
        #expect(retained.map(\.revision) == Array(82...101))
        #expect(retained.last?.batch.operations == [.move("a", x: 100, y: 0)])
        for revision in [0, 1, 50] { #expect(try await store.changes(since: revision) == .whole(board)) }
        // Wherever the log begins, the changes have no gap.
        for revision in 0...101 {
            let changes = try await store.changes(since: revision)
            #expect(changes.entries.map { $0.map(\.revision) == Array(revision + 1..<102) } ?? (changes.whole == board))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unknownRevisionGetsWholeBoard(kind: StoreKind) async throws {
        // This happens if a page stays open while the store is restored from a backup.
        let store = try await kind.fixture().store
        try await store.create("board", art: try .test(2))
        try await store.apply("b1", .add("a"))
        let board = try #require(try await store.board())
        for revision in [2, 1_000, .max, -1, .min] {
            #expect(try await store.changes(since: revision) == .whole(board))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentBatchesLeaveNoGapsAndLoseNothing(kind: StoreKind) async throws {
        let store = try await kind.fixture(policy: BoardPolicy()).store
        try await store.create("board")
        try await store.create("other")
        let (people, each) = (8, isSoak ? 500 : 40)
        let revisions = try await withThrowingTaskGroup(of: [Int].self) { group in
            for person in 0..<people {
                group.addTask {
                    var revisions: [Int] = []
                    for number in 0..<each {
                        let id = EmojiID("p\(person)n\(number)") ?? "none"
                        let outcome = try await store.apply("p\(person)-\(number)", .add(id), author: "\(person)")
                        // Sent again, a batch has the same outcome.
                        let again = try await store.apply("p\(person)-\(number)", .add(id), author: "\(person)")
                        #expect(again == outcome.withoutEntry && outcome.refused.isEmpty)
                        revisions.append(outcome.revision)
                        if number % 7 == 0 {
                            // In the same transactions, a batch for a missing board fails without affecting the others.
                            _ = await error { try await store.apply("n", .add("a"), to: "nowhere") }
                            try await store.apply("p\(person)-\(number)", .add(id), to: "other")
                        }
                    }
                    #expect(revisions == revisions.sorted())
                    return revisions
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        #expect(revisions.sorted() == Array(1...people * each))
        let entries = try #require(try await store.changes(since: max(0, people * each - 2_000)).entries)
        var art = EmojiArt()
        for entry in entries { #expect(art.apply(entry.batch).refused.isEmpty) }
        if !isSoak { #expect(try await store.art() == art) }
        #expect(try await store.art().emojis.count == people * each)
    }
}

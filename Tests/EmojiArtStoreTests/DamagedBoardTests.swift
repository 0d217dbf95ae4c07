import EmojiArtModel
import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests boards that a newer version of the program wrote, and rows that were damaged by direct SQL.
@Suite(.timeLimit(.minutes(10))) struct DamagedBoardTests {
    @Test func boardOfNewerProgramIsListedButNotChanged() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.create("board", named: "New", art: try .test(2))
        let picture = try await fixture.store.add(.test(), for: "board", owner: "ann")
        try await fixture.store.apply("b1", .add("a"))
        try await fixture.changeRows("UPDATE art_board SET format = 3; UPDATE art_snapshot SET content = x'ff'")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        for store in [store, fixture.store] {
            #expect(try await store.names() == ["New"])
            #expect(try await store.summary(of: "board", owner: "ann")?.revision == 1)
            #expect(try await store.picture(picture, of: "board", owner: "ann") == .test())
            let newer = BoardStoreError.newerVersion("board")
            #expect(await error { _ = try await store.board() } == newer)
            #expect(await error { try await store.apply("b2", .add("b")) } == newer)
            #expect(await error { try await store.apply("b1", .add("b")) } == newer)
            #expect(await error { _ = try await store.changes(since: 0) } == newer)
            #expect(await error { try await store.rename("board", to: "Old", owner: "ann") } == newer)
            #expect(await error { _ = try await store.duplicate("board", as: "c", named: "C", owner: "ann") } == newer)
            #expect(await error { try await store.delete("board", owner: "ann") } == newer)
            #expect(await error { _ = try await store.add(.test("2"), for: "board", owner: "ann") } == newer)
        }
        // Only the newer program may remove a board that it has deleted.
        try await fixture.changeRows("UPDATE art_board SET deleted = 1")
        #expect(await error { try await store.restore("board", owner: "ann") } == .newerVersion("board"))
        fixture.time.advance(by: 100 * 86_400)
        try await store.tidy()
        for table in ["art_board", "art_snapshot", "art_entry", "art_answer", "art_picture"] {
            #expect(try await fixture.numbers("SELECT count(*) FROM \(table)") == [1], "\(table)")
        }
        #expect(try await fixture.numbers("SELECT count(*) FROM art_snapshot WHERE content = x'ff'") == [1])
        #expect(try await fixture.references == [1])
    }

    @Test func databaseOfNewerProgramIsNotOpened() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.changeRows("INSERT INTO grdb_migrations (identifier) VALUES ('art.99')")
        await #expect(throws: StoreError.self) { _ = try await fixture.openAnother() }
    }

    // MARK: - Damage

    /// SQL that damages the rows of a board.
    static let damages = [
        "UPDATE art_snapshot SET content = substr(content, 1, length(content) - 1)",
        "UPDATE art_snapshot SET content = x''",
        "UPDATE art_snapshot SET revision = 99",
        "UPDATE art_snapshot SET revision = revision - 1",
        "UPDATE art_snapshot SET checksum = checksum + 1",
        "DELETE FROM art_snapshot",
        "UPDATE art_entry SET content = x'7b7d' WHERE revision = 7",
        "UPDATE art_entry SET batch = 'other' WHERE revision = 7",
        "UPDATE art_entry SET author = 'other' WHERE revision = 7",
        "DELETE FROM art_entry WHERE revision = 6",
        "DELETE FROM art_entry WHERE revision = 7",
        "UPDATE art_board SET revision = 8",
    ]

    @Test(arguments: damages)
    func damagedBoardIsReportedAndLeftUnchanged(damage: String) async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.create("board", named: "Sea", art: try .test(3))
        try await fixture.store.create("sound", named: "Sound")
        for number in 1...7 { try await fixture.store.apply("b\(number)", .move("e0", x: Double(number), y: 0)) }
        try await fixture.changeRows(
            "\(damage)\(damage.contains("WHERE") ? " AND" : " WHERE") \(Self.conditionForFirstBoard(damage))")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        let before = try await Self.rows(fixture)
        func isReportedAsDamaged(_ operation: () async throws -> Void) async -> Bool {
            guard case .failed(let words) = await error(operation) else { return false }
            return words.contains("“Sea”") && words.contains("damaged") && words.contains("was not changed")
        }
        #expect(await isReportedAsDamaged { _ = try await store.board() })
        #expect(await isReportedAsDamaged { try await store.apply("b8", .add("b")) })
        #expect(await isReportedAsDamaged { _ = try await store.changes(since: 99) })
        #expect(
            await isReportedAsDamaged {
                _ = try await store.duplicate("board", as: "copy", named: "Copy", owner: "ann")
            })
        #expect(try await Self.rows(fixture) == before)
        // Other boards are unaffected, and the damaged one can be deleted.
        #expect(try await store.names() == ["Sea", "Sound"])
        try await store.apply("b1", .add("a"), to: "sound")
        try await store.delete("board", owner: "ann")
        fixture.time.advance(by: 601)
        try await store.tidy()
        #expect(try await store.names() == ["Sound"])
    }

    private static func conditionForFirstBoard(_ damage: String) -> String {
        damage.contains("art_board") ? "number = 1" : "board = 1"
    }

    private static func rows(_ fixture: SQLiteFixture) async throws -> [Int] {
        var sums: [Int] = []
        for table in ["art_board", "art_snapshot", "art_entry"] {
            sums += try await fixture.numbers("SELECT count(*) FROM \(table)")
            sums += try await fixture.numbers("SELECT coalesce(sum(revision), 0) FROM \(table)")
        }
        return sums
    }

    @Test func logDamageBeforeSnapshotDoesNotAffectBoard() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.create("board", art: try .test(1))
        for number in 1...7 { try await fixture.store.apply("b\(number)", .move("e0", x: Double(number), y: 0)) }
        try await fixture.changeRows("UPDATE art_entry SET content = x'00' WHERE revision = 2")
        let (store, database) = try await fixture.openAnother()
        defer { database.close() }
        let board = try #require(try await store.board())
        #expect(board.art.emoji("e0")?.x == 7)
        #expect(try await store.changes(since: 0) == .whole(board))
        #expect(try await store.changes(since: 2).entries?.count == 5)
    }

    @Test func failedWriteLeavesCacheUnchanged() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.create("board", art: try .test(1))
        try await fixture.store.apply("b1", .move("e0", x: 1, y: 0))
        try await fixture.changeRows(
            "CREATE TRIGGER refusal BEFORE INSERT ON art_answer BEGIN SELECT RAISE(ABORT, 'refused'); END")
        // The concurrent batches fail whether each has a transaction of its own or they share one.
        let failures = await withTaskGroup(of: BoardStoreError?.self) { group in
            for number in 0..<5 {
                group.addTask { await error { try await fixture.store.apply("x\(number)", .add("x")) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.count == 5)
        #expect(failures.allSatisfy { if case .failed = $0 { true } else { false } })
        try await fixture.changeRows("DROP TRIGGER refusal")
        // Another process writes the next revision, for which the contents of the failed write must not be used.
        let (other, database) = try await fixture.openAnother()
        defer { database.close() }
        #expect(try await other.apply("b2", .move("e0", x: 2, y: 0)).revision == 2)
        #expect(try await fixture.store.board() == other.board())
        #expect(try await fixture.store.art().emojis.map(\.id) == ["e0"])
        #expect(try await fixture.store.apply("b3", .move("e0", x: 3, y: 0)).revision == 3)
        #expect(try await fixture.store.board() == other.board())
    }
}

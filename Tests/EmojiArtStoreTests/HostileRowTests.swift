import EmojiArtModel
import Foundation
import GRDB
import Persistence
import ServedPostgreSQL
import Testing

@testable import EmojiArtStore

/// Tests with rows that no version of the program writes: extreme numbers, and values of other types.
@Suite(.timeLimit(.minutes(10))) struct HostileRowTests {
    private static let numbers = ["9223372036854775807", "-9223372036854775808", "-1"]

    private static let columns = [
        "art_board.revision", "art_board.logged", "art_board.emojis", "art_board.format", "art_board.position",
        "art_board.sequence", "art_board.created", "art_board.changed", "art_snapshot.revision", "art_snapshot.logged",
        "art_entry.revision", "art_entry.logged", "art_answer.revision", "art_answer.time", "art_owner.sequence",
        "art_picture.needed", "art_picture.width", "art_picture.height",
    ]

    @Test(arguments: columns, numbers) func extremeNumberInRowDoesNotCrash(column: String, number: String) async throws
    {
        let fixture = try await Self.fixture()
        let parts = column.split(separator: ".")
        try await fixture.changeRowsUnchecked("UPDATE OR REPLACE \(parts[0]) SET \(parts[1]) = \(number)")
        await Self.useEverything(of: fixture.store)
        let (another, database) = try await fixture.openAnother()
        await Self.useEverything(of: another)
        database.close()
    }

    @Test(arguments: ["logged", "revision"]) func oppositeExtremesInRowsDoNotCrash(column: String) async throws {
        let fixture = try await Self.fixture()
        try await fixture.changeRowsUnchecked(
            """
            UPDATE art_board SET \(column) = 9223372036854775800;
            UPDATE art_snapshot SET \(column) = -9223372036854775800;
            """)
        await Self.useEverything(of: fixture.store)
    }

    private static let boardColumns = [
        "id", "name", "created", "changed", "deleted", "format", "revision", "emojis", "address", "picture", "logged",
        "position", "sequence",
    ]

    @Test(arguments: boardColumns, ["NULL", "x'ff00'", "'text'", "1e308"])
    func valueOfWrongTypeDoesNotCrash(column: String, value: String) async throws {
        let fixture = try await Self.fixture()
        // Relaxes the schema to that of a table made by another program, which accepts any value.
        try await fixture.changeRowsUnchecked(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'STRICT', ''), 'NOT NULL', ''), ' INTEGER,', ',')
                WHERE name IN ('art_board', 'art_picture', 'art_entry', 'art_snapshot', 'art_answer');
            PRAGMA writable_schema = RESET;
            """)
        let (store, database) = try await fixture.openAnother()
        let sql = "PRAGMA ignore_check_constraints = ON; UPDATE art_board SET \(column) = \(value)"
        try await database.writeRows(locking: []) { try $0.sqlite.execute(sql: sql) }
        await Self.useEverything(of: store)
        database.close()
    }

    private static func fixture() async throws -> SQLiteFixture {
        let fixture = try await SQLiteFixture()
        try await fixture.store.create("board", named: "Sea", art: try .test(3))
        let picture = try await fixture.store.add(.test(), for: "board", owner: "ann")
        try await fixture.store.apply("b1", .add("a"), .setBackground(.picture(picture)))
        return fixture
    }

    /// Calls every operation, ignoring errors: it only has to return.
    private static func useEverything(of store: SQLiteBoardStore) async {
        _ = try? await store.names()
        _ = try? await store.count(of: "ann")
        _ = try? await store.summary(of: "board", owner: "ann")
        _ = try? await store.board()
        for revision in [0, 1, -1, Int.max, Int.min] { _ = try? await store.changes(since: revision) }
        for number in 2...8 { _ = try? await store.apply("b\(number)", .add(EmojiID(number))) }
        _ = try? await store.apply("b1", .add("b"))
        _ = try? await store.rename("board", to: "New", owner: "ann")
        _ = try? await store.duplicate("board", as: "copy", named: "Copy", owner: "ann")
        _ = try? await store.add(.test("2"), for: "board", owner: "ann")
        if let art = try? await store.board(), case .picture(let picture) = art.art.background {
            _ = try? await store.picture(picture, of: "board", owner: "ann")
            _ = try? await store.storedPicture(of: art.art.background, on: "board", owner: "ann")
        }
        _ = try? await store.picturesWithoutSize(limit: 10)
        _ = try? await store.delete("board", owner: "ann")
        _ = try? await store.deleted(of: "ann")
        _ = try? await store.restore("board", owner: "ann")
        _ = try? await store.tidy()
    }
}

extension SQLiteFixture {
    /// Changes rows in ways that the table's own checks would refuse.
    fileprivate func changeRowsUnchecked(_ sql: String) async throws {
        try await database.writeRows(locking: []) {
            try $0.sqlite.execute(sql: "PRAGMA ignore_check_constraints = ON; \(sql)")
        }
    }
}

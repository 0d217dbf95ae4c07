import CoffeeTrackerModel
import EmojiArtModel
import EmojiArtStore
import Foundation
import Jobs
import OfflineLibraryModel
import OfflineLibraryStore
import PostgreSQL
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Persistence

/// Tests moves of all stores' data between two databases.
@Suite(.timeLimit(.minutes(10))) struct DatabaseMoveTests {
    /// A database with data in all stores.
    private static func filled(_ kind: DatabaseKind) async throws -> Place {
        let place = try await Place(kind)
        try await Stores(place.database, place.folder).fill()
        return place
    }

    @Test func everythingIsMovedToPostgreSQLAndBack() async throws {
        let old = try await Self.filled(.sqlite)
        let contents = try await Stores(old.database, old.folder).contents()
        // Nine pages have a title.
        #expect(contents.found.map(\.count) == [9, 1, 12, 12, 12, 12, 0])
        #expect(contents.files.count == 16)
        let new = try await Place(.postgreSQL)
        let there = try await DatabaseMove.test(old, new).run()
        // The files are still in the old folder.
        #expect(try await Stores(new.database, old.folder).contents() == contents)
        let empty = Set(there.tables.filter { $0.rows == 0 }.map(\.name))
        #expect(empty == Self.emptyTables)
        let back = try await Place(.sqlite)
        let files = BlobFileMove(from: old.folder, to: back.folder)
        let move = DatabaseMove(
            from: new.database, to: back.database, indexes: [LibraryMigrations.searchIndex],
            seededTables: SQLiteJobQueue.seededTables, keys: LibraryMigrations.keys, files: files)
        let again = try await move.run()
        #expect(again.tables == there.tables)
        #expect(again.files.files > 10 && again.files.missing.isEmpty)
        #expect(try await Stores(back.database, back.folder).contents() == contents)
    }

    /// The tables for which the stores' test data has no rows.
    private static let emptyTables: Set<String> = [
        "account_attempt", "account_identity", "account_invitation", "account_request", "account_session",
        "art_address", "library_check", "library_comparison", "library_position", "library_schedule",
        "library_upload_token", "stored_set_aside",
    ]

    @Test(arguments: DatabaseKind.allCases, DatabaseKind.allCases)
    func movedStoresCanBeChanged(_ from: DatabaseKind, _ to: DatabaseKind) async throws {
        let old = try await Self.filled(from)
        let new = try await Place(to)
        let numbers = "SELECT max(number) FROM art_board"
        let highest = try #require(try await old.database.readRows { try $0.value(numbers, as: Int64.self) })
        try await old.database.writeRows(locking: []) { connection in
            _ = try connection.execute("DELETE FROM art_board WHERE number = ?", [highest])
        }
        _ = try await DatabaseMove.test(old, new, 100).run()
        let stores = try await Stores(new.database, old.folder)
        let before = try await new.database.usage(of: [.boards, .pages, .drinks], owner: "ann")
        let id = try #require(BoardID("new"))
        _ = try await stores.boards.create(id, named: "New", art: EmojiArt(), owner: "ann")
        // The number of the deleted board isn't given again.
        let next = try #require(try await new.database.readRows { try $0.value(numbers, as: Int64.self) })
        #expect(next == highest + 1)
        // Triggers count again.
        let after = try await new.database.usage(of: [.boards, .pages, .drinks], owner: "ann")
        var expected = before.amounts
        expected[0] += 1
        #expect(after.amounts == expected)
        let key: StoreKey = "key 5 👻"
        let record = try #require(try await stores.values.read(key))
        let content = StoredContent(format: "test", version: 9, payload: Data("new".utf8))
        _ = try await stores.values.commit([StoreWrite(key, content, expecting: .revision(record.revision))])
        #expect(try await stores.values.read(key)?.content == content)
        let page = try #require(try await stores.library.pages(ofOwner: "ann").first { $0.deletedAt == nil })
        try await stores.library.delete(page.id, owner: "ann", at: .start)
        try await stores.library.purge(owner: "ann", deletedBefore: .distantFuture)
        guard to == .sqlite else { return }
        try await new.database.writeRows(locking: []) { connection in
            // Compares the index with its table.
            _ = try connection.execute(
                "INSERT INTO library_search (library_search, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func hostileValuesAreMovedUnchanged(_ from: DatabaseKind) async throws {
        let old = try await Place(from)
        try await old.database.writeRows(locking: []) { try Self.insertHostileValues($0) }
        let kinds: [DatabaseKind] = [.postgreSQL, .sqlite, .sqlite, .postgreSQL, .postgreSQL]
        let summaries = try await Self.move(from: old, to: kinds[...])
        #expect(summaries.count == kinds.count)
        #expect(Set(summaries).count == 1)
        let requests = try #require(summaries[0].first { $0.name == "account_request" })
        #expect(requests.rows == 8)
        #expect(requests.bytes > 19_600_000)
    }

    /// Moves data from each database to the next one.
    private static func move(
        from old: Place, to kinds: ArraySlice<DatabaseKind>
    ) async throws -> [[DatabaseMove.Summary.Table]] {
        guard let kind = kinds.first else { return [] }
        let new = try await Place(kind)
        let tables = try await DatabaseMove.test(old, new, 3).run().tables
        return try await [tables] + move(from: new, to: kinds.dropFirst())
    }

    private static func insertHostileValues(_ connection: any SQLConnection) throws {
        let amounts: [Int64] = [.min, -1, 0, 1, .max]
        let largest = -Double.greatestFiniteMagnitude
        let times: [Double] = [-0.0, Double.leastNonzeroMagnitude, largest, Double.infinity, 0.1]
        for (number, amount) in amounts.enumerated() {
            let name = "\(number) \(String.hostile)"
            var arguments = SQLArguments([])
            arguments.values = [.text(name), .integer(amount), .real(times[number])]
            try connection.execute(
                "INSERT INTO account_attempt (name, failures, last_at) VALUES (?, ?, ?)", arguments)
        }
        let texts = ["", "\u{0}", "a\u{0}b\u{0}", "a\u{1}b", "\u{1}", "\u{0}\u{1}0", "\\u0000", "\u{FFFF}\u{10FFFF}"]
        for (number, text) in texts.enumerated() {
            // SQLite's arguments end at U+0000.
            let isSQLite = connection.dialect == .sqlite
            let bytes = Data(text.utf8)
            let headers: Data? = number == 3 ? Data() : nil
            let body = Data(repeating: UInt8(number), count: number * 700_000)
            var arguments = SQLArguments([])
            arguments.values = [
                isSQLite ? .blob(bytes) : .text(text), .integer(Int64(number)), headers.map { .blob($0) } ?? .null,
                .blob(body),
            ]
            try connection.execute(
                """
                INSERT INTO account_request (owner, key, fingerprint, started_at, status, headers, body)
                VALUES ('ann', \(isSQLite ? "CAST(? AS TEXT)" : "?"), '', 1, ?, ?, ?)
                """, arguments)
        }
    }

    @Test func numberThatSQLiteCannotStoreIsRefused() async throws {
        let (old, new) = (try await Place(.postgreSQL), try await Place(.sqlite))
        try await old.database.writeRows(locking: []) { connection in
            _ = try connection.execute("INSERT INTO account_attempt (name, failures, last_at) VALUES ('a', 1, 'NaN')")
        }
        let error = await #expect(throws: StoreError.self) { try await DatabaseMove.test(old, new).run() }
        #expect(error?.code == .notEncodable && error?.message.contains("account_attempt") == true)
        let other = try await Place(.postgreSQL)
        _ = try await DatabaseMove.test(old, other).run()
    }
}

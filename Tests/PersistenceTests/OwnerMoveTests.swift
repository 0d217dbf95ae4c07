import Foundation
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Persistence

/// Giving all of an owner's data to another one.
struct OwnerMoveTests {
    private static func open(_ kind: DatabaseKind, in folder: TemporaryFolder) async throws -> any SQLDatabase {
        try await kind.open(
            in: folder.path, [], BlobStore.postgreSQLMigrations + SQLiteStore.postgreSQLMigrations)
    }

    private static func content(_ text: String) -> StoredContent {
        StoredContent(format: "text", version: 1, payload: Data(text.utf8))
    }

    @Test(arguments: DatabaseKind.allCases)
    func everythingMovesAndWhatTheOtherHadIsExchanged(kind: DatabaseKind) async throws {
        let folder = try TemporaryFolder()
        let database = try await Self.open(kind, in: folder)
        defer { database.close() }
        func store(_ owner: OwnerID) -> SQLiteStore { SQLiteStore(in: database, owner: owner) }
        for key in ["a", "b"] {
            _ = try await store(.local).commit([StoreWrite(StoreKey(key), Self.content("old"), expecting: .anything)])
        }
        _ = try await store("anna").commit([StoreWrite("b", Self.content("new"), expecting: .anything)])
        _ = try await store("bert").commit([StoreWrite("a", Self.content("bert"), expecting: .anything)])
        let count = try await database.moveData(from: .local, to: "anna")
        #expect(count >= 2)
        func text(_ owner: OwnerID, _ key: StoreKey) async throws -> String? {
            try await store(owner).read(key).map { String(decoding: $0.content.payload, as: UTF8.self) }
        }
        #expect(try await text("anna", "a") == "old")
        #expect(try await text("anna", "b") == "old")
        #expect(try await text(.local, "a") == nil)
        #expect(try await text(.local, "b") == "new")
        #expect(try await text("bert", "a") == "bert")
        #expect(try await database.moveData(from: "anna", to: "anna") == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func nothingMovesToAnOwnerWithDataOrAfterAFailedCheck(kind: DatabaseKind) async throws {
        let folder = try TemporaryFolder()
        let database = try await Self.open(kind, in: folder)
        defer { database.close() }
        let store = SQLiteStore(in: database, owner: .local)
        _ = try await store.commit([StoreWrite("a", Self.content("old"), expecting: .anything)])
        try await database.writeRows(locking: []) { connection in
            _ = try connection.execute("INSERT INTO owner_usage (owner, item, amount) VALUES ('anna', 'boards', 1)")
        }
        let conflict = await #expect(throws: StoreError.self) {
            try await database.moveData(from: .local, to: "anna")
        }
        #expect(conflict?.code == .conflict)
        let refused = await #expect(throws: StoreError.self) {
            try await database.moveData(from: .local, to: "bert") { _ in throw StoreError(.inUse, "A server runs.") }
        }
        #expect(refused?.code == .inUse)
        #expect(try await store.read("a") != nil)
    }
}

import EmojiArtModel
import Foundation
import MemoryStores
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Tests of boards and pictures at the limits of an owner's budget.
@Suite(.timeLimit(.minutes(10))) struct BoardBudgetTests {
    /// A store with a budget; its folder is deleted with the object.
    private final class BudgetFixture: Sendable {
        let store: any BoardStoring
        private let database: (any SQLDatabase)?
        private let folder: TemporaryFolder

        init(_ kind: StoreKind, _ change: (inout OwnerBudget) -> Void) async throws {
            var budget = OwnerBudget()
            change(&budget)
            folder = try TemporaryFolder()
            switch kind {
            case .memory:
                (store, database) = (MemoryBoardStore(budget: budget), nil)
            case .sqlite, .postgreSQL:
                var data = try DataFolder.open(at: folder.path)
                data.budget = budget
                let database = try await (kind == .sqlite ? DatabaseKind.sqlite : .postgreSQL).open(
                    in: folder.path, BoardMigrations.all,
                    BlobStore.postgreSQLMigrations + BoardMigrations.postgreSQL)
                let blobs = BlobStore(in: database, folder: data, undoWindow: .seconds(1))
                store = SQLiteBoardStore(in: database, blobs: blobs)
                self.database = database
            }
        }

        deinit {
            database?.close()
        }
    }

    private static func refusal(_ body: () async throws -> Void) async -> OverBudget? {
        do {
            try await body()
        } catch BoardStoreError.overBudget(let refusal) {
            return refusal
        } catch {
            Issue.record(error)
        }
        return nil
    }

    private static func picture(_ bytes: Int, _ first: UInt8 = 0) -> PictureContent {
        PictureContent(data: Data([first]) + Data(count: bytes - 1), type: "image/png")
    }

    @Test(arguments: StoreKind.allCases)
    func boardBeyondBudgetOfOwnerIsRefused(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0[.boards] = 2 }
        for name in ["a", "b"] {
            _ = try await fixture.store.create(
                try #require(BoardID("board-\(name)")), named: name, art: EmojiArt(), owner: "ann")
        }
        let refusal = await Self.refusal {
            _ = try await fixture.store.create("board-c", named: "c", art: EmojiArt(), owner: "ann")
        }
        #expect(refusal?.kind == .count && refusal?.message.contains("--max-boards 4") == true)
        _ = try await fixture.store.create("board-c", named: "c", art: EmojiArt(), owner: "bob")
    }

    @Test(arguments: StoreKind.allCases)
    func pictureBeyondBudgetOfBoardOrOwnerIsRefused(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) {
            $0[.boardPictures] = 2
            $0.bytes = 100
        }
        let (board, other): (BoardID, BoardID) = ("board-a", "board-b")
        for (id, name) in [(board, "a"), (other, "b")] {
            _ = try await fixture.store.create(id, named: name, art: EmojiArt(), owner: "ann")
        }
        _ = try await fixture.store.add(Self.picture(30, 1), for: board, owner: "ann")
        _ = try await fixture.store.add(Self.picture(30, 2), for: board, owner: "ann")
        let third = await Self.refusal {
            _ = try await fixture.store.add(Self.picture(1, 3), for: board, owner: "ann")
        }
        #expect(third?.kind == .count)
        // A picture stored again counts once for its board, and once for its owner.
        _ = try await fixture.store.add(Self.picture(30, 2), for: board, owner: "ann")
        _ = try await fixture.store.add(Self.picture(30, 2), for: other, owner: "ann")
        let large = await Self.refusal {
            _ = try await fixture.store.add(Self.picture(41, 4), for: other, owner: "ann")
        }
        #expect(large?.kind == .bytes)
        _ = try await fixture.store.add(Self.picture(40, 5), for: other, owner: "ann")
    }
}

package import EmojiArtModel
import Foundation
package import Persistence
import Site

/// The boards that are in use, and the pages of the list: one document for each, made at its first use, and shared by
/// all of its tabs.
///
/// It is dropped after the last tab: what it knows is in the store.
@MainActor
package final class OpenBoards {
    let documents: OpenDocuments<OpenBoard>
    let lists: OpenDocuments<OpenBoardList>
    /// A random identifier of this server process.
    ///
    /// A restored backup can reuse revision numbers for other changes. A restore requires a server restart, so a page
    /// whose revision comes from another epoch reloads the whole board.
    nonisolated let epoch = UUID().uuidString

    /// Creates an empty registry; the clock measures how often a list is told of changes.
    package init(
        of owner: OwnerID, in store: any BoardStoring, palettes: PaletteStores, fetching: any BackgroundFetching,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        documents = OpenDocuments { id async throws(any Error) in
            OpenBoard(
                EmojiArtDocument(id: id, owner: owner, store: store, fetching: fetching), palettes: palettes)
        }
        lists = OpenBoardList.lists(of: owner, in: store, clock: clock)
    }
}

extension OpenBoards {
    /// The boards that are open, for the tests.
    var ids: Set<BoardID> { documents.keys }

    /// Uses a board.
    func use<Value: Sendable>(
        _ id: BoardID, _ body: @MainActor (OpenBoard) async throws -> Value
    ) async throws -> Value {
        try await documents.use(id, body)
    }

    /// Drops the boards and lists that no tab shows.
    package func tidy() async {
        await documents.tidy()
        await lists.tidy()
    }

    /// Opens no other board or list from now on.
    package func beginShutdown() {
        documents.beginShutdown()
        lists.beginShutdown()
    }

    /// Closes all boards and lists, and returns when they are closed.
    package func shutDown() async {
        await documents.shutDown()
        await lists.shutDown()
    }
}

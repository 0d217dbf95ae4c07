package import EmojiArtModel
import Foundation
package import Persistence
import Site

/// The open boards and pages of the list: one document for each, created on first use and shared by all of its tabs.
///
/// A document is dropped after its last tab has closed: the store has all of its state.
@MainActor
package final class OpenBoards {
    let documents: OpenDocuments<OpenBoard>
    let lists: OpenDocuments<OpenBoardList>
    /// A random identifier of this server process.
    ///
    /// A restored backup can reuse revision numbers for other changes. A restore requires a server restart, so a page
    /// whose revision comes from another epoch reloads the whole board.
    nonisolated let epoch = UUID().uuidString

    /// Creates an empty registry; the clock measures the interval between updates of a list.
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
    /// The ids of the open boards, for tests.
    var ids: Set<BoardID> { documents.keys }

    /// Calls `body` with an open board.
    func use<Value: Sendable>(
        _ id: BoardID, _ body: @MainActor (OpenBoard) async throws -> Value
    ) async throws -> Value {
        try await documents.use(id, body)
    }

    /// Drops the boards and list pages that no tab shows.
    package func tidy() async {
        await documents.tidy()
        await lists.tidy()
    }

    /// Refuses to open further boards and list pages.
    package func beginShutdown() {
        documents.beginShutdown()
        lists.beginShutdown()
    }

    /// Closes all boards and list pages.
    package func shutDown() async {
        await documents.shutDown()
        await lists.shutDown()
    }
}

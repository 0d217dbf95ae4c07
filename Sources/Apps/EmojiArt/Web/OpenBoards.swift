public import EmojiArtModel
import Foundation
import Site

/// The boards that are in use: one document for each, made at its first use, and shared by all of its pages.
///
/// It is dropped after the last page: what it knows is in the store.
@MainActor
public final class OpenBoards {
    let documents: OpenDocuments<OpenBoard>
    /// A random identifier of this server process.
    ///
    /// A restored backup can reuse revision numbers for other changes. A restore requires a server restart, so a page
    /// whose revision comes from another epoch reloads the whole board.
    nonisolated let epoch = UUID().uuidString

    /// Creates a house without boards.
    ///
    /// - Parameters:
    ///   - palettes: The palettes that pages draw with, which are told when they change.
    ///   - make: Makes the document of a board, which is opened then.
    public init(palettes: PaletteStores, make: @escaping @MainActor (_ board: BoardID) -> EmojiArtDocument) {
        documents = OpenDocuments { id async throws(any Error) in
            guard let board = BoardID(id) else { throw Problem.noSuchBoard }
            return OpenBoard(make(board), palettes: palettes)
        }
    }
}

extension OpenBoards {
    /// The boards that are open, for the tests.
    var ids: Set<String> { documents.owners }

    /// Uses a board.
    func use<Value: Sendable>(
        _ id: BoardID, _ body: @MainActor (OpenBoard) async throws -> Value
    ) async throws -> Value {
        try await documents.use(id.rawValue, body)
    }
}

// MARK: - For the program

extension OpenBoards {
    /// Drops the boards that nobody looks at.
    public func tidy() async {
        await documents.tidy()
    }

    /// Opens no other board from now on.
    public func beginShutdown() {
        documents.beginShutdown()
    }

    /// Closes all boards, and returns when they are closed.
    public func shutDown() async {
        await documents.shutDown()
    }
}

package import EmojiArtModel
import Persistence
package import Site

// What the home page shows of the app, and the app's sample board.

extension ArtPages {
    /// The number of boards, and the most recently changed ones, for the home page.
    package func overview() async throws(BoardStoreError) -> AppOverview {
        let count = try await store.count(of: owner)
        let boards = try await store.boards(of: owner, limit: 3, offset: 0)
        return AppOverview(
            status: count == 0 ? nil : ArtWords.boardCount(count),
            entries: boards.map { board in
                AppOverview.Entry(
                    name: board.name, path: "/art/boards/\(board.id)",
                    detail: ArtWords.emojiCount(board.emojiCount))
            },
            step: AppOverview.Step(ArtWords.firstStep, at: "\(Self.app.path)#new", isDone: count > 0))
    }
}

// MARK: - The sample board

extension ArtPages {
    /// Creates the sample board.
    package func addSample(_ id: BoardID) async throws(BoardStoreError) {
        _ = try await store.create(id, named: ArtWords.sample, art: .example, owner: owner)
    }

    /// Deletes the sample board, unless it is deleted already.
    package func removeSample(_ id: BoardID) async throws(BoardStoreError) {
        do throws(BoardStoreError) {
            try await store.delete(id, owner: owner)
        } catch {
            guard case .notFound = error else { throw error }
        }
        thumbnails.forget(id)
    }
}

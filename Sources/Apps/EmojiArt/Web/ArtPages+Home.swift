package import EmojiArtModel
import Formats
import Persistence
package import Site

// What the home page shows of the app, and the app's sample board.

extension ArtPages {
    /// The number of boards and those changed last, for the home page.
    package func overview() async throws(BoardStoreError) -> AppOverview {
        let count = try await store.count(of: .local)
        let boards = try await store.boards(of: .local, limit: 3, offset: 0)
        let formats = ReaderFormats.current
        return AppOverview(
            status: count == 0 ? nil : count == 1 ? "1 board" : "\(formats.number(count)) boards",
            entries: boards.map { board in
                AppOverview.Entry(
                    name: board.name, path: "/art/boards/\(board.id)",
                    detail: "\(formats.number(board.emojiCount)) emoji")
            },
            step: AppOverview.Step("Draw with emoji", at: "\(Self.app.path)#new", isDone: count > 0))
    }
}

// MARK: - The sample board

extension ArtPages {
    /// The emoji of the sample board, a beach, with their places and sizes, from the back to the front.
    private static let beach: [(text: String, x: Double, y: Double, size: Double)] = [
        ("☀️", 190, 150, 70), ("☁️", -170, 150, 60), ("☁️", -60, 175, 40), ("⛵️", -130, 20, 80),
        ("🏝️", 140, -10, 130), ("🐬", -10, -80, 60), ("🐠", -90, -130, 40), ("🐠", 60, -150, 34),
        ("🦀", 190, -120, 40),
    ]

    /// Creates the sample board.
    package func addSample(_ id: BoardID) async throws {
        let emojis = Self.beach.enumerated().map { index, emoji in
            Emoji(
                id: EmojiID(index), text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size, z: Double(index))
        }
        _ = try await store.create(
            id, named: "Sample: a beach", art: try EmojiArt(background: .blank, emojis: emojis), owner: .local)
    }

    /// Deletes the sample board, unless it is deleted already.
    package func removeSample(_ id: BoardID) async throws(BoardStoreError) {
        do throws(BoardStoreError) {
            try await store.delete(id, owner: .local)
        } catch {
            guard case .notFound = error else { throw error }
        }
        thumbnails.forget(id)
    }
}

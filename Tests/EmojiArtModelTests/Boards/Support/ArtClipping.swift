@testable import EmojiArtModel

/// Copied or cut emoji, to be pasted on this board or another one.
struct ArtClipping: Hashable, Sendable, Codable {
    /// The copied emoji, from the back to the front.
    let emojis: [Emoji]

    /// The distance of a copy from its original, in points, large enough to be visible.
    static let offset = BoardPoint(x: 20, y: -20)

    /// Copies the selected emoji of a board.
    init(_ selection: ArtSelection, on art: EmojiArt) {
        emojis = selection.emojis(on: art)
    }

    /// Returns operations that add copies in front of all emoji of a board, under new IDs and in the same order.
    ///
    /// The copies are moved by the offset. The board may have no room for all of them.
    func pasting(
        on art: EmojiArt, movedBy offset: BoardPoint = Self.offset, using generator: inout some RandomNumberGenerator
    ) -> [ArtOperation] {
        emojis.enumerated().map { index, emoji in
            let place = BoardPoint(x: emoji.x + offset.x, y: emoji.y + offset.y).onBoard
            return .add(
                Emoji(
                    id: EmojiID(using: &generator), text: emoji.text, x: place.x, y: place.y, size: emoji.size,
                    z: min(art.frontDepth + Double(index), BoardLimits.depth)))
        }
    }

    /// Returns operations that add copies centred on a point, such as the middle of the visible part.
    func pasting(
        on art: EmojiArt, at point: BoardPoint, using generator: inout some RandomNumberGenerator
    ) -> [ArtOperation] {
        let boxes = emojis.map(\.box)
        guard let first = boxes.first else { return [] }
        let middle = boxes.dropFirst().reduce(first) { $0.union($1) }.middle
        return pasting(
            on: art, movedBy: BoardPoint(x: point.x - middle.x, y: point.y - middle.y), using: &generator)
    }
}

extension EmojiArt {
    /// A depth in front of all emoji of the board, for new ones.
    var frontDepth: Double {
        emojis.last.map { min($0.z.rounded(.down) + 1, BoardLimits.depth) } ?? 0
    }
}

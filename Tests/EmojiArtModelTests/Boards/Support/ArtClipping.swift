@testable import EmojiArtModel

/// Emoji that were copied or cut, to be pasted on this board or another one.
struct ArtClipping: Hashable, Sendable, Codable {
    /// The emoji as they were, from the back to the front.
    let emojis: [Emoji]

    /// How far a copy is from what it was made of, in points: far enough to be seen.
    static let offset = BoardPoint(x: 20, y: -20)

    /// What is picked out of a board.
    init(_ selection: ArtSelection, on art: EmojiArt) {
        emojis = selection.emojis(on: art)
    }

    /// Adds copies in front of all that is on a board, under new names, and in the same order.
    ///
    /// They are so far from where the originals were. Nothing says yet that the board has room for all of them.
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

    /// Adds copies such that their middle is at a place, such as the middle of what is seen.
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
    /// A depth in front of all that is on the board: where what is added goes.
    var frontDepth: Double {
        emojis.last.map { min($0.z.rounded(.down) + 1, BoardLimits.depth) } ?? 0
    }
}

@testable import EmojiArtModel

// MARK: Converting

extension ArtView {
    /// Converts a drag in the view to an offset on the board.
    func boardOffset(of translation: ViewPoint) -> BoardPoint {
        BoardPoint(x: translation.x / zoom, y: -translation.y / zoom)
    }

    /// The size of a dropped emoji: 40 points of the view at any zoom, clamped to the sizes that a board accepts.
    var sizeOfDroppedEmoji: Double { (40 / zoom).clamped(to: BoardLimits.sizes) }
}

// MARK: Gestures

extension ArtView {
    /// Pans the board by a drag.
    mutating func pan(by translation: ViewPoint) {
        pan = ViewPoint(x: pan.x + translation.x, y: pan.y + translation.y)
    }
}

// MARK: Hits

extension BoardRect {
    /// Whether the rectangle contains a point, edges included.
    func contains(_ point: BoardPoint) -> Bool {
        (left...right).contains(point.x) && (bottom...top).contains(point.y)
    }
}

extension EmojiArt {
    /// Whether the board has an emoji with this ID.
    func contains(_ id: EmojiID) -> Bool { emoji(id) != nil }

    /// The bounds of some emoji; `nil` if the board has none of them.
    ///
    /// It takes O(log *n*) for each of them.
    func bounds(of ids: some Sequence<EmojiID>) -> BoardRect? {
        ids.lazy.compactMap(emoji).reduce(nil) { bounds, emoji in bounds?.union(emoji.box) ?? emoji.box }
    }

    /// The frontmost emoji at a point; `nil` if there is none.
    ///
    /// It takes O(*n*).
    func emoji(at point: BoardPoint) -> Emoji? {
        emojis.last { $0.box.contains(point) }
    }
}

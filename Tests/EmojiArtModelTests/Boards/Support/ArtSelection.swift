@testable import EmojiArtModel

/// The emoji that a person has selected on one page; it isn't stored.
struct ArtSelection: Hashable, Sendable {
    /// The IDs of the selected emoji.
    private(set) var ids: Set<EmojiID>

    /// Creates a selection, by default an empty one.
    init(_ ids: some Sequence<EmojiID> = []) {
        self.ids = Set(ids)
    }

    /// Whether no emoji is selected.
    var isEmpty: Bool { ids.isEmpty }

    /// Whether an emoji is selected.
    func contains(_ id: EmojiID) -> Bool { ids.contains(id) }

    /// The selected emoji, from the back to the front.
    func emojis(on art: EmojiArt) -> [Emoji] {
        ids.compactMap(art.emoji).sorted(by: Emoji.isBehind)
    }
}

// MARK: Selecting

extension ArtSelection {
    /// Toggles the selection of a tapped emoji.
    mutating func tap(_ id: EmojiID) {
        if ids.remove(id) == nil { ids.insert(id) }
    }

    /// Clears the selection after a tap on the background.
    mutating func tapBackground() {
        ids = []
    }

    /// Selects the emoji that a rectangle touches, in addition to those selected before if it extends the selection.
    mutating func draw(_ rect: BoardRect, on art: EmojiArt, isExtending: Bool = false) {
        let touched = art.emojis.lazy.filter { $0.box.intersects(rect) }.map(\.id)
        ids = isExtending ? ids.union(touched) : Set(touched)
    }

    /// Selects all emoji.
    mutating func selectAll(on art: EmojiArt) {
        ids = Set(art.emojis.lazy.map(\.id))
    }

    /// Deselects emoji that are no longer on the board, for example because another person has deleted them.
    mutating func deselectEmoji(missingFrom art: EmojiArt) {
        ids = ids.filter(art.contains)
    }
}

// MARK: Changing the selected emoji

extension ArtSelection {
    /// Returns the emoji that a drag moves: the whole selection if it begins on one of them, otherwise that emoji alone.
    func dragged(from id: EmojiID) -> ArtSelection {
        contains(id) ? self : ArtSelection([id])
    }

    /// Moves the selected emoji, by a drag or an arrow key.
    ///
    /// An emoji stops at the edge of the board. The offset is in the board's points: the drag in the view, divided by the
    /// zoom. The board is the one at the beginning of the drag.
    func moving(by offset: BoardPoint, on art: EmojiArt) -> [ArtOperation] {
        emojis(on: art).map { emoji in
            let place = BoardPoint(x: emoji.x + offset.x, y: emoji.y + offset.y).onBoard
            return .move(emoji.id, x: place.x, y: place.y)
        }
    }

    /// Resizes the selected emoji by a pinch; `nil` if the selection is empty, so that the pinch zooms the view
    /// instead.
    ///
    /// With an anchor, as with handles, the emoji's distances from it scale too; without one, the emoji keep their
    /// positions. The board is the one at the beginning of the pinch.
    func scaling(by scale: Double, on art: EmojiArt, around anchor: BoardPoint? = nil) -> [ArtOperation]? {
        let emojis = emojis(on: art)
        guard !emojis.isEmpty else { return nil }
        guard scale > 0, scale.isFinite else { return [] }
        return emojis.flatMap { emoji in
            var operations = [
                ArtOperation.resize(emoji.id, size: (emoji.size * scale).clamped(to: BoardLimits.sizes))
            ]
            if let anchor {
                let (x, y) = (emoji.x - anchor.x, emoji.y - anchor.y)
                let place = BoardPoint(x: anchor.x + x * scale, y: anchor.y + y * scale).onBoard
                operations.append(.move(emoji.id, x: place.x, y: place.y))
            }
            return operations
        }
    }

    /// Deletes the selected emoji.
    func deleting(on art: EmojiArt) -> [ArtOperation] {
        emojis(on: art).map { .delete($0.id) }
    }
}

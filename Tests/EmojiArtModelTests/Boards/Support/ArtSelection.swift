@testable import EmojiArtModel

/// Which emoji somebody has picked out: each page's own, and kept nowhere.
struct ArtSelection: Hashable, Sendable {
    /// The names of those that are picked out.
    private(set) var ids: Set<EmojiID>

    /// A selection; without names, of nothing.
    init(_ ids: some Sequence<EmojiID> = []) {
        self.ids = Set(ids)
    }

    /// Whether nothing is picked out.
    var isEmpty: Bool { ids.isEmpty }

    /// Whether that emoji is picked out.
    func contains(_ id: EmojiID) -> Bool { ids.contains(id) }

    /// Those that are picked out, from the back to the front.
    func emojis(on art: EmojiArt) -> [Emoji] {
        ids.compactMap(art.emoji).sorted(by: Emoji.isBehind)
    }
}

// MARK: Picking out

extension ArtSelection {
    /// A tap on an emoji: it is picked out, or no longer; the others stay as they are.
    mutating func tap(_ id: EmojiID) {
        if ids.remove(id) == nil { ids.insert(id) }
    }

    /// A tap on the background: nothing is picked out any longer.
    mutating func tapBackground() {
        ids = []
    }

    /// A rectangle that was drawn over the board: what it touches is picked out, and if it extends the selection, as
    /// with the shift key, what was picked out before stays so.
    mutating func draw(_ rect: BoardRect, on art: EmojiArt, isExtending: Bool = false) {
        let touched = art.emojis.lazy.filter { $0.box.intersects(rect) }.map(\.id)
        ids = isExtending ? ids.union(touched) : Set(touched)
    }

    /// Picks out all there are.
    mutating func selectAll(on art: EmojiArt) {
        ids = Set(art.emojis.lazy.map(\.id))
    }

    /// Forgets those that are gone, as when somebody else has deleted them.
    mutating func keepOnly(on art: EmojiArt) {
        ids = ids.filter(art.contains)
    }
}

// MARK: Changing what is picked out

extension ArtSelection {
    /// What a drag takes along: all that are picked out when it begins on one of them, else the one alone.
    func dragged(from id: EmojiID) -> ArtSelection {
        contains(id) ? self : ArtSelection([id])
    }

    /// Moves what is picked out: a drag, or a step by an arrow key.
    ///
    /// What would leave the board stays at its edge. The offset is in the board's points: what was dragged in the view,
    /// divided by the zoom. The board is as it was when the drag began.
    func moving(by offset: BoardPoint, on art: EmojiArt) -> [ArtOperation] {
        emojis(on: art).map { emoji in
            let place = BoardPoint(x: emoji.x + offset.x, y: emoji.y + offset.y).onBoard
            return .move(emoji.id, x: place.x, y: place.y)
        }
    }

    /// Resizes what is picked out: a pinch; `nil` where nothing is picked out, and the pinch is meant for the whole
    /// document.
    ///
    /// The anchor stays in its place while the others come nearer or go away, as with handles; without it, all of them
    /// stay. The board is as it was when the pinch began.
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

    /// Deletes what is picked out.
    func deleting(on art: EmojiArt) -> [ArtOperation] {
        emojis(on: art).map { .delete($0.id) }
    }
}

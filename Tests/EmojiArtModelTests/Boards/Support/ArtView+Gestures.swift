@testable import EmojiArtModel

// MARK: Converting

extension ArtView {
    /// Converts a view location to a board point: `(location − centre − pan) / zoom`, with y upwards.
    func boardPoint(at location: ViewPoint, in size: ViewSize) -> BoardPoint {
        BoardPoint(
            x: (location.x - size.width / 2 - pan.x) / zoom, y: -(location.y - size.height / 2 - pan.y) / zoom)
    }

    /// Converts a board point to a view location, the inverse of ``boardPoint(at:in:)``.
    func viewPoint(of point: BoardPoint, in size: ViewSize) -> ViewPoint {
        ViewPoint(x: size.width / 2 + pan.x + point.x * zoom, y: size.height / 2 + pan.y - point.y * zoom)
    }

    /// Converts a drag in the view to an offset on the board.
    func boardOffset(of translation: ViewPoint) -> BoardPoint {
        BoardPoint(x: translation.x / zoom, y: -translation.y / zoom)
    }

    /// The size of a dropped emoji: 40 points of the view, at any zoom.
    var sizeOfDroppedEmoji: Double { (40 / zoom).clamped(to: BoardLimits.sizes) }
}

// MARK: Gestures

extension ArtView {
    /// Pans the board by a drag.
    mutating func pan(by translation: ViewPoint) {
        pan = ViewPoint(x: pan.x + translation.x, y: pan.y + translation.y)
    }

    /// Zooms by a pinch as in the course: multiplies the zoom, while the board's origin stays in place.
    ///
    /// A scale that isn't positive and finite has no effect.
    mutating func zoom(by scale: Double) {
        guard scale > 0, scale.isFinite else { return }
        self = ArtView(zoom: zoom * scale, pan: pan)
    }

    /// Zooms so that the board's point at an anchor in the view, such as the pointer, stays in place.
    ///
    /// A scale that isn't positive and finite has no effect.
    mutating func zoom(by scale: Double, at anchor: ViewPoint, in size: ViewSize) {
        let before = zoom
        zoom(by: scale)
        let factor = zoom / before
        let (x, y) = (anchor.x - size.width / 2, anchor.y - size.height / 2)
        pan = ViewPoint(x: x - (x - pan.x) * factor, y: y - (y - pan.y) * factor)
    }
}

// MARK: Hits

extension BoardRect {
    /// Whether the rectangles share a point, edges included.
    func intersects(_ other: BoardRect) -> Bool {
        left <= other.right && other.left <= right && bottom <= other.top && other.bottom <= top
    }

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

@testable import EmojiArtModel

// MARK: Converting

extension ArtView {
    /// Where on the board a place of the view is: `(location − centre − pan) / zoom`, with y turned upwards.
    func boardPoint(at location: ViewPoint, in size: ViewSize) -> BoardPoint {
        BoardPoint(
            x: (location.x - size.width / 2 - pan.x) / zoom, y: -(location.y - size.height / 2 - pan.y) / zoom)
    }

    /// Where in the view a place of the board is: what ``boardPoint(at:in:)`` turns back.
    func viewPoint(of point: BoardPoint, in size: ViewSize) -> ViewPoint {
        ViewPoint(x: size.width / 2 + pan.x + point.x * zoom, y: size.height / 2 + pan.y - point.y * zoom)
    }

    /// How far something moves on the board that is dragged so far in the view.
    func boardOffset(of translation: ViewPoint) -> BoardPoint {
        BoardPoint(x: translation.x / zoom, y: -translation.y / zoom)
    }

    /// How large an emoji becomes that is dropped: 40 points of the view, whatever the zoom.
    var sizeOfDroppedEmoji: Double { (40 / zoom).clamped(to: BoardLimits.sizes) }
}

// MARK: Gestures

extension ArtView {
    /// Drags the board: what was dragged is added.
    mutating func pan(by translation: ViewPoint) {
        pan = ViewPoint(x: pan.x + translation.x, y: pan.y + translation.y)
    }

    /// Pinches as in the course: the zoom is multiplied, and the board's origin stays where it is.
    ///
    /// A scale that is not above zero changes nothing.
    mutating func zoom(by scale: Double) {
        guard scale > 0, scale.isFinite else { return }
        self = ArtView(zoom: zoom * scale, pan: pan)
    }

    /// Zooms such that what is under the pointer, at an anchor in the view, stays there.
    ///
    /// A scale that is not above zero changes nothing.
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
    /// Whether they have a place in common, be it on an edge.
    func intersects(_ other: BoardRect) -> Bool {
        left <= other.right && other.left <= right && bottom <= other.top && other.bottom <= top
    }

    /// Whether a place is in it, be it on an edge.
    func contains(_ point: BoardPoint) -> Bool {
        (left...right).contains(point.x) && (bottom...top).contains(point.y)
    }
}

extension EmojiArt {
    /// Whether there is an emoji of that name.
    func contains(_ id: EmojiID) -> Bool { emoji(id) != nil }

    /// What some of the emoji cover; `nil` where none of them is there.
    ///
    /// It takes O(log *n*) for each of them.
    func bounds(of ids: some Sequence<EmojiID>) -> BoardRect? {
        ids.lazy.compactMap(emoji).reduce(nil) { bounds, emoji in bounds?.union(emoji.box) ?? emoji.box }
    }

    /// The emoji that covers a place, and is in front of the others that do; `nil` where none does.
    ///
    /// It takes O(*n*).
    func emoji(at point: BoardPoint) -> Emoji? {
        emojis.last { $0.box.contains(point) }
    }
}

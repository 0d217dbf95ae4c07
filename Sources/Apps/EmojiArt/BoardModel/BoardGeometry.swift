/// A place on a board, in points: the origin is the board's middle, and y grows upwards.
public struct BoardPoint: Hashable, Sendable {
    /// The distance to the right of the origin.
    public var x: Double
    /// The distance above the origin.
    public var y: Double

    /// Creates a place.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }

    /// The board's middle.
    public static let origin = BoardPoint(x: 0, y: 0)

    /// The nearest place within ``BoardLimits/coordinate``.
    package var onBoard: BoardPoint {
        let edges = -BoardLimits.coordinate...BoardLimits.coordinate
        return BoardPoint(x: x.clamped(to: edges), y: y.clamped(to: edges))
    }
}

/// A rectangle on a board, in points, with y growing upwards.
public struct BoardRect: Hashable, Sendable {
    /// The smallest x.
    public var left: Double
    /// The smallest y.
    public var bottom: Double
    /// The largest x.
    public var right: Double
    /// The largest y.
    public var top: Double

    /// Creates the rectangle between two opposite corners.
    public init(from corner: BoardPoint, to other: BoardPoint) {
        (left, right) = (min(corner.x, other.x), max(corner.x, other.x))
        (bottom, top) = (min(corner.y, other.y), max(corner.y, other.y))
    }

    /// Creates a rectangle around a place.
    public init(center: BoardPoint, width: Double, height: Double) {
        self.init(
            from: BoardPoint(x: center.x - width / 2, y: center.y - height / 2),
            to: BoardPoint(x: center.x + width / 2, y: center.y + height / 2))
    }

    /// The extent from left to right.
    public var width: Double { right - left }
    /// The extent from bottom to top.
    public var height: Double { top - bottom }
    /// The rectangle's centre.
    public var middle: BoardPoint { BoardPoint(x: (left + right) / 2, y: (bottom + top) / 2) }

    /// The smallest rectangle that contains both.
    public func union(_ other: BoardRect) -> BoardRect {
        BoardRect(
            from: BoardPoint(x: min(left, other.left), y: min(bottom, other.bottom)),
            to: BoardPoint(x: max(right, other.right), y: max(top, other.top)))
    }

    /// The rectangle with each side moved inwards by `margin`; a negative margin enlarges it.
    public func insetBy(_ margin: Double) -> BoardRect {
        BoardRect(center: middle, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
    }
}

extension Emoji {
    /// The place of the emoji's middle.
    public var position: BoardPoint { BoardPoint(x: x, y: y) }
    /// The upright square around the emoji; without a rotation, its side is the emoji's size.
    public var box: BoardRect {
        let side = size * Rotation.boundingFactor(ofAngle: angle)
        return BoardRect(center: position, width: side, height: side)
    }
}

extension EmojiArt {
    /// The bounds of everything on the board, with a picture of the given size around the origin; `nil` if the board is
    /// empty.
    ///
    /// The code of the course CS193p starts with an empty rectangle at the origin, so its bounds always include the
    /// origin. These bounds don't.
    ///
    /// - Complexity: O(*n*).
    public func bounds(withPicture picture: ViewSize? = nil) -> BoardRect? {
        let backdrop = picture.map { BoardRect(center: .origin, width: $0.width, height: $0.height) }
        return emojis.reduce(backdrop) { bounds, emoji in bounds?.union(emoji.box) ?? emoji.box }
    }
}

// MARK: - Pointing

extension EmojiArt {
    /// The foremost emoji at a place; if there is none, the nearest one within a distance.
    ///
    /// A glyph reaches a little beyond its upright box: 0.55 of its size to each side. Takes O(*n*).
    public func emoji(at point: BoardPoint, missedBy distance: Double) -> Emoji? {
        var (nearest, least): (Emoji?, Double) = (nil, distance)
        for emoji in emojis.reversed() {
            var offset = BoardPoint(x: point.x - emoji.x, y: point.y - emoji.y)
            if emoji.angle != 0 { offset = Rotation(degrees: -emoji.angle).rotated(offset) }
            let away = Swift.max(abs(offset.x), abs(offset.y)) - emoji.size * 0.55
            if away <= 0 { return emoji }
            if away < least { (nearest, least) = (emoji, away) }
        }
        return nearest
    }
}

extension BoardRect {
    /// Whether two rectangles have a point in common, be it on an edge.
    public func intersects(_ other: BoardRect) -> Bool {
        left <= other.right && other.left <= right && bottom <= other.top && other.bottom <= top
    }
}

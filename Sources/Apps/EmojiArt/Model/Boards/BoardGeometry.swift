/// A place on a board, in points: the origin is the middle of the view, and y grows upwards.
public struct BoardPoint: Hashable, Sendable {
    /// To the right of the origin.
    public var x: Double
    /// Above the origin.
    public var y: Double

    /// A place.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }

    /// Where nothing is moved to.
    public static let origin = BoardPoint(x: 0, y: 0)

    /// The nearest place that a board has.
    var onBoard: BoardPoint {
        let edges = -BoardLimits.coordinate...BoardLimits.coordinate
        return BoardPoint(x: x.clamped(to: edges), y: y.clamped(to: edges))
    }
}

/// A part of a board, in points, with y growing upwards.
public struct BoardRect: Hashable, Sendable {
    /// Its least x.
    public var left: Double
    /// Its least y.
    public var bottom: Double
    /// Its greatest x.
    public var right: Double
    /// Its greatest y.
    public var top: Double

    /// The part between two corners that lie opposite each other.
    public init(from corner: BoardPoint, to other: BoardPoint) {
        (left, right) = (min(corner.x, other.x), max(corner.x, other.x))
        (bottom, top) = (min(corner.y, other.y), max(corner.y, other.y))
    }

    /// The part around a place.
    public init(center: BoardPoint, width: Double, height: Double) {
        self.init(
            from: BoardPoint(x: center.x - width / 2, y: center.y - height / 2),
            to: BoardPoint(x: center.x + width / 2, y: center.y + height / 2))
    }

    /// From left to right.
    public var width: Double { right - left }
    /// From bottom to top.
    public var height: Double { top - bottom }
    /// What is as far from each side as from the other.
    public var middle: BoardPoint { BoardPoint(x: (left + right) / 2, y: (bottom + top) / 2) }

    /// The least part with both in it.
    public func union(_ other: BoardRect) -> BoardRect {
        BoardRect(
            from: BoardPoint(x: min(left, other.left), y: min(bottom, other.bottom)),
            to: BoardPoint(x: max(right, other.right), y: max(top, other.top)))
    }

    /// The part with as much more at each side.
    public func insetBy(_ margin: Double) -> BoardRect {
        BoardRect(center: middle, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
    }
}

extension Emoji {
    /// Where its middle is.
    public var position: BoardPoint { BoardPoint(x: x, y: y) }
    /// What it covers: a square with its size as a side.
    public var box: BoardRect { BoardRect(center: position, width: size, height: size) }
}

extension EmojiArt {
    /// What all that is on the board covers, with a picture of that size around the origin; `nil` where nothing is.
    ///
    /// The course begins with an empty rectangle at the origin, so that its box always reaches there; this one does not. It takes O(*n*).
    public func bounds(withPicture picture: ViewSize? = nil) -> BoardRect? {
        let middle = picture.map { BoardRect(center: .origin, width: $0.width, height: $0.height) }
        return emojis.reduce(middle) { bounds, emoji in bounds?.union(emoji.box) ?? emoji.box }
    }
}

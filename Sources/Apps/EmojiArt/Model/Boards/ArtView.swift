/// A place in a view, or how far one thing is from another there, in points: the origin is at the left and on top, and y grows downwards.
public struct ViewPoint: Hashable, Sendable {
    /// To the right.
    public var x: Double
    /// Downwards.
    public var y: Double

    /// A place, or a distance.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }
}

/// How large a view or a picture is, in points.
public struct ViewSize: Hashable, Sendable {
    /// From left to right.
    public var width: Double
    /// From top to bottom.
    public var height: Double

    /// A size.
    public init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }
}

/// How somebody looks at a board: how near, and at what of it.
///
/// As in the course, what is at the origin of the board is drawn at the middle of the view, moved by ``pan``.
public struct ArtView: Hashable, Sendable {
    /// How many points of the view one point of the board takes.
    public private(set) var zoom: Double
    /// How far the board's origin is from the middle of the view, in the view's points.
    public var pan: ViewPoint

    /// How near and how far one can go.
    public static let zooms = 1e-5...400.0

    /// A view of a board; the zoom is brought into ``zooms``.
    public init(zoom: Double = 1, pan: ViewPoint = ViewPoint(x: 0, y: 0)) {
        (self.zoom, self.pan) = (zoom.clamped(to: Self.zooms), pan)
    }
}

extension ArtView {
    /// How to look at a part of the board such that all of it is seen, in the middle, with room around it; `nil` where
    /// a side of one of them is not above zero.
    ///
    /// The course's formula, `zoom = min(width ratio, height ratio)` and `pan = −midpoint · zoom`, for a view without its edges.
    /// The page's `Camera.fitting` computes the same. The room is in points of the view, less than half of its smaller
    /// side; without it, 56, or an eighth of the smaller side if that is less. The zoom is at most `nearest`: a few
    /// small things far too large are no overview.
    public static func fitting(_ rect: BoardRect, in size: ViewSize, room: Double? = nil, nearest: Double = 4)
        -> ArtView?
    {
        let room = room ?? min(56, size.width / 8, size.height / 8)
        let (width, height) = (size.width - 2 * room, size.height - 2 * room)
        guard rect.width > 0, rect.height > 0, width > 0, height > 0 else { return nil }
        let zoom = min(width / rect.width, height / rect.height, nearest)
        return ArtView(zoom: zoom).centred(on: rect.middle)
    }

    private func centred(on point: BoardPoint) -> ArtView {
        ArtView(zoom: zoom, pan: ViewPoint(x: -point.x * zoom, y: point.y * zoom))
    }
}

extension Double {
    /// The nearest that is within a range; of what is no number, the least.
    func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

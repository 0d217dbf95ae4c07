/// A place or a distance in a view, in points: the origin is at the top left, and y grows downwards.
public struct ViewPoint: Hashable, Sendable {
    /// The distance to the right.
    public var x: Double
    /// The distance downwards.
    public var y: Double

    /// Creates a place or a distance.
    public init(x: Double, y: Double) {
        (self.x, self.y) = (x, y)
    }
}

/// The size of a view or a picture, in points.
public struct ViewSize: Hashable, Sendable {
    /// The extent from left to right.
    public var width: Double
    /// The extent from top to bottom.
    public var height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }
}

/// A rectangle in a view, in points, with y growing downwards.
public struct ViewRect: Hashable, Sendable {
    /// The smallest x.
    public var left: Double
    /// The smallest y.
    public var top: Double
    /// The largest x.
    public var right: Double
    /// The largest y.
    public var bottom: Double

    /// Creates a rectangle by its sides.
    public init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Creates the square around a place that reaches equally far in each direction.
    init(around place: ViewPoint, reach: Double) {
        self.init(left: place.x - reach, top: place.y - reach, right: place.x + reach, bottom: place.y + reach)
    }

    /// Whether two rectangles have an area in common.
    func overlaps(_ other: ViewRect) -> Bool {
        left < other.right && right > other.left && top < other.bottom && bottom > other.top
    }
}

/// The zoom and position at which a user looks at a board.
///
/// As in the course CS193p, the board's origin is drawn at the middle of the view, moved by ``pan``.
public struct ArtView: Hashable, Sendable {
    /// The number of the view's points per point of the board.
    public private(set) var zoom: Double
    /// The offset of the board's origin from the middle of the view, in the view's points.
    public var pan: ViewPoint

    /// The allowed zooms.
    public static let zooms = 1e-5...400.0

    /// Creates a view of a board; the zoom is clamped to ``zooms``.
    public init(zoom: Double = 1, pan: ViewPoint = ViewPoint(x: 0, y: 0)) {
        (self.zoom, self.pan) = (zoom.clamped(to: Self.zooms), pan)
    }
}

extension ArtView {
    /// A view that shows a part of the board completely, centred and with a margin.
    ///
    /// This is the course's formula, `zoom = min(width ratio, height ratio)` and `pan = −midpoint · zoom`, applied to
    /// the view without its margins. `margin` is in the view's points, and less than half of the view's smaller side;
    /// by default it is 56, or an eighth of the smaller side if that is less. The zoom is at most `zoomLimit`, so that a
    /// few small emoji don't fill the view. The result is `nil` if the part, or the view without its margins, is empty.
    public static func fitting(
        _ rect: BoardRect, in size: ViewSize, margin: Double? = nil, zoomLimit: Double = 4
    ) -> ArtView? {
        let margin = margin ?? min(56, size.width / 8, size.height / 8)
        let (width, height) = (size.width - 2 * margin, size.height - 2 * margin)
        guard rect.width > 0, rect.height > 0, width > 0, height > 0 else { return nil }
        let zoom = min(width / rect.width, height / rect.height, zoomLimit)
        return ArtView(zoom: zoom).centred(on: rect.middle)
    }

    private func centred(on point: BoardPoint) -> ArtView {
        ArtView(zoom: zoom, pan: ViewPoint(x: -point.x * zoom, y: point.y * zoom))
    }
}

extension Double {
    /// The value clamped to a range; NaN becomes the lower bound.
    package func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

// What is drawn around the selection, and the bar that is placed beside it.

extension BoardController {
    /// The distance of the frame from what it surrounds, in the view's points.
    private static let frameMargin = 4.0
    /// The distance of the keyboard's frame from its emoji.
    private static let keyboardMargin = 8.0
    /// The free space around a handle: about the reach of a finger.
    private static let handleReach = 16.0
    /// The distance of the selection's bar from the edges of the view.
    private static let edgeDistance = 10.0

    /// The frame around the targets, as it is drawn; `nil` without any.
    public var frame: ViewRect? { targetBox.map { viewRect(of: $0, margin: Self.frameMargin) } }

    /// The frame around each selected emoji, from the back to the front.
    public var outlines: [ViewRect] { selected.map { viewRect(of: box(of: $0)) } }

    /// The frame around the emoji that the keyboard is at; `nil` if there is none.
    public var keyboardOutline: ViewRect? {
        keyboardEmoji.flatMap { session.art.emoji($0) }.map { viewRect(of: box(of: $0), margin: Self.keyboardMargin) }
    }

    /// Where to place the selection's bar: above the selection, or else below it, or at an edge.
    ///
    /// It covers no other control, if there is such a place.
    /// It prefers the side where it doesn't cover the middle of another emoji, so that the emoji can be tapped.
    ///
    /// - Parameters:
    ///   - bar: The size of the bar.
    ///   - inset: The height of what covers the view's upper edge.
    ///   - obstacles: What else it must not cover, beside the handles.
    /// - Returns: The upper left corner of the bar; `nil` without targets.
    public func barPlace(for bar: ViewSize, inset: Double, obstacles: [ViewRect]) -> ViewPoint? {
        guard let frame else { return nil }
        let handle = rotationHandle
        let places = corners.map { $0.place } + (handle.map { [$0.place] } ?? [])
        let taken = obstacles + places.map { ViewRect(around: $0, reach: Self.handleReach) }
        let (upperEdge, lowerEdge) = (Self.edgeDistance + inset, size.height - bar.height - Self.edgeDistance)
        let middle = (frame.left + frame.right - bar.width) / 2
        let left = max(Self.edgeDistance, min(middle, size.width - bar.width - Self.edgeDistance))
        func rect(_ top: Double) -> ViewRect {
            ViewRect(left: left, top: top, right: left + bar.width, bottom: top + bar.height)
        }
        func isFree(_ top: Double) -> Bool {
            top >= upperEdge && top <= lowerEdge && !taken.contains { $0.overlaps(rect(top)) }
        }
        let upper = min(frame.top, handle?.place.y ?? frame.top)
        let lower = max(frame.bottom, handle?.place.y ?? frame.bottom)
        let sides = [upper - Self.handleReach - bar.height, lower + Self.handleReach].filter(isFree)
        let top = sides.first { !coversEmoji(rect($0)) } ?? sides.first ?? [upperEdge, lowerEdge].first(where: isFree)
        return ViewPoint(x: left, y: top ?? upperEdge)
    }

    /// Whether a rectangle covers the middle of an emoji that isn't selected.
    private func coversEmoji(_ rect: ViewRect) -> Bool {
        session.art.emojis.contains { emoji in
            let place = view.viewPoint(of: emoji.position, in: size)
            let isInside = place.x > rect.left && place.x < rect.right && place.y > rect.top && place.y < rect.bottom
            return isInside && !selection.contains(emoji.id)
        }
    }
}

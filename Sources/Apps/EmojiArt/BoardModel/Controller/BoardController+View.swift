// The view of a board: moving, zooming and fitting.

#if canImport(ModelJSON)
    import ModelJSON
#endif

extension ArtView {
    /// Converts a place of the view to a point of the board: `(place − centre − pan) / zoom`, with y upwards.
    public func boardPoint(at place: ViewPoint, in size: ViewSize) -> BoardPoint {
        BoardPoint(x: (place.x - size.width / 2 - pan.x) / zoom, y: -(place.y - size.height / 2 - pan.y) / zoom)
    }

    /// Converts a point of the board to a place of the view, the inverse of ``boardPoint(at:in:)``.
    public func viewPoint(of point: BoardPoint, in size: ViewSize) -> ViewPoint {
        ViewPoint(x: size.width / 2 + pan.x + point.x * zoom, y: size.height / 2 + pan.y - point.y * zoom)
    }

    /// The visible part of the board.
    public func visible(in size: ViewSize) -> BoardRect {
        BoardRect(
            from: boardPoint(at: ViewPoint(x: 0, y: 0), in: size),
            to: boardPoint(at: ViewPoint(x: size.width, y: size.height), in: size))
    }

    /// The view moved by a distance.
    public func moved(x: Double, y: Double) -> ArtView {
        ArtView(zoom: zoom, pan: ViewPoint(x: pan.x + x, y: pan.y + y))
    }

    /// Zooms by a pinch as in the course CS193p: multiplies the zoom, while the board's origin stays in place.
    ///
    /// A scale that isn't positive and finite has no effect.
    public mutating func zoom(by scale: Double) {
        guard scale > 0, scale.isFinite else { return }
        self = ArtView(zoom: zoom * scale, pan: pan)
    }

    /// Zooms so that the board's point at an anchor in the view, such as the pointer, stays in place.
    ///
    /// A scale that isn't positive and finite has no effect.
    public mutating func zoom(by scale: Double, at anchor: ViewPoint, in size: ViewSize) {
        let before = zoom
        zoom(by: scale)
        let factor = zoom / before
        let (x, y) = (anchor.x - size.width / 2, anchor.y - size.height / 2)
        pan = ViewPoint(x: x - (x - pan.x) * factor, y: y - (y - pan.y) * factor)
    }

    /// The zoom for display, such as “100 %”; below 1 %, with one significant digit.
    public var percent: String {
        let percent = zoom * 100
        if percent >= 1 { return "\(Int((percent + 0.5).rounded(.down))) %" }
        var (scale, zeros) = (10.0, "0.")
        while percent * scale < 1 {
            scale *= 10
            zeros += "0"
        }
        return "\(zeros)\(min(Int((percent * scale + 0.5).rounded(.down)), 9)) %"
    }

    /// The view at another zoom, with the same point in the middle.
    func at(zoom other: Double) -> ArtView {
        let scaled = ArtView(zoom: other)
        let factor = scaled.zoom / zoom
        return ArtView(zoom: scaled.zoom, pan: ViewPoint(x: pan.x * factor, y: pan.y * factor))
    }
}

extension BoardController {
    /// The size of the first emoji on a board, in the view's points.
    static let firstSize = 40.0
    /// The distances by which an arrow key moves the view, in its points.
    private static let keyDistance = 48.0
    private static let farKeyDistance = 240.0
    /// The distance of a duplicate from its original, in the view's points.
    static let copyDistance = 24.0

    /// Shows a view at once.
    public mutating func show(_ other: ArtView) {
        effects.target = nil
        guard other != view else { return }
        view = other
        effects.hasOtherView = true
    }

    /// Shows a view, with an animation unless the person prefers reduced motion.
    mutating func moveSmoothly(to target: ArtView?) {
        guard let target else { return }
        if prefersReducedMotion { show(target) } else { effects.target = target }
    }

    /// Sets the size of the page's part that shows the board.
    public mutating func resize(to size: ViewSize) {
        self.size = size
        effects.hasOtherView = true
    }

    /// Sets whether the person prefers reduced motion.
    public mutating func setReducedMotion(_ isPreferred: Bool) { prefersReducedMotion = isPreferred }

    /// Restores the view of an earlier visit, or shows everything.
    public mutating func open(_ earlier: ArtView?) {
        if let earlier {
            isUntouched = false
            show(earlier)
        } else {
            showAll()
        }
    }

    /// Sets the size of the shown picture, which loads after the page; `nil` if none is shown.
    public mutating func setPicture(_ size: ViewSize?) {
        picture = size
        if isUntouched { showAll() }
    }

    /// Shows everything at 100 %, or smaller if it doesn't fit.
    mutating func showAll() {
        if let content, let fitting = ArtView.fitting(content, in: size, zoomLimit: 1) { show(fitting) }
    }

    /// Moves the view by a distance.
    public mutating func moveView(x: Double, y: Double) {
        isUntouched = false
        show(view.moved(x: x, y: y))
    }

    /// Moves the view by an arrow key, in a direction with y downwards; farther if Shift is held.
    public mutating func moveView(byKeyX x: Double, y: Double, isShiftHeld: Bool) {
        let distance = isShiftHeld ? Self.farKeyDistance : Self.keyDistance
        moveView(x: x * distance, y: y * distance)
    }

    /// Zooms around a place of the view, which stays fixed; by default, around the view's middle.
    public mutating func zoom(by factor: Double, at place: ViewPoint? = nil) {
        isUntouched = false
        var other = view
        other.zoom(by: factor, at: place ?? ViewPoint(x: size.width / 2, y: size.height / 2), in: size)
        show(other)
    }

    // MARK: Content

    var pictureBox: BoardRect? {
        picture.map { BoardRect(center: .origin, width: $0.width, height: $0.height) }
    }

    /// The box around all emoji and the picture; `nil` if there are none.
    public var content: BoardRect? {
        guard let emojis = box(of: session.art.emojis) else { return pictureBox }
        return pictureBox?.union(emojis) ?? emojis
    }

    /// Whether any content is visible.
    public var isContentVisible: Bool {
        let visible = view.visible(in: size)
        if let pictureBox, pictureBox.overlaps(visible) { return true }
        return session.art.emojis.contains { box(of: $0).overlaps(visible) }
    }

    /// Fits everything, and announces it.
    mutating func fit() {
        guard let content else { return }
        moveSmoothly(to: ArtView.fitting(content, in: size))
        announce(.of(.showingEverything))
    }

    /// Moves the view to the nearest content without zooming; fits everything if that would be too small or too large.
    mutating func moveToContent() {
        let middle = view.boardPoint(at: ViewPoint(x: size.width / 2, y: size.height / 2), in: size)
        var (nearest, least) = (pictureBox, Double.infinity)
        for emoji in session.art.emojis {
            let (x, y) = (emoji.x - middle.x, emoji.y - middle.y)
            if x * x + y * y < least { (nearest, least) = (box(of: emoji), x * x + y * y) }
        }
        guard let nearest else { return }
        let length = nearest.width * view.zoom
        if length < 8 || length > size.width {
            fit()
        } else {
            let (x, y) = (nearest.middle.x, nearest.middle.y)
            moveSmoothly(to: ArtView(zoom: view.zoom, pan: ViewPoint(x: -x * view.zoom, y: y * view.zoom)))
            announce(.of(.showingNearest))
        }
    }

    /// The size of a new emoji in points: the median of the board's, unless it is hardly visible or fills the view.
    public var newEmojiSize: Double {
        let emojis = session.art.emojis
        let order = sortedIndices(emojis.count) { emojis[$0].size < emojis[$1].size }
        let usual = order.isEmpty ? Self.firstSize / view.zoom : emojis[order[order.count / 2]].size
        let least = Self.firstSize / 4 / view.zoom
        let most = min(size.width, size.height) / 2 / view.zoom
        return min(max(usual, least), most).clamped(to: BoardLimits.sizes)
    }

    /// Moves the view just far enough to show a box with a margin in the view's points.
    mutating func reveal(_ box: BoardRect, margin: Double = 24) {
        let upper = view.viewPoint(of: BoardPoint(x: box.left, y: box.top), in: size)
        let lower = view.viewPoint(of: BoardPoint(x: box.right, y: box.bottom), in: size)
        func distance(_ from: Double, _ to: Double, _ length: Double) -> Double {
            if from < margin { return margin - from }
            return to > length - margin ? max(length - margin - to, margin - from) : 0
        }
        let x = distance(upper.x, lower.x, size.width)
        let y = distance(upper.y, lower.y, size.height)
        if x != 0 || y != 0 { moveSmoothly(to: view.moved(x: x, y: y)) }
    }

    /// The point of the board at a place of the view, by default the mouse's, or the middle if there is no mouse.
    public func boardPoint(at place: ViewPoint?) -> BoardPoint {
        view.boardPoint(at: place ?? mouse ?? ViewPoint(x: size.width / 2, y: size.height / 2), in: size)
    }

    /// The rectangle in which a part of the board is shown, larger by a margin of the view's points.
    func viewRect(of box: BoardRect, margin: Double = 0) -> ViewRect {
        let upper = view.viewPoint(of: BoardPoint(x: box.left, y: box.top), in: size)
        let lower = view.viewPoint(of: BoardPoint(x: box.right, y: box.bottom), in: size)
        return ViewRect(
            left: upper.x - margin, top: upper.y - margin, right: lower.x + margin, bottom: lower.y + margin)
    }
}

extension BoardRect {
    /// Whether two rectangles have an area in common.
    func overlaps(_ other: BoardRect) -> Bool {
        left < other.right && right > other.left && bottom < other.top && top > other.bottom
    }
}

// Gestures of mouse, pen and fingers: taps, and strokes once a pointer has moved far enough.

extension BoardController {
    /// The rotation of two fingers below which a pinch only scales, in degrees: a pinch is never quite straight.
    private static let rotationThreshold = 12.0
    /// The distance of the handle that rotates from the frame, in the view's points.
    private static let rotationHandleDistance = 26.0
    /// The time between the taps of a double tap in milliseconds, and their distance.
    private static let doubleTap = (time: 350.0, distance: 28.0)
    /// The time after which a resting finger begins a selection rectangle, in milliseconds.
    private static let longPressTime = 450.0
}

// MARK: - Events

extension BoardController {
    /// Whether a gesture is running that can be cancelled.
    public var isGestureActive: Bool { stroke != nil || press != nil }

    /// Whether emoji are being moved, resized or rotated.
    public var isDragging: Bool {
        switch stroke {
        case .drag, .resize, .rotate, .pinchSelection: true
        default: false
        }
    }

    /// Whether emoji are being resized.
    public var isResizing: Bool {
        switch stroke {
        case .resize, .pinchSelection: true
        default: false
        }
    }

    /// Whether dragging always moves the view.
    var isPanning: Bool { isSpaceHeld || tool == .hand }

    /// A pointer was pressed.
    public mutating func pointerDown(_ event: PointerEvent) {
        settle()
        if event.kind != .touch { pointers = [] }
        pointers.removeAll { $0.id == event.id }
        pointers.append(Pointer(id: event.id, place: event.place))
        if pointers.count == 1 { beginPress(event) } else if pointers.count == 2 { beginPinch() }
    }

    /// A pointer was moved; the page calls this at most once a frame for each pointer.
    public mutating func pointerMoved(_ event: PointerEvent) {
        if event.kind != .touch { mouse = event.place }
        guard let index = pointers.firstIndex(where: { $0.id == event.id }) else {
            if event.kind != .touch { hover(at: event.place) }
            return
        }
        pointers[index].place = event.place
        if let press, distance(event.place, press.event.place) > press.event.kind.tapDistance {
            endPress()
            stroke = begin(press)
            effects.hasOtherDrag = true
        }
        continueStroke(isAltHeld: event.isAltHeld, isShiftHeld: event.isShiftHeld)
    }

    /// A pointer was released.
    public mutating func pointerUp(_ event: PointerEvent) {
        guard pointers.contains(where: { $0.id == event.id }) else { return }
        pointerMoved(event)
        if let press { tap(press, event) }
        endStroke(isCancelled: false)
        // A pinch ends with the first finger: the other one is ignored when it is lifted.
        pointers = []
        rest()
    }

    /// The mouse has left the view.
    public mutating func pointerLeft() { mouse = nil }

    /// Cancels the gesture, and restores what it changed.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public mutating func cancelGesture() -> Bool {
        let wasActive = isGestureActive
        endStroke(isCancelled: true)
        pointers = []
        rest()
        return wasActive
    }

    /// A finger has rested: it draws a selection rectangle from now on.
    public mutating func longPress() {
        guard let press else { return }
        endPress()
        effects.vibrates = true
        beginMarquee(at: press.event.place, isAdding: press.event.isAdding)
        continueStroke(isAltHeld: false, isShiftHeld: false)
    }

    /// Selects the emoji below the pointer, before a menu opens there.
    ///
    /// - Returns: Whether there is one; if not, the menu is that of an empty place.
    public mutating func openMenu(at place: ViewPoint) -> Bool {
        let missed = PointerKind.mouse.missDistance / view.zoom
        let emoji = session.art.emoji(at: view.boardPoint(at: place, in: size), missedBy: missed)
        if let emoji, !selection.contains(emoji.id) { select([emoji.id]) }
        cancelGesture()
        return emoji != nil
    }

    /// Where the keyboard opens the selection's menu: its lower right corner.
    public var menuPlace: ViewPoint {
        guard let box = box(of: targets) else { return ViewPoint(x: 8, y: 8) }
        return view.viewPoint(of: BoardPoint(x: box.right, y: box.bottom), in: size)
    }

    /// Space was pressed or released; while it is held, dragging moves the view.
    public mutating func holdSpace(_ isHeld: Bool) {
        isSpaceHeld = isHeld
        showTool()
    }

    /// Chooses a tool, or ``Tool/select`` if it is chosen already.
    public mutating func choose(_ other: Tool) {
        tool = tool == other ? .select : other
        showTool()
    }

    private mutating func showTool() {
        if !isGestureActive { setCursor(isPanning ? .grab : .arrow) }
    }

    private mutating func rest() {
        endPress()
        showTool()
    }

    private mutating func endPress() {
        guard press != nil else { return }
        press = nil
        effects.longPress = .some(nil)
    }
}

// MARK: - Presses and taps

extension BoardController {
    private mutating func beginPress(_ event: PointerEvent) {
        let isPanning = event.isMiddleButton || self.isPanning
        let corner = isPanning ? nil : corner(at: event.place, radius: event.kind.handleRadius)
        let isRotating = !isPanning && corner == nil && isOnRotationHandle(event.place, event.kind)
        let isOnHandle = corner != nil || isRotating
        let missed = isOnHandle ? 0 : event.kind.missDistance / view.zoom
        let point = view.boardPoint(at: event.place, in: size)
        let emoji = isPanning ? nil : session.art.emoji(at: point, missedBy: missed)
        press = Press(event: event, corner: corner, isRotating: isRotating, emoji: emoji?.id, isPanning: isPanning)
        if event.kind == .touch, !isOnHandle, emoji == nil, !isPanning { effects.longPress = Self.longPressTime }
    }

    private mutating func tap(_ press: Press, _ event: PointerEvent) {
        if press.isPanning { return }
        // A drag that begins on a handle uses the handle, but a tap there selects the emoji below it.
        let isOnHandle = press.corner != nil || press.isRotating
        if isOnHandle, press.emoji.map({ selection.contains($0) }) ?? true { return }
        if let id = press.emoji {
            lastTap = nil
            moveKeyboard(to: nil)
            // A finger has no Shift key: each tap adds to the selection, as in the course.
            let isToggling = event.kind == .touch || press.event.isAdding || selection.contains(id)
            if isToggling { toggle(id) } else { select([id]) }
            return
        }
        let place = press.event.place
        if let last = lastTap, event.time - last.time < Self.doubleTap.time,
            distance(place, last.place) < Self.doubleTap.distance
        {
            lastTap = nil
            run(.fit)
            return
        }
        lastTap = (place, event.time)
        if !press.event.isAdding {
            select([])
            moveKeyboard(to: nil)
        }
    }

    private mutating func hover(at place: ViewPoint) {
        if isPanning { return }
        if let corner = corner(at: place, radius: PointerKind.mouse.handleRadius) {
            setCursor(corner.shape)
        } else if isOnRotationHandle(place, .mouse) {
            setCursor(.grab)
        } else {
            let isAbove = session.art.emoji(at: view.boardPoint(at: place, in: size), missedBy: 0) != nil
            setCursor(isAbove ? .pointer : .arrow)
        }
    }

    /// The corners of the frame around the selection; none if all is locked.
    var corners: [Corner] {
        let hasMovable = selection.contains { id in session.art.emoji(id)?.isLocked == false }
        guard hasMovable, let frame else { return [] }
        return [(false, false), (true, false), (false, true), (true, true)].map { isRight, isLower in
            Corner(
                isRight: isRight, isLower: isLower,
                place: ViewPoint(x: isRight ? frame.right : frame.left, y: isLower ? frame.bottom : frame.top))
        }
    }

    /// The handle that rotates: above the frame, or below it if the frame is near the upper edge; `nil` without corners.
    var rotationHandle: (place: ViewPoint, isBelow: Bool)? {
        let corners = corners
        guard let first = corners.first?.place, let last = corners.last?.place else { return nil }
        let isBelow = first.y - Self.rotationHandleDistance < 8
        let y = isBelow ? last.y + Self.rotationHandleDistance : first.y - Self.rotationHandleDistance
        return (ViewPoint(x: (first.x + last.x) / 2, y: y), isBelow)
    }

    private func isOnRotationHandle(_ place: ViewPoint, _ kind: PointerKind) -> Bool {
        guard let handle = rotationHandle else { return false }
        return distance(place, handle.place) < kind.rotationHandleRadius
    }

    /// The nearest corner within a radius.
    ///
    /// Inside the frame, handles reach at most a quarter of its size, to leave room for dragging.
    private func corner(at place: ViewPoint, radius: Double) -> Corner? {
        let corners = corners
        guard let first = corners.first?.place, let last = corners.last?.place else { return nil }
        let isInside = place.x > first.x && place.x < last.x && place.y > first.y && place.y < last.y
        var least = isInside ? min(radius, (last.x - first.x) / 4, (last.y - first.y) / 4) : radius
        var nearest: Corner?
        for corner in corners where distance(corner.place, place) < least {
            (nearest, least) = (corner, distance(corner.place, place))
        }
        return nearest
    }

    func distance(_ first: ViewPoint, _ second: ViewPoint) -> Double {
        let (x, y) = (first.x - second.x, first.y - second.y)
        return (x * x + y * y).squareRoot()
    }
}

// MARK: - Strokes

extension BoardController {
    private mutating func begin(_ press: Press) -> Stroke? {
        let place = press.event.place
        let point = view.boardPoint(at: place, in: size)
        if let corner = press.corner { return resizing(corner, from: point) }
        if press.isRotating { return rotating(from: point) }
        // A drag that begins on a locked emoji behaves like one on an empty place.
        if !press.isPanning, let emoji = press.emoji.flatMap({ session.art.emoji($0) }), !emoji.isLocked {
            setCursor(.grabbing)
            return .drag(
                gesture: beginGesture(.moveStep, selection.contains(emoji.id) ? movable : [emoji]), from: point)
        }
        if !press.isPanning, press.event.kind != .touch || tool == .area {
            beginMarquee(at: place, isAdding: press.event.isAdding)
            return stroke
        }
        setCursor(.grabbing)
        return .pan(before: view, last: place)
    }

    private mutating func beginGesture(_ step: BoardWord, _ emojis: [Emoji]) -> Int {
        session.beginGesture(.of(step, emoji: emojis.map { $0.text }), of: emojis.map { $0.id })
    }

    private mutating func rotating(from point: BoardPoint) -> Stroke? {
        let emojis = movable
        guard let first = emojis.first else { return nil }
        setCursor(.grabbing)
        let middle = EmojiArt.centroid(of: emojis)
        return .rotate(
            gesture: beginGesture(.rotateStep, emojis),
            Rotating(
                middle: middle, bearing: Self.bearing(of: point, from: middle),
                angle: emojis.count == 1 ? first.angle : 0))
    }

    /// The direction from one point to another, clockwise from the top, in degrees.
    private static func bearing(of point: BoardPoint, from middle: BoardPoint) -> Double {
        Rotation.angle(x: point.y - middle.y, y: point.x - middle.x)
    }

    private mutating func resizing(_ corner: Corner, from point: BoardPoint) -> Stroke? {
        guard let box = box(of: selected) else { return nil }
        setCursor(corner.shape)
        let gesture = beginGesture(.resizeStep, movable)
        return .resize(
            gesture: gesture,
            Resizing(
                held: BoardPoint(
                    x: corner.isRight ? box.right : box.left, y: corner.isLower ? box.bottom : box.top),
                opposite: BoardPoint(
                    x: corner.isRight ? box.left : box.right, y: corner.isLower ? box.top : box.bottom),
                middle: box.middle, from: point))
    }

    private mutating func beginMarquee(at place: ViewPoint, isAdding: Bool) {
        setCursor(.crosshair)
        stroke = .select(before: selection, from: view.boardPoint(at: place, in: size), isAdding: isAdding)
        effects.hasOtherDrag = true
    }

    private mutating func beginPinch() {
        // The first finger's stroke was the beginning of a pinch.
        endStroke(isCancelled: true)
        endPress()
        let (first, second) = (pointers[0].place, pointers[1].place)
        // At least 1, so that the factor stays finite if both fingers report the same place.
        let apart = max(distance(first, second), 1)
        let emojis = movable
        if let box = box(of: emojis) {
            stroke = .pinchSelection(
                gesture: beginGesture(.resizeStep, emojis), middle: box.middle, distance: apart,
                direction: Self.direction(first, second))
        } else {
            stroke = .pinchView(before: view, middle: Self.middle(first, second), distance: apart)
        }
        effects.hasOtherDrag = true
    }

    /// The direction from one finger to another, clockwise, in degrees.
    private static func direction(_ first: ViewPoint, _ second: ViewPoint) -> Double {
        Rotation.angle(x: second.x - first.x, y: second.y - first.y)
    }

    private static func middle(_ first: ViewPoint, _ second: ViewPoint) -> ViewPoint {
        ViewPoint(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    private mutating func continueStroke(isAltHeld: Bool, isShiftHeld: Bool) {
        guard let stroke, let place = pointers.first?.place else { return }
        let point = view.boardPoint(at: place, in: size)
        switch stroke {
        case .pan(let before, let last):
            show(view.moved(x: place.x - last.x, y: place.y - last.y))
            self.stroke = .pan(before: before, last: place)
        case .drag(let gesture, let from):
            session.moveGesture(gesture, x: point.x - from.x, y: point.y - from.y)
        case .resize(let gesture, let resizing):
            let fixed = isAltHeld ? resizing.middle : resizing.opposite
            session.scaleGesture(gesture, by: resizing.factor(to: point, around: fixed), around: fixed)
        case .rotate(let gesture, let rotating):
            let turn = Self.bearing(of: point, from: rotating.middle) - rotating.bearing
            session.rotateGesture(gesture, by: rotating.snapped(turn, isShiftHeld: isShiftHeld))
        case .select(let before, let from, let isAdding):
            let box = BoardRect(from: from, to: point)
            marquee = box
            effects.hasOtherDrag = true
            let touched = session.art.emojis.filter { !$0.isLocked && $0.box.intersects(box) }.map { $0.id }
            select(isAdding ? before.union(touched) : Set(touched))
        case .pinchSelection(let gesture, let middle, let before, let direction):
            guard pointers.count > 1 else { return }
            let apart = max(distance(place, pointers[1].place), 1)
            let degrees = Self.turn(from: direction, to: Self.direction(place, pointers[1].place))
            session.pinchGesture(gesture, by: apart / before, degrees: degrees, around: middle)
        case .pinchView(let before, let last, let apart):
            guard pointers.count > 1 else { return }
            let (middle, now) = (Self.middle(place, pointers[1].place), max(distance(place, pointers[1].place), 1))
            var other = view
            other.zoom(by: now / apart, at: last, in: size)
            show(other.moved(x: middle.x - last.x, y: middle.y - last.y))
            self.stroke = .pinchView(before: before, middle: middle, distance: now)
        }
    }

    /// The rotation of two fingers beyond the threshold, in degrees.
    private static func turn(from direction: Double, to other: Double) -> Double {
        let angle = Emoji.normalizedAngle(other - direction)
        let turn = angle > 180 ? angle - 360 : angle
        return turn < 0 ? min(turn + rotationThreshold, 0) : max(turn - rotationThreshold, 0)
    }

    private mutating func endStroke(isCancelled: Bool) {
        guard let stroke else { return }
        self.stroke = nil
        marquee = nil
        effects.hasOtherDrag = true
        switch stroke {
        case .pan(let before, _), .pinchView(let before, _, _): if isCancelled { show(before) }
        case .select(let before, _, _): if isCancelled { select(before) } else { announceSelection() }
        case .drag(let gesture, _), .resize(let gesture, _), .rotate(let gesture, _),
            .pinchSelection(let gesture, _, _, _):
            if isCancelled { session.cancel(gesture: gesture) } else { session.end(gesture: gesture) }
        }
    }
}

// Pointers, their presses, and the strokes that they become.

extension BoardController {
    /// A kind of pointer, with its tolerances in the view's points.
    public enum PointerKind: String, Hashable, Sendable, CaseIterable {
        /// A mouse or trackpad.
        case mouse
        /// A pen.
        case pen
        /// A finger.
        case touch

        /// The movement that still counts as a tap.
        var tapDistance: Double { choose(3, 5, 9) }
        /// The distance at which an emoji is still hit.
        var missDistance: Double { choose(3, 6, 14) }
        /// The radius of a corner's handle.
        var handleRadius: Double { choose(11, 14, 24) }
        /// The radius of the rotation handle; for a finger, smaller than that of corners, so that an emoji above the
        /// selection can still be tapped.
        var rotationHandleRadius: Double { choose(11, 14, 18) }

        private func choose(_ mouse: Double, _ pen: Double, _ touch: Double) -> Double {
            switch self {
            case .mouse: mouse
            case .pen: pen
            case .touch: touch
            }
        }
    }

    /// What a pointer reports.
    public struct PointerEvent: Hashable, Sendable {
        /// The pointer's number.
        public var id: Int
        /// The kind of the pointer.
        public var kind: PointerKind
        /// The place in the view.
        public var place: ViewPoint
        /// Whether the middle button is pressed.
        public var isMiddleButton: Bool
        /// Whether a key is held that extends the selection: Shift, Ctrl or ⌘.
        public var isAdding: Bool
        /// Whether Alt is held: corners are resized around the middle.
        public var isAltHeld: Bool
        /// Whether Shift is held: emoji are rotated in steps.
        public var isShiftHeld: Bool
        /// The time in milliseconds.
        public var time: Double

        /// Creates an event.
        public init(
            id: Int, kind: PointerKind, place: ViewPoint, isMiddleButton: Bool = false, isAdding: Bool = false,
            isAltHeld: Bool = false, isShiftHeld: Bool = false, time: Double = 0
        ) {
            (self.id, self.kind, self.place, self.isMiddleButton) = (id, kind, place, isMiddleButton)
            (self.isAdding, self.isAltHeld, self.isShiftHeld, self.time) = (isAdding, isAltHeld, isShiftHeld, time)
        }
    }

    /// A pressed pointer.
    struct Pointer: Sendable {
        var id: Int
        var place: ViewPoint
    }

    /// A corner of the selection's frame.
    struct Corner: Sendable {
        var isRight: Bool
        var isLower: Bool
        var place: ViewPoint
    }

    /// A press, until it becomes a tap or a stroke.
    struct Press: Sendable {
        var event: PointerEvent
        var corner: Corner?
        /// Whether the handle that rotates was pressed.
        var isRotating: Bool
        var emoji: EmojiID?
        var isPanning: Bool
    }

    /// What a moving pointer does.
    enum Stroke: Sendable {
        case pan(before: ArtView, last: ViewPoint)
        case drag(gesture: Int, from: BoardPoint)
        case resize(gesture: Int, Resizing)
        case rotate(gesture: Int, Rotating)
        case select(before: Set<EmojiID>, from: BoardPoint, isAdding: Bool)
        case pinchSelection(gesture: Int, middle: BoardPoint, distance: Double, direction: Double)
        case pinchView(before: ArtView, middle: ViewPoint, distance: Double)
    }

    /// A corner that is dragged.
    struct Resizing: Sendable {
        var held: BoardPoint
        var opposite: BoardPoint
        var middle: BoardPoint
        var from: BoardPoint
    }

    /// A rotation by the handle at the selection's frame.
    struct Rotating: Sendable {
        /// The point around which the emoji are rotated.
        var middle: BoardPoint
        /// The direction from there to where the drag began, clockwise from the top, in degrees.
        var bearing: Double
        /// The angle of the only emoji; 0 for several.
        var angle: Double
    }
}

extension BoardController.Corner {
    var shape: BoardController.Cursor { isRight == isLower ? .northwest : .northeast }
}

extension BoardController.Rotating {
    /// A rotation by degrees, adjusted so that the emoji snap to a near multiple of 45°; with Shift, they always snap to
    /// the nearest multiple of 15°.
    func snapped(_ turn: Double, isShiftHeld: Bool) -> Double {
        let step = isShiftHeld ? 15.0 : 45
        let nearest = ((angle + turn) / step + 0.5).rounded(.down) * step
        return isShiftHeld || abs(angle + turn - nearest) < 3 ? nearest - angle : turn
    }
}

extension BoardController.Resizing {
    /// The scale factor: the corner's new distance from the fixed point along the diagonal, divided by its old one.
    func factor(to point: BoardPoint, around fixed: BoardPoint) -> Double {
        let (x, y) = (held.x - fixed.x, held.y - fixed.y)
        let along = (held.x + point.x - from.x - fixed.x) * x + (held.y + point.y - from.y - fixed.y) * y
        return max(along / (x * x + y * y), 1e-6)
    }
}

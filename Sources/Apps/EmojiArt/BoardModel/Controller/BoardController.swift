/// What one page does with a board: its session, view, selection, tool and gesture.
///
/// Every event is a mutating function. ``takeEffects()`` returns what the page has to do then. The page draws, measures
/// emoji, and runs timers and animations; nothing here waits.
public struct BoardController: Sendable {
    /// What pointers do.
    public enum Tool: String, Hashable, Sendable {
        /// Select, move, resize and rotate emoji; a finger beside them moves the view.
        case select
        /// Move the view.
        case hand
        /// As ``select``, but a finger draws a selection rectangle, too.
        case area
    }

    /// The shape of the pointer, by the value of the page's attribute.
    public enum Cursor: String, Hashable, Sendable {
        /// The usual arrow.
        case arrow = ""
        /// Above an emoji.
        case pointer
        /// The view can be moved.
        case grab
        /// Something is being moved.
        case grabbing
        /// A selection rectangle is being drawn.
        case crosshair
        /// A corner is resized along the diagonal from the upper left.
        case northwest = "nwse"
        /// A corner is resized along the diagonal from the upper right.
        case northeast = "nesw"
    }

    /// What the page has to do after events.
    public struct Effects: Hashable, Sendable {
        /// Whether the view has changed.
        public var hasOtherView = false
        /// The view to animate to; the page then calls ``BoardController/show(_:)`` once a frame.
        public var target: ArtView?
        /// Whether ``BoardController/selection`` or ``BoardController/keyboardEmoji`` has changed.
        public var hasOtherSelection = false
        /// Whether ``BoardController/marquee`` has changed, or a drag has begun or ended.
        public var hasOtherDrag = false
        /// The pointer's shape, if it has changed.
        public var cursor: Cursor?
        /// The milliseconds after which to call ``BoardController/longPress()``; `nil` stops that timer.
        public var longPress: Double??
        /// The milliseconds after which to call ``BoardController/endNudge()``; `nil` stops that timer.
        public var nudge: Double??
        /// Whether to vibrate for a moment.
        public var vibrates = false
        /// What to announce to screen readers.
        public var spoken: Announcement?
    }

    /// A text for screen readers.
    public enum Announcement: Hashable, Sendable {
        /// A message.
        case text(BoardText)
        /// An emoji with its name, which the page knows, and its place.
        case emoji(EmojiID)
    }

    /// The board, with the changes that the server hasn't confirmed.
    public internal(set) var session: BoardSession
    /// What is visible.
    public internal(set) var view = ArtView()
    /// The size of the page's part that shows the board.
    public internal(set) var size = ViewSize(width: 0, height: 0)
    /// The selected emoji.
    public internal(set) var selection: Set<EmojiID> = []
    /// The emoji that the keyboard's cursor is on.
    public internal(set) var keyboardEmoji: EmojiID?
    /// What pointers do.
    public internal(set) var tool = Tool.select
    /// The selection rectangle that is being drawn.
    public internal(set) var marquee: BoardRect?
    /// The size of the background's picture; `nil` while none is shown.
    public internal(set) var picture: ViewSize?
    /// Whether the person has done nothing yet.
    ///
    /// While this is true, the view fits the content as it loads.
    public var isUntouched = true
    var isSpaceHeld = false
    var prefersReducedMotion = false
    /// How far a text that wasn't measured reaches from its middle, as a multiple of its size.
    static let usualReach = 0.5
    /// How far each text reaches from its middle, as a multiple of its size.
    var reaches: [TextKey: Double] = [:]
    var pointers: [Pointer] = []
    var press: Press?
    var stroke: Stroke?
    /// The last tap that hit no emoji.
    var lastTap: (place: ViewPoint, time: Double)?
    /// The position of the mouse.
    var mouse: ViewPoint?
    var cursor = Cursor.arrow
    var nudge: Nudge?
    /// How often the same copy was pasted.
    var pastes = 0
    var effects = Effects()

    /// Creates the controller of a page that has just received its board.
    public init(_ state: ServerBoard) { session = BoardSession(state) }
}

extension BoardController {
    /// Returns what the page has to do since the last call, beside the session's effects.
    public mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    /// Sets how far texts reach from their middle, as multiples of their size.
    public mutating func measure(_ measured: [(text: String, reach: Double)]) {
        for (text, reach) in measured { reaches[TextKey(text)] = reach }
        if isUntouched { showAll() }
    }

    /// The texts that the page has to measure, each only once.
    mutating func takeUnmeasured(_ texts: [String]) -> [String] {
        var unmeasured: [String] = []
        for text in texts where reaches[TextKey(text)] == nil {
            reaches[TextKey(text)] = Self.usualReach
            unmeasured.append(text)
        }
        return unmeasured
    }

    /// Forgets emoji that are no longer on the board; called after each change of it.
    public mutating func prune() {
        let remaining = selection.filter { session.art.emoji($0) != nil }
        let isLost = keyboardEmoji.map { session.art.emoji($0) == nil } ?? false
        guard isLost || remaining.count < selection.count else { return }
        selection = remaining
        if isLost { keyboardEmoji = nil }
        effects.hasOtherSelection = true
    }

    mutating func announce(_ text: BoardText) { effects.spoken = .text(text) }

    mutating func setCursor(_ shape: Cursor) {
        guard shape != cursor else { return }
        cursor = shape
        effects.cursor = shape
    }
}

// MARK: - The selection

extension BoardController {
    /// The selected emoji, from the back to the front; locked ones, too.
    public var selected: [Emoji] {
        selection.isEmpty ? [] : session.art.emojis.filter { selection.contains($0.id) }
    }

    /// The emoji that a command applies to: the selected ones, or the one that the keyboard is at.
    public var targets: [Emoji] {
        if !selection.isEmpty { return selected }
        return keyboardEmoji.flatMap { session.art.emoji($0) }.map { [$0] } ?? []
    }

    /// The targets that aren't locked, which commands change.
    public var editable: [Emoji] { targets.filter { !$0.isLocked } }

    /// The selected emoji that aren't locked, which drags and pinches change.
    public var movable: [Emoji] { selected.filter { !$0.isLocked } }

    /// The box around the targets; `nil` without any.
    ///
    /// - Complexity: O(*k* log *n*) for *k* targets of *n* emoji.
    var targetBox: BoardRect? {
        guard selection.isEmpty else { return box(of: selection.compactMap { session.art.emoji($0) }) }
        guard let emoji = keyboardEmoji.flatMap({ session.art.emoji($0) }) else { return nil }
        return box(of: emoji)
    }

    /// Selects these emoji only.
    public mutating func select(_ ids: some Sequence<EmojiID>) {
        let next = Set(ids)
        guard next != selection else { return }
        selection = next
        effects.hasOtherSelection = true
    }

    /// Selects an emoji, or deselects it.
    public mutating func toggle(_ id: EmojiID) {
        if selection.remove(id) == nil { selection.insert(id) }
        effects.hasOtherSelection = true
    }

    /// Moves the keyboard to an emoji, or to none.
    public mutating func moveKeyboard(to id: EmojiID?) {
        guard keyboardEmoji != id else { return }
        keyboardEmoji = id
        effects.hasOtherSelection = true
    }

    /// The box around all that is visible of an emoji.
    func box(of emoji: Emoji) -> BoardRect {
        box(of: ClippedEmoji(emoji))
    }

    /// The box around all that is visible of a copied emoji.
    func box(of emoji: ClippedEmoji) -> BoardRect { Self.box(of: emoji, reaches) }

    /// The box around all that is visible of a copied emoji, with the reaches of texts.
    @inline(never)
    static func box(of emoji: ClippedEmoji, _ reaches: [TextKey: Double]) -> BoardRect {
        let side = 2 * emoji.size * (reaches[TextKey(emoji.text)] ?? Self.usualReach)
        let length = side * Rotation.boundingFactor(ofAngle: emoji.angle)
        return BoardRect(center: BoardPoint(x: emoji.x, y: emoji.y), width: length, height: length)
    }

    /// The box around all that is visible of emoji; `nil` without any.
    func box(of emojis: some Sequence<Emoji>) -> BoardRect? {
        var bounds: BoardRect?
        for emoji in emojis {
            let box = box(of: emoji)
            bounds = bounds?.union(box) ?? box
        }
        return bounds
    }
}

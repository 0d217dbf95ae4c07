// What commands do, and what is announced of it.

extension BoardController {
    /// A command that needs nothing but the board.
    public enum Command: String, Hashable, Sendable, CaseIterable {
        /// Undoes the last step.
        case undo
        /// Redoes the last undone step.
        case redo
        /// Adds copies of the targets beside them.
        case duplicate
        /// Deletes the targets.
        case delete
        /// Deletes the targets, which the page has put on the clipboard.
        case cut
        /// Selects all emoji.
        case selectAll
        /// Selects nothing.
        case selectNone
        /// Moves the keyboard to the next emoji.
        case next
        /// Moves the keyboard to the emoji before.
        case previous
        /// Selects or deselects the emoji that the keyboard is at.
        case toggle
        /// Makes the targets larger.
        case larger
        /// Makes the targets smaller.
        case smaller
        /// Brings the targets in front of the next emoji.
        case forward
        /// Sends the targets behind the next emoji.
        case backward
        /// Brings the targets in front of all others.
        case front
        /// Sends the targets behind all others.
        case back
        /// Zooms in.
        case zoomIn
        /// Zooms out.
        case zoomOut
        /// Zooms to 100 %.
        case actualSize
        /// Fits everything.
        case fit
        /// Fits the targets.
        case fitSelection = "fitChosen"
        /// Fits the background's picture.
        case fitPicture
        /// Moves the view to the nearest content.
        case content
        /// Chooses the tool that selects by fingers, too.
        case area
        /// Chooses the tool that moves the view.
        case hand

        /// Whether it changes or shows the targets.
        var needsTargets: Bool {
            switch self {
            case .duplicate, .delete, .cut, .larger, .smaller, .forward, .backward, .front, .back, .fitSelection: true
            default: false
            }
        }
    }

    /// Moves by the arrow keys in quick succession, which are one step.
    struct Nudge: Sendable {
        var gesture: Int
        var x = 0.0
        var y = 0.0
        var first: EmojiID?
    }

    /// The time after the last arrow key until the step ends, in milliseconds.
    private static let nudgePause = 600.0

    /// Runs a command.
    ///
    /// - Returns: Whether it did anything.
    @discardableResult
    public mutating func run(_ command: Command) -> Bool {
        settle()
        if command.needsTargets, targets.isEmpty { return false }
        switch command {
        case .undo: return session.undo()
        case .redo: return session.redo()
        case .duplicate:
            let distance = Self.copyDistance / view.zoom
            paste("Duplicate", targets.map { ClippedEmoji($0) }, x: distance, y: -distance)
        case .delete: remove("Delete", "Deleted")
        case .cut: remove("Cut", "Cut")
        case .selectAll:
            select(session.art.emojis.map { $0.id })
            announceSelection()
        case .selectNone:
            select([])
            moveKeyboard(to: nil)
        case .next: return moveKeyboard(by: 1)
        case .previous: return moveKeyboard(by: -1)
        case .toggle:
            guard let keyboardEmoji else { return false }
            toggle(keyboardEmoji)
            effects.spoken = .emoji(keyboardEmoji)
        case .larger: scale(by: 1.1)
        case .smaller: scale(by: 1 / 1.1)
        case .forward: reorder(.forward, "Bring", " Forward")
        case .backward: reorder(.backward, "Send", " Backward")
        case .front: reorder(.front, "Bring", " to Front")
        case .back: reorder(.back, "Send", " to Back")
        case .zoomIn: zoom(by: 1.25)
        case .zoomOut: zoom(by: 1 / 1.25)
        case .actualSize: moveSmoothly(to: view.at(zoom: 1))
        case .fit: moveSmoothly(to: content.flatMap { ArtView.fitting($0, in: size) })
        case .fitSelection: moveSmoothly(to: box(of: targets).flatMap { ArtView.fitting($0, in: size) })
        case .fitPicture: moveSmoothly(to: pictureBox.flatMap { ArtView.fitting($0, in: size) })
        case .content: moveToContent()
        case .area: choose(.area)
        case .hand: choose(.hand)
        }
        return true
    }

    /// Ends a step of the arrow keys, and stops the view from following new content.
    public mutating func settle() {
        isUntouched = false
        endNudge()
    }
}

// MARK: - Adding

extension BoardController {
    /// Adds emoji around a point.
    ///
    /// - Parameters:
    ///   - verb: What the step is called: “Add” or “Paste”.
    ///   - texts: The emoji.
    ///   - point: The middle of their rows; `nil` for a free place in the middle of the view.
    ///   - isSelecting: Whether they are selected then. What a finger drops isn't: its next pinch would make it larger.
    public mutating func add(_ verb: String, _ texts: [String], at point: BoardPoint?, isSelecting: Bool) {
        settle()
        var generator = SystemRandomNumberGenerator()
        let emojiSize = Self.newSize / view.zoom
        let place =
            point
            ?? session.art.freePlace(
                near: view.boardPoint(at: ViewPoint(x: size.width / 2, y: size.height / 2), in: size), size: emojiSize)
        let operations = session.art.adding(texts, around: place, size: emojiSize, using: &generator)
        add(verb, texts, operations, isSelecting: isSelecting)
    }

    /// Adds copies of emoji at a distance from them, and selects them.
    public mutating func paste(_ verb: String, _ emojis: [ClippedEmoji], x: Double, y: Double) {
        settle()
        var generator = SystemRandomNumberGenerator()
        let operations = session.art.copying(emojis, x: x, y: y, using: &generator)
        add(verb, emojis.map { $0.text }, operations, isSelecting: true)
    }

    /// Pastes copied emoji at a point; beside the copied ones if their place is visible and there is no mouse.
    public mutating func paste(_ emojis: [ClippedEmoji], at point: BoardPoint) {
        let boxes = emojis.map { BoardRect(center: BoardPoint(x: $0.x, y: $0.y), width: $0.size, height: $0.size) }
        guard let first = boxes.first else { return }
        let middle = boxes.reduce(first) { $0.union($1) }.middle
        pastes += 1
        let beside = Self.copyDistance * Double(pastes) / view.zoom
        let visible = view.visible(in: size)
        let isVisible =
            middle.x > visible.left && middle.x < visible.right && middle.y > visible.bottom && middle.y < visible.top
        if isVisible, mouse == nil {
            paste("Paste", emojis, x: beside, y: -beside)
        } else {
            paste("Paste", emojis, x: point.x - middle.x, y: point.y - middle.y)
        }
    }

    /// The emoji to put on the clipboard.
    public mutating func copy() -> [ClippedEmoji] {
        pastes = 0
        return targets.map { ClippedEmoji($0) }
    }

    private mutating func add(_ verb: String, _ texts: [String], _ operations: [ArtOperation], isSelecting: Bool) {
        session.change(StepName.of(verb, texts), operations)
        let added = operations.compactMap { $0.emoji }.filter { session.art.emoji($0) != nil }
        if added.isEmpty { return }
        if isSelecting { select(added) }
        let past = verb.isSame(as: "Add") ? "Added" : verb + "d"
        announce(StepName.of(past, texts))
    }
}

// MARK: - Changing the targets

extension BoardController {
    private mutating func remove(_ verb: String, _ past: String) {
        let emojis = targets
        let ordered = session.art.emojis
        let index = keyboardEmoji.flatMap { id in ordered.firstIndex { $0.id == id } }
        session.change(StepName.of(verb, emojis.map { $0.text }), emojis.map { .delete($0.id) })
        announce(StepName.of(past, emojis.map { $0.text }))
        // The keyboard goes on from there.
        guard let index else { return }
        let next = ordered[(index + 1)...].first { session.art.emoji($0.id) != nil }
        if let next { moveKeyboard(to: next.id) }
    }

    /// Scales the targets around their common middle.
    private mutating func scale(by factor: Double) {
        let emojis = targets
        guard let box = box(of: emojis) else { return }
        session.change(
            StepName.of("Resize", emojis.map { $0.text }),
            session.art.scaling(emojis, by: factor, around: box.middle))
    }

    private mutating func reorder(_ order: ArtOrder, _ verb: String, _ end: String) {
        let emojis = targets
        let operations = session.art.reordering(Set(emojis.map { $0.id }), to: order)
        let name = StepName.of(verb, emojis.map { $0.text }, end)
        if operations.isEmpty {
            announce("There is nothing to pass")
        } else {
            session.change(name, operations)
            announce(name)
        }
    }

    /// Moves the targets by an arrow key.
    public mutating func nudge(x: Double, y: Double) {
        isUntouched = false
        let emojis = targets
        if nudge == nil {
            guard !emojis.isEmpty else { return }
            let gesture = session.beginGesture(StepName.of("Move", emojis.map { $0.text }), of: emojis.map { $0.id })
            nudge = Nudge(gesture: gesture, first: emojis.first?.id)
        }
        effects.nudge = .some(nil)
        nudge?.x += x
        nudge?.y += y
        guard let nudge else { return }
        session.moveGesture(nudge.gesture, x: nudge.x, y: nudge.y)
        if let first = nudge.first.flatMap({ session.art.emoji($0) }) { reveal(box(of: first)) }
    }

    /// An arrow key was released: the step ends after a pause, unless another one is pressed.
    public mutating func restNudge() {
        if nudge != nil { effects.nudge = Self.nudgePause }
    }

    /// Ends the step of the arrow keys.
    public mutating func endNudge() {
        guard let nudge else { return }
        self.nudge = nil
        effects.nudge = .some(nil)
        session.end(gesture: nudge.gesture)
        if let first = nudge.first, session.art.emoji(first) != nil { effects.spoken = .emoji(first) }
    }

    /// Cancels the step of the arrow keys.
    ///
    /// - Returns: Whether there was one.
    public mutating func cancelNudge() -> Bool {
        guard let nudge else { return false }
        self.nudge = nil
        effects.nudge = .some(nil)
        session.cancel(gesture: nudge.gesture)
        return true
    }
}

// MARK: - The keyboard's emoji, and announcements

extension BoardController {
    /// Moves the keyboard to the next emoji, or past the last one.
    private mutating func moveKeyboard(by step: Int) -> Bool {
        let ordered = session.art.emojis
        if ordered.isEmpty { return false }
        let index = keyboardEmoji.flatMap { id in ordered.firstIndex { $0.id == id } }
        let next = index.map { $0 + step } ?? (step < 0 ? ordered.count - 1 : 0)
        guard ordered.indices.contains(next) else {
            moveKeyboard(to: nil)
            return false
        }
        moveKeyboard(to: ordered[next].id)
        reveal(box(of: ordered[next]), room: 40)
        effects.spoken = .emoji(ordered[next].id)
        return true
    }

    mutating func announceSelection() {
        switch selection.count {
        case 0: announce("Nothing selected")
        case 1: effects.spoken = selection.first.map { .emoji($0) }
        default: announce("\(selection.count) emoji selected")
        }
    }

    /// Describes an emoji for screen readers: “🐶 dog face, 3 of 12, at 40 right, 12 down, size 40, selected”.
    ///
    /// - Parameters:
    ///   - id: The emoji.
    ///   - name: Its name, if the page knows it.
    /// - Returns: The description; `nil` if the emoji is no longer there.
    public func description(of id: EmojiID, named name: String?) -> String? {
        guard let index = session.art.emojis.firstIndex(where: { $0.id == id }) else { return nil }
        let emoji = session.art.emojis[index]
        func side(_ length: Double, _ positive: String, _ negative: String) -> String? {
            let rounded = Self.rounded(length)
            return rounded == 0 ? nil : "\(rounded.magnitude) \(rounded > 0 ? positive : negative)"
        }
        let sides = [side(emoji.x, "right", "left"), side(emoji.y, "up", "down")].compactMap { $0 }
        let place = sides.first.map { $0 + (sides.count > 1 ? ", " + sides[1] : "") } ?? "the middle"
        let text = name.map { "\(emoji.text) \($0)" } ?? emoji.text
        let selected = selection.contains(id) ? ", selected" : ""
        let count = session.art.emojis.count
        return "\(text), \(index + 1) of \(count), at \(place), size \(Self.rounded(emoji.size))\(selected)"
    }

    /// The nearest whole number; all lengths of a board fit.
    private static func rounded(_ length: Double) -> Int { Int((length + 0.5).rounded(.down)) }
}

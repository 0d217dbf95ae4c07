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
        /// Deletes the targets that aren't locked.
        case delete
        /// Deletes the targets that aren't locked, which the page has put on the clipboard.
        case cut
        /// Selects all emoji that aren't locked.
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
        /// Locks the targets, or unlocks them if all of them are locked.
        case lock
        /// Rotates the targets to the right.
        case rotate
        /// Rotates the targets to the left.
        case rotateLeft
        /// Mirrors the targets left to right, within their common box.
        case flipHorizontal
        /// Mirrors the targets top to bottom, within their common box.
        case flipVertical
        /// Aligns the targets with the left side of their common box.
        case alignLeft
        /// Aligns the targets with the middle between the left and the right side.
        case alignCenter
        /// Aligns the targets with the right side of their common box.
        case alignRight
        /// Aligns the targets with the upper side of their common box.
        case alignTop
        /// Aligns the targets with the middle between the upper and the lower side.
        case alignMiddle
        /// Aligns the targets with the lower side of their common box.
        case alignBottom
        /// Makes the gaps between the targets equal, from left to right.
        case distributeHorizontal
        /// Makes the gaps between the targets equal, from top to bottom.
        case distributeVertical
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
        /// Moves the view to the nearest content.
        case content
        /// Chooses the tool that selects by fingers, too.
        case area
        /// Chooses the tool that moves the view.
        case hand

        /// How many emoji it needs: targets, or those of them that aren't locked if it changes them.
        var needs: (targets: Int, editable: Int) {
            switch self {
            case .duplicate, .lock, .fitSelection: (1, 0)
            case .delete, .cut, .larger, .smaller, .forward, .backward, .front, .back, .rotate, .rotateLeft,
                .flipHorizontal, .flipVertical:
                (1, 1)
            case .alignLeft, .alignCenter, .alignRight, .alignTop, .alignMiddle, .alignBottom: (2, 2)
            case .distributeHorizontal, .distributeVertical: (3, 3)
            case .undo, .redo, .selectAll, .selectNone, .next, .previous, .toggle, .zoomIn, .zoomOut, .actualSize, .fit,
                .content, .area, .hand:
                (0, 0)
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
        guard targets.count >= command.needs.targets, editable.count >= command.needs.editable else { return false }
        switch command {
        case .undo: return session.undo()
        case .redo: return session.redo()
        case .duplicate:
            let distance = Self.copyDistance / view.zoom
            paste("Duplicate", targets.map { ClippedEmoji($0) }, x: distance, y: -distance)
        case .delete: remove("Delete", "Deleted")
        case .cut: remove("Cut", "Cut")
        case .selectAll:
            select(session.art.emojis.filter { !$0.isLocked }.map { $0.id })
            announceSelection()
        case .selectNone:
            let hadSelection = !selection.isEmpty
            select([])
            moveKeyboard(to: nil)
            if hadSelection { announceSelection() }
        case .next: return moveKeyboard(by: 1)
        case .previous: return moveKeyboard(by: -1)
        case .toggle:
            guard let keyboardEmoji else { return false }
            toggle(keyboardEmoji)
            effects.spoken = .emoji(keyboardEmoji)
        case .zoomIn: zoom(by: 1.25)
        case .zoomOut: zoom(by: 1 / 1.25)
        case .actualSize:
            moveSmoothly(to: view.at(zoom: 1))
            announce("Zoom 100 %")
        case .fit: fit()
        case .fitSelection:
            moveSmoothly(to: box(of: targets).flatMap { ArtView.fitting($0, in: size) })
            announce("Showing the selection")
        case .content: moveToContent()
        case .area: choose(.area)
        case .hand: choose(.hand)
        default: arrange(command)
        }
        return true
    }

    /// Runs a command that changes the targets' places, shapes, order or locks.
    private mutating func arrange(_ command: Command) {
        switch command {
        case .larger: scale(by: 1.1)
        case .smaller: scale(by: 1 / 1.1)
        case .forward: reorder(.forward, "Bring", " Forward", announced: "Brought", " forward")
        case .backward: reorder(.backward, "Send", " Backward", announced: "Sent", " backward")
        case .front: reorder(.front, "Bring", " to Front", announced: "Brought", " to front")
        case .back: reorder(.back, "Send", " to Back", announced: "Sent", " to back")
        case .lock: toggleLock()
        case .rotate: rotate(by: 15)
        case .rotateLeft: rotate(by: -15)
        case .flipHorizontal: flip(isHorizontal: true)
        case .flipVertical: flip(isHorizontal: false)
        case .alignLeft: align("Align Left", to: .left)
        case .alignCenter: align("Align Center", to: .center)
        case .alignRight: align("Align Right", to: .right)
        case .alignTop: align("Align Top", to: .top)
        case .alignMiddle: align("Align Middle", to: .middle)
        case .alignBottom: align("Align Bottom", to: .bottom)
        case .distributeHorizontal: distribute("Distribute Left to Right", isHorizontal: true)
        case .distributeVertical: distribute("Distribute Top to Bottom", isHorizontal: false)
        default: break
        }
    }

    /// Ends a step of the arrow keys, and stops the view from following new content.
    public mutating func settle() {
        isUntouched = false
        endNudge()
    }
}

// MARK: - Adding

extension BoardController {
    /// Adds emoji around a point, and selects them.
    ///
    /// - Parameters:
    ///   - verb: What the step is called: “Add” or “Paste”.
    ///   - texts: The emoji.
    ///   - point: The middle of their rows; `nil` for a free place near the middle of the view.
    public mutating func add(_ verb: String, _ texts: [String], at point: BoardPoint?) {
        settle()
        var generator = SystemRandomNumberGenerator()
        let emojiSize = newEmojiSize
        let place = point ?? session.art.freePlace(in: view.visible(in: size), size: emojiSize)
        let operations = session.art.adding(texts, around: place, size: emojiSize, using: &generator)
        add(verb, texts, operations)
    }

    /// Adds copies of emoji at a distance from them, and selects them.
    public mutating func paste(_ verb: String, _ emojis: [ClippedEmoji], x: Double, y: Double) {
        settle()
        var generator = SystemRandomNumberGenerator()
        let operations = session.art.copying(emojis, x: x, y: y, using: &generator)
        add(verb, emojis.map { $0.text }, operations)
    }

    /// Pastes copied emoji at a point; beside the copied ones if their place is visible and there is no mouse.
    public mutating func paste(_ emojis: [ClippedEmoji], at point: BoardPoint) {
        let boxes = emojis.map { box(of: $0) }
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

    /// The emoji to put on the clipboard. Locked ones are copied, but not cut.
    public mutating func copy(isCut: Bool) -> [ClippedEmoji] {
        pastes = 0
        return (isCut ? editable : targets).map { ClippedEmoji($0) }
    }

    private mutating func add(_ verb: String, _ texts: [String], _ operations: [ArtOperation]) {
        guard session.change(StepName.of(verb, texts), operations) else { return }
        select(operations.compactMap { $0.emoji }.filter { session.art.emoji($0) != nil })
        let past = verb.isSame(as: "Add") ? "Added" : verb.isSame(as: "Paste") ? "Pasted" : "Duplicated"
        announce(StepName.of(past, texts))
    }
}

// MARK: - Changing the targets

extension BoardController {
    private mutating func remove(_ verb: String, _ past: String) {
        let emojis = editable
        let ordered = session.art.emojis
        let index = keyboardEmoji.flatMap { id in ordered.firstIndex { $0.id == id } }
        session.change(StepName.of(verb, emojis.map { $0.text }), emojis.map { .delete($0.id) })
        announce(StepName.of(past, emojis.map { $0.text }))
        // Keyboard navigation continues from the next emoji.
        guard let index else { return }
        let next = ordered[(index + 1)...].first { session.art.emoji($0.id) != nil }
        if let next { moveKeyboard(to: next.id) }
    }

    /// Scales the targets around their common middle.
    private mutating func scale(by factor: Double) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        let texts = emojis.map { $0.text }
        session.change(StepName.of("Resize", texts), session.art.scaling(emojis, by: factor, around: box.middle))
        let only = emojis.count == 1 ? session.art.emoji(emojis[0].id) : nil
        announce(only.map { "Resized to \(Self.rounded($0.size))" } ?? StepName.of("Resized", texts))
    }

    private mutating func reorder(
        _ order: ArtOrder, _ verb: String, _ end: String, announced past: String, _ pastEnd: String
    ) {
        let emojis = editable
        let texts = emojis.map { $0.text }
        let operations = session.art.reordering(Set(emojis.map { $0.id }), to: order)
        if operations.isEmpty {
            announce(Self.unchanged)
        } else {
            session.change(StepName.of(verb, texts, end), operations)
            announce(StepName.of(past, texts, pastEnd))
        }
    }

    /// What is announced if a command for the targets' places has no effect.
    private static let unchanged = "Already in that position"

    /// Rotates the targets clockwise around the mean of their places.
    private mutating func rotate(by degrees: Double) {
        let emojis = editable
        let texts = emojis.map { $0.text }
        session.change(StepName.of("Rotate", texts), session.art.rotating(emojis, by: degrees))
        let only = emojis.count == 1 ? session.art.emoji(emojis[0].id) : nil
        announce(only.map { "Rotated to \(Self.rounded($0.angle))°" } ?? StepName.of("Rotated", texts))
    }

    private mutating func flip(isHorizontal: Bool) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        let texts = emojis.map { $0.text }
        session.change(
            StepName.of("Flip", texts), session.art.flipping(emojis, in: box, isHorizontal: isHorizontal))
        announce(StepName.of("Flipped", texts))
    }

    private mutating func toggleLock() {
        let isLocking = !editable.isEmpty
        let emojis = isLocking ? editable : targets
        let texts = emojis.map { $0.text }
        session.change(
            StepName.of(isLocking ? "Lock" : "Unlock", texts), emojis.map { .lock($0.id, isLocked: isLocking) })
        announce(StepName.of(isLocking ? "Locked" : "Unlocked", texts))
    }

    private mutating func align(_ name: String, to side: ArtSide) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        place(name, session.art.aligning(emojis, to: side, of: box) { self.box(of: $0) })
    }

    private mutating func distribute(_ name: String, isHorizontal: Bool) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        place(name, session.art.distributing(emojis, isHorizontal: isHorizontal, in: box) { self.box(of: $0) })
    }

    private mutating func place(_ name: String, _ operations: [ArtOperation]) {
        announce(session.change(name, operations) ? name : Self.unchanged)
    }

    /// Moves the targets by an arrow key.
    public mutating func nudge(x: Double, y: Double) {
        isUntouched = false
        let emojis = editable
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

    /// Describes an emoji for screen readers.
    ///
    /// For example: “🐶 dog face, 3 of 12, at 40 right, 12 down, size 40, rotated 90°, flipped, locked, selected with 2
    /// more”.
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
        let count = session.art.emojis.count
        var description = "\(text), \(index + 1) of \(count), at \(place), size \(Self.rounded(emoji.size))"
        if emoji.angle != 0 { description += ", rotated \(Self.rounded(emoji.angle))°" }
        if emoji.isFlipped { description += ", flipped" }
        if emoji.isLocked { description += ", locked" }
        if selection.contains(id) {
            description += selection.count > 1 ? ", selected with \(selection.count - 1) more" : ", selected"
        }
        return description
    }

    /// The nearest whole number; all lengths of a board fit.
    private static func rounded(_ length: Double) -> Int { Int((length + 0.5).rounded(.down)) }
}

// Runs commands, and announces their results.

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
        /// Moves the keyboard focus to the next emoji.
        case next
        /// Moves the keyboard focus to the previous emoji.
        case previous
        /// Selects or deselects the emoji with the keyboard focus.
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
        /// Chooses the tool that selects by dragging a rectangle, also with a finger.
        case area
        /// Chooses the tool that moves the view.
        case hand
    }

    /// How emoji are added.
    public enum Addition: Hashable, Sendable {
        /// From the palette, or by a drop.
        case add
        /// From the clipboard.
        case paste
        /// As copies of others on the board.
        case duplicate

        /// The words for the step's name, and for what is announced after it.
        var words: (step: BoardWord, done: BoardWord) {
            switch self {
            case .add: (.addStep, .added)
            case .paste: (.pasteStep, .pasted)
            case .duplicate: (.duplicateStep, .duplicated)
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
        guard availability.meets(command.requirement) else { return false }
        switch command {
        case .undo: return session.undo()
        case .redo: return session.redo()
        case .duplicate:
            let distance = Self.copyDistance / view.zoom
            paste(.duplicate, targets.map { ClippedEmoji($0) }, x: distance, y: -distance)
        case .delete: remove(.deleteStep, .deleted)
        case .cut: remove(.cutStep, .cutDone)
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
        case .zoomIn, .zoomOut:
            zoom(by: command == .zoomIn ? 1.25 : 1 / 1.25)
            announce(.of(.zoomIs, .percent, .plain(view.percent)))
        case .actualSize:
            moveSmoothly(to: view.at(zoom: 1))
            announce(.of(.zoomIs, .percent, .plain("100 %")))
        case .fit: fit()
        case .fitSelection:
            moveSmoothly(to: box(of: targets).flatMap { ArtView.fitting($0, in: size) })
            announce(.of(.showingSelection))
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
        case .forward: reorder(.forward, .bringForwardStep, .broughtForward)
        case .backward: reorder(.backward, .sendBackwardStep, .sentBackward)
        case .front: reorder(.front, .bringToFrontStep, .broughtToFront)
        case .back: reorder(.back, .sendToBackStep, .sentToBack)
        case .lock: toggleLock()
        case .rotate: rotate(by: 15)
        case .rotateLeft: rotate(by: -15)
        case .flipHorizontal: flip(isHorizontal: true)
        case .flipVertical: flip(isHorizontal: false)
        case .alignLeft: align(.alignLeft, to: .left)
        case .alignCenter: align(.alignCenter, to: .center)
        case .alignRight: align(.alignRight, to: .right)
        case .alignTop: align(.alignTop, to: .top)
        case .alignMiddle: align(.alignMiddle, to: .middle)
        case .alignBottom: align(.alignBottom, to: .bottom)
        case .distributeHorizontal: distribute(.distributeLeftToRight, isHorizontal: true)
        case .distributeVertical: distribute(.distributeTopToBottom, isHorizontal: false)
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
    ///   - addition: How they are added.
    ///   - texts: The emoji.
    ///   - point: The middle of their rows; `nil` for a free place near the middle of the view.
    public mutating func add(_ addition: Addition, _ texts: [String], at point: BoardPoint?) {
        settle()
        let emojiSize = newEmojiSize
        let place = point ?? session.art.freePlace(in: view.visible(in: size), size: emojiSize)
        let operations = session.art.adding(texts, around: place, size: emojiSize, using: &session.identifierNumbers)
        add(addition, texts, operations)
    }

    /// Adds copies of emoji at a distance from them, and selects them.
    public mutating func paste(_ addition: Addition, _ emojis: [ClippedEmoji], x: Double, y: Double) {
        settle()
        let operations = session.art.copying(emojis, x: x, y: y, using: &session.identifierNumbers)
        add(addition, emojis.map { $0.text }, operations)
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
            paste(.paste, emojis, x: beside, y: -beside)
        } else {
            paste(.paste, emojis, x: point.x - middle.x, y: point.y - middle.y)
        }
    }

    /// The emoji to put on the clipboard; locked ones are copied, but not cut.
    public mutating func copy(isCut: Bool) -> [ClippedEmoji] {
        let copied = (isCut ? editable : targets).map { ClippedEmoji($0) }
        if !copied.isEmpty { pastes = 0 }
        return copied
    }

    private mutating func add(_ addition: Addition, _ texts: [String], _ operations: [ArtOperation]) {
        let words = addition.words
        guard session.change(.of(words.step, emoji: texts), operations) else { return }
        select(operations.compactMap { $0.emoji }.filter { session.art.emoji($0) != nil })
        announce(.of(words.done, emoji: texts))
    }
}

// MARK: - Changing the targets

extension BoardController {
    private mutating func remove(_ step: BoardWord, _ done: BoardWord) {
        let emojis = editable
        let ordered = session.art.emojis
        let index = keyboardEmoji.flatMap { id in ordered.firstIndex { $0.id == id } }
        let texts = emojis.map { $0.text }
        session.change(.of(step, emoji: texts), emojis.map { .delete($0.id) })
        announce(.of(done, emoji: texts))
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
        session.change(.of(.resizeStep, emoji: texts), session.art.scaling(emojis, by: factor, around: box.middle))
        let only = emojis.count == 1 ? session.art.emoji(emojis[0].id) : nil
        announce(
            only.map { BoardText.of(.resizedTo, .size, .number(Self.rounded($0.size))) }
                ?? .of(.resized, emoji: texts))
    }

    private mutating func reorder(_ order: ArtOrder, _ step: BoardWord, _ done: BoardWord) {
        let emojis = editable
        let texts = emojis.map { $0.text }
        let operations = session.art.reordering(Set(emojis.map { $0.id }), to: order)
        if operations.isEmpty {
            announce(Self.unchanged)
        } else {
            session.change(.of(step, emoji: texts), operations)
            announce(.of(done, emoji: texts))
        }
    }

    /// What is announced if a command for the targets' places has no effect.
    private static let unchanged = BoardText.of(.alreadyThere)

    /// Rotates the targets clockwise around the mean of their places.
    private mutating func rotate(by degrees: Double) {
        let emojis = editable
        let texts = emojis.map { $0.text }
        session.change(.of(.rotateStep, emoji: texts), session.art.rotating(emojis, by: degrees))
        let only = emojis.count == 1 ? session.art.emoji(emojis[0].id) : nil
        announce(
            only.map { BoardText.of(.rotatedTo, .angle, .number(Self.rounded($0.angle))) }
                ?? .of(.rotated, emoji: texts))
    }

    private mutating func flip(isHorizontal: Bool) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        let texts = emojis.map { $0.text }
        session.change(
            .of(.flipStep, emoji: texts), session.art.flipping(emojis, in: box, isHorizontal: isHorizontal))
        announce(.of(.flipped, emoji: texts))
    }

    private mutating func toggleLock() {
        let isLocking = !editable.isEmpty
        let emojis = isLocking ? editable : targets
        let texts = emojis.map { $0.text }
        session.change(
            .of(isLocking ? .lockStep : .unlockStep, emoji: texts), emojis.map { .lock($0.id, isLocked: isLocking) })
        announce(.of(isLocking ? .locked : .unlocked, emoji: texts))
    }

    private mutating func align(_ word: BoardWord, to side: ArtSide) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        let reaches = reaches
        place(word, session.art.aligning(emojis, to: side, of: box) { Self.box(of: ClippedEmoji($0), reaches) })
    }

    private mutating func distribute(_ word: BoardWord, isHorizontal: Bool) {
        let emojis = editable
        guard let box = box(of: emojis) else { return }
        let reaches = reaches
        let operations = session.art.distributing(emojis, isHorizontal: isHorizontal, in: box) {
            Self.box(of: ClippedEmoji($0), reaches)
        }
        place(word, operations)
    }

    private mutating func place(_ word: BoardWord, _ operations: [ArtOperation]) {
        announce(session.change(.of(word), operations) ? .of(word) : Self.unchanged)
    }

    /// Moves the targets by an arrow key.
    public mutating func nudge(x: Double, y: Double) {
        isUntouched = false
        let emojis = editable
        if nudge == nil {
            guard !emojis.isEmpty else { return }
            let name = BoardText.of(.moveStep, emoji: emojis.map { $0.text })
            let gesture = session.beginGesture(name, of: emojis.map { $0.id })
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
    /// Moves the keyboard focus by a number of emoji, or past the first or last one.
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
        reveal(box(of: ordered[next]), margin: 40)
        effects.spoken = .emoji(ordered[next].id)
        return true
    }

    mutating func announceSelection() {
        switch selection.count {
        case 0: announce(.of(.nothingSelected))
        case 1: effects.spoken = selection.first.map { .emoji($0) }
        default: announce(.of(.emojiSelected, .count, .number(selection.count)))
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
    public func description(of id: EmojiID, named name: String?) -> BoardText? {
        guard let index = session.art.emojis.firstIndex(where: { $0.id == id }) else { return nil }
        let emoji = session.art.emojis[index]
        let sides = [
            Self.side(emoji.x, .toRight, .toLeft), Self.side(emoji.y, .toTop, .toBottom),
        ].compactMap { $0 }
        let text = name.map { "\(emoji.text) \($0)" } ?? emoji.text
        let count = BoardText.number(session.art.emojis.count)
        let place: BoardText = sides.isEmpty ? .of(.theMiddle) : .list(sides)
        var parts: [BoardText] = [
            .plain(text), .of(.placeAmong, .number, .number(index + 1), .count, count),
            .of(.atPosition, .position, place),
            .of(.sizeIs, .size, .number(Self.rounded(emoji.size))),
        ]
        if emoji.angle != 0 { parts.append(.of(.isRotated, .angle, .number(Self.rounded(emoji.angle)))) }
        if emoji.isFlipped { parts.append(.of(.isFlipped)) }
        if emoji.isLocked { parts.append(.of(.isLocked)) }
        if selection.contains(id) {
            let others = BoardText.number(selection.count - 1)
            parts.append(selection.count > 1 ? .of(.isSelectedWithMore, .count, others) : .of(.isSelected))
        }
        return .list(parts)
    }

    /// A distance from the board's middle; `nil` if it is zero.
    private static func side(_ length: Double, _ positive: BoardWord, _ negative: BoardWord) -> BoardText? {
        let rounded = Self.rounded(length)
        if rounded == 0 { return nil }
        return .of(rounded > 0 ? positive : negative, .distance, .number(abs(rounded)))
    }

    /// The nearest whole number; all lengths of a board fit.
    private static func rounded(_ length: Double) -> Int { Int((length + 0.5).rounded(.down)) }
}

// Which commands can run, and why others can't.

extension BoardController {
    /// A command that the page carries out itself, by means of the board.
    enum PageCommand: String, Hashable, Sendable, CaseIterable {
        /// Puts the targets on the clipboard.
        case copy
        /// Puts a picture of the targets, or of the board, on the clipboard.
        case copyPNG
        /// Removes the background.
        case removeBackground
        /// Moves the targets by an arrow key.
        case nudgeLeft, nudgeRight, nudgeUp, nudgeDown
        /// Moves the targets by an arrow key, farther.
        case pushLeft, pushRight, pushUp, pushDown

        /// What it needs.
        var requirement: Requirement {
            switch self {
            case .copy: .targets
            case .copyPNG: .content
            case .removeBackground: .background
            case .nudgeLeft, .nudgeRight, .nudgeUp, .nudgeDown, .pushLeft, .pushRight, .pushUp, .pushDown: .editable(1)
            }
        }
    }

    /// A condition without which a command can't run.
    enum Requirement: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// A step that can be undone.
        case undoStep
        /// A step that can be redone.
        case redoStep
        /// An emoji on the board.
        case emoji
        /// An emoji on the board, or a picture behind them.
        case content
        /// A background.
        case background
        /// An emoji that the keyboard's cursor is on.
        case keyboardEmoji
        /// An emoji that commands apply to.
        case targets
        /// At least this many targets that aren't locked.
        case editable(Int)
    }

    /// What decides which commands can run.
    public struct Availability: Hashable, Sendable {
        /// The number of emoji that commands apply to.
        public internal(set) var targetCount = 0
        /// How many of them aren't locked.
        public internal(set) var editableCount = 0
        var hasUndoStep = false
        var hasRedoStep = false
        var hasEmoji = false
        var hasContent = false
        var hasBackground = false
        var hasKeyboardEmoji = false

        /// Whether there are targets, and all of them are locked.
        public var isLocked: Bool { targetCount > 0 && editableCount == 0 }

        /// Whether a requirement is met.
        func meets(_ requirement: Requirement) -> Bool {
            switch requirement {
            case .nothing: true
            case .undoStep: hasUndoStep
            case .redoStep: hasRedoStep
            case .emoji: hasEmoji
            case .content: hasContent
            case .background: hasBackground
            case .keyboardEmoji: hasKeyboardEmoji
            case .targets: targetCount > 0
            case .editable(let count): editableCount >= count
            }
        }

        /// Why a requirement isn't met; `nil` if the page shows the reason anyway.
        func explanation(of requirement: Requirement) -> BoardText? {
            guard case .editable = requirement, isLocked else { return nil }
            return .of(targetCount == 1 ? .emojiIsLocked : .emojiAreLocked)
        }

        /// The names of the commands that can't run, with the reason unless the page shows it anyway.
        public var unavailable: [(command: String, explanation: BoardText?)] {
            let requirements =
                Command.allCases.map { ($0.rawValue, $0.requirement) }
                + PageCommand.allCases.map { ($0.rawValue, $0.requirement) }
            return requirements.filter { !meets($0.1) }.map { ($0.0, explanation(of: $0.1)) }
        }
    }

    /// Which commands can run now.
    ///
    /// - Complexity: O(*k* log *n*) for *k* targets of *n* emoji.
    public var availability: Availability {
        var availability = Availability()
        let ids = selection.isEmpty ? keyboardEmoji.map { [$0] } ?? [] : Array(selection)
        for id in ids {
            guard let emoji = session.art.emoji(id) else { continue }
            availability.targetCount += 1
            if !emoji.isLocked { availability.editableCount += 1 }
        }
        availability.hasUndoStep = !session.history.undoSteps.isEmpty
        availability.hasRedoStep = !session.history.redoSteps.isEmpty
        availability.hasEmoji = !session.art.emojis.isEmpty
        availability.hasContent = availability.hasEmoji || picture != nil
        availability.hasBackground = session.art.background != .blank
        availability.hasKeyboardEmoji = keyboardEmoji != nil
        return availability
    }
}

extension BoardController.Command {
    /// What the command needs.
    var requirement: BoardController.Requirement {
        switch self {
        case .undo: .undoStep
        case .redo: .redoStep
        case .selectAll, .next, .previous: .emoji
        case .toggle: .keyboardEmoji
        case .fit, .content: .content
        case .duplicate, .selectNone, .lock, .fitSelection: .targets
        case .delete, .cut, .larger, .smaller, .forward, .backward, .front, .back, .rotate, .rotateLeft,
            .flipHorizontal, .flipVertical:
            .editable(1)
        case .alignLeft, .alignCenter, .alignRight, .alignTop, .alignMiddle, .alignBottom: .editable(2)
        case .distributeHorizontal, .distributeVertical: .editable(3)
        case .zoomIn, .zoomOut, .actualSize, .area, .hand: .nothing
        }
    }
}

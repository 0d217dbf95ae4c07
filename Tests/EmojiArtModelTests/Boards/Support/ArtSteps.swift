@testable import EmojiArtModel

/// The names of undoable steps.
enum ArtSteps {
    /// An action on emoji.
    enum Action: String, Hashable, Sendable, CaseIterable {
        /// Adds emoji.
        case add = "Add"
        /// Moves emoji.
        case move = "Move"
        /// Resizes emoji.
        case resize = "Resize"
        /// Deletes emoji.
        case delete = "Delete"
        /// Moves emoji to the clipboard.
        case cut = "Cut"
        /// Adds emoji from the clipboard.
        case paste = "Paste"
        /// Adds copies of emoji.
        case duplicate = "Duplicate"
    }

    /// The name of a step that sets the background.
    static let setBackground = "Set Background"

    /// Returns the name of an action on these emoji: “Move 🐶”, or “Move 3 emoji”.
    static func name(_ action: Action, _ texts: [String]) -> String {
        if let text = texts.first, texts.count == 1 {
            "\(action.rawValue) \(text)"
        } else {
            "\(action.rawValue) \(texts.count) emoji"
        }
    }

    /// Returns the name of the step that consists of these operations.
    ///
    /// The first operation determines the action. The name is empty if there are no operations.
    static func name(of operations: [ArtOperation], on art: EmojiArt) -> String {
        guard let first = operations.first else { return "" }
        let action: Action
        switch first {
        case .add: action = .add
        case .move: action = .move
        case .resize: action = .resize
        case .delete: action = .delete
        case .setBackground: return setBackground
        case .reorder(let id, let z):
            return (z < (art.emoji(id)?.z ?? 0) ? ArtOrder.back : .front).name
        }
        var seen: Set<EmojiID> = []
        let texts = operations.compactMap { operation -> String? in
            guard let id = operation.emoji, seen.insert(id).inserted else { return nil }
            if case .add(let emoji) = operation { return emoji.text }
            return art.emoji(id)?.text
        }
        return name(action, texts)
    }
}

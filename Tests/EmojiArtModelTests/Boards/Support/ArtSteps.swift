@testable import EmojiArtModel

/// What steps are called where they can be undone.
enum ArtSteps {
    /// What is done to emoji.
    enum Deed: String, Hashable, Sendable, CaseIterable {
        /// New ones.
        case add = "Add"
        /// To another place.
        case move = "Move"
        /// To another size.
        case resize = "Resize"
        /// Away.
        case delete = "Delete"
        /// Away, and into the clipboard.
        case cut = "Cut"
        /// Out of the clipboard.
        case paste = "Paste"
        /// The same once more.
        case duplicate = "Duplicate"
    }

    /// What a new background is called.
    static let setBackground = "Set Background"

    /// What it is called to do that to these emoji: “Move 🐶”, or “Move 3 emoji”.
    static func name(_ deed: Deed, _ texts: [String]) -> String {
        if let text = texts.first, texts.count == 1 {
            "\(deed.rawValue) \(text)"
        } else {
            "\(deed.rawValue) \(texts.count) emoji"
        }
    }

    /// What it is called to do all that to a board at once; what is done to the first decides.
    ///
    /// It is empty if there is nothing to do.
    static func name(of operations: [ArtOperation], on art: EmojiArt) -> String {
        guard let first = operations.first else { return "" }
        let deed: Deed
        switch first {
        case .add: deed = .add
        case .move: deed = .move
        case .resize: deed = .resize
        case .delete: deed = .delete
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
        return name(deed, texts)
    }
}

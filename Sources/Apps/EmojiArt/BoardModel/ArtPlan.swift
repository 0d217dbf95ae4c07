/// The effect of operations on a board, computed before anything is changed.
///
/// It reads only the emoji that the operations name, so that the cost of a batch depends on the batch's size.
package struct ArtPlan {
    /// The new state of each changed emoji; `nil` for one that is removed.
    package private(set) var changes: [EmojiID: Emoji?] = [:]
    /// The new background; `nil` if no operation sets one.
    package private(set) var background: Background?
    /// The operations that can be applied and have an effect.
    package private(set) var applied: [ArtOperation] = []
    /// The inverse of each of ``applied``, in the same order.
    package private(set) var inverses: [ArtOperation] = []
    /// The operations that can't be applied.
    package private(set) var refused: [RefusedOperation] = []
    /// The number of emoji after the operations planned so far.
    private var count: Int

    /// Plans operations one after another.
    package init(_ operations: [ArtOperation], on art: EmojiArt, isKept: (PictureID) -> Bool = { _ in true }) {
        count = art.emojis.count
        for (index, operation) in operations.enumerated() {
            do throws(OperationRefusal) {
                if case .setBackground(.picture(let picture)) = operation, !isKept(picture) { throw .picture }
                try plan(operation, on: art)
            } catch {
                refused.append(RefusedOperation(index: index, reason: error, message: operation.message(for: error)))
            }
        }
    }

    private mutating func plan(_ operation: ArtOperation, on art: EmojiArt) throws(OperationRefusal) {
        let current = operation.emoji.flatMap { id in changes[id] ?? art.emoji(id) }
        switch try operation.effect(on: current, among: count) {
        case .none:
            return
        case .background(let new):
            guard new != background ?? art.background else { return }
            inverses.append(.setBackground(background ?? art.background))
            background = new
        case .put(let emoji):
            inverses.append(operation.inverse(of: current, id: emoji.id))
            if current == nil { count += 1 }
            changes[emoji.id] = .some(emoji)
        case .remove(let id):
            inverses.append(operation.inverse(of: current, id: id))
            count -= 1
            changes[id] = .some(nil)
        }
        applied.append(operation)
    }
}

/// The effect of an operation on a board.
enum ArtEffect: Equatable {
    /// None: the board already has that state.
    case none
    /// Replaces the background.
    case background(Background)
    /// Inserts or replaces an emoji.
    case put(Emoji)
    /// Removes an emoji.
    case remove(EmojiID)
}

extension ArtOperation {
    /// The id of the emoji that the operation changes; `nil` if it changes the background.
    public var emoji: EmojiID? {
        switch self {
        case .add(let emoji): emoji.id
        case .move(let id, _, _), .resize(let id, _), .delete(let id), .reorder(let id, _), .rotate(let id, _),
            .flip(let id, _), .lock(let id, _):
            id
        case .setBackground: nil
        }
    }

    /// Computes the operation's effect on its emoji, given the number of emoji on the board, or throws why it is
    /// refused.
    ///
    /// The operation's own values are validated before the board's state, so that the reason doesn't depend on the
    /// order in which concurrent operations arrive.
    func effect(on current: Emoji?, among count: Int) throws(OperationRefusal) -> ArtEffect {
        switch self {
        case .add(let emoji):
            try emoji.check()
            guard let current else {
                guard count < BoardLimits.emojis else { throw .full }
                return .put(emoji)
            }
            guard current == emoji else { throw .exists }
            return .none
        case .move(_, let x, let y):
            guard Emoji.isPlace(x), Emoji.isPlace(y) else { throw .number }
            guard var emoji = current else { throw .gone }
            guard (emoji.x, emoji.y) != (x, y) else { return .none }
            (emoji.x, emoji.y) = (x, y)
            return .put(emoji)
        case .resize(_, let size):
            guard Emoji.isSize(size) else { throw .number }
            guard var emoji = current else { throw .gone }
            guard emoji.size != size else { return .none }
            emoji.size = size
            return .put(emoji)
        case .reorder(_, let z):
            guard Emoji.isDepth(z) else { throw .number }
            guard var emoji = current else { throw .gone }
            guard emoji.z != z else { return .none }
            emoji.z = z
            return .put(emoji)
        case .rotate(_, let angle):
            guard Emoji.isAngle(angle) else { throw .number }
            guard var emoji = current else { throw .gone }
            guard emoji.angle != angle else { return .none }
            emoji.angle = angle
            return .put(emoji)
        case .flip(_, let isFlipped):
            guard var emoji = current else { throw .gone }
            guard emoji.isFlipped != isFlipped else { return .none }
            emoji.isFlipped = isFlipped
            return .put(emoji)
        case .lock(_, let isLocked):
            guard var emoji = current else { throw .gone }
            guard emoji.isLocked != isLocked else { return .none }
            emoji.isLocked = isLocked
            return .put(emoji)
        case .delete(let id):
            return current == nil ? .none : .remove(id)
        case .setBackground(let background):
            try background.check()
            return .background(background)
        }
    }

    /// The operation that restores the emoji's state from before this operation was applied.
    fileprivate func inverse(of before: Emoji?, id: EmojiID) -> ArtOperation {
        guard let before else { return .delete(id) }
        switch self {
        case .move: return .move(id, x: before.x, y: before.y)
        case .resize: return .resize(id, size: before.size)
        case .reorder: return .reorder(id, z: before.z)
        case .rotate: return .rotate(id, angle: before.angle)
        case .flip: return .flip(id, isFlipped: before.isFlipped)
        case .lock: return .lock(id, isLocked: before.isLocked)
        case .add, .delete, .setBackground: return .add(before)
        }
    }

    /// A message for the user about a refusal: what happened, to what, and what to do now.
    package func message(for refusal: OperationRefusal) -> String {
        switch refusal {
        case .gone:
            "The emoji was not \(pastParticiple), because it was deleted. Undo the deletion, or add it again."
        case .exists: "\(subject) was not added: an emoji with the same ID exists already. Add it again."
        case .full:
            "\(subject) was not added: the board has \(BoardLimits.emojis) emoji, the most allowed. Delete some, or "
                + "use another board."
        case .number:
            if case .rotate = self {
                "The emoji was not rotated: its angle must be at least 0° and less than 360°. Choose another angle."
            } else {
                "\(subject) was not \(pastParticiple): it would be too far away, too large or too small. "
                    + "Choose another place or size."
            }
        case .text:
            "The emoji was not added: its text is empty, longer than \(BoardLimits.emojiBytes) bytes, or cannot be shown. Use one emoji."
        case .address:
            "The background was not set: its address must begin with http:// or https:// and have at most "
                + "\(BoardLimits.addressBytes) bytes. Use another address, or drop the picture itself."
        case .picture: "The background was not set: its picture is no longer stored. Drop the picture again."
        }
    }

    private var subject: String {
        if case .add(let emoji) = self, emoji.hasShowableText { emoji.text } else { "The emoji" }
    }

    private var pastParticiple: String {
        switch self {
        case .add: "added"
        case .move: "moved"
        case .resize: "resized"
        case .delete: "deleted"
        case .reorder: "brought to the front or back"
        case .rotate: "rotated"
        case .flip: "flipped"
        case .lock(_, let isLocked): isLocked ? "locked" : "unlocked"
        case .setBackground: "set"
        }
    }
}

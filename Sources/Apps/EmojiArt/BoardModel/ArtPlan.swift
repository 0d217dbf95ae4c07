/// The effect of operations on a board, computed before anything is changed.
///
/// It reads only the emoji that the operations name, so that the cost of a batch depends on the batch's size.
package struct ArtPlan {
    /// The new state of each changed emoji; `nil` for one that is removed.
    package private(set) var changes: [EmojiID: Emoji?] = [:]
    /// The new background; `nil` if no operation sets one.
    package private(set) var background: Background?
    /// The operations that can be applied and have an effect; a background has one even if it is set already, because
    /// its picture is then fetched again.
    package private(set) var applied: [ArtOperation] = []
    /// The inverse of each of ``applied``, in the same order.
    package private(set) var inverses: [ArtOperation] = []
    /// The operations that can't be applied.
    package private(set) var refused: [RefusedOperation] = []
    /// The number of emoji after the operations planned so far.
    private var count: Int

    /// Plans operations one after another.
    package init(_ operations: [ArtOperation], on art: EmojiArt, isStored: (PictureID) -> Bool = { _ in true }) {
        count = art.emojis.count
        for (index, operation) in operations.enumerated() {
            do throws(OperationRefusal) {
                if case .setBackground(.picture(let picture)) = operation, !isStored(picture) { throw .picture }
                try plan(operation, on: art)
            } catch {
                refused.append(RefusedOperation(index: index, reason: error, text: operation.text(for: error)))
            }
        }
    }

    private mutating func plan(_ operation: ArtOperation, on art: EmojiArt) throws(OperationRefusal) {
        let current = operation.emoji.flatMap { id in changes[id] ?? art.emoji(id) }
        switch try operation.effect(on: current, among: count) {
        case .none:
            return
        case .background(let new):
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
    @inline(never)
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
    package func text(for refusal: OperationRefusal) -> BoardText {
        switch refusal {
        case .gone: .of(.emojiIsGone, .done, .of(pastParticiple))
        case .exists: .of(.emojiExists, .emoji, subject)
        case .full: .of(.boardIsFull, .emoji, subject, .limit, .number(BoardLimits.emojis))
        case .number:
            if case .rotate = self {
                .of(.invalidAngle)
            } else {
                .of(.outOfRange, .emoji, subject, .done, .of(pastParticiple))
            }
        case .text: .of(.invalidText, .limit, .number(BoardLimits.emojiBytes))
        case .address: .of(.invalidAddress, .limit, .number(BoardLimits.addressBytes))
        case .picture: .of(.pictureIsGone)
        }
    }

    private var subject: BoardText {
        if case .add(let emoji) = self, emoji.hasShowableText { .plain(emoji.text) } else { .of(.theEmoji) }
    }

    private var pastParticiple: BoardWord {
        switch self {
        case .add: .wasAdded
        case .move: .wasMoved
        case .resize: .wasResized
        case .delete: .wasDeleted
        case .reorder: .wasReordered
        case .rotate: .wasRotated
        case .flip: .wasFlipped
        case .lock(_, let isLocked): isLocked ? .wasLocked : .wasUnlocked
        case .setBackground: .wasSet
        }
    }
}

/// What an operation changes: in a gesture, a later operation of the same key replaces the earlier one.
public struct OperationKey: Hashable, Sendable {
    /// The kinds of operations.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// One for each case of ``ArtOperation``.
        case add, move, resize, delete, reorder, rotate, flip, lock, background

        /// The kinds of operations that change or delete an emoji which was added before.
        static let ofAddedEmoji: [Kind] = [.delete, .move, .resize, .reorder, .rotate, .flip, .lock]
    }

    /// The kind.
    public let kind: Kind
    /// The emoji; `nil` for the background.
    public let emoji: EmojiID?

    init(_ kind: Kind, _ emoji: EmojiID?) {
        (self.kind, self.emoji) = (kind, emoji)
    }
}

extension ArtOperation {
    /// What the operation changes.
    @inline(never)
    public var key: OperationKey {
        switch self {
        case .add(let emoji): OperationKey(.add, emoji.id)
        case .move(let id, _, _): OperationKey(.move, id)
        case .resize(let id, _): OperationKey(.resize, id)
        case .delete(let id): OperationKey(.delete, id)
        case .reorder(let id, _): OperationKey(.reorder, id)
        case .rotate(let id, _): OperationKey(.rotate, id)
        case .flip(let id, _): OperationKey(.flip, id)
        case .lock(let id, _): OperationKey(.lock, id)
        case .setBackground: OperationKey(.background, nil)
        }
    }
}

/// A change of a board.
///
/// Operations name the emoji they change and give absolute values, not differences. Every copy of a board that applies
/// them in the store's order reaches the same state.
public enum ArtOperation: Hashable, Sendable {
    /// Adds an emoji.
    case add(Emoji)
    /// Moves the middle of an emoji to a place, in points.
    case move(EmojiID, x: Double, y: Double)
    /// Sets the size of an emoji, in points.
    case resize(EmojiID, size: Double)
    /// Deletes an emoji; does nothing if it is already deleted.
    case delete(EmojiID)
    /// Sets the depth of an emoji, to bring it to the front or to the back.
    case reorder(EmojiID, z: Double)
    /// Rotates an emoji to an angle, in degrees clockwise; see ``BoardLimits/angles``.
    case rotate(EmojiID, angle: Double)
    /// Sets whether an emoji is mirrored.
    case flip(EmojiID, isFlipped: Bool)
    /// Locks or unlocks an emoji.
    case lock(EmojiID, isLocked: Bool)
    /// Replaces the background.
    case setBackground(Background)
}

/// A group of operations that is sent, applied and reported together.
///
/// A batch is one step of a user. A step that is a gesture, such as dragging, may be sent in several batches.
public struct OperationBatch: Hashable, Sendable, Identifiable {
    /// The batch's identifier, chosen by its sender: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
    ///
    /// A store applies a batch once, however often it is sent.
    public let id: String
    /// The name shown in the undo menu, such as “Move 🐶”.
    public let name: String
    /// The changes, in order.
    public let operations: [ArtOperation]

    /// Creates a batch.
    public init(id: String, name: String, operations: [ArtOperation]) {
        (self.id, self.name, self.operations) = (id, name, operations)
    }
}

/// Why an operation was not applied.
public enum OperationRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The emoji doesn't exist, or was deleted.
    case gone
    /// Another emoji already has this id.
    case exists
    /// The board is full; see ``BoardLimits/emojis``.
    case full
    /// A number is not finite, or outside ``BoardLimits``.
    case number
    /// The text is empty, too long, or can't be shown.
    case text
    /// The address is too long, or its scheme is neither http nor https.
    case address
    /// The picture isn't stored, or was removed.
    case picture
}

/// An operation that was not applied, reported to the caller.
public struct RefusedOperation: Hashable, Sendable {
    /// The operation's index in its batch.
    public let index: Int
    /// The reason.
    public let reason: OperationRefusal
    /// A message for the user: what happened, to what, and what to do now.
    public let text: BoardText

    /// Creates a refusal.
    public init(index: Int, reason: OperationRefusal, text: BoardText) {
        (self.index, self.reason, self.text) = (index, reason, text)
    }
}

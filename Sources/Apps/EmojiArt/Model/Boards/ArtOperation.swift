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
/// A batch is one step of a user, or the part of a gesture so far.
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

extension OperationBatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, operations
    }

    /// Decodes an object, and validates its id, its name and the number of operations.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        guard Identifier.isValid(id) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: Identifier.rule)
        }
        let name = try container.decode(String.self, forKey: .name)
        guard name.utf8.count <= BoardLimits.nameBytes else {
            throw DecodingError.dataCorruptedError(
                forKey: .name, in: container, debugDescription: ArtWords.hasMoreBytes(than: BoardLimits.nameBytes))
        }
        let operations = try container.decode([ArtOperation].self, forKey: .operations)
        guard operations.count <= BoardLimits.batchOperations else {
            throw DecodingError.dataCorruptedError(
                forKey: .operations, in: container,
                debugDescription: ArtWords.areMore(than: BoardLimits.batchOperations))
        }
        self.init(id: id, name: name, operations: operations)
    }
}

/// Why an operation was not applied.
public enum OperationRefusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
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
public struct RefusedOperation: Hashable, Sendable, Codable {
    /// The operation's index in its batch.
    public let index: Int
    /// The reason.
    public let reason: OperationRefusal
    /// A message for the user: what happened, to what, and what to do now.
    public let message: String

    /// Creates a refusal.
    public init(index: Int, reason: OperationRefusal, message: String) {
        (self.index, self.reason, self.message) = (index, reason, message)
    }
}

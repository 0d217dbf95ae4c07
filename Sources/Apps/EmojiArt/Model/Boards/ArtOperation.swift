/// One change of a board.
///
/// Operations name the emoji that they change, and say what is to be, not by how much it differs: applied in the order of
/// the store, they bring each copy of a board to the same state, whoever asked for them.
public enum ArtOperation: Hashable, Sendable {
    /// Adds an emoji.
    case add(Emoji)
    /// Puts the middle of an emoji at a place, in points.
    case move(EmojiID, x: Double, y: Double)
    /// Gives an emoji a size, in points.
    case resize(EmojiID, size: Double)
    /// Takes an emoji away; where it is gone already, nothing happens.
    case delete(EmojiID)
    /// Brings an emoji to the front or to the back.
    case reorder(EmojiID, z: Double)
    /// Draws on another background.
    case setBackground(Background)
}

/// Operations that belong together: what is sent, applied and told at once.
///
/// One step of a person's, or what there is so far of a gesture.
public struct OperationBatch: Hashable, Sendable, Identifiable {
    /// Made up by whoever sends it: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
    ///
    /// Sent again, it is not applied again.
    public let id: String
    /// What it is called where it can be undone, such as “Move 🐶”.
    public let name: String
    /// The changes, in their order.
    public let operations: [ArtOperation]

    /// Operations under a name.
    public init(id: String, name: String, operations: [ArtOperation]) {
        (self.id, self.name, self.operations) = (id, name, operations)
    }
}

extension OperationBatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, operations
    }

    /// Reads it from an object, and checks its id, its name and how many operations it has.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        guard Identifier.isOne(id) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: Identifier.rule)
        }
        let name = try container.decode(String.self, forKey: .name)
        guard name.utf8.count <= BoardLimits.nameBytes else {
            throw DecodingError.dataCorruptedError(
                forKey: .name, in: container, debugDescription: "It has more than \(BoardLimits.nameBytes) bytes.")
        }
        let operations = try container.decode([ArtOperation].self, forKey: .operations)
        guard operations.count <= BoardLimits.batchOperations else {
            throw DecodingError.dataCorruptedError(
                forKey: .operations, in: container,
                debugDescription: "There are more than \(BoardLimits.batchOperations).")
        }
        self.init(id: id, name: name, operations: operations)
    }
}

/// Why an operation was not applied.
public enum OperationRefusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// The emoji that it changes is not there, or no longer.
    case gone
    /// An emoji of that name is there already.
    case exists
    /// The board is full; see ``BoardLimits/emojis``.
    case full
    /// A number is none, or out of ``BoardLimits``.
    case number
    /// The text is empty, too long, or not to be shown.
    case text
    /// The address is too long, or of a kind that is not fetched.
    case address
    /// The picture is not kept, or no longer.
    case picture
}

/// An operation that was not applied: told to whoever asked for it.
public struct RefusedOperation: Hashable, Sendable, Codable {
    /// Which one of its batch.
    public let index: Int
    /// Why.
    public let reason: OperationRefusal
    /// The same for a person: what happened, to what, and what to do now.
    public let message: String

    /// One of a batch.
    public init(index: Int, reason: OperationRefusal, message: String) {
        (self.index, self.reason, self.message) = (index, reason, message)
    }
}

@_exported public import BoardModel

// `Codable` for the values of BoardModel, which is Embedded Swift and has none.

extension ArtIdentifier {
    /// Decodes a plain string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.rule)
        }
        self = id
    }

    /// Encodes a plain string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension BoardID: Codable {}
extension EmojiID: Codable {}
extension PictureID: Codable {}
extension OperationRefusal: Codable {}

extension Emoji: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, text, x, y, size, z
    }

    /// Decodes an emoji; it isn't validated.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(EmojiID.self, forKey: .id), text: try container.decode(String.self, forKey: .text),
            x: try container.decode(Double.self, forKey: .x), y: try container.decode(Double.self, forKey: .y),
            size: try container.decode(Double.self, forKey: .size), z: try container.decode(Double.self, forKey: .z))
    }

    /// Encodes all properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
        try container.encode(x, forKey: .x)
        try container.encode(y, forKey: .y)
        try container.encode(size, forKey: .size)
        try container.encode(z, forKey: .z)
    }
}

extension RefusedOperation: Codable {
    private enum CodingKeys: String, CodingKey {
        case index, reason, message
    }

    /// Decodes a refusal.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            index: try container.decode(Int.self, forKey: .index),
            reason: try container.decode(OperationRefusal.self, forKey: .reason),
            message: try container.decode(String.self, forKey: .message))
    }

    /// Encodes all properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(index, forKey: .index)
        try container.encode(reason, forKey: .reason)
        try container.encode(message, forKey: .message)
    }
}

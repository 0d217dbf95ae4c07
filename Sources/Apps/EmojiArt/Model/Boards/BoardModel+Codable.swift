@_exported public import BoardModel

// `Codable` for the values of BoardModel, which is Embedded Swift and has none.

extension ArtIdentifier {
    /// Decodes a plain string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            let rule = Self.self == PictureID.self ? ArtWords.invalidPictureID : ArtWords.invalidID
            throw DecodingError.dataCorruptedError(in: container, debugDescription: rule)
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
        case id, text, x, y, size, z, angle
        case isFlipped = "flipped"
        case isLocked = "locked"
    }

    /// Decodes an object; `angle`, `flipped` and `locked` may be missing, as in boards of earlier versions.
    ///
    /// The emoji isn't validated.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(EmojiID.self, forKey: .id), text: try container.decode(String.self, forKey: .text),
            x: try container.decode(Double.self, forKey: .x), y: try container.decode(Double.self, forKey: .y),
            size: try container.decode(Double.self, forKey: .size), z: try container.decode(Double.self, forKey: .z),
            angle: try container.decodeIfPresent(Double.self, forKey: .angle) ?? 0,
            isFlipped: try container.decodeIfPresent(Bool.self, forKey: .isFlipped) ?? false,
            isLocked: try container.decodeIfPresent(Bool.self, forKey: .isLocked) ?? false)
    }

    /// Encodes an object, without `angle`, `flipped` and `locked` if they have their defaults.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
        try container.encode(x, forKey: .x)
        try container.encode(y, forKey: .y)
        try container.encode(size, forKey: .size)
        try container.encode(z, forKey: .z)
        if angle != 0 { try container.encode(angle, forKey: .angle) }
        if isFlipped { try container.encode(isFlipped, forKey: .isFlipped) }
        if isLocked { try container.encode(isLocked, forKey: .isLocked) }
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
            text: .plain(try container.decode(String.self, forKey: .message)))
    }

    /// Encodes all properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(index, forKey: .index)
        try container.encode(reason, forKey: .reason)
        try container.encode(message, forKey: .message)
    }
}

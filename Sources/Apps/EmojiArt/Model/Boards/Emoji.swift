/// An emoji on a board.
///
/// Lengths are in points, the origin is the board's middle, and y grows upwards, as in Stanford's course CS193p.
public struct Emoji: Hashable, Sendable, Identifiable {
    /// The emoji's identifier on its board.
    public let id: EmojiID
    /// The emoji as text: one character, or any text that an imported course file contains.
    public let text: String
    /// The x-coordinate of its middle, positive to the right of the origin.
    public var x: Double
    /// The y-coordinate of its middle, positive above the origin.
    public var y: Double
    /// The font size, which is also the side of its box.
    public var size: Double
    /// The depth: an emoji with a greater value is drawn in front; of two with the same value, the one with the greater
    /// id.
    public var z: Double
    /// How far it is rotated clockwise, in degrees: at least 0 and less than 360.
    public var angle: Double
    /// Whether it is mirrored left to right, before it is rotated.
    public var isFlipped: Bool
    /// Whether it is locked: pages don't move, change or delete it until it is unlocked.
    ///
    /// A board doesn't enforce this: it applies every valid operation, so that concurrent ones and undo don't conflict.
    public var isLocked: Bool

    /// Creates an emoji, by default upright and unlocked.
    public init(
        id: EmojiID, text: String, x: Double, y: Double, size: Double, z: Double, angle: Double = 0,
        isFlipped: Bool = false, isLocked: Bool = false
    ) {
        (self.id, self.text, self.x, self.y, self.size, self.z) = (id, text, x, y, size, z)
        (self.angle, self.isFlipped, self.isLocked) = (angle, isFlipped, isLocked)
    }
}

// MARK: JSON

extension Emoji: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, text, x, y, size, z, angle
        case isFlipped = "flipped"
        case isLocked = "locked"
    }

    /// Decodes an object; `angle`, `flipped` and `locked` may be missing, as in boards of earlier versions.
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

// MARK: Order

extension Emoji {
    /// Whether the first emoji is drawn behind the second.
    static func isBehind(_ first: Emoji, _ second: Emoji) -> Bool { first.isBehind(z: second.z, id: second.id) }

    /// Whether the emoji is drawn behind one with this depth and id.
    func isBehind(z: Double, id: EmojiID) -> Bool {
        self.z == z ? self.id < id : self.z < z
    }
}

// MARK: Limits

extension Emoji {
    /// Throws if the emoji exceeds a limit of a board.
    func check() throws(OperationRefusal) {
        guard Self.isPlace(x), Self.isPlace(y), Self.isSize(size), Self.isDepth(z), Self.isAngle(angle) else {
            throw .number
        }
        guard hasShowableText else { throw .text }
    }

    /// Whether the text is not empty, not too long, and free of control characters.
    var hasShowableText: Bool {
        (1...BoardLimits.emojiBytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static func isPlace(_ value: Double) -> Bool { abs(value) <= BoardLimits.coordinate }
    static func isSize(_ value: Double) -> Bool { BoardLimits.sizes.contains(value) }
    static func isDepth(_ value: Double) -> Bool { abs(value) <= BoardLimits.depth }
    static func isAngle(_ value: Double) -> Bool { BoardLimits.angles.contains(value) }

    /// The same rotation within ``BoardLimits/angles``; 0 for a value that isn't finite.
    static func normalizedAngle(_ value: Double) -> Double {
        let rest = value.truncatingRemainder(dividingBy: BoardLimits.angles.upperBound)
        let positive = rest < 0 ? rest + BoardLimits.angles.upperBound : rest
        // A tiny negative angle is rounded to a full turn.
        return isAngle(positive) ? positive : 0
    }
}

/// A board's background.
public enum Background: Hashable, Sendable {
    /// No background.
    case blank
    /// The picture at an http or https address.
    case address(String)
    /// A stored picture that was dropped or pasted.
    case picture(PictureID)
}

extension Background {
    /// Throws if the address is too long, or its scheme is neither http nor https.
    func check() throws(OperationRefusal) {
        guard case .address(let address) = self else { return }
        guard address.utf8.count <= BoardLimits.addressBytes, Self.isWebAddress(address) else { throw .address }
    }

    /// Whether the scheme of an address is http or https.
    static func isWebAddress(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }
}

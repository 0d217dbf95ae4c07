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

    /// Creates an emoji.
    public init(id: EmojiID, text: String, x: Double, y: Double, size: Double, z: Double) {
        (self.id, self.text, self.x, self.y, self.size, self.z) = (id, text, x, y, size, z)
    }
}

// Synthesized: the properties are the JSON's keys.
extension Emoji: Codable {}

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
        guard Self.isPlace(x), Self.isPlace(y), Self.isSize(size), Self.isDepth(z) else { throw .number }
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
        guard address.utf8.count <= BoardLimits.addressBytes, Self.isFetched(address) else { throw .address }
    }

    /// Whether an address can be fetched: its scheme is http or https.
    static func isFetched(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }
}

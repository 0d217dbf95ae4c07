/// An emoji on a board.
///
/// Lengths are in points, the origin is the middle of the view, and y grows upwards, as in the course.
public struct Emoji: Hashable, Sendable, Identifiable {
    /// What names it on its board.
    public let id: EmojiID
    /// The emoji: one character, or what else a file of the course has there.
    public let text: String
    /// How far its middle is to the right of the origin.
    public var x: Double
    /// How far its middle is above the origin.
    public var y: Double
    /// The size of its font, and so the side of its box.
    public var size: Double
    /// Greater is nearer to whoever looks; of two alike, the one with the greater name is.
    public var z: Double

    /// An emoji at a place.
    public init(id: EmojiID, text: String, x: Double, y: Double, size: Double, z: Double) {
        (self.id, self.text, self.x, self.y, self.size, self.z) = (id, text, x, y, size, z)
    }
}

// Its properties are the keys of its JSON.
extension Emoji: Codable {}

// MARK: Order

extension Emoji {
    /// Whether the first is drawn before the second.
    static func isBehind(_ first: Emoji, _ second: Emoji) -> Bool { first.isBehind(z: second.z, id: second.id) }

    /// Whether it is drawn before one of that depth and name.
    func isBehind(z: Double, id: EmojiID) -> Bool {
        self.z == z ? self.id < id : self.z < z
    }
}

// MARK: Limits

extension Emoji {
    /// Whether it may be on a board.
    func check() throws(OperationRefusal) {
        guard Self.isPlace(x), Self.isPlace(y), Self.isSize(size), Self.isDepth(z) else { throw .number }
        guard hasShowableText else { throw .text }
    }

    /// Whether its text can be shown: not empty, not too long, and without control characters.
    var hasShowableText: Bool {
        (1...BoardLimits.emojiBytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static func isPlace(_ value: Double) -> Bool { abs(value) <= BoardLimits.coordinate }
    static func isSize(_ value: Double) -> Bool { BoardLimits.sizes.contains(value) }
    static func isDepth(_ value: Double) -> Bool { abs(value) <= BoardLimits.depth }
}

/// What a board is drawn on.
public enum Background: Hashable, Sendable {
    /// Nothing.
    case blank
    /// The picture that is to be had at this address.
    case address(String)
    /// A picture that was dropped or pasted, and is kept.
    case picture(PictureID)
}

extension Background {
    /// Whether a board may be drawn on it: an address is of a kind that is fetched, and not too long.
    func check() throws(OperationRefusal) {
        guard case .address(let address) = self else { return }
        guard address.utf8.count <= BoardLimits.addressBytes, Self.isFetched(address) else { throw .address }
    }

    /// Whether what an address names can be fetched: its scheme is http or https.
    static func isFetched(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }
}

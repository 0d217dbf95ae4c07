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

    /// Whether two emoji are the same; texts are compared by their bytes.
    @inline(never)
    public static func == (left: Emoji, right: Emoji) -> Bool {
        left.id == right.id && left.x == right.x && left.y == right.y && left.size == right.size && left.z == right.z
            && left.angle == right.angle && left.isFlipped == right.isFlipped && left.isLocked == right.isLocked
            && left.text.isSame(as: right.text)
    }

    /// Hashes the identifier, which is unique on a board.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

// MARK: Order

extension Emoji {
    /// Whether the first emoji is drawn behind the second.
    package static func isBehind(_ first: Emoji, _ second: Emoji) -> Bool { first.isBehind(z: second.z, id: second.id) }

    /// Whether the emoji is drawn behind one with this depth and id.
    func isBehind(z: Double, id: EmojiID) -> Bool {
        self.z == z ? self.id < id : self.z < z
    }
}

// MARK: Limits

extension Emoji {
    /// Throws if the emoji exceeds a limit of a board.
    package func check() throws(OperationRefusal) {
        guard Self.isPlace(x), Self.isPlace(y), Self.isSize(size), Self.isDepth(z), Self.isAngle(angle) else {
            throw .number
        }
        guard hasShowableText else { throw .text }
    }

    /// Whether the text is not empty, not too long, and free of control characters.
    package var hasShowableText: Bool {
        (1...BoardLimits.emojiBytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains(where: Self.isControl)
    }

    /// Whether a scalar is in the category Cc: 65 scalars, which Unicode never changes.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    static func isPlace(_ value: Double) -> Bool { abs(value) <= BoardLimits.coordinate }
    static func isSize(_ value: Double) -> Bool { BoardLimits.sizes.contains(value) }
    static func isDepth(_ value: Double) -> Bool { abs(value) <= BoardLimits.depth }
    static func isAngle(_ value: Double) -> Bool { BoardLimits.angles.contains(value) }

    /// The same rotation within ``BoardLimits/angles``; 0 for a value that isn't finite.
    package static func normalizedAngle(_ value: Double) -> Double {
        let turn = BoardLimits.angles.upperBound
        let rest = value - turn * (value / turn).rounded(.down)
        // A tiny negative angle is rounded to a full turn.
        return isAngle(rest) ? rest : 0
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

    /// Whether two backgrounds are the same; addresses are compared by their bytes.
    @inline(never)
    public static func == (left: Background, right: Background) -> Bool {
        switch (left, right) {
        case (.blank, .blank): true
        case (.address(let left), .address(let right)): left.isSame(as: right)
        case (.picture(let left), .picture(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .blank: hasher.combine(0)
        case .address(let address): TextKey(address).hash(into: &hasher)
        case .picture(let picture): picture.hash(into: &hasher)
        }
    }
}

extension Background {
    /// Throws if the address is too long, or its scheme is neither http nor https.
    package func check() throws(OperationRefusal) {
        guard case .address(let address) = self else { return }
        guard address.utf8.count <= BoardLimits.addressBytes, Self.isWebAddress(address) else { throw .address }
    }

    /// Whether the scheme of an address is http or https, in letters of either case.
    package static func isWebAddress(_ address: String) -> Bool {
        [Array("https://".utf8), Array("http://".utf8)].contains { scheme in
            let start = Array(address.utf8).prefix(scheme.count)
            guard start.count == scheme.count else { return false }
            return zip(start, scheme).allSatisfy { byte, wanted in
                byte == wanted || ((0x41...0x5A).contains(byte) && byte + 0x20 == wanted)
            }
        }
    }
}

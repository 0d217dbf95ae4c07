import Digests

/// A name on a board or of one: a plain string in JSON, which is checked when it is read.
public protocol ArtIdentifier: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The characters.
    var rawValue: String { get }

    /// The name with these characters; `nil` if they make none.
    init?(_ rawValue: String)

    /// What is said of a text that is no such name.
    static var rule: String { get }
}

extension ArtIdentifier {
    /// Reads it as a plain string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.rule)
        }
        self = id
    }

    /// Writes it as a plain string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The characters.
    public var description: String { rawValue }

    /// That it has 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
    public static var rule: String { Identifier.rule }
}

/// What names a board in its address and in the store: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
public struct BoardID: ArtIdentifier {
    /// The characters.
    public let rawValue: String

    /// A board of that name; `nil` if the text is no such name.
    public init?(_ rawValue: String) {
        guard Identifier.isOne(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// A name that can't be guessed, and that no other board has: 95 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = Identifier.random(using: &generator)
    }
}

/// What names an emoji on its board, for as long as the board is there: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
///
/// The course counts up; here several people add at once, so that each page makes up names of its own.
public struct EmojiID: ArtIdentifier, Comparable {
    /// The characters.
    public let rawValue: String

    /// An emoji of that name; `nil` if the text is no such name.
    public init?(_ rawValue: String) {
        guard Identifier.isOne(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The name for an emoji of a file, in which they are counted.
    public init(_ number: Int) {
        rawValue = number < 0 ? "n\(number.magnitude)" : "\(number)"
    }

    /// A name that no other emoji has: 95 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = Identifier.random(using: &generator)
    }

    /// By their bytes.
    public static func < (left: EmojiID, right: EmojiID) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

/// What names a picture that is kept: the SHA-256 of its bytes, as 64 hexadecimal digits in lower case.
public struct PictureID: ArtIdentifier {
    /// The digits.
    public let rawValue: String

    /// A picture of that hash; `nil` if the text is none.
    public init?(_ rawValue: String) {
        guard rawValue.isHexadecimal(bytes: 32) else { return nil }
        self.rawValue = rawValue
    }

    /// That it is no picture's name.
    public static let rule = "It is no picture's name."
}

/// What the names of boards, emoji and batches have in common.
enum Identifier {
    /// Those of which names are made up: one that began with a dash would be taken for an option by a command.
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// What to say of a text that is none.
    static let rule = "It is no name: 1 to 64 of the characters A-Z, a-z, 0-9, - and _."

    static func isOne(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isOfOne)
    }

    private static func isOfOne(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    static func random(using generator: inout some RandomNumberGenerator) -> String {
        String(decoding: (0..<16).compactMap { _ in characters.randomElement(using: &generator) }, as: UTF8.self)
    }
}

#if canImport(ModelJSON)
    import ModelJSON
#endif

/// An identifier: a plain string in JSON, validated when it is decoded.
public protocol ArtIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as text.
    var rawValue: String { get }

    /// Creates an identifier from text; `nil` if the text isn't valid.
    init?(_ rawValue: String)
}

extension ArtIdentifier {
    /// The identifier as text.
    public var description: String { rawValue }
}

/// A board's identifier in its address and in the store: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
public struct BoardID: ArtIdentifier {
    /// The identifier as text.
    public let rawValue: String

    /// Creates an identifier from text; `nil` if the text isn't valid.
    public init?(_ rawValue: String) {
        guard Identifier.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Creates a unique identifier that can't be guessed: 95 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = Identifier.random(using: &generator)
    }
}

/// An emoji's identifier on its board: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
///
/// The course counts up; here several users add emoji at once, so each page generates random identifiers.
public struct EmojiID: ArtIdentifier, Comparable {
    /// The identifier as text.
    public let rawValue: String

    /// Creates an identifier from text; `nil` if the text isn't valid.
    public init?(_ rawValue: String) {
        guard Identifier.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Creates the identifier of an emoji from a file with numbered emoji.
    public init(_ number: Int) {
        rawValue = number < 0 ? "n\(number.magnitude)" : "\(number)"
    }

    /// Creates a unique identifier: 95 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = Identifier.random(using: &generator)
    }

    /// Compares the identifiers' bytes.
    public static func < (left: EmojiID, right: EmojiID) -> Bool {
        compareBytes(left.rawValue, right.rawValue) < 0
    }
}

/// A stored picture's identifier: the SHA-256 of its bytes, as 64 lowercase hexadecimal digits.
public struct PictureID: ArtIdentifier {
    /// The digits.
    public let rawValue: String

    /// Creates an identifier from text; `nil` if the text isn't such a hash.
    public init?(_ rawValue: String) {
        guard rawValue.utf8.count == 64 && Array(rawValue.utf8).allSatisfy(Self.isDigit) else { return nil }
        self.rawValue = rawValue
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

/// The common format of the identifiers of boards, emoji and batches.
package enum Identifier {
    /// The characters of generated identifiers, without the dash: a command would take a leading dash for an option.
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && Array(text.utf8).allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Sixteen random characters: the same on every machine for the same numbers.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        let count = UInt64(characters.count)
        return String(decoding: (0..<16).map { _ in characters[Int(generator.next() % count)] }, as: UTF8.self)
    }
}

/// The random numbers of a session's identifiers: the system's.
package struct IdentifierNumbers: RandomNumberGenerator, Sendable {
    #if canImport(ModelJSON)
        /// The numbers instead of the system's, so that a test can compare two sessions with the same identifiers.
        private let given: (@Sendable () -> UInt64)?

        package init(_ given: (@Sendable () -> UInt64)? = nil) { self.given = given }
    #else
        init() {}
    #endif

    package mutating func next() -> UInt64 {
        #if canImport(ModelJSON)
            if let given { return given() }
        #endif
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
}

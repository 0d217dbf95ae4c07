public import GRDB

/// Whose data it is: the key of everything that is kept for one person.
public struct OwnerID: RawRepresentable, Hashable, Codable, Sendable {
    /// The owner of everything until people can sign in.
    public static let local: OwnerID = "local"

    /// The text that is stored: not empty, and the same as long as the data is kept.
    public let rawValue: String

    /// An owner by the text that is stored.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension OwnerID: ExpressibleByStringInterpolation {
    /// An owner by a text in the source.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension OwnerID: CustomStringConvertible {
    /// The text that is stored.
    public var description: String { rawValue }
}

extension OwnerID: DatabaseValueConvertible {}

public import GRDB

/// Whose data it is: the key of everything that is kept for one person.
public struct OwnerID: RawRepresentable, Hashable, Codable, Sendable {
    /// The owner of everything until people can sign in.
    public static let local: OwnerID = "local"

    /// The text that is stored: not empty, and the same as long as the data is kept.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

extension OwnerID: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension OwnerID: CustomStringConvertible {
    public var description: String { rawValue }
}

extension OwnerID: DatabaseValueConvertible {}

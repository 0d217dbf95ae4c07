public import GRDB

/// Identifies the person whose data is stored.
public struct OwnerID: RawRepresentable, Hashable, Codable, Sendable {
    /// The owner of all data until people can sign in.
    public static let local: OwnerID = "local"

    /// The identifier that is stored with the data: not empty, and never changed.
    public let rawValue: String

    /// Creates an owner from the stored identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension OwnerID: ExpressibleByStringInterpolation {
    /// Creates an owner from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension OwnerID: CustomStringConvertible {
    /// The stored identifier.
    public var description: String { rawValue }
}

extension OwnerID: DatabaseValueConvertible {}

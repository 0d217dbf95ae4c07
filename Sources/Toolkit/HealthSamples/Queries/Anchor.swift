import Foundation

/// A place in a store's history: ``SampleStore/changes(_:since:limit:by:)`` tells what has changed since.
///
/// It belongs to its store, its query and the source that asked. Keep it with what was made of the changes, in the same
/// transaction; see <doc:ReadWhatChanged>. Its parts are nobody's business.
public struct Anchor: Hashable, Sendable {
    /// Which store.
    var store: UUID
    /// The epoch that its ``horizon`` is in: another history of the same store has others from some point on.
    var epoch: UUID
    /// The last change that was told, or looked at.
    var sequence: Int64
    /// How far the store was when the reading began from nothing: who did that needs no deletion from before.
    var floor: Int64
    /// Of the query, and of who asked.
    var query: UInt64

    /// Up to which change it knows everything that matters to it.
    var horizon: Int64 { max(sequence, floor) }
}

extension Anchor: LosslessStringConvertible {
    /// A text that it can be read from again: letters, digits, hyphens and colons.
    public var description: String {
        "1:\(store.uuidString):\(epoch.uuidString):\(sequence):\(floor):\(String(query, radix: 16))"
    }

    /// Reads an anchor's ``description``.
    ///
    /// - Parameter description: The text; `nil` comes of any other.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "1", let store = UUID(uuidString: String(parts[1])),
            let epoch = UUID(uuidString: String(parts[2])), let sequence = Int64(parts[3]), sequence >= 0,
            let floor = Int64(parts[4]), floor >= 0, let query = UInt64(parts[5], radix: 16)
        else { return nil }
        self.init(store: store, epoch: epoch, sequence: sequence, floor: floor, query: query)
        // `Int64(_:)` accepts signs and leading zeros, which no description has.
        guard self.description == description else { return nil }
    }
}

extension Anchor: Codable {
    /// Reads the ``description``.
    ///
    /// - Parameter decoder: Where it is read from.
    /// - Throws: `DecodingError` if it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let anchor = Anchor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "That is no anchor.")
        }
        self = anchor
    }

    /// Writes the ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

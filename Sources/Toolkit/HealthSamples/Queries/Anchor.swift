import Foundation

/// A place in a store's history, from which ``SampleStore/changes(_:since:limit:by:)`` reads on.
///
/// It belongs to its store, its query and the source that asked; its parts mean nothing to others. Keep it with what was made
/// of the changes, in the same transaction; see <doc:ReadWhatChanged>.
public struct Anchor: Hashable, Sendable {
    /// The store's identity.
    var store: UUID
    /// The epoch that ``horizon`` is in: an older copy of the store that was put back has others from some point on.
    var epoch: UUID
    /// The last change that was read.
    var sequence: Int64
    /// The store's last change when reading began from nothing: deletions up to it need not be told.
    var floor: Int64
    /// The digest of the query and the source.
    var query: UInt64

    /// The change up to which its reader knows everything.
    var horizon: Int64 { max(sequence, floor) }
}

extension Anchor: LosslessStringConvertible, RawRepresentable, Codable {
    /// A text of letters, digits, hyphens and colons, from which the anchor can be read.
    public var description: String {
        "1:\(store.uuidString):\(epoch.uuidString):\(sequence):\(floor):\(String(query, radix: 16))"
    }

    /// The ``description``, which is also what a coder writes.
    public var rawValue: String { description }

    /// Reads an anchor's ``description``; `nil` for any other text.
    public init?(rawValue: String) { self.init(rawValue) }

    /// Reads an anchor's ``description``; `nil` for any other text.
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

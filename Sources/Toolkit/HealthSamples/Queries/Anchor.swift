import Foundation

/// A position in a store's history, from which ``SampleStore/changes(_:since:limit:by:)`` continues.
///
/// An anchor is opaque, and valid only for the store, the query and the source that it was created for. Store it in the
/// same transaction as the data derived from the changes; see <doc:ReadWhatChanged>.
public struct Anchor: Hashable, Sendable {
    /// The store's identity.
    var store: UUID
    /// The epoch that contains ``horizon``.
    ///
    /// If an older copy of the store is restored, its later changes belong to another epoch.
    var epoch: UUID
    /// The last change that the reader has read.
    var sequence: Int64
    /// The store's last change when the reader read its first page; deletions up to it need not be reported.
    var floor: Int64
    /// The digest of the query and the source.
    var queryDigest: UInt64

    /// The change that decides whether the anchor is still valid.
    ///
    /// The anchor expires if a deletion after this change is purged, or if the reader is granted more access after it.
    var horizon: Int64 { max(sequence, floor) }
}

extension Anchor: LosslessStringConvertible, RawRepresentable, Codable {
    /// A text of letters, digits, hyphens and colons, from which the anchor can be recreated.
    public var description: String {
        "1:\(store.uuidString):\(epoch.uuidString):\(sequence):\(floor):\(String(queryDigest, radix: 16))"
    }

    /// The ``description``, which encoders store.
    public var rawValue: String { description }

    /// Parses an anchor's ``description``; `nil` for any other text.
    public init?(rawValue: String) { self.init(rawValue) }

    /// Parses an anchor's ``description``; `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "1", let store = UUID(uuidString: String(parts[1])),
            let epoch = UUID(uuidString: String(parts[2])), let sequence = Int64(parts[3]), sequence >= 0,
            let floor = Int64(parts[4]), floor >= 0, let digest = UInt64(parts[5], radix: 16)
        else { return nil }
        self.init(store: store, epoch: epoch, sequence: sequence, floor: floor, queryDigest: digest)
        // `Int64(_:)` also accepts plus signs and leading zeros, which a description never has.
        guard self.description == description else { return nil }
    }
}

import Foundation

/// What a store records about its past to decide whether an anchor is still valid.
///
/// An epoch has a random name, and begins with the first change after the store is opened. If an older copy of the store is
/// restored, it continues in a new epoch. Anchors from the lost history don't have that epoch and are rejected; older anchors
/// stay valid. So a store need not detect that it was restored. PostgreSQL's timelines work the same way.
struct SampleHistory: Hashable, Sendable {
    /// The store's identity.
    var store: UUID
    /// The sequence number of the last change.
    var last: Int64
    /// The sequence number of the last purged deletion; 0 if there is none.
    var purged: Int64

    /// The minimum interval between automatic purges, in seconds.
    static let purgeInterval: TimeInterval = 3_600

    /// Creates an anchor after a change, in the epoch that contains the anchor's horizon.
    func anchor(at sequence: Int64, floor: Int64, query: UInt64, epoch: UUID) -> Anchor {
        Anchor(store: store, epoch: epoch, sequence: sequence, floor: floor, query: query)
    }

    /// Throws if reading from an anchor would miss changes.
    ///
    /// - Parameters:
    ///   - anchor: The anchor.
    ///   - query: The digest of the query and its reader.
    ///   - epoch: The epoch of the anchor's horizon in this store; `nil` if the store no longer knows it.
    ///   - visibleSince: The latest change that made more samples visible to the reader.
    /// - Throws: ``SampleStoreError``: `anchorMismatch`, `anchorExpired`.
    func check(_ anchor: Anchor, query: UInt64, epoch: UUID?, visibleSince: Int64) throws(SampleStoreError) {
        guard anchor.store == store else {
            throw .anchorMismatch(
                "The anchor is of another store, or of one that was damaged and begun anew. Read anew.")
        }
        guard anchor.query == query else {
            throw .anchorMismatch(
                "The anchor is of another query, or of another source. Use it for its own, or read anew.")
        }
        guard anchor.horizon <= last, anchor.epoch == epoch else {
            throw .anchorExpired(
                "The anchor is of a history that this store does not have: an older copy of it was put back. Read anew."
            )
        }
        guard anchor.horizon >= purged else {
            throw .anchorExpired("The anchor is too old: deletions since then are no longer known. Read anew.")
        }
        guard anchor.horizon >= visibleSince else {
            throw .anchorExpired("The anchor is from before the source was allowed to see more. Read anew.")
        }
    }
}

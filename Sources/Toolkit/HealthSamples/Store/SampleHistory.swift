import Foundation

/// What a store records about its past to decide whether an anchor is still valid.
///
/// An epoch has a random name, and begins with the first change after the store is opened. If an older copy of the
/// store is restored, it continues in a new epoch. Anchors from the lost history name another epoch, and are rejected;
/// anchors from before the copy stay valid. So a store need not detect that it was restored. PostgreSQL's timelines
/// work the same way.
struct SampleHistory: Hashable, Sendable {
    /// The store's identity.
    var store: UUID
    /// The sequence number of the last change.
    var last: Int64
    /// The sequence number of the last purged deletion; 0 if there is none.
    var purged: Int64

    /// The minimum interval between automatic purges, in seconds.
    static let purgeInterval: TimeInterval = 3_600

    /// Creates an anchor at the position of a change, in the epoch that contains the anchor's horizon.
    func anchor(at sequence: Int64, floor: Int64, digest: UInt64, epoch: UUID) -> Anchor {
        Anchor(store: store, epoch: epoch, sequence: sequence, floor: floor, queryDigest: digest)
    }

    /// Throws if reading from an anchor would miss changes.
    ///
    /// - Parameters:
    ///   - anchor: The anchor.
    ///   - digest: The digest of the query and its reader.
    ///   - epoch: The epoch of the anchor's horizon in this store; `nil` if the store no longer knows it.
    ///   - visibleSince: The latest change that made more samples visible to the reader.
    /// - Throws: ``SampleStoreError``: `anchorMismatch`, `anchorExpired`.
    func check(_ anchor: Anchor, digest: UInt64, epoch: UUID?, visibleSince: Int64) throws(SampleStoreError) {
        guard anchor.store == store else {
            throw .anchorMismatch(
                "The anchor belongs to another store, or to one that was recreated after damage. Resync.")
        }
        guard anchor.queryDigest == digest else {
            throw .anchorMismatch(
                "The anchor belongs to another query or source. Use it with its own, or resync.")
        }
        guard anchor.horizon <= last, anchor.epoch == epoch else {
            throw .anchorExpired(
                "The anchor belongs to a history that this store no longer has: an older copy was restored. Resync."
            )
        }
        guard anchor.horizon >= purged else {
            throw .anchorExpired("The anchor is too old: the store no longer knows all later deletions. Resync.")
        }
        guard anchor.horizon >= visibleSince else {
            throw .anchorExpired("The anchor is older than the source's current permissions. Resync.")
        }
    }
}

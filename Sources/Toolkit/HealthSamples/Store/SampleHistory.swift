import Foundation

/// What a store must know of its own past to say whether an anchor is still good.
///
/// An epoch begins with the first change after each opening of the store, and has a random name. If an older copy is put back,
/// its history goes on in an epoch that no anchor of the lost history knows, and older anchors stay good. So no store needs to
/// notice a restore. PostgreSQL's timelines are the same idea.
struct SampleHistory: Hashable, Sendable {
    /// The store's identity.
    var store: UUID
    /// The last change.
    var last: Int64
    /// The last deletion that was forgotten; 0 for none.
    var purged: Int64

    /// How long after a purge the next one comes by itself, in seconds.
    static let purgeInterval: TimeInterval = 3_600

    /// An anchor after a change; the epoch is that of its horizon.
    func anchor(at sequence: Int64, floor: Int64, query: UInt64, epoch: UUID) -> Anchor {
        Anchor(store: store, epoch: epoch, sequence: sequence, floor: floor, query: query)
    }

    /// Refuses an anchor from which changes would be missed.
    ///
    /// - Parameters:
    ///   - anchor: The anchor.
    ///   - query: The digest of the query and its reader.
    ///   - epoch: The epoch in which the store has the anchor's horizon; `nil` if it has forgotten that.
    ///   - visibleSince: The change since which the reader sees more than before.
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

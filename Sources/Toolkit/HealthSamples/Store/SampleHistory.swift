import Foundation

/// What a store must know of its own past to say whether an anchor is still good.
///
/// An epoch begins with the first change after each opening of the store, and has a random name. Where a copy from before is
/// put back, the history goes on from there in an epoch that no anchor of the other history knows; the anchors from before
/// the copy stay good. So a restore need not be noticed. PostgreSQL's timelines are the same idea.
struct SampleHistory: Hashable, Sendable {
    /// Which store it is.
    var store: UUID
    /// The last change.
    var last: Int64
    /// The last deletion that was forgotten; 0 for none.
    var purged: Int64
}

extension SampleHistory {
    /// How long after one time that old deletions are forgotten the next one comes by itself, in seconds.
    static let purgeInterval: TimeInterval = 3_600

    /// An anchor of this store, after the change that was told last, by the epoch that its horizon is in.
    func anchor(at sequence: Int64, floor: Int64, query: UInt64, epoch: UUID) -> Anchor {
        Anchor(store: store, epoch: epoch, sequence: sequence, floor: floor, query: query)
    }

    /// Refuses an anchor from which changes would be missed: by the query's digest, the epoch that its horizon is in, and the
    /// change since which the reader sees more than before.
    func check(_ anchor: Anchor, query: UInt64, epoch: UUID?, visibleSince: Int64) throws(SampleStoreError) {
        guard anchor.store == store else {
            throw SampleStoreError(
                .anchorMismatch, "The anchor is of another store, or of one that was damaged and begun anew. Read anew."
            )
        }
        guard anchor.query == query else {
            throw SampleStoreError(
                .anchorMismatch,
                "The anchor is of another query, or of another source. Use it for its own, or read anew."
            )
        }
        guard anchor.horizon <= last, anchor.epoch == epoch else {
            throw SampleStoreError(
                .anchorExpired,
                "The anchor is of a history that this store does not have: an older copy of it was put back. Read anew."
            )
        }
        guard anchor.horizon >= purged else {
            throw SampleStoreError(
                .anchorExpired, "The anchor is too old: deletions since then are no longer known. Read anew.")
        }
        guard anchor.horizon >= visibleSince else {
            throw SampleStoreError(
                .anchorExpired, "The anchor is from before the source was allowed to see more. Read anew.")
        }
    }
}

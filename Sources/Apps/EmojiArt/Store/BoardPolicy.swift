import EmojiArtModel
package import Foundation

/// How much history is stored, and for how long.
package struct BoardPolicy: Sendable {
    /// The minimum number of log entries stored, within ``logBytes``; a client that is further behind gets the whole board.
    package var logEntries = BoardLimits.logEntries
    /// The maximum bytes of log entries stored, so that a few large ones don't fill the disk.
    package var logBytes = 16_000_000
    /// The number of log entries between snapshots, and so the maximum number to replay when a board is read.
    package var snapshotEntries = 500
    /// The bytes of log entries between snapshots.
    package var snapshotBytes = 500_000
    /// How long the outcome of a batch is stored, so that a batch that is sent again isn't applied twice.
    ///
    /// A page sends a batch again until it has received the response. It persists the batch across browser restarts;
    /// the longest absence to expect is a laptop packed away over a holiday. An outcome takes about sixty bytes, plus
    /// about ten for each refused operation.
    package var answers: TimeInterval = 30 * 86_400
    /// How long a picture is stored that the board no longer shows, or has never shown.
    ///
    /// A page that was left open overnight can still undo the change.
    package var pictures: TimeInterval = 24 * 3_600
    /// The minimum time that an unreferenced blob is stored: other users of the blob store have undo periods of their
    /// own.
    package var blobs: TimeInterval = 3_600
    /// How long a deleted board can be restored.
    package var deletion = TimeInterval(BoardLimits.undoDeletion.components.seconds)

    package init() {}
}

/// A time in stored form, in milliseconds since 1970.
package struct Moment: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(_ date: Date) {
        // Clamped to plausible dates: a broken clock must not crash the conversion.
        milliseconds = Int64(max(-1e15, min(1e15, (date.timeIntervalSince1970 * 1_000).rounded())))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    package static func - (moment: Moment, seconds: TimeInterval) -> Moment {
        Moment(milliseconds: moment.milliseconds - Int64(seconds * 1_000))
    }
}

import EmojiArtModel
package import Foundation

/// How much is kept of what was, and for how long.
package struct BoardPolicy: Sendable {
    /// Steps that are kept at the least; whoever is further behind gets the board anew.
    package var logEntries = BoardLimits.logEntries
    /// Bytes of steps that are kept at the most: a few large ones must not fill the disk.
    package var logBytes = 16_000_000
    /// After how many steps a board is written whole: so many are applied again, at the most, when it is opened.
    package var snapshotEntries = 500
    /// After how many bytes of steps it is written whole, too.
    package var snapshotBytes = 500_000
    /// How long the answer to a batch is remembered, so that the batch is not applied once more when it comes again.
    ///
    /// A page sends a batch again whose answer it has not had. It keeps it over the end of the browser, so that what
    /// is away for long is a laptop in a bag, over a holiday. An answer takes some sixty bytes, and
    /// some ten for each operation that was refused.
    package var answers: TimeInterval = 30 * 86_400
    /// How long a picture stays after the board has stopped to show it, or was never seen to: a page that stays open
    /// overnight can undo that.
    package var pictures: TimeInterval = 24 * 3_600
    /// How long a blob stays at the least that nobody refers to, whoever's it was: others count their own time to undo.
    package var blobs: TimeInterval = 3_600
    /// How long a deleted board can be had back.
    package var deletion = TimeInterval(BoardLimits.undoDeletion.components.seconds)

    package init() {}
}

/// A time as it is kept, in milliseconds since 1970.
package struct Moment: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(_ date: Date) {
        // Within what a date is: a clock that is out of order ends nothing here.
        milliseconds = Int64(max(-1e15, min(1e15, (date.timeIntervalSince1970 * 1_000).rounded())))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    package static func - (moment: Moment, seconds: TimeInterval) -> Moment {
        Moment(milliseconds: moment.milliseconds - Int64(seconds * 1_000))
    }
}

/// What happened on a board, for somebody who follows it.
public enum BoardNews: Hashable, Sendable {
    /// These were applied, by anybody and in any process, one after the other without a gap.
    case entries([LogEntry])
    /// More happened than can be told, or what cannot be told as entries: the board is to be taken anew, or the changes
    /// since the revision that is known are to be asked for. This is the revision that there is at least.
    case whole(revision: Int)
}

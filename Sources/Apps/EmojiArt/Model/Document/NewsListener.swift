import Futures
import Persistence

/// News of a board for a listener.
public enum BoardNews: Hashable, Sendable {
    /// Consecutive log entries, applied in any process.
    case entries([LogEntry])
    /// More happened than is buffered, or something that entries can't express: reload the board, or ask for the
    /// changes since the last known revision.
    ///
    /// The store has at least this revision.
    case whole(revision: Int)
}

/// The buffer of a slow listener: entries up to a limit, and beyond it the request to reload the board.
struct NewsOutbox: Hashable, Sendable {
    /// The maximum number of buffered entries.
    let limit: Int
    private var waiting: BoardNews?
    /// Whether further news is ignored.
    var isFinished = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ news: BoardNews) {
        guard !isFinished else { return }
        switch (waiting, news) {
        case (nil, .entries(let entries)): waiting = bounded(entries)
        case (.entries(let older), .entries(let newer)): waiting = bounded(older + newer)
        case (.whole(let revision), .entries(let entries)):
            // A listener that reloads the board gets these entries with it.
            waiting = .whole(revision: entries.last?.revision ?? revision)
        case (_, .whole): waiting = news
        }
    }

    /// Removes and returns the buffered news.
    mutating func take() -> BoardNews? {
        defer { waiting = nil }
        return waiting
    }

    private func bounded(_ entries: [LogEntry]) -> BoardNews? {
        guard let last = entries.last else { return waiting }
        return entries.count <= limit ? .entries(entries) : .whole(revision: last.revision)
    }
}

/// A subscriber to a board's news, which reads it at its own pace.
final class NewsListener: Sendable {
    private let outbox: Mailbox<NewsOutbox>
    private let signals: AsyncStream<Void>

    /// - Parameter limit: The maximum number of buffered entries.
    init(limit: Int) {
        (outbox, signals) = Mailbox.make(NewsOutbox(limit: limit))
    }

    /// Adds news, without waiting for the reader.
    func tell(_ news: BoardNews) {
        outbox.put { $0.add(news) }
    }

    /// Ends the stream; buffered news can still be read.
    func finish() {
        outbox.take { $0.isFinished = true }
        outbox.finish()
    }

    /// The stream of news, for one reader.
    ///
    /// It retains the listener, which a document holds only weakly.
    func news() -> Updates<BoardNews> {
        Updates(signals).converted { _ in self.outbox.take { $0.take() } }
    }
}

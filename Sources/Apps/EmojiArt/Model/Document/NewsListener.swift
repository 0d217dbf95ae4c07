import Futures
import Persistence

/// What happened on a board, for somebody who follows it.
public enum BoardNews: Hashable, Sendable {
    /// These were applied, by anybody and in any process, one after the other without a gap.
    case entries([LogEntry])
    /// More happened than can be told, or what cannot be told as entries: the board is to be taken anew, or the changes
    /// since the revision that is known are to be asked for. This is the revision that there is at least.
    case whole(revision: Int)
}

/// What waits for a slow listener: entries up to a number of them, and beyond it that the board is to be taken anew.
struct NewsOutbox: Hashable, Sendable {
    /// How many entries may wait.
    let limit: Int
    private var waiting: BoardNews?
    /// Whether nothing is added any more.
    var isFinished = false

    /// An outbox in which nothing waits.
    init(limit: Int) {
        self.limit = limit
    }

    /// Something more has happened.
    mutating func add(_ news: BoardNews) {
        guard !isFinished else { return }
        switch (waiting, news) {
        case (nil, .entries(let entries)): waiting = bounded(entries)
        case (.entries(let older), .entries(let newer)): waiting = bounded(older + newer)
        case (.whole(let revision), .entries(let entries)):
            // Who takes the board anew gets these with it.
            waiting = .whole(revision: entries.last?.revision ?? revision)
        case (_, .whole): waiting = news
        }
    }

    /// Takes out what waits.
    mutating func take() -> BoardNews? {
        defer { waiting = nil }
        return waiting
    }

    private func bounded(_ entries: [LogEntry]) -> BoardNews? {
        guard let last = entries.last else { return waiting }
        return entries.count <= limit ? .entries(entries) : .whole(revision: last.revision)
    }
}

/// A subscriber of a board's news, which reads them at its own pace.
final class NewsListener: Sendable {
    private let outbox: Lock<NewsOutbox>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// - Parameter limit: How many entries may wait for it.
    init(limit: Int) {
        outbox = Lock(NewsOutbox(limit: limit))
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds news, without waiting for the reader.
    func tell(_ news: BoardNews) {
        outbox.withLock { $0.add(news) }
        signal.yield()
    }

    /// Ends the news; what waits can still be read.
    func finish() {
        outbox.withLock { $0.isFinished = true }
        signal.finish()
    }

    /// The news, for one reader.
    func news() -> Updates<BoardNews> {
        Updates(signals).converted { _ in self.outbox.withLock { $0.take() } }
    }
}

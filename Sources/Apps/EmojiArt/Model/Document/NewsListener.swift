import Futures

/// What waits for a listener who is slow: entries, up to a number of them, and beyond it that the board is to be taken
/// anew.
struct NewsOutbox: Hashable, Sendable {
    /// How many entries may wait.
    let limit: Int
    private var waiting: BoardNews?

    /// An outbox in which nothing waits.
    init(limit: Int) {
        self.limit = limit
    }

    /// Something more has happened.
    mutating func add(_ news: BoardNews) {
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

/// Somebody who follows a board, at a pace of their own.
final class NewsListener: Sendable {
    private struct State: Sendable {
        var outbox: NewsOutbox
        var isFinished = false
        /// Resolved when there is something, or nothing will be any more.
        var bell: Promise<Void, Never>?
    }

    private enum Step: Sendable {
        case news(BoardNews)
        case end
        case wait(Promise<Void, Never>)
    }

    private let state: Lock<State>

    /// A listener who knows of nothing.
    ///
    /// - Parameter limit: How many entries may wait for it.
    init(limit: Int) {
        state = Lock(State(outbox: NewsOutbox(limit: limit)))
    }
}

extension NewsListener {
    /// Tells it something, without waiting for it.
    func tell(_ news: BoardNews) {
        let bell = state.withLock { state -> Promise<Void, Never>? in
            guard !state.isFinished else { return nil }
            state.outbox.add(news)
            return state.bell.take()
        }
        bell?.resolve(())
    }

    /// Tells it nothing any more; what waits can still be read.
    func finish() {
        let bell = state.withLock { state -> Promise<Void, Never>? in
            state.isFinished = true
            return state.bell.take()
        }
        bell?.resolve(())
    }

    /// Tells it nothing any more, and forgets what waits: it has left.
    func leave() {
        let bell = state.withLock { state -> Promise<Void, Never>? in
            state.isFinished = true
            _ = state.outbox.take()
            return state.bell.take()
        }
        bell?.resolve(())
    }

    /// What is new, as soon as something is; `nil` at the end.
    func next() async -> BoardNews? {
        while true {
            let step = state.withLock { state -> Step in
                if let news = state.outbox.take() { return .news(news) }
                if state.isFinished { return .end }
                let bell = state.bell ?? Promise()
                state.bell = bell
                return .wait(bell)
            }
            switch step {
            case .news(let news): return news
            case .end: return nil
            case .wait(let bell): await bell.future.value
            }
        }
    }

    /// What is new, for one reader, until it leaves.
    func stream() -> AsyncStream<BoardNews> {
        AsyncStream(unfolding: { await self.next() }, onCancel: { self.leave() })
    }
}

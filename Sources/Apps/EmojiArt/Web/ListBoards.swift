import Digests
import EmojiArtModel
import Foundation
import Futures
import Persistence
import Site

/// One page of the list of boards, as it is at one moment.
struct BoardList: Sendable {
    /// How many boards a page shows.
    static let pageLength = 60

    /// Those changed last first.
    let boards: [BoardSummary]
    /// How many there are on all pages.
    let count: Int
    /// Which page it is, from 1 on.
    let page: Int
    /// Those that can be had back, deleted last first.
    let deleted: [BoardSummary]

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - owner: Whose boards.
    ///   - store: Where they are kept.
    ///   - page: Which page; beyond the last, that one.
    /// - Throws: ``BoardStoreError``.
    init(of owner: String, in store: any BoardStoring, page: Int) async throws(BoardStoreError) {
        count = try await store.count(of: owner)
        let last = max(1, (count + Self.pageLength - 1) / Self.pageLength)
        self.page = min(max(1, page), last)
        boards = try await store.boards(
            of: owner, limit: Self.pageLength, offset: (self.page - 1) * Self.pageLength)
        deleted = try await store.deleted(of: owner)
    }

    /// How many pages there are.
    var pages: Int { max(1, (count + Self.pageLength - 1) / Self.pageLength) }

    /// Where a page of the list is.
    static func path(page: Int) -> String {
        page > 1 ? "/art/?page=\(page)" : "/art/"
    }

    /// Another one whenever the page shows something else; the same in every process.
    var version: String {
        var hash = XXH64()
        hash.add("\(page)/\(pages)")
        for board in boards {
            hash.add("\(board.id) \(board.revision) \(board.emojiCount) \(board.changed.timeIntervalSince1970)")
            hash.add(board.name)
        }
        for board in deleted {
            hash.add("-\(board.id)")
            hash.add(board.name)
        }
        return String(hash.value, radix: 16)
    }
}

/// What one tab is told of the list: its version at first, and whenever it is another one, whoever changed something.
struct BoardListEvents: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    /// How long changes are collected before they are told: a board that is drawn on changes many times a second.
    static let pause = Duration.milliseconds(250)

    let store: any BoardStoring
    let owner: String
    let page: Int
    let clock: any Clock<Duration>

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: self)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let events: BoardListEvents
        private var updates: Updates<Set<BoardID>>.Iterator?
        private var told: String?

        init(events: BoardListEvents) {
            self.events = events
        }

        mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if updates == nil {
                // Before the list is read, so that nothing is missed.
                updates = events.store.updates(of: events.owner).makeAsyncIterator()
            } else if await !isChangedLater(isolation: actor) {
                return nil
            }
            while true {
                // What cannot be read now can perhaps be read at the next change.
                let list = try? await BoardList(of: events.owner, in: events.store, page: events.page)
                if let version = list?.version, version != told {
                    told = version
                    return ServerSentEvent(data: version, name: "boards")
                }
                guard await isChangedLater(isolation: actor) else { return nil }
            }
        }

        /// Waits for the next change, and for those that follow it; false at the end.
        private mutating func isChangedLater(isolation actor: isolated (any Actor)?) async -> Bool {
            guard await updates?.next(isolation: actor) != nil else { return false }
            return (try? await Stopwatch(events.clock).sleep(until: BoardListEvents.pause)) != nil
        }
    }
}

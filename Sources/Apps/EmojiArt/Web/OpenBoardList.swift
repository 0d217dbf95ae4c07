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
    /// Those that can be restored, deleted last first.
    let deleted: [BoardSummary]

    /// Reads a page; beyond the last one, that one.
    init(of owner: OwnerID, in store: any BoardStoring, page: Int) async throws(BoardStoreError) {
        count = try await store.count(of: owner)
        self.page = min(max(1, page), Self.pages(of: count))
        boards = try await store.boards(
            of: owner, limit: Self.pageLength, offset: (self.page - 1) * Self.pageLength)
        deleted = try await store.deleted(of: owner)
    }

    /// How many pages there are.
    var pages: Int { Self.pages(of: count) }

    private static func pages(of count: Int) -> Int { max(1, (count + pageLength - 1) / pageLength) }

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

/// One page of the list of boards while tabs show it: it tells them the list's version whenever that is another one.
@MainActor
final class OpenBoardList: LiveDocument {
    typealias Key = Int

    /// How long changes are collected before the list is read: a board that is drawn on changes many times a second.
    nonisolated static let pause = Duration.milliseconds(250)
    nonisolated static var ending: any Error { Problem.boardsEnding }

    nonisolated let parts = Broadcast<[String: String]>()
    let isBusy = false
    private let owner: OwnerID
    private let store: any BoardStoring
    private let page: Int
    private let clock: any Clock<Duration>
    private var following: Task<Void, Never>?

    init(of owner: OwnerID, in store: any BoardStoring, page: Int, clock: any Clock<Duration>) {
        (self.owner, self.store, self.page, self.clock) = (owner, store, page, clock)
    }

    /// The pages of an owner's list, by their numbers.
    static func lists(
        of owner: OwnerID, in store: any BoardStoring, clock: any Clock<Duration>
    ) -> OpenDocuments<OpenBoardList> {
        OpenDocuments { page async throws(any Error) in
            OpenBoardList(of: owner, in: store, page: page, clock: clock)
        }
    }

    func open() async throws(any Error) {
        // Before the list is read, so that nothing is missed.
        let updates = store.updates(of: owner)
        parts.send(["boards": try await BoardList(of: owner, in: store, page: page).version])
        following = Task { [owner, store, page, clock, parts] in
            for await _ in updates {
                guard (try? await Stopwatch(clock).sleep(until: Self.pause)) != nil else { return }
                // A list that can't be read now may be readable at the next change.
                guard let list = try? await BoardList(of: owner, in: store, page: page) else { continue }
                parts.send(["boards": list.version])
            }
        }
    }

    func close() async {
        following?.cancel()
        parts.finish()
        await following?.value
    }
}

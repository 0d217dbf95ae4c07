import Digests
import EmojiArtModel
import Foundation
import Futures
import Persistence
import Site

/// A snapshot of one page of the list of boards.
struct BoardList: Sendable {
    /// The number of boards on a page.
    static let pageLength = 60

    /// The boards of the page, the last changed first.
    let boards: [BoardSummary]
    /// The number of boards on all pages.
    let count: Int
    /// The page's number, from 1.
    let page: Int
    /// The boards that can be restored, the last deleted first.
    let deleted: [BoardSummary]

    /// Reads a page; a number beyond the last page reads the last one.
    init(of owner: OwnerID, in store: any BoardStoring, page: Int) async throws(BoardStoreError) {
        count = try await store.count(of: owner)
        self.page = min(max(1, page), Self.pages(of: count))
        boards = try await store.boards(
            of: owner, limit: Self.pageLength, offset: (self.page - 1) * Self.pageLength)
        deleted = try await store.deleted(of: owner)
    }

    var pages: Int { Self.pages(of: count) }

    private static func pages(of count: Int) -> Int { max(1, (count + pageLength - 1) / pageLength) }

    /// The address of a page of the list.
    static func path(page: Int) -> String {
        page > 1 ? "/art/?page=\(page)" : "/art/"
    }

    /// A hash of everything that the page shows, the same in every process.
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

/// A page of the list that tabs show: broadcasts the list's version whenever it changes.
@MainActor
final class OpenBoardList: LiveDocument {
    typealias Key = Int

    /// How long changes are collected before the list is read: a board changes many times a second while a user draws.
    nonisolated static let pause = Duration.milliseconds(250)
    nonisolated static var shuttingDownError: any Error { Problem.boardsShuttingDown }

    nonisolated let parts = Broadcast<LiveParts>()
    let isBusy = false
    private let owner: OwnerID
    private let store: any BoardStoring
    private let page: Int
    private let clock: any Clock<Duration>
    private var following: Task<Void, Never>?

    init(of owner: OwnerID, in store: any BoardStoring, page: Int, clock: any Clock<Duration>) {
        (self.owner, self.store, self.page, self.clock) = (owner, store, page, clock)
    }

    /// Creates the registry of an owner's list pages, by page number.
    static func lists(
        of owner: OwnerID, in store: any BoardStoring, clock: any Clock<Duration>
    ) -> OpenDocuments<OpenBoardList> {
        OpenDocuments { page async throws(any Error) in
            OpenBoardList(of: owner, in: store, page: page, clock: clock)
        }
    }

    func open() async throws(any Error) {
        // Subscribes before reading, so that no change is missed.
        let updates = store.updates(of: owner)
        parts.send(["boards": try await BoardList(of: owner, in: store, page: page).version])
        following = Task { [owner, store, page, clock, parts] in
            for await _ in updates {
                guard (try? await Stopwatch(clock).sleep(until: Self.pause)) != nil else { return }
                // After a failure, the next change tries again.
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

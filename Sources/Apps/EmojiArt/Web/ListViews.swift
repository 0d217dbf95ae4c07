import EmojiArtModel
import Formats
import Foundation
import Site

/// The values of the template `list`.
struct BoardListView: Sendable {
    struct Board: Sendable {
        let id, name, page: String
        let path: Link
        let thumbnail: HTML
        let time, shownTime, count: String
    }

    struct DeletedBoard: Sendable {
        let id, name, page: String
        let path: Link
    }

    /// The board deleted last, and those deleted before it.
    struct Deleted: Sendable {
        let last: DeletedBoard
        let earlier: [DeletedBoard]
        let hasEarlier: Bool
        let count: String
    }

    struct Pages: Sendable {
        let text: String
        let newer, older: Link?
    }

    let tabs = ArtTab.all(current: .boards)
    let notice: String?
    let boards: [Board]
    let isEmpty: Bool
    let version, page: String
    let deleted: Deleted?
    let pages: Pages?
    let shared: [SharedBoard]
    let hasShared: Bool
    /// The version of what others share; `nil` if the owner has no account.
    let sharedVersion: String?

    init(
        _ list: BoardList, thumbnails: ListThumbnails, notice: String?, shared: [SharedBoard] = [],
        sharedVersion: String? = nil
    ) async {
        self.sharedVersion = sharedVersion
        (self.shared, hasShared) = (shared, !shared.isEmpty)
        let page = "\(list.page)"
        self.notice = notice
        self.page = page
        isEmpty = list.count == 0
        version = list.version
        let formats = ReaderFormats.current
        var boards: [Board] = []
        for board in list.boards {
            boards.append(
                Board(
                    id: board.id.rawValue, name: board.name, page: page, path: Link("/art/boards/\(board.id)"),
                    thumbnail: await thumbnails.html(of: board), time: board.changed.formatted(.iso8601),
                    shownTime: formats.dateAndTime(board.changed),
                    count: board.emojiCount == 0 ? ArtWords.emptyBoard : ArtWords.emojiCount(board.emojiCount)))
        }
        self.boards = boards
        let deleted = list.deleted.map { board in
            DeletedBoard(
                id: board.id.rawValue, name: board.name, page: page, path: Link("/art/boards/\(board.id)"))
        }
        let earlier = Array(deleted.dropFirst())
        self.deleted = deleted.first.map { last in
            Deleted(
                last: last, earlier: earlier, hasEarlier: !earlier.isEmpty,
                count: ArtWords.moreDeleted(earlier.count))
        }
        func link(to number: Int) -> Link? {
            (1...list.pages).contains(number) ? Link(BoardList.path(page: number)) : nil
        }
        pages =
            list.pages > 1
            ? Pages(
                text: ArtWords.page(list.page, of: list.pages), newer: link(to: list.page - 1),
                older: link(to: list.page + 1)) : nil
    }
}

/// A tab above the list of boards and above the palettes: each links to its page.
struct ArtTab: Sendable {
    enum Page {
        case boards, palettes
    }

    let path: Link
    let label: String
    let isCurrent: Bool

    static func all(current: Page) -> [ArtTab] {
        [
            ArtTab(path: Link("/art/"), label: ArtWords.boards, isCurrent: current == .boards),
            ArtTab(path: Link("/art/palettes"), label: ArtWords.palettes, isCurrent: current == .palettes),
        ]
    }
}

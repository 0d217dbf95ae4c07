import EmojiArtModel
import Futures
import Loading
import Persistence
import Site

/// A cache of the boards' thumbnails, redrawn when a board changes or its background picture arrives.
final class ListThumbnails: Sendable {
    /// The maximum number of emoji in a thumbnail.
    static let emojis = 200
    /// The capacity of the cache: enough for five pages of the list.
    static let kept = 5 * BoardList.pageLength
    /// The smallest part of a board that a thumbnail shows, in points, so that small drawings aren't enlarged.
    private static let leastSize = (width: 320.0, height: 200.0)

    fileprivate struct Thumbnail {
        var revision: Int
        var html: HTML
        /// Whether the background, if any, is included: its picture may arrive long after its address was set.
        var isWhole: Bool
    }

    fileprivate struct Contents {
        var thumbnails = LRUCache<BoardID, Thumbnail>(limit: kept)
        var renders = 0
    }

    private let store: any BoardStoring
    private let owner: OwnerID
    private let contents = Lock(Contents())

    /// Creates a cache for an owner's boards.
    init(store: any BoardStoring, owner: OwnerID) {
        self.store = store
        self.owner = owner
    }
}

extension ListThumbnails {
    /// The number of thumbnails drawn, for tests.
    var renders: Int { contents.withLock { $0.renders } }

    /// A board's thumbnail as inline SVG; empty if the board can't be read.
    func html(of board: BoardSummary) async -> HTML {
        // Boards without emoji are drawn too: they may have a background.
        let known = contents.withLock { $0.thumbnails.use(board.id) }
        if let known, known.revision == board.revision, known.isWhole { return known.html }
        guard let board = try? await store.board(board.id, owner: owner) else { return HTML(markup: "") }
        let background = await background(of: board)
        if let known, known.revision == board.summary.revision, background == nil { return known.html }
        let html = Self.svg(of: board.art, over: background)
        let isWhole = background != nil || board.art.background == .blank
        contents.withLock { contents in
            contents.renders += 1
            contents.keep(html, of: board.summary, isWhole: isWhole)
        }
        return html
    }

    /// Removes the thumbnail of a deleted board.
    func forget(_ id: BoardID) {
        _ = contents.withLock { $0.thumbnails.remove(id) }
    }

    private static func svg(of art: EmojiArt, over picture: ArtSVG.Picture?) -> HTML {
        var drawing = ArtSVG(picture: picture, most: emojis)
        if let bounds = art.bounds(withPicture: picture?.size) {
            // A picture fills the thumbnail, but emoji keep a margin.
            let isPicture = picture.map { $0.size == ViewSize(width: bounds.width, height: bounds.height) } ?? false
            let margin = isPicture ? 0 : 0.06 * max(bounds.width, bounds.height)
            drawing.part = BoardRect(
                center: bounds.middle, width: max(leastSize.width, bounds.width + 2 * margin),
                height: max(leastSize.height, bounds.height + 2 * margin))
        }
        return HTML(markup: drawing.text(of: art))
    }

    /// The background's picture, if it is stored already.
    private func background(of board: Board) async -> ArtSVG.Picture? {
        let id = board.summary.id
        guard
            let found = (try? await store.storedPicture(of: board.art.background, on: id, owner: owner)).flatMap({ $0 }
            ),
            let size = found.size
        else { return nil }
        return ArtSVG.Picture(
            address: "/art/boards/\(id)/picture/\(found.id)",
            size: ViewSize(width: Double(size.width), height: Double(size.height)))
    }
}

extension ListThumbnails.Contents {
    fileprivate mutating func keep(_ html: HTML, of board: BoardSummary, isWhole: Bool) {
        // If two were drawn concurrently, the later revision wins.
        if let known = thumbnails[board.id], known.revision > board.revision { return }
        thumbnails.set(
            ListThumbnails.Thumbnail(revision: board.revision, html: html, isWhole: isWhole), for: board.id)
    }
}

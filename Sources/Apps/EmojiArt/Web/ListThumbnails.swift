import EmojiArtModel
import Futures
import Loading
import Persistence
import Site

/// A cache of the boards' thumbnails, redrawn when a board changes or another picture is stored for its background.
final class ListThumbnails: Sendable {
    /// The maximum number of emoji in a thumbnail.
    private static let maximumEmojis = 200
    /// The capacity of the cache: enough for five pages of the list.
    static let capacity = 5 * BoardList.pageLength
    /// The smallest part of a board that a thumbnail shows, in points, so that small drawings aren't enlarged.
    private static let minimumSize = (width: 320.0, height: 200.0)

    fileprivate struct Thumbnail {
        var revision: Int
        var background: Background
        /// The background's picture, if it was stored.
        ///
        /// A fetch of its address may store another one, without a new revision.
        var picture: ArtSVG.Picture?
        var html: HTML
    }

    fileprivate struct Contents {
        var thumbnails = LRUCache<BoardID, Thumbnail>(limit: capacity)
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
        if let known, known.revision == board.revision,
            await storedPicture(of: known.background, on: board.id) == known.picture
        {
            return known.html
        }
        guard let board = try? await store.board(board.id, owner: owner) else { return HTML(markup: "") }
        let background = board.art.background
        let picture = await storedPicture(of: background, on: board.summary.id)
        let thumbnail = Thumbnail(
            revision: board.summary.revision, background: background, picture: picture,
            html: Self.svg(of: board.art, over: picture))
        contents.withLock { contents in
            contents.renders += 1
            contents.insert(thumbnail, of: board.summary.id)
        }
        return thumbnail.html
    }

    /// Removes the thumbnail of a deleted board.
    func forget(_ id: BoardID) {
        _ = contents.withLock { $0.thumbnails.remove(id) }
    }

    private static func svg(of art: EmojiArt, over picture: ArtSVG.Picture?) -> HTML {
        var drawing = ArtSVG(picture: picture, maximumEmojis: maximumEmojis)
        if let bounds = art.bounds(withPicture: picture?.size) {
            // A picture fills the thumbnail, but emoji keep a margin.
            let isFilled = picture.map { $0.size == ViewSize(width: bounds.width, height: bounds.height) } ?? false
            let margin = isFilled ? 0 : 0.06 * max(bounds.width, bounds.height)
            drawing.part = BoardRect(
                center: bounds.middle, width: max(minimumSize.width, bounds.width + 2 * margin),
                height: max(minimumSize.height, bounds.height + 2 * margin))
        }
        return HTML(markup: drawing.text(of: art))
    }

    /// The background's picture, if it is stored already.
    private func storedPicture(of background: Background, on id: BoardID) async -> ArtSVG.Picture? {
        guard background != .blank,
            let found = try? await store.storedPicture(of: background, on: id, owner: owner),
            let size = found.size
        else { return nil }
        return ArtSVG.Picture(
            address: "/art/boards/\(id)/picture/\(found.id)",
            size: ViewSize(width: Double(size.width), height: Double(size.height)))
    }
}

extension ListThumbnails.Contents {
    fileprivate mutating func insert(_ thumbnail: ListThumbnails.Thumbnail, of id: BoardID) {
        // If two were drawn concurrently, the later revision wins.
        if let known = thumbnails[id], known.revision > thumbnail.revision { return }
        thumbnails.set(thumbnail, for: id)
    }
}

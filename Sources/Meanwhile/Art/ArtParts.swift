import Egress
import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import HTTPFetching
import Persistence

/// EmojiArt, put together for the server.
struct ArtParts: Sendable {
    /// Until there is sign-in, everything is this owner's.
    static let owner = "local"
    /// Whose the palettes are that all owners have in common.
    private static let everybody = "everybody"

    let store: SQLiteBoardStore
    let boards: OpenBoards
    let palettes: PaletteStores
    /// What fetches the backgrounds of boards that are to be files.
    let fetching: ArtFetcher
    private let filesFetcher: HTTPFetcher
    /// One of their own: what is fetched for a board does not fail as long as a page could be told so.
    private let boardsFetcher: HTTPFetcher

    /// Puts it together; no board is read yet.
    ///
    /// - Parameters:
    ///   - database: Where all of it is kept.
    ///   - blobs: The database's blobs.
    ///   - addressPolicy: Where backgrounds may be fetched from.
    ///   - ownPorts: Where the server listens, which no background is fetched from.
    @MainActor
    init(in database: Database, blobs: BlobStore, addressPolicy: AddressPolicy, ownPorts: OwnPorts = OwnPorts()) {
        let store = SQLiteBoardStore(database: database, blobs: blobs)
        func fetcher() -> HTTPFetcher {
            HTTPFetcher(
                addresses: AddressChecker(policy: addressPolicy, ownPorts: ownPorts),
                limits: FetchLimits(bytes: BoardLimits.pictureBytes))
        }
        let (filesFetcher, boardsFetcher) = (fetcher(), fetcher())
        let backgrounds = ArtFetcher(fetcher: boardsFetcher)
        self.store = store
        self.filesFetcher = filesFetcher
        self.boardsFetcher = boardsFetcher
        self.fetching = ArtFetcher(fetcher: filesFetcher)
        let palettes = PaletteStores(
            in: SQLiteStore(database: database, owner: Self.owner),
            shared: SQLiteStore(database: database, owner: Self.everybody))
        self.palettes = palettes
        self.boards = OpenBoards(palettes: palettes) { id in
            EmojiArtDocument(id: id, owner: Self.owner, store: store, fetching: backgrounds)
        }
    }

    /// Opens no board any more, and ends what somebody waits for.
    func beginEnd() async {
        await boards.beginEnd()
        await filesFetcher.shutDown()
    }

    /// Ends all that runs, and waits until it is gone.
    func end() async {
        await beginEnd()
        await boards.end()
        await boardsFetcher.shutDown()
    }
}

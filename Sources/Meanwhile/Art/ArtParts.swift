import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import HTTPFetching
import Persistence

/// EmojiArt, put together for the server.
struct ArtParts: Sendable {
    /// Whose the palettes are that all owners have in common.
    private static let everybody: OwnerID = "everybody"

    let store: SQLiteBoardStore
    let boards: OpenBoards
    let palettes: PaletteStores
    /// What fetches the backgrounds of boards that are to be files.
    let fetching: any BackgroundFetching
    /// The command's own fetcher; `nil` in the server, whose jobs fetch.
    private let fetcher: HTTPFetcher?

    /// Puts it together for the server; no board is read yet.
    @MainActor
    init(in database: AppDatabase, blobs: BlobStore, jobs: JobClient) {
        var boards = jobs
        boards.waitsAtEnd = true
        self.init(in: database, blobs: blobs, files: jobs, boards: boards, fetcher: nil)
    }

    @MainActor
    init(
        in database: AppDatabase, blobs: BlobStore, files: any BackgroundFetching, boards: any BackgroundFetching,
        fetcher: HTTPFetcher?
    ) {
        let store = SQLiteBoardStore(database: database, blobs: blobs)
        self.store = store
        self.fetcher = fetcher
        self.fetching = files
        let palettes = PaletteStores(
            in: SQLiteStore(database: database, owner: .local),
            shared: SQLiteStore(database: database, owner: Self.everybody))
        self.palettes = palettes
        self.boards = OpenBoards(of: .local, in: store, palettes: palettes, fetching: boards)
    }

    /// Finds the sizes of pictures that an earlier version stored without them: the list shows these pictures then.
    ///
    /// Pictures that boards don't take any more stay without a size. They are tried again at the next start.
    func findPictureSizes() async throws(BoardStoreError) {
        let most = 10_000
        for found in try await store.picturesWithoutSize(limit: most) {
            if Task.isCancelled { return }
            guard let stored = try? await store.picture(found.picture, of: found.board, owner: found.owner),
                stored.size == nil, let size = try? await fetching.check(stored.data).picture.size
            else { continue }
            try await store.setSize(size, of: found.picture, on: found.board, owner: found.owner)
        }
    }

    /// Ends everything that runs, and returns when it has ended.
    func shutDown() async {
        await boards.shutDown()
        fetcher?.shutDown()
    }
}

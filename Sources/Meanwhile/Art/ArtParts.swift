import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import HTTPFetching
import Persistence

/// The components of EmojiArt, assembled for the server or a command.
struct ArtParts: Sendable {
    /// The owner of the palettes that all owners share.
    static let sharedOwner: OwnerID = "everybody"

    let owner: OwnerID
    let store: SQLiteBoardStore
    let boards: OpenBoards
    let palettes: PaletteStores
    /// Fetches the backgrounds of boards that are exported to files.
    let fetching: any BackgroundFetching
    /// The command's own fetcher; `nil` in the server, which fetches by jobs.
    private let fetcher: HTTPFetcher?

    /// Creates an owner's parts for the server; no board is loaded yet.
    @MainActor
    init(of owner: OwnerID, in storage: Storage, store: SQLiteBoardStore, jobs: JobClient) {
        var boards = jobs
        boards.waitsForCancellationAtShutdown = true
        self.init(of: owner, in: storage, store: store, files: jobs, boards: boards, fetcher: nil)
    }

    @MainActor
    init(
        of owner: OwnerID, in storage: Storage, store: SQLiteBoardStore, files: any BackgroundFetching,
        boards: any BackgroundFetching, fetcher: HTTPFetcher?
    ) {
        self.owner = owner
        self.store = store
        self.fetcher = fetcher
        self.fetching = files
        let palettes = PaletteStores(
            in: storage.values(of: owner),
            shared: storage.values(of: Self.sharedOwner))
        self.palettes = palettes
        self.boards = OpenBoards(of: owner, in: store, palettes: palettes, fetching: boards)
    }

    /// Determines the sizes of pictures that an earlier version stored without them, so that the list can show these
    /// pictures.
    ///
    /// Pictures that boards no longer accept stay without a size, and are tried again at the next start.
    func findPictureSizes() async throws(BoardStoreError) {
        let limit = 10_000
        for found in try await store.picturesWithoutSize(limit: limit) {
            if Task.isCancelled { return }
            guard let stored = try? await store.picture(found.picture, of: found.board, owner: found.owner),
                stored.size == nil, let size = try? await fetching.check(stored.data).picture.size
            else { continue }
            try await store.setSize(size, of: found.picture, on: found.board, owner: found.owner)
        }
    }

    /// Ends all work, and returns when it has ended.
    func shutDown() async {
        await boards.shutDown()
        fetcher?.shutDown()
    }
}

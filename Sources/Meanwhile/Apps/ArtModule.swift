import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import Hummingbird
import Logging
import Persistence
import Site

/// The server module of EmojiArt.
struct ArtModule: SiteModule {
    private let parts: ArtParts
    private let pages: ArtPages
    private let logger = Logger(label: "meanwhile.art")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        let (folder, jobs) = (services.database.folder, services.jobs)
        parts = await ArtParts(in: services.database, blobs: services.blobs, jobs: jobs)
        pages = try ArtPages(
            documents: parts.boards, store: parts.store, palettes: parts.palettes, fetching: parts.fetching,
            renderer: jobs, reading: jobs, incoming: folder.incoming, leaving: folder.budget.freeDisk,
            notice: services.notice)
    }

    var app: SiteApp? { ArtPages.app }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        pages.addRoutes(to: router, layout: layout)
    }

    func run() async {
        do {
            try await parts.findPictureSizes()
        } catch {
            logger.error("Could not find the sizes of older pictures", metadata: ["error": "\(error)"])
        }
    }

    func tidy() async throws {
        await parts.boards.tidy()
        try await parts.store.tidy()
    }

    func beginShutdown() async { await parts.boards.beginShutdown() }
    func shutDown() async { await parts.shutDown() }
}

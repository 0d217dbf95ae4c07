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
    let samples: (any SampleData)?
    private let logger = Logger(label: "meanwhile.art")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        let (folder, jobs) = (services.database.folder, services.jobs)
        parts = await ArtParts(in: services.database, blobs: services.blobs, jobs: jobs)
        let pages = try ArtPages(
            documents: parts.boards, store: parts.store, palettes: parts.palettes, fetching: parts.fetching,
            renderer: jobs, reading: jobs, incoming: folder.incoming, leaving: folder.budget.freeDisk,
            notice: services.notice)
        self.pages = pages
        samples = StoredSamples(
            ArtWords.sampleSummary, key: "samples/art", in: services.database,
            newIDs: {
                var generator = SystemRandomNumberGenerator()
                return [BoardID(using: &generator).rawValue]
            },
            adding: { ids in
                for id in ids.compactMap({ BoardID($0) }) { try await pages.addSample(id) }
            },
            removing: { ids in
                for id in ids.compactMap({ BoardID($0) }) { try await pages.removeSample(id) }
            })
    }

    var app: SiteApp? { ArtPages.app }

    func overview() async throws -> AppOverview? { try await pages.overview() }

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

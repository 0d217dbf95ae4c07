import CoffeeTrackerModel
import CoffeeTrackerWeb
import Foundation
import Hummingbird
import Logging
import Persistence
import Site

/// The server module of Coffee Tracker.
struct CoffeeModule: SiteModule {
    private let documents: OpenDocuments<CoffeeDocument>
    private let pages: CoffeePages
    let samples: (any SampleData)?
    private let logger = Logger(label: "meanwhile.coffee")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        let database = services.database
        documents = await OpenDocuments<CoffeeDocument> { owner in
            let parts = try await CoffeeParts(owner: owner, in: database)
            return try CoffeeDocument(data: parts.data, health: parts.health, samples: parts.samples)
        }
        let pages = try CoffeePages(documents: documents, notice: services.notice)
        self.pages = pages
        samples = StoredSamples(
            CoffeeWords.drinkCount(CoffeePages.sampleCount), key: "samples/coffee", in: database,
            newIDs: { (0..<CoffeePages.sampleCount).map { _ in UUID().uuidString } },
            adding: { ids in try await pages.addSamples(ids.compactMap { UUID(uuidString: $0) }) },
            removing: { ids in try await pages.removeSamples(ids.compactMap { UUID(uuidString: $0) }) })
    }

    var app: SiteApp? { CoffeePages.app }

    func overview() async throws -> AppOverview? { try await pages.overview() }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        pages.addRoutes(to: router, layout: layout)
    }

    /// Syncs with the health store, even if no page is open: writes drinks that commands have logged, and reads those
    /// of other programs.
    func run() async {
        await BackgroundRefresh().run {
            do {
                try await documents.use(.local) { try await $0.refresh() }
            } catch {
                logger.error("Could not refresh the drinks", metadata: ["error": "\(error)"])
            }
        }
    }

    func tidy() async throws { await documents.tidy() }
    func beginShutdown() async { await documents.beginShutdown() }
    func shutDown() async { await documents.shutDown() }
}

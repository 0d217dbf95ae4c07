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
    private let services: ServerServices
    private let logger = Logger(label: "meanwhile.coffee")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        self.services = services
        let storage = services.storage
        documents = await OpenDocuments<CoffeeDocument> { owner in
            let parts = try await CoffeeParts(owner: owner, in: storage)
            return try CoffeeDocument(data: parts.data, health: parts.health, samples: parts.samples)
        }
        pages = try CoffeePages(documents: documents, notice: services.notice)
    }

    var app: SiteApp? { CoffeePages.app }

    func samples(of owner: OwnerID) -> (any SampleData)? {
        let pages = pages.of(owner)
        return StoredSamples(
            CoffeeWords.drinkCount(CoffeePages.sampleCount), key: "samples/coffee", of: owner, in: services.storage,
            newIDs: { (0..<CoffeePages.sampleCount).map { _ in UUID().uuidString } },
            adding: { ids in try await pages.addSamples(ids.compactMap { UUID(uuidString: $0) }) },
            removing: { ids in try await pages.removeSamples(ids.compactMap { UUID(uuidString: $0) }) })
    }

    func overview(of owner: OwnerID) async throws -> AppOverview? { try await pages.of(owner).overview() }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        router.addOwnerRoutes {
            pages.addRoutes(to: $0, layout: layout)
        } of: { [pages] owner, routes in
            pages.of(owner).addRoutes(to: routes, layout: layout)
        }
    }

    /// Syncs with the health store, even if no page is open: writes drinks that commands have logged, and reads those
    /// of other programs.
    func run() async {
        await BackgroundRefresh().run {
            do {
                for owner in try await services.owners() {
                    try await documents.use(owner) { try await $0.refresh() }
                }
            } catch {
                logger.error("Could not refresh the drinks", metadata: ["error": "\(error)"])
            }
        }
    }

    func tidy() async throws { await documents.tidy() }
    func beginShutdown() async { await documents.beginShutdown() }
    func shutDown() async { await documents.shutDown() }
}

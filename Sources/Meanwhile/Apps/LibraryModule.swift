import Foundation
import Hummingbird
import Logging
import OfflineLibraryModel
import OfflineLibraryStore
import OfflineLibraryWeb
import Persistence
import Site

/// The server module of Offline Library.
struct LibraryModule: SiteModule {
    let libraries: OpenLibraries
    private let services: ServerServices
    private let store: SQLiteLibraryStore
    private let reading: ArchiveReading
    private let pages: LibraryPages
    private let now: @Sendable () -> Date
    private let logger = Logger(label: "meanwhile.library")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        self.services = services
        let storage = services.storage
        let (blobs, jobs, configuration) = (services.blobs, services.jobs, services.library)
        let store = SQLiteLibraryStore(in: storage.database, blobs: blobs, captures: jobs.captures)
        self.store = store
        now = configuration.now
        reading = ArchiveReading(store: store, capturer: jobs, options: configuration.options)
        let libraries = try await OpenLibraries { owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.stored(in: storage.values(of: owner)),
                capturer: jobs.of(owner),
                imports: store, versions: store, configuration: configuration)
        }
        self.libraries = libraries
        pages = try LibraryPages(
            libraries: libraries,
            uploads: LibraryUploads(
                reading: jobs, store: store, incoming: storage.incoming, floor: storage.folder.budget.freeDisk),
            notice: services.notice)
    }

    var app: SiteApp? { LibraryPages.app }
    var shareableKinds: [ShareableKind] { [shareable] }
    private var shareable: ShareableKind { LibraryPages.shareablePages { pages(of: $0) } }

    func samples(of owner: OwnerID) -> (any SampleData)? {
        StoredSamples(
            LibraryWords.sample, key: "samples/library", of: owner, in: services.storage,
            newIDs: { [SavedPage.ID().description] },
            adding: { [store, libraries] ids in
                for id in ids.compactMap({ SavedPage.ID($0) }) {
                    try await SamplePage.add(as: id, of: owner, to: store)
                }
                try await libraries.reload(owner: owner)
            },
            removing: { [libraries] ids in
                for id in ids.compactMap({ SavedPage.ID($0) }) { try await libraries.delete(id, owner: owner) }
            })
    }

    private func pages(of owner: OwnerID) -> LibraryPages { pages.of(owner, reading: services.jobs.of(owner)) }

    func overview(of owner: OwnerID) async throws -> AppOverview? { try await pages(of: owner).overview() }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        router.addOwnerRoutes {
            pages.addRoutes(to: $0, layout: layout)
        } of: { owner, routes in
            pages(of: owner).addRoutes(to: routes, layout: layout)
        }
        LibraryPages.addSharedRoutes(to: router, services.sharing, of: shareable, layout: layout) { pages(of: $0) }
    }

    /// Resumes interrupted captures, and the removal of pages that were deleted; then reads the texts of pages that an
    /// earlier version saved.
    func run() async {
        do {
            try await libraries.resume(owners: services.here(try await store.ownersWithWork()))
            try await libraries.continueImports(of: services.here(try await store.ownersWithWaitingEntries()))
            try await libraries.runSchedules(of: services.here(try await store.ownersWithDueSchedules(at: now())))
        } catch {
            logger.error("Could not resume interrupted captures", metadata: ["error": "\(error)"])
        }
        do {
            let count = try await reading.run()
            if count > 0 { logger.info("Read the texts of saved pages", metadata: ["count": "\(count)"]) }
        } catch {
            logger.error("Could not read the texts of saved pages", metadata: ["error": "\(error)"])
        }
    }

    /// Also continues imports that waited for room, shows what a command has added, and captures addresses by their
    /// schedules.
    func tidy() async throws {
        for (owner, count) in try await store.waitingPages() where await !services.here([owner]).isEmpty {
            try await libraries.showAdded(of: owner, ifMoreThanKnown: count)
        }
        try await libraries.continueImports(of: services.here(try await store.ownersWithWaitingEntries()))
        try await libraries.runSchedules(of: services.here(try await store.ownersWithDueSchedules(at: now())))
        try await libraries.tidy()
    }

    func beginShutdown() async { await libraries.beginShutdown() }
    func shutDown() async { await libraries.shutDown() }
}

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
    let samples: (any SampleData)?
    private let store: SQLiteLibraryStore
    private let reading: ArchiveReading
    private let pages: LibraryPages
    private let now: @Sendable () -> Date
    private let logger = Logger(label: "meanwhile.library")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        let database = services.database
        let (blobs, jobs, configuration) = (services.blobs, services.jobs, services.library)
        let store = SQLiteLibraryStore(database: database, blobs: blobs, captures: jobs.captures)
        self.store = store
        now = configuration.now
        reading = ArchiveReading(store: store, capturer: jobs, options: configuration.options)
        let libraries = try await OpenLibraries { owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.stored(in: SQLiteStore(database: database, owner: owner)), capturer: jobs,
                imports: store, versions: store, configuration: configuration)
        }
        self.libraries = libraries
        pages = try LibraryPages(
            libraries: libraries,
            uploads: LibraryUploads(
                reading: jobs, store: store, incoming: database.folder.incoming, floor: database.folder.budget.freeDisk),
            notice: services.notice)
        samples = StoredSamples(
            LibraryWords.sample, key: "samples/library", in: database, newIDs: { [SavedPage.ID().description] },
            adding: { ids in
                for id in ids.compactMap({ SavedPage.ID($0) }) { try await SamplePage.add(as: id, to: store) }
                try await libraries.reload(owner: .local)
            },
            removing: { ids in
                for id in ids.compactMap({ SavedPage.ID($0) }) { try await libraries.delete(id, owner: .local) }
            })
    }

    var app: SiteApp? { LibraryPages.app }

    func overview() async throws -> AppOverview? { try await pages.overview() }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        pages.addRoutes(to: router, layout: layout)
    }

    /// Resumes interrupted captures, and the removal of pages that were deleted; then reads the texts of pages that an
    /// earlier version saved.
    func run() async {
        do {
            try await libraries.resume(owners: try await store.ownersWithWork())
            try await libraries.continueImports(of: try await store.ownersWithWaitingEntries())
            try await libraries.runSchedules(of: try await store.ownersWithDueSchedules(at: now()))
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
        for (owner, count) in try await store.waitingPages() {
            try await libraries.showAdded(of: owner, ifMoreThanKnown: count)
        }
        try await libraries.continueImports(of: try await store.ownersWithWaitingEntries())
        try await libraries.runSchedules(of: try await store.ownersWithDueSchedules(at: now()))
        try await libraries.tidy()
    }

    func beginShutdown() async { await libraries.beginShutdown() }
    func shutDown() async { await libraries.shutDown() }
}

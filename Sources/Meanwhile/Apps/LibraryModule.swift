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
    private let store: SQLiteLibraryStore
    private let pages: LibraryPages
    private let logger = Logger(label: "meanwhile.library")

    /// - Throws: An error if a template is invalid.
    init(_ services: ServerServices) async throws {
        let database = services.database
        let (blobs, jobs, configuration) = (services.blobs, services.jobs, services.library)
        let store = SQLiteLibraryStore(database: database, blobs: blobs, captures: jobs.captures)
        self.store = store
        libraries = try await OpenLibraries { owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.stored(in: SQLiteStore(database: database, owner: owner)), capturer: jobs,
                configuration: configuration)
        }
        pages = try LibraryPages(libraries: libraries, notice: services.notice)
    }

    var app: SiteApp? { LibraryPages.app }

    func addRoutes(to router: SiteRouter, layout: Layout) {
        pages.addRoutes(to: router, layout: layout)
    }

    /// Resumes interrupted captures and purges.
    func run() async {
        do {
            try await libraries.resume(owners: try await store.ownersWithWork())
        } catch {
            logger.error("Could not resume interrupted captures", metadata: ["error": "\(error)"])
        }
    }

    func tidy() async throws { try await libraries.tidy() }
    func beginShutdown() async { await libraries.beginShutdown() }
    func shutDown() async { await libraries.shutDown() }
}

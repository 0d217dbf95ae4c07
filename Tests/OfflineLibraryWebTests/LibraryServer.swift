import Capture
import Egress
import Foundation
import Logging
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServiceLifecycle
import Site

@testable import OfflineLibraryWeb

/// Captures for all servers of the tests, with one browser, which ends with the process.
let sharedCapturer: PageCapturer = {
    var configuration = PageCapturer.Configuration()
    // The site that the tests save pages of is on this machine.
    configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
    return PageCapturer(configuration: configuration)
}()

/// The app on a port of its own, with a data folder of its own, in the process of the tests.
struct LibraryServer: Sendable {
    let folder: DataFolder
    let port: Int
    let store: SQLiteLibraryStore
    let database: Database
    let libraries: OpenLibraries
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw LibraryError.notFound }
        return url
    }

    /// Starts a server for a folder.
    static func start(
        in folder: DataFolder, port: Int = 0, capturer: any PageCapturing = sharedCapturer, notice: String? = nil
    ) async throws -> LibraryServer {
        let database = try await Database.open(in: folder, migrations: LibraryMigrations.all)
        let store = SQLiteLibraryStore(database: database, blobs: BlobStore(database: database))
        let libraries = try await OpenLibraries { owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.kept(in: SQLiteStore(database: database, owner: owner)), capturer: capturer)
        }
        let pages = try LibraryPages(libraries: libraries, notice: notice)
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let site = try SiteServer(
            configuration: SiteConfiguration(port: port, apps: [LibraryPages.app]), logger: logger,
            onReady: { found.yield($0) },
            routes: { router, layout in pages.addRoutes(to: router, layout: layout) })
        let group = ServiceGroup(configuration: .init(services: [site], logger: logger))
        let running = Task {
            defer { found.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return LibraryServer(
            folder: folder, port: port, store: store, database: database, libraries: libraries, group: group,
            running: running)
    }

    /// Ends the server as a signal does; what it kept stays.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
        await libraries.end()
        database.close()
    }

    /// Runs something with a server in a new folder, which is removed afterwards.
    static func run(
        capturer: any PageCapturing = sharedCapturer, notice: String? = nil,
        _ body: (LibraryServer) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let server = try await start(in: folder, capturer: capturer, notice: notice)
            do {
                try await body(server)
            } catch {
                try? await server.stop()
                throw error
            }
            try await server.stop()
        }
    }

    /// Runs something with a new data folder, which is removed afterwards.
    static func withFolder(_ body: (DataFolder) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(try DataFolder.open(at: path))
    }
}

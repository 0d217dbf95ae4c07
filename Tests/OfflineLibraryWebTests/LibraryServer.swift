import Capture
import Egress
import Foundation
import OfflineLibraryModel
import OfflineLibraryReading
import OfflineLibraryStore
import Persistence
import ServedSite
import Site
import VirtualTime

@testable import OfflineLibraryWeb

/// The capturer of all test servers, with one browser, which ends with the process.
let sharedCapturer: PageCapturer = {
    var configuration = PageCapturer.Configuration()
    // The tests save pages of a site on this machine.
    configuration.addressPolicy.rules = ["127.0.0.0/8", "::1"].compactMap { try? AllowRule($0) }
    configuration.clock = ExtendingClock()
    return PageCapturer(configuration: configuration)
}()

/// The app on a port and with a data folder of its own, in the test process.
struct LibraryServer: Sendable {
    let folder: DataFolder
    let site: ServedSite
    let store: SQLiteLibraryStore
    let database: AppDatabase
    let libraries: OpenLibraries

    var port: Int { site.port }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw LibraryError.notFound }
        return url
    }

    /// Starts a server for a folder.
    static func start(
        in folder: DataFolder, port: Int = 0, capturer: any PageCapturing = sharedCapturer,
        reading: any LibraryReading = ReadingInProcess(), notice: String? = nil,
        configuration: Library.Configuration = Library.Configuration()
    ) async throws -> LibraryServer {
        let database = try await AppDatabase.open(in: folder, migrations: LibraryMigrations.all)
        let store = SQLiteLibraryStore(database: database, blobs: BlobStore(database: database))
        var linking = configuration
        // Some captures wait for what a test does with a tab.
        linking.options.timeout = .seconds(600)
        linking.settingsTimeout = .seconds(600)
        linking.linkPath = LibraryPages.linkPath
        linking.articleStylePath = LibraryPages.articleStylePath
        let libraries = try await OpenLibraries { [linking] owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.stored(in: SQLiteStore(database: database, owner: owner)), capturer: capturer,
                imports: store, versions: store, configuration: linking)
        }
        let uploads = LibraryUploads(
            reading: reading, store: store, incoming: folder.path + "/incoming",
            floor: folder.budget.freeDisk)
        let pages = try LibraryPages(libraries: libraries, uploads: uploads, notice: notice)
        let site = try await ServedSite.start([LibraryPages.app], port: port) { router, layout in
            pages.addRoutes(to: router, layout: layout)
        }
        return LibraryServer(
            folder: folder, site: site, store: store, database: database, libraries: libraries)
    }

    /// Shuts the server down as a signal does; its data remains.
    func stop() async throws {
        try await site.stop()
        await libraries.shutDown()
        database.close()
    }

    /// Runs the body with a server in a new folder, which is removed afterwards.
    static func run(
        capturer: any PageCapturing = sharedCapturer, reading: any LibraryReading = ReadingInProcess(),
        notice: String? = nil, configuration: Library.Configuration = Library.Configuration(),
        _ body: (LibraryServer) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let server = try await start(
                in: folder, capturer: capturer, reading: reading, notice: notice, configuration: configuration)
            do {
                try await body(server)
            } catch {
                try? await server.stop()
                throw error
            }
            try await server.stop()
        }
    }

    /// Runs the body with a new data folder, which is removed afterwards.
    static func withFolder(_ body: (DataFolder) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(try DataFolder.open(at: path))
    }
}

/// Reads uploaded files in the test process.
struct ReadingInProcess: LibraryReading {
    func read(_ upload: LibraryUpload) async throws(LibraryFileError) -> ReadUpload {
        guard let body = try? upload.body.read() else { throw .unfinished("The body can't be read.") }
        return try ReadUpload(body: body, boundary: upload.boundary, isPage: upload.isPage)
    }
}

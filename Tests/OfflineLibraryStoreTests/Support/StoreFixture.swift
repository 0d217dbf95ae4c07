import Foundation
import GRDB
import Loading
import MemoryStores
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Synchronization
import Testing

@testable import Capture

/// The stores that must behave alike.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite

    /// A new, empty store.
    func fixture() async throws -> StoreFixture {
        switch self {
        case .memory: StoreFixture(store: MemoryLibraryStore())
        case .sqlite: try await SQLiteFixture().fixture
        }
    }
}

/// A store, and the folder that must exist while it is used.
struct StoreFixture: Sendable {
    let store: any LibraryStore
    var folder: SQLiteFixture?
}

/// A store in a temporary folder, which is removed with this object.
final class SQLiteFixture: Sendable {
    private let folder: TemporaryFolder
    let time = ManualDate(.start)
    let database: AppDatabase
    let blobs: BlobStore
    let store: SQLiteLibraryStore

    init() async throws {
        self.folder = try TemporaryFolder()
        self.database = try await Self.open(folder.path)
        self.blobs = BlobStore(database: database, undoWindow: .seconds(600), now: { [time] in time.now })
        self.store = SQLiteLibraryStore(database: database, blobs: blobs)
    }

    var path: String { folder.path }

    private static func open(_ path: String) async throws -> AppDatabase {
        try await AppDatabase.open(in: DataFolder.open(at: path), migrations: LibraryMigrations.all)
    }
}

extension SQLiteFixture {
    var fixture: StoreFixture { StoreFixture(store: store, folder: self) }

    /// The store of another process, or of this one after a restart.
    func another() async throws -> (store: SQLiteLibraryStore, database: AppDatabase) {
        let database = try await Self.open(path)
        let blobs = BlobStore(database: database, undoWindow: .seconds(600), now: { [time] in time.now })
        return (SQLiteLibraryStore(database: database, blobs: blobs), database)
    }

    /// The number of references to each blob.
    var references: [Int] {
        get async throws {
            try await database.read { connection in
                try Int.fetchAll(connection, sql: #"SELECT "references" FROM blob ORDER BY 1"#)
            }
        }
    }

    /// The number of files, including staged ones.
    var fileCount: Int {
        let names = FileManager.default.enumerator(atPath: path + "/blobs")?.compactMap { $0 as? String } ?? []
        return names.count { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/blobs/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    /// Makes every insertion of a file of a kind fail.
    func refuse(_ kind: FileKind) async throws {
        try await database.write { connection in
            try connection.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON library_file WHEN NEW.kind = '\(kind.rawValue)'
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
    }

    /// Makes all insertions succeed again.
    func refuseNothing() async throws {
        try await database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    }
}

/// Methods whose owner is Ann by default.
extension LibraryStore {
    func beginAgain(_ id: SavedPage.ID) async throws(LibraryError) -> Int {
        try await beginAgain(id, owner: "ann")
    }

    func save(
        _ capture: PageCapture, as id: SavedPage.ID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent? {
        try await save(capture, as: id, owner: "ann", attempt: attempt, at: time)
    }

    @discardableResult
    func fail(_ id: SavedPage.ID, attempt: Int, failure: CaptureFailure) async throws(LibraryError) -> Bool {
        try await fail(id, owner: "ann", attempt: attempt, failure: failure)
    }

    func delete(_ id: SavedPage.ID, at time: Date) async throws(LibraryError) {
        try await delete(id, owner: "ann", at: time)
    }

    func restore(_ id: SavedPage.ID) async throws(LibraryError) {
        try await restore(id, owner: "ann")
    }

    func purge(deletedBefore time: Date) async throws(LibraryError) {
        try await purge(owner: "ann", deletedBefore: time)
    }

    func file(_ kind: FileKind, of id: SavedPage.ID) async throws(LibraryError) -> PageFile? {
        try await file(kind, of: id, owner: "ann")
    }

    /// Stores a viewer copy of the page's current archive.
    func saveViewer(_ html: Data, as kind: FileKind = .viewer, of id: SavedPage.ID) async throws(LibraryError) {
        let none = PageFile(content: .data(Data()), byteCount: 0, digest: "")
        let archive = try await file(.webArchive, of: id) ?? none
        let isStored = try await saveViewer(html, as: kind, from: archive, of: id, owner: "ann")
        #expect(isStored)
    }

    /// Adds a page whose capture is running.
    func add(
        _ address: String = "https://example.org", owner: OwnerID = "ann", at seconds: TimeInterval = 0
    ) async throws -> SavedPage {
        let url = try #require(URL(string: address))
        let request = CaptureRequest(url: url, formats: [.png, .webArchive])
        let page = SavedPage(
            request: request, requestedAt: .start + seconds, state: .fetching(request, previous: nil))
        try await add(page, owner: owner)
        return page
    }

    /// Adds a page, and stores its capture.
    func addCaptured(_ title: String = "A page", owner: OwnerID = "ann") async throws -> SavedPage.ID {
        let id = try await add(owner: owner).id
        _ = try #require(try await save(.page(title), as: id, owner: owner, attempt: 1, at: .start))
        return id
    }

    /// The page in the store.
    func page(_ id: SavedPage.ID, owner: OwnerID = "ann") async throws -> SavedPage? {
        try await pages(ofOwner: owner).first { $0.id == id }
    }

    /// The content of a file; `nil` if there is none.
    func content(_ kind: FileKind, of id: SavedPage.ID, owner: OwnerID = "ann") async throws -> String? {
        guard let file = try await file(kind, of: id, owner: owner) else { return nil }
        let data = try await file.read()
        #expect(data.count == file.byteCount)
        return String(decoding: data, as: UTF8.self)
    }
}

extension PageCapture {
    /// A finished capture.
    static func page(_ title: String) -> PageCapture {
        let url = URL(filePath: "/page")
        return PageCapture(
            requestedURL: url, url: url, title: title, httpStatus: 404, contentSize: (800, 600),
            readiness: .almostIdle,
            data: [.png: Data("picture of \(title)".utf8), .webArchive: Data("archive of \(title)".utf8)],
            thumbnail: Data("small \(title)".utf8), resources: [],
            warnings: [Warning(kind: .blank, message: "“Nothing” is visible.")], duration: .seconds(1))
    }
}

extension CaptureFailure {
    static let broken = CaptureFailure(code: "broken", message: "It broke.", canRetry: false)
}

extension Date {
    /// Approximately now, like the files' dates, but without fractions, which a database may round.
    static let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
}

/// The error that an operation throws; `nil` if it doesn't throw.
func error(_ operation: () async throws -> Void) async -> LibraryError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? LibraryError ?? .storage("another error: \(error)")
    }
}

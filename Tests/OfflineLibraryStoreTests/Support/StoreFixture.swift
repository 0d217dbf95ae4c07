import Foundation
import Loading
import MemoryStores
import OfflineLibraryModel
import Persistence
import ServedPostgreSQL
import StoreTesting
import Synchronization
import Testing

@testable import Capture
@testable import OfflineLibraryStore

/// The stores that must behave alike.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite, postgreSQL

    /// The database of the store; `nil` for that in memory.
    var database: DatabaseKind? {
        switch self {
        case .memory: nil
        case .sqlite: .sqlite
        case .postgreSQL: .postgreSQL
        }
    }

    /// A new, empty store.
    func fixture() async throws -> StoreFixture {
        guard let database else { return StoreFixture(store: MemoryLibraryStore()) }
        return try await SQLiteFixture(database).fixture
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
    private let kind: DatabaseKind
    private let budget: OwnerBudget
    let time = ManualDate(.start)
    let database: any SQLDatabase
    let blobs: BlobStore
    let store: SQLiteLibraryStore

    init(_ kind: DatabaseKind = .sqlite, budget: OwnerBudget = OwnerBudget()) async throws {
        (self.kind, self.budget) = (kind, budget)
        self.folder = try TemporaryFolder()
        // Makes the folder private, before anything is in it.
        _ = try DataFolder.open(at: folder.path)
        self.database = try await kind.open(folder.path)
        self.blobs = try Self.blobs(in: database, folder.path, budget, time)
        self.store = Self.store(in: database, blobs)
    }

    /// A store whose searches may take long, for busy machines.
    private static func store(in database: any SQLDatabase, _ blobs: BlobStore) -> SQLiteLibraryStore {
        var store = SQLiteLibraryStore(in: database, blobs: blobs)
        store.searchLimit = .seconds(600)
        return store
    }

    var path: String { folder.path }

    private static func blobs(
        in database: any SQLDatabase, _ path: String, _ budget: OwnerBudget, _ time: ManualDate
    ) throws -> BlobStore {
        var folder = try DataFolder.open(at: path)
        folder.budget = budget
        return BlobStore(in: database, folder: folder, undoWindow: .seconds(600), now: { time.now })
    }
}

extension DatabaseKind {
    fileprivate func open(_ path: String) async throws -> any SQLDatabase {
        try await open(
            in: path, LibraryMigrations.all, BlobStore.postgreSQLMigrations + LibraryMigrations.postgreSQL)
    }
}

extension SQLiteFixture {
    var fixture: StoreFixture { StoreFixture(store: store, folder: self) }

    /// The database in a file, for tests of SQLite alone.
    var file: AppDatabase {
        get throws { try #require(database as? AppDatabase) }
    }

    /// The store of another process, or of this one after a restart.
    func another() async throws -> (store: SQLiteLibraryStore, database: any SQLDatabase) {
        let database = try await kind.open(path)
        return (Self.store(in: database, try Self.blobs(in: database, path, budget, time)), database)
    }

    /// The values that a query returns.
    func values<Value: SQLConvertible & Sendable>(
        _ sql: String, as type: Value.Type = Value.self
    ) async throws -> [Value] {
        try await database.readRows { try $0.values(sql) }
    }

    /// Changes rows with SQL, without using the store.
    func changeRows(_ statements: String..., arguments: SQLArguments = []) async throws {
        try await database.writeRows(locking: []) { connection in
            for statement in statements { try connection.execute(statement, arguments) }
        }
    }

    /// The number of references to each blob.
    var references: [Int] {
        get async throws { try await values(#"SELECT "references" FROM blob ORDER BY 1"#) }
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
        try await refuse(insertionInto: "library_file", where: "NEW.kind = '\(kind.rawValue)'")
    }

    /// Makes the insertion of some rows fail.
    func refuse(insertionInto table: String, where condition: String) async throws {
        switch kind {
        case .sqlite:
            try await changeRows(
                """
                CREATE TRIGGER refusal BEFORE INSERT ON \(table) WHEN \(condition)
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        case .postgreSQL:
            try await changeRows(
                """
                CREATE FUNCTION refusal() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$
                """,
                """
                CREATE TRIGGER refusal BEFORE INSERT ON \(table) FOR EACH ROW WHEN (\(condition))
                EXECUTE FUNCTION refusal()
                """)
        }
    }

    /// Makes all insertions succeed again.
    func refuseNothing() async throws {
        switch kind {
        case .sqlite: try await changeRows("DROP TRIGGER refusal")
        case .postgreSQL: try await changeRows("DROP FUNCTION refusal() CASCADE")
        }
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

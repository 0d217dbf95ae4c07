import Capture
import Foundation
import GRDB
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

/// Libraries whose pages are values in a store, as written by versions until 25 November 2026.
@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
    private static let earlier = ["library.1", "library.2", "library.3", "library.budget-1"]
    private static let blob = String(repeating: "a", count: 64)
    /// A blob that was swept after its page was deleted.
    private static let swept = String(repeating: "b", count: 64)
    private static let ids = (1...4).map { "00000000-0000-4000-8000-00000000000\($0)" }

    /// Pages in order of their numbers; the second was written twice.
    private static let pages: [(owner: OwnerID, id: String, json: String)] = [
        (
            "ann", ids[0],
            """
            {"address":"https://a.example","attempt":2,"content":{"capturedAt":6.5,"httpStatus":404,"title":"A page",
            "url":"https://a.example/b","warnings":["Look."]},"files":{"png":{"blob":"\(blob)","bytes":7}},
            "formats":["pdf","png"],"id":"\(ids[0])","number":1,"requestedAt":5,"state":"found"}
            """
        ),
        (
            "ann", ids[1],
            """
            {"address":"https://b.example","attempt":1,"files":{},"formats":["png"],"id":"\(ids[1])","number":2,
            "requestedAt":5,"state":"fetching"}
            """
        ),
        (
            "ann", ids[1],
            """
            {"address":"https://b.example","attempt":1,"failure":{"canRetry":false,"code":"broken","message":"It broke."},
            "files":{},"formats":["png"],"id":"\(ids[1])","number":2,"requestedAt":5,"state":"failed"}
            """
        ),
        (
            "bob", ids[2],
            """
            {"address":"https://c.example","attempt":3,"deletedAt":9.25,"files":{"png":{"blob":"\(swept)",
            "bytes":3}},"formats":["png"],"id":"\(ids[2])",
            "number":1,"requestedAt":4,"state":"fetching"}
            """
        ),
        ("bob", ids[3], #"{"id":"no page"}"#),
        ("bob", "none", "{"),
    ]

    /// Writes the pages and returns the folder.
    private static func folder(at path: String, applied: [String] = earlier) async throws -> DataFolder {
        let folder = try DataFolder.open(at: path)
        let old = try await AppDatabase.open(
            in: folder,
            migrations: applied.map { identifier in
                AppDatabase.Migration(identifier) { connection in
                    guard identifier == applied.last else { return }
                    try connection.execute(sql: "CREATE TABLE library_usage (owner TEXT, page TEXT, waiting INTEGER)")
                }
            })
        defer { old.close() }
        for page in pages {
            let content = StoredContent(format: "library.page", version: 1, payload: Data(page.json.utf8))
            let key = try StoreKey("library/page/\(page.id)")
            _ = try await SQLiteStore(database: old, owner: page.owner).commit([StoreWrite(key, content)])
        }
        try await old.write { connection in
            try connection.execute(
                sql: #"INSERT INTO blob (id, bytes, "references") VALUES (?, 7, 1)"#, arguments: [blob])
            try connection.execute(
                sql: "INSERT INTO owner_blob (owner, blob, uses, bytes) VALUES ('ann', ?, 1, 7)", arguments: [blob])
        }
        return folder
    }

    private static func temporaryPath() -> String {
        NSTemporaryDirectory() + "meanwhile-library-\(UUID().uuidString)"
    }

    @Test func storedPageValuesAreConvertedToRows() async throws {
        let path = Self.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        var folder = try await Self.folder(at: path)
        folder.budget[.pages] = 3
        folder.budget.bytes = 10
        let database = try await AppDatabase.open(in: folder, migrations: LibraryMigrations.all)
        let store = SQLiteLibraryStore(
            database: database, blobs: BlobStore(database: database, undoWindow: .seconds(1)))
        let pages = try await store.pages(ofOwner: "ann")
        try #require(pages.map(\.id.description) == [Self.ids[1], Self.ids[0]])
        #expect(pages[0].state == .failed(.broken, previous: nil))
        let content = PageContent(
            title: "A page", url: try #require(URL(string: "https://a.example/b")), httpStatus: 404,
            capturedAt: Date(timeIntervalSinceReferenceDate: 6.5), warnings: ["Look."], sizes: [.png: 7])
        #expect(pages[1].state == .found(content))
        #expect(pages[1].request.formats == [.png, .pdf] && pages[1].attempt == 2)
        #expect(pages[1].requestedAt == Date(timeIntervalSinceReferenceDate: 5))
        #expect(try await store.file(.png, of: pages[1].id)?.digest == Self.blob)
        let others = try await store.pages(ofOwner: "bob")
        #expect(others.map(\.id.description) == [Self.ids[2]] && others[0].attempt == 3)
        #expect(others[0].deletedAt == Date(timeIntervalSinceReferenceDate: 9.25))
        #expect(try await store.ownersOfUnfinishedPages() == [])
        // A new page sorts before older ones of the same time, and counts towards the budget.
        let next = try await store.add("https://e.example", at: pages[1].requestedAt.timeIntervalSince(.start))
        #expect(try await store.pages(ofOwner: "ann").map(\.id) == [next.id] + pages.map(\.id))
        #expect(await error { _ = try await store.add() }.map { "\($0)".contains("--max-pages 6") } == true)
        #expect(await error { _ = try await store.keep(.page("B"), as: next.id, attempt: 1, at: .start) } != nil)
        let usage = try await database.usage(of: [.pages, .waitingCaptures], owner: "ann")
        #expect(usage.amounts == [3, 1] && usage.bytes == 7)
        // Values that aren't valid pages stay where they were.
        let left = try await database.read { try String.fetchAll($0, sql: "SELECT key FROM stored_value ORDER BY key") }
        #expect(left == ["library/page/\(Self.ids[3])", "library/page/none"])
        database.close()
        let again = try await AppDatabase.open(in: folder, migrations: LibraryMigrations.all)
        #expect(try await again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM library_page") } == 4)
        again.close()
    }

    /// A library older than the last schema is rejected with the missing migration's name, and isn't changed.
    @Test func anOlderLibraryIsRefusedAndNothingChanges() async throws {
        let path = Self.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try await Self.folder(at: path, applied: Array(Self.earlier.dropLast()))
        for _ in 1...2 {
            do throws(StoreError) {
                _ = try await AppDatabase.open(in: folder, migrations: LibraryMigrations.all)
                Issue.record("The older library was opened.")
            } catch {
                #expect(error.code == .olderVersion)
                #expect(error.message.contains("library.budget-1") && error.message.contains("Nothing was changed."))
            }
        }
    }
}

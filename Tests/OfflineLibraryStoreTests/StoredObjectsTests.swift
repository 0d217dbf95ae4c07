import Capture
import Foundation
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import S3
import ServedPostgreSQL
import ServedS3
import StoreTesting
import Testing

/// Pages whose files are objects of S3, and copies on this computer.
@Suite(.timeLimit(.minutes(10))) struct StoredObjectsTests {
    private static func archive() throws -> Data {
        let pictures = (0..<3).map { ArchivePiecesTests.content($0, count: 30_000) }
        return try ArchivePiecesTests.archive("A page", resources: pictures).propertyList()
    }

    /// A store with a page.
    private func library(_ fixture: SQLiteFixture) async throws -> (SQLiteLibraryStore, S3Client, SavedPage.ID) {
        let client = try await ServedS3.seaweedFS.client()
        let blobs = BlobStore(
            in: fixture.database, folder: try DataFolder.open(at: fixture.path), objects: S3Blobs(client),
            now: { fixture.time.now })
        let store = SQLiteLibraryStore(in: fixture.database, blobs: blobs)
        let id = try await store.add().id
        var capture = PageCapture.page("A page")
        capture.data[.webArchive] = try Self.archive()
        _ = try #require(try await store.save(capture, as: id, attempt: 1, at: .start))
        return (store, client, id)
    }

    private func removeCopies(_ fixture: SQLiteFixture) throws {
        try FileManager.default.removeItem(atPath: "\(fixture.path)/blobs")
    }

    @Test(arguments: DatabaseKind.allCases)
    func filesAreCopiedWhenTheyAreOpened(kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (store, _, id) = try await library(fixture)
        try removeCopies(fixture)
        #expect(try await store.content(.thumbnail, of: id) == "small A page")
        let file = try #require(try await store.file(.webArchive, of: id, owner: "ann"))
        guard case .pieces = file.content else {
            Issue.record("The archive isn't in pieces.")
            return
        }
        #expect(try await file.read() == Self.archive())
        try removeCopies(fixture)
        _ = try await fixture.changeRows("UPDATE library_text SET body = NULL")
        let unread = try #require(try await store.unreadArchive(after: 0))
        #expect(try await unread.file.read() == Self.archive())
    }

    @Test(arguments: DatabaseKind.allCases)
    func lostObjectIsReportedByTheReaderOfItsFile(kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (store, client, id) = try await library(fixture)
        try removeCopies(fixture)
        try await client.delete(try await client.list().objects.map(\.key))
        let file = try #require(try await store.file(.png, of: id, owner: "ann"))
        await #expect(throws: LibraryError.self) { try await file.read() }
    }
}

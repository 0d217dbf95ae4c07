import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeletedPagesTests {
    @Test(arguments: StoreKind.allCases)
    func deletedPageCanBeRestored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addCaptured()
        let page = try await store.page(id)
        try await store.delete(id, at: .start)
        #expect(try await store.page(id)?.deletedAt == .start)
        #expect(try await store.content(.png, of: id) == nil)
        #expect(await error { try await store.delete(id, at: .start) } == .notFound)
        #expect(await error { _ = try await store.beginAgain(id) } == .notFound)
        #expect(await error { try await store.saveViewer(Data(), of: id) } == .notFound)
        try await store.restore(id)
        #expect(try await store.page(id) == page)
        #expect(try await store.content(.png, of: id) == "picture of A page")
        #expect(await error { try await store.restore(id) } == .tooLate)
    }

    @Test(arguments: StoreKind.allCases)
    func captureOfADeletedPageIsNotStored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add().id
        try await store.delete(id, at: .start)
        #expect(try await store.save(.page("late"), as: id, attempt: 1, at: .start) == nil)
        #expect(fixture.folder == nil || fixture.folder?.fileCount == 0)
        try await store.restore(id)
        #expect(try await store.page(id)?.state.isFetching == true)
        #expect(try await store.save(.page("in time"), as: id, attempt: 1, at: .start) != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func purgeRemovesPagesDeletedBeforeATime(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let ids = [
            try await store.addCaptured("a"), try await store.addCaptured("b"), try await store.addCaptured("c"),
        ]
        try await store.delete(ids[0], at: .start)
        try await store.delete(ids[1], at: .start + 1)
        try await store.purge(deletedBefore: .start + 1)
        #expect(try await store.pages(ofOwner: "ann").map(\.id) == [ids[2], ids[1]])
        #expect(await error { try await store.restore(ids[0]) } == .tooLate)
        try await store.restore(ids[1])
        #expect(try await store.content(.png, of: ids[1]) == "picture of b")
        #expect(try await store.content(.png, of: ids[2]) == "picture of c")
    }
}

// MARK: - Blobs

extension DeletedPagesTests {
    @Test(arguments: DatabaseKind.allCases)
    func blobsAreRemovedAfterTheUndoWindow(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addCaptured()
        try await fixture.store.saveViewer(Data("viewer".utf8), of: id)
        #expect(try await fixture.references == [1, 1, 1, 1])
        try await fixture.store.delete(id, at: fixture.time.now)
        #expect(try await fixture.references == [0, 0, 0, 0])
        fixture.time.advance(by: 600)
        try await fixture.store.purge(deletedBefore: fixture.time.now - 600)
        #expect(fixture.fileCount == 4)
        try await fixture.store.restore(id)
        #expect(try await fixture.references == [1, 1, 1, 1])
        fixture.time.advance(by: 10_000)
        try await fixture.store.purge(deletedBefore: fixture.time.now - 600)
        #expect(try await fixture.store.content(.viewer, of: id) == "viewer")
        try await fixture.store.delete(id, at: fixture.time.now)
        fixture.time.advance(by: 601)
        try await fixture.store.purge(deletedBefore: fixture.time.now - 600)
        #expect(try await fixture.references == [])
        #expect(fixture.fileCount == 0)
        #expect(try await fixture.store.pages(ofOwner: "ann") == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func sharedBlobsStayForTheOtherPage(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let ids = [
            try await fixture.store.addCaptured("same"), try await fixture.store.addCaptured("same", owner: "bob"),
        ]
        #expect(try await fixture.references == [2, 2, 2])
        #expect(fixture.fileCount == 3)
        try await fixture.store.delete(ids[0], at: fixture.time.now)
        fixture.time.advance(by: 10_000)
        try await fixture.store.purge(deletedBefore: fixture.time.now - 600)
        #expect(try await fixture.references == [1, 1, 1])
        #expect(try await fixture.store.content(.png, of: ids[1], owner: "bob") == "picture of same")
    }

    /// The caller computes the cutoff time for pages before the purge; the store computes the one for blobs during it.
    ///
    /// If the purge is late, the blobs of a page that can still be restored may be old enough to be swept.
    @Test(arguments: DatabaseKind.allCases)
    func blobsOfRestorablePagesAreNotSwept(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addCaptured()
        let old = try await fixture.store.addCaptured("old")
        try await fixture.store.delete(old, at: fixture.time.now - 1)
        try await fixture.store.delete(id, at: fixture.time.now)
        let cutoff = fixture.time.now
        fixture.time.advance(by: 601)
        try await fixture.store.purge(deletedBefore: cutoff)
        #expect(try await fixture.store.pages(ofOwner: "ann").map(\.id) == [id])
        try await fixture.store.restore(id)
        #expect(try await fixture.store.content(.png, of: id) == "picture of A page")
        try await fixture.store.delete(id, at: fixture.time.now)
        fixture.time.advance(by: 601)
        try await fixture.store.purge(deletedBefore: fixture.time.now - 600)
        #expect(fixture.fileCount == 0)
    }

    /// Boards share the blobs, and sweep them independently of the library.
    @Test(arguments: DatabaseKind.allCases)
    func sweepByAnotherAppAffectsOnlyDeletedPages(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (gone, kept) = (try await fixture.store.addCaptured("gone"), try await fixture.store.addCaptured("kept"))
        try await fixture.store.delete(gone, at: fixture.time.now)
        fixture.time.advance(by: 601)
        #expect(try await fixture.blobs.sweep() == 3)
        #expect(try await fixture.store.page(gone)?.deletedAt != nil)
        // Its files are gone, so it can't be restored, and it stays deleted.
        #expect(await error { try await fixture.store.restore(gone) } == .tooLate)
        #expect(try await fixture.store.page(gone)?.deletedAt != nil)
        try await fixture.store.purge(deletedBefore: fixture.time.now)
        #expect(try await fixture.store.pages(ofOwner: "ann").map(\.id) == [kept])
        #expect(try await fixture.store.content(.png, of: kept) == "picture of kept")
    }
}

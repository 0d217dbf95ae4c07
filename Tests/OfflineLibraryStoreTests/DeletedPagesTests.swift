import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeletedPagesTests {
    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedCanBeBroughtBack(_ kind: StoreKind) async throws {
        let place = try await kind.place()
        let store = place.store
        let id = try await store.addKept()
        let page = try await store.page(id)
        try await store.delete(id, at: .start)
        #expect(try await store.page(id)?.deletedAt == .start)
        #expect(try await store.content(.png, of: id) == nil)
        #expect(await error { try await store.delete(id, at: .start) } == .notFound)
        #expect(await error { _ = try await store.beginAgain(id) } == .notFound)
        #expect(await error { try await store.keepViewer(Data(), of: id) } == .notFound)
        try await store.restore(id)
        #expect(try await store.page(id) == page)
        #expect(try await store.content(.png, of: id) == "picture of A page")
        #expect(await error { try await store.restore(id) } == .tooLate)
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsCapturedAfterTheDeletionIsNotKept(_ kind: StoreKind) async throws {
        let place = try await kind.place()
        let store = place.store
        let id = try await store.add().id
        try await store.delete(id, at: .start)
        #expect(try await store.keep(.page("late"), as: id, attempt: 1, at: .start) == nil)
        #expect(place.folder == nil || place.folder?.fileCount == 0)
        try await store.restore(id)
        #expect(try await store.page(id)?.state.isFetching == true)
        #expect(try await store.keep(.page("in time"), as: id, attempt: 1, at: .start) != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasDeletedBeforeATimeIsForgotten(_ kind: StoreKind) async throws {
        let place = try await kind.place()
        let store = place.store
        let ids = [try await store.addKept("a"), try await store.addKept("b"), try await store.addKept("c")]
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
    @Test func blobsStayForTheUndoWindowAndThenGo() async throws {
        let place = try await SQLitePlace()
        let id = try await place.store.addKept()
        try await place.store.keepViewer(Data("viewer".utf8), of: id)
        #expect(try await place.references == [1, 1, 1, 1])
        try await place.store.delete(id, at: place.time.now)
        #expect(try await place.references == [0, 0, 0, 0])
        place.time.advance(by: 600)
        try await place.store.purge(deletedBefore: place.time.now - 600)
        #expect(place.fileCount == 4)
        try await place.store.restore(id)
        #expect(try await place.references == [1, 1, 1, 1])
        place.time.advance(by: 10_000)
        try await place.store.purge(deletedBefore: place.time.now - 600)
        #expect(try await place.store.content(.viewer, of: id) == "viewer")
        try await place.store.delete(id, at: place.time.now)
        place.time.advance(by: 601)
        try await place.store.purge(deletedBefore: place.time.now - 600)
        #expect(try await place.references == [])
        #expect(place.fileCount == 0)
        #expect(try await place.store.pages(ofOwner: "ann") == [])
    }

    @Test func whatTwoPagesShareStaysForTheOther() async throws {
        let place = try await SQLitePlace()
        let ids = [try await place.store.addKept("same"), try await place.store.addKept("same", owner: "bob")]
        #expect(try await place.references == [2, 2, 2])
        #expect(place.fileCount == 3)
        try await place.store.delete(ids[0], at: place.time.now)
        place.time.advance(by: 10_000)
        try await place.store.purge(deletedBefore: place.time.now - 600)
        #expect(try await place.references == [1, 1, 1])
        #expect(try await place.store.content(.png, of: ids[1], owner: "bob") == "picture of same")
    }

    /// Time passes while pages are purged, so the blobs' window ends slightly before the pages' window.
    @Test func blobsOfPagesThatCanBeBroughtBackAreNotSwept() async throws {
        let place = try await SQLitePlace()
        let id = try await place.store.addKept()
        let old = try await place.store.addKept("old")
        try await place.store.delete(old, at: place.time.now - 1)
        try await place.store.delete(id, at: place.time.now)
        let limit = place.time.now
        place.time.advance(by: 601)
        try await place.store.purge(deletedBefore: limit)
        #expect(try await place.store.pages(ofOwner: "ann").map(\.id) == [id])
        try await place.store.restore(id)
        #expect(try await place.store.content(.png, of: id) == "picture of A page")
        try await place.store.delete(id, at: place.time.now)
        place.time.advance(by: 601)
        try await place.store.purge(deletedBefore: place.time.now - 600)
        #expect(place.fileCount == 0)
    }

    /// Boards share the blobs, and sweep them independently of the library.
    @Test func blobsThatAnotherAppSweepsTakeNoPageWithThem() async throws {
        let place = try await SQLitePlace()
        let (gone, kept) = (try await place.store.addKept("gone"), try await place.store.addKept("kept"))
        try await place.store.delete(gone, at: place.time.now)
        place.time.advance(by: 601)
        #expect(try await place.blobs.sweep() == 3)
        #expect(try await place.store.page(gone)?.deletedAt != nil)
        // Its files are gone, so it can't be restored, and it stays deleted.
        guard case .storage = await error({ try await place.store.restore(gone) }) else {
            Issue.record("It was restored.")
            return
        }
        #expect(try await place.store.page(gone)?.deletedAt != nil)
        try await place.store.purge(deletedBefore: place.time.now)
        #expect(try await place.store.pages(ofOwner: "ann").map(\.id) == [kept])
        #expect(try await place.store.content(.png, of: kept) == "picture of kept")
    }
}

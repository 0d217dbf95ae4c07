import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

/// The behaviour common to all stores.
@Suite(.timeLimit(.minutes(10))) struct LibraryStoreTests {
    @Test(arguments: StoreKind.allCases)
    func aNewStoreIsEmpty(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        #expect(try await store.pages(ofOwner: "ann") == [])
        #expect(try await store.ownersWithWork() == [])
        #expect(try await store.file(.png, of: SavedPage.ID()) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func addedPageIsListed(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let address = "https://user@example.org:8443/%C3%A4/?q=a%20b&c=%26#part"
        let page = try await store.add(address)
        #expect(try await store.pages(ofOwner: "ann") == [page])
        #expect(page.request.url.absoluteString == address)
    }

    @Test(arguments: StoreKind.allCases)
    func newestPageIsFirst(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        var ids: [SavedPage.ID] = []
        // Of pages requested at the same time, the one added last is the newest.
        for seconds in [1.0, 2, 3, 3, 3, 3, 3, 0] { ids.append(try await store.add(at: seconds).id) }
        let newest = [6, 5, 4, 3, 2, 1, 0, 7].map { ids[$0] }
        #expect(try await store.pages(ofOwner: "ann").map(\.id) == newest)
    }

    @Test(arguments: StoreKind.allCases)
    func ownersSeeOnlyTheirOwnPages(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let first = try await store.addCaptured(owner: "ann")
        let second = try await store.add(owner: "Ann").id
        let third = try await store.add(owner: "bob' OR 1=1 --").id
        #expect(try await store.pages(ofOwner: "ann").map(\.id) == [first])
        #expect(try await store.pages(ofOwner: "Ann").map(\.id) == [second])
        #expect(try await store.pages(ofOwner: "bob' OR 1=1 --").map(\.id) == [third])
        #expect(try await store.pages(ofOwner: "") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func pageOfAnotherOwnerCannotBeAccessed(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addCaptured()
        let pages = try await store.pages(ofOwner: "ann")
        let archive = try #require(try await store.file(.webArchive, of: id))
        #expect(try await store.content(.png, of: id, owner: "bob") == nil)
        #expect(await error { _ = try await store.beginAgain(id, owner: "bob") } == .notFound)
        #expect(await error { try await store.delete(id, owner: "bob", at: .start) } == .notFound)
        #expect(
            await error {
                _ = try await store.saveViewer(Data(), as: .viewer, from: archive, of: id, owner: "bob")
            } == .notFound)
        #expect(try await store.save(.page("his"), as: id, owner: "bob", attempt: 1, at: .start) == nil)
        #expect(try await store.fail(id, owner: "bob", attempt: 1, failure: .broken) == false)
        try await store.delete(id, at: .start)
        #expect(await error { try await store.restore(id, owner: "bob") } == .tooLate)
        try await store.purge(owner: "bob", deletedBefore: .distantFuture)
        try await store.restore(id)
        #expect(try await store.pages(ofOwner: "ann") == pages)
    }

    @Test(arguments: StoreKind.allCases)
    func ownersOfUnfinishedAndDeletedPagesAreListed(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        _ = try await store.addCaptured(owner: "done")
        try await store.fail(store.add(owner: "failed").id, owner: "failed", attempt: 1, failure: .broken)
        try await store.delete(store.addCaptured(owner: "deleted"), owner: "deleted", at: .start)
        let purged = try await store.addCaptured(owner: "purged")
        try await store.delete(purged, owner: "purged", at: .start)
        for _ in 1...2 { _ = try await store.add(owner: "working") }
        _ = try await store.add(owner: "another")
        #expect(try await store.ownersWithWork() == ["another", "deleted", "purged", "working"])
        try await store.purge(owner: "purged", deletedBefore: .distantFuture)
        #expect(try await store.ownersWithWork() == ["another", "deleted", "working"])
    }
}

// MARK: - Attempts

extension LibraryStoreTests {
    @Test(arguments: StoreKind.allCases)
    func captureIsStoredWithAllItsFiles(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add().id
        let content = try #require(try await store.save(.page("A page"), as: id, attempt: 1, at: .start))
        #expect(content.title == "A page")
        #expect(content.httpStatus == 404)
        #expect(content.warnings == ["“Nothing” is visible."])
        #expect(content.sizes == [.png: 17, .webArchive: 17, .thumbnail: 12])
        #expect(try await store.page(id)?.state == .found(content))
        #expect(try await store.content(.png, of: id) == "picture of A page")
        #expect(try await store.content(.webArchive, of: id) == "archive of A page")
        #expect(try await store.content(.thumbnail, of: id) == "small A page")
        #expect(try await store.content(.pdf, of: id) == nil)
        #expect(try await store.content(.viewer, of: id) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func resultOfAnOlderAttemptIsNotStored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add().id
        #expect(try await store.beginAgain(id) == 2)
        #expect(try await store.save(.page("older"), as: id, attempt: 1, at: .start) == nil)
        try await store.fail(id, attempt: 1, failure: .broken)
        #expect(try await store.page(id)?.state.isFetching == true)
        #expect(try await store.content(.png, of: id) == nil)
        #expect(try await store.save(.page("newer"), as: id, attempt: 2, at: .start)?.title == "newer")
        // The attempt can't be stored a second time, and can't fail afterwards.
        #expect(try await store.save(.page("again"), as: id, attempt: 2, at: .start) == nil)
        try await store.fail(id, attempt: 2, failure: .broken)
        #expect(try await store.page(id)?.state.value?.title == "newer")
        #expect(try await store.page(id)?.state.failureReason == nil)
        #expect(try await store.content(.png, of: id) == "picture of newer")
        #expect(fixture.folder == nil || fixture.folder?.fileCount == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func failureIsStoredUntilTheNextAttempt(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let page = try await store.add()
        try await store.fail(page.id, attempt: 1, failure: .broken)
        #expect(try await store.page(page.id)?.state == .failed(.broken, previous: nil))
        #expect(try await store.beginAgain(page.id) == 2)
        #expect(try await store.page(page.id)?.state == .fetching(page.request, previous: nil))
    }

    @Test(arguments: StoreKind.allCases)
    func storedContentStaysDuringANewAttempt(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addCaptured("first")
        try await store.saveViewer(Data("viewer".utf8), of: id)
        #expect(try await store.beginAgain(id) == 2)
        #expect(try await store.page(id)?.state.isFetching == true)
        #expect(try await store.page(id)?.state.value?.title == "first")
        try await store.fail(id, attempt: 2, failure: .broken)
        #expect(try await store.page(id)?.state.failureReason == .broken)
        #expect(try await store.page(id)?.state.value?.title == "first")
        #expect(try await store.content(.png, of: id) == "picture of first")
        _ = try await store.beginAgain(id)
        _ = try await store.save(.page("second"), as: id, attempt: 3, at: .start)
        #expect(try await store.content(.png, of: id) == "picture of second")
        // The viewer copy belonged to the first capture.
        #expect(try await store.content(.viewer, of: id) == nil)
        #expect(try await fixture.folder?.references ?? [0, 0, 0, 0, 1, 1, 1] == [0, 0, 0, 0, 1, 1, 1])
    }

    @Test(arguments: StoreKind.allCases)
    func missingPageCannotBeRetriedDeletedOrRestored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = SavedPage.ID()
        #expect(await error { _ = try await store.beginAgain(id) } == .notFound)
        #expect(await error { try await store.delete(id, at: .start) } == .notFound)
        #expect(await error { try await store.restore(id) } == .tooLate)
        #expect(await error { try await store.saveViewer(Data("viewer".utf8), of: id) } == .notFound)
        #expect(try await store.save(.page("none"), as: id, attempt: 1, at: .start) == nil)
        try await store.fail(id, attempt: 1, failure: .broken)
        #expect(fixture.folder == nil || fixture.folder?.fileCount == 0)
    }
}

// MARK: - Viewers

extension LibraryStoreTests {
    @Test(arguments: StoreKind.allCases)
    func viewerCopyIsStoredAndReplaced(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addCaptured()
        try await store.saveViewer(Data("first".utf8), of: id)
        #expect(try await store.content(.viewer, of: id) == "first")
        try await store.saveViewer(Data("the second".utf8), of: id)
        #expect(try await store.content(.viewer, of: id) == "the second")
        #expect(try await store.page(id)?.state.value?.sizes[.viewer] == 10)
        // The copy to download is another one.
        #expect(try await store.content(.html, of: id) == nil)
        try await store.saveViewer(Data("download".utf8), as: .html, of: id)
        #expect(try await store.content(.html, of: id) == "download")
        #expect(try await store.content(.viewer, of: id) == "the second")
        #expect(try await store.content(.png, of: id) == "picture of A page")
    }

    @Test(arguments: StoreKind.allCases)
    func viewerCopyOfAReplacedArchiveIsNotStored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addCaptured("first")
        let archive = try #require(try await store.file(.webArchive, of: id))
        #expect(try await store.beginAgain(id) == 2)
        // The page still has the first archive.
        let first = Data("first".utf8)
        #expect(try await store.saveViewer(first, as: .viewer, from: archive, of: id, owner: "ann"))
        _ = try await store.save(.page("second"), as: id, attempt: 2, at: .start)
        #expect(try await store.saveViewer(first, as: .viewer, from: archive, of: id, owner: "ann") == false)
        #expect(try await store.content(.viewer, of: id) == nil)
        try await store.saveViewer(Data("second".utf8), of: id)
        #expect(try await store.content(.viewer, of: id) == "second")
    }
}

import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

/// Records with numbers at the edge of what there is.
@Suite(.timeLimit(.minutes(10))) struct HostileRecordTests {
    @Test(arguments: StoreKind.allCases, [Int.max, .min, -1])
    func countsAtTheEdgeStayThere(kind: StoreKind, count: Int) async throws {
        let place = try await kind.place()
        defer { withExtendedLifetime(place) {} }
        let request = CaptureRequest(url: try #require(URL(string: "https://a.example/")), formats: [.png])
        let page = KeptPage(
            request: request, requestedAt: Date(timeIntervalSince1970: 1e300), attempt: count,
            state: .fetching(request, previous: nil))
        try await place.store.add(page, owner: "ann")
        let attempt = try await place.store.beginAgain(page.id)
        #expect(attempt == (count == .max ? .max : count + 1))
        #expect(try await place.store.page(page.id)?.attempt == attempt)
        try await place.store.fail(page.id, attempt: attempt, failure: .broken)
        try await place.store.delete(page.id, at: .start)
        try await place.store.purge(deletedBefore: .distantFuture)
        #expect(try await place.store.pages(ofOwner: "ann").isEmpty)
    }

    @Test(arguments: [Int.max, .min]) func aNumberOfPagesAtTheEdgeIsNoTrap(count: Int) async throws {
        let place = try await SQLitePlace()
        let kept = SQLiteStore(database: place.database, owner: "ann")
        let content = try StoredFormat<Int>("library.count").content(of: count)
        _ = try await kept.commit([StoreWrite("library/count", content)])
        let page = try await place.store.add()
        #expect(try await place.store.page(page.id) == page)
    }
}

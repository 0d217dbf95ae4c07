import Capture
import Foundation
import GRDB
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

/// Records with extreme numbers.
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

    /// Another program may have written these values.
    @Test(arguments: [
        "address = ''", "formats = 'png'", "formats = '{}'", "warnings = '[1]'", "url = '', captured_at = 1",
        "id = 'none'",
    ])
    func aRowThatMakesNoPageIsLeftOutAndTheOthersAreThere(change: String) async throws {
        let place = try await SQLitePlace()
        let (whole, damaged) = (try await place.store.addKept("whole"), try await place.store.addKept("damaged"))
        try await place.database.write { connection in
            try connection.execute(
                sql: "UPDATE library_page SET \(change) WHERE id = ?", arguments: [damaged.description])
        }
        #expect(try await place.store.pages(ofOwner: "ann").map(\.id) == [whole])
        #expect(await error { try await place.store.delete(damaged, at: .start) } == .notFound)
        #expect(await error { _ = try await place.store.beginAgain(damaged) } == .notFound)
        #expect(try await place.store.content(.png, of: whole) == "picture of whole")
        let rows = try await place.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM library_page") }
        #expect(rows == 2)
    }

    @Test func formatsAndKindsThatNobodyKnowsAreLeftOut() async throws {
        let place = try await SQLitePlace()
        let id = try await place.store.addKept()
        try await place.database.write { connection in
            try connection.execute(sql: #"UPDATE library_page SET formats = '["png", "gif"]'"#)
            try connection.execute(sql: "UPDATE library_file SET kind = 'gif' WHERE kind = 'thumbnail'")
        }
        let page = try #require(try await place.store.page(id))
        #expect(page.request.formats == [.png])
        #expect(page.state.value.map { Set($0.sizes.keys) } == [.png, .webArchive])
    }
}

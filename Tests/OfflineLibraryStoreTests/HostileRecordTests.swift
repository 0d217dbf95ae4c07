import Capture
import Foundation
import GRDB
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryStore

/// Records with extreme numbers or invalid values.
@Suite(.timeLimit(.minutes(10))) struct HostileRecordTests {
    @Test(arguments: StoreKind.allCases, [Int.max, .min, -1])
    func extremeAttemptNumbersDoNotOverflow(kind: StoreKind, count: Int) async throws {
        let fixture = try await kind.fixture()
        defer { withExtendedLifetime(fixture) {} }
        let request = CaptureRequest(url: try #require(URL(string: "https://a.example/")), formats: [.png])
        let page = SavedPage(
            request: request, requestedAt: Date(timeIntervalSince1970: 1e300), attempt: count,
            state: .fetching(request, previous: nil))
        try await fixture.store.add(page, owner: "ann")
        let attempt = try await fixture.store.beginAgain(page.id)
        #expect(attempt == (count == .max ? .max : count + 1))
        #expect(try await fixture.store.page(page.id)?.attempt == attempt)
        try await fixture.store.fail(page.id, attempt: attempt, failure: .broken)
        try await fixture.store.delete(page.id, at: .start)
        try await fixture.store.purge(deletedBefore: .distantFuture)
        #expect(try await fixture.store.pages(ofOwner: "ann").isEmpty)
    }

    /// Another program may have written these values.
    @Test(arguments: [
        "address = ''", "formats = 'png'", "formats = '{}'", "warnings = '[1]'", "url = '', captured_at = 1",
        "id = 'none'",
    ])
    func invalidRowIsOmittedAndOthersAreListed(change: String) async throws {
        let fixture = try await SQLiteFixture()
        let whole = try await fixture.store.addCaptured("whole")
        let damaged = try await fixture.store.addCaptured("damaged")
        try await fixture.database.write { connection in
            try connection.execute(
                sql: "UPDATE library_page SET \(change) WHERE id = ?", arguments: [damaged.description])
        }
        #expect(try await fixture.store.pages(ofOwner: "ann").map(\.id) == [whole])
        #expect(await error { try await fixture.store.delete(damaged, at: .start) } == .notFound)
        #expect(await error { _ = try await fixture.store.beginAgain(damaged) } == .notFound)
        #expect(try await fixture.store.content(.png, of: whole) == "picture of whole")
        let rows = try await fixture.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM library_page") }
        #expect(rows == 2)
    }

    /// A column that isn't read would be cleared by the next change of the page.
    @Test func everyColumnOfAPageIsRead() async throws {
        let fixture = try await SQLiteFixture()
        let columns = try await fixture.database.read { try $0.columns(in: "library_page").map(\.name) }
        let read = PageRow.columns.split { $0 == "," || $0.isWhitespace }.map(String.init)
        #expect(Set(read) == Set(columns))
        #expect(read.count == columns.count)
    }

    @Test func unknownFormatsAndKindsAreOmitted() async throws {
        let fixture = try await SQLiteFixture()
        let id = try await fixture.store.addCaptured()
        try await fixture.database.write { connection in
            try connection.execute(sql: #"UPDATE library_page SET formats = '["png", "gif"]'"#)
            try connection.execute(sql: "UPDATE library_file SET kind = 'gif' WHERE kind = 'thumbnail'")
        }
        let page = try #require(try await fixture.store.page(id))
        #expect(page.request.formats == [.png])
        #expect(page.state.value.map { Set($0.sizes.keys) } == [.png, .webArchive])
    }
}

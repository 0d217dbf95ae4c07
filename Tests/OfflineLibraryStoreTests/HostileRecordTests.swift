import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import SeededChance
import ServedPostgreSQL
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
    @Test(
        arguments: DatabaseKind.allCases,
        [
            "address = ''", "formats = 'png'", "formats = '{}'", "warnings = '[1]'", "url = '', captured_at = 1",
            "id = 'none'",
        ])
    func invalidRowIsOmittedAndOthersAreListed(_ kind: DatabaseKind, change: String) async throws {
        let fixture = try await SQLiteFixture(kind)
        let whole = try await fixture.store.addCaptured("whole")
        let damaged = try await fixture.store.addCaptured("damaged")
        try await fixture.changeRows("UPDATE library_page SET \(change) WHERE id = ?", arguments: [damaged.description])
        #expect(try await fixture.store.pages(ofOwner: "ann").map(\.id) == [whole])
        #expect(await error { try await fixture.store.delete(damaged, at: .start) } == .notFound)
        #expect(await error { _ = try await fixture.store.beginAgain(damaged) } == .notFound)
        #expect(try await fixture.store.content(.png, of: whole) == "picture of whole")
        #expect(try await fixture.values("SELECT count(*) FROM library_page") == [2])
    }

    /// PostgreSQL refuses long values in its indexes.
    @Test(arguments: DatabaseKind.allCases)
    func longAddressesAreStoredAndFound(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        var chance = SeededChance(seed: 1)
        // Random, because PostgreSQL compresses values.
        let random = String(
            (0..<100_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &chance) ?? "a" })
        let ids = [
            try await store.add("https://\(random).example/").id,
            try await store.add("https://b.example/\(random)").id,
        ]
        #expect(Set(try await store.pages(ofOwner: "ann").map(\.id)) == Set(ids))
        var filter = PageFilter()
        filter.site = PageSite("b.example")
        #expect(
            try await store.find(LibraryQuery(filter: filter), owner: "ann", range: 0..<9).pages.map(\.id) == [ids[1]])
        let url = try #require(URL(string: "https://b.example/\(random)"))
        let schedule = RecaptureSchedule(
            CaptureRequest(url: url, formats: [.png]), .daily, from: .start, zone: "UTC")
        try await store.setSchedule(schedule, owner: "ann")
        try await store.setSchedule(schedule, owner: "ann")
        #expect(try await store.schedules(ofOwner: "ann") == [schedule])
        let due = try await store.beginScheduled(ofAddress: schedule.key, owner: "ann", at: schedule.nextAt)
        let outcome = ScheduledOutcome.unchanged(ids[1])
        #expect(try await store.endScheduled(try #require(due), outcome, owner: "ann", at: .start))
        #expect(try await store.checks(ofAddress: url.pageKey, owner: "ann", limit: 9).map(\.page) == [ids[1]])
    }

    /// PostgreSQL's texts can't contain U+0000, and neither can its JSON.
    ///
    /// From SQLite, only the text before it is read.
    @Test func textsMayContainU0000() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let store = fixture.store
        let id = try await store.add().id
        let failure = CaptureFailure(code: "a\u{0}", message: "b\u{0}\u{1}", canRetry: true)
        try await store.fail(id, attempt: 1, failure: failure)
        #expect(try await store.page(id)?.state == .failed(failure, previous: nil))
        let url = try #require(URL(string: "https://a.example/"))
        let address = ImportedAddress(
            place: 1, address: url.absoluteString, title: "a\u{0}b", addedAt: nil, tags: ["c\u{0}"], folders: ["\u{0}"],
            note: "d\u{0}")
        let new = LibraryImport(
            id: LibraryImport.ID(), name: "\u{0}", format: .bookmarks, formats: [.png], createdAt: .start)
        try await store.addImport(
            new, entries: [ImportEntry(address, .waiting(url)), ImportEntry(address, .unusable("\u{0}"))], owner: "ann")
        let entry = try #require(try await store.waitingEntries(ofOwner: "ann", limit: 9).first)
        #expect(entry.title == address.title && entry.tags == address.tags && entry.note == address.note)
        let unusable = try await store.entries(.unusable, of: new.id, owner: "ann", limit: 9)
        #expect(unusable.map(\.reason) == ["\u{0}"])
        #expect(try await store.imports(ofOwner: "ann").map(\.name) == ["\u{0}"])
    }

    /// A column that isn't read would be cleared by the next change of the page.
    @Test(arguments: DatabaseKind.allCases)
    func everyColumnOfAPageIsRead(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let columns: [String] = try await fixture.values(
            kind == .sqlite
                ? "SELECT name FROM pragma_table_info('library_page')"
                : """
                SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = 'library_page'
                """)
        let read = PageRow.columns.split { $0 == "," || $0.isWhitespace }.map(String.init)
        #expect(Set(read) == Set(columns))
        #expect(read.count == columns.count)
    }

    @Test(arguments: DatabaseKind.allCases)
    func unknownFormatsAndKindsAreOmitted(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addCaptured()
        try await fixture.changeRows(
            #"UPDATE library_page SET formats = '["png", "gif"]'"#,
            "UPDATE library_file SET kind = 'gif' WHERE kind = 'thumbnail'")
        let page = try #require(try await fixture.store.page(id))
        #expect(page.request.formats == [.png])
        #expect(page.state.value.map { Set($0.sizes.keys) } == [.png, .webArchive])
    }
}

import Capture
import Foundation
import GRDB
import OfflineLibraryModel
import Persistence
import ServedPostgreSQL
import Testing

@testable import OfflineLibraryStore

extension LibraryStore {
    /// Adds a page with a text.
    fileprivate func addPage(
        _ text: String?, titled title: String = "A page", at address: String = "https://example.org",
        owner: OwnerID = "ann", seconds: TimeInterval = 0
    ) async throws -> SavedPage.ID {
        let id = try await add(address, owner: owner, at: seconds).id
        var capture = PageCapture.page(title)
        capture.text = text
        _ = try #require(try await save(capture, as: id, owner: owner, attempt: 1, at: .start))
        return id
    }

    fileprivate func find(
        _ text: String, owner: OwnerID = "ann", range: Range<Int> = 0..<50
    ) async throws -> [SavedPage.ID] {
        try await find(LibraryQuery(words: SearchWords(text)), owner: owner, range: range).pages.map(\.id)
    }
}

/// The search that all stores share.
@Suite(.timeLimit(.minutes(10))) struct CommonSearchTests {
    @Test(
        arguments: StoreKind.allCases,
        [
            "apple", "PIE apple", "  pie\tapple ", "ÄPPLE", "recipes.example", "apple recipes", "crème", "creme",
            "cr%C3%A8me", "cinnamon", "cinn", "apple cinnamon", "\"ground cinnamon\"", "apple -pear", "ａｐｐｌｅ",
        ])
    func wordsOfTitleAddressAndTextAreFound(_ kind: StoreKind, query: String) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addPage(
            "With ground cinnamon.", titled: "Apple pie", at: "https://recipes.example/cr%C3%A8me")
        _ = try await store.addPage("With nothing else.", titled: "A pear tart", at: "https://other.example/")
        #expect(try await store.find(query) == [id])
    }

    @Test(
        arguments: StoreKind.allCases,
        ["", " ", "\n", "tart", "apple tart", "\"cinnamon ground\"", "apple -cinnamon", "\"", "-", "*", "🙂"])
    func otherWordsAndNoWordsFindNothing(_ kind: StoreKind, query: String) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        _ = try await store.addPage("With ground cinnamon.", titled: "Apple pie", at: "https://recipes.example/")
        #expect(try await store.find(query) == [])
    }

    @Test(arguments: StoreKind.allCases, ["東京", "京都", "東", "都", "한국", "手机", "カナ", "\"東京 都市\"", "京都市"])
    func wordsWithinRunsOfCharactersAreFound(_ kind: StoreKind, query: String) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addPage("東京都 東京 都市 京都市 한국어 iPhone手机壳 カタカナ")
        _ = try await store.addPage("上海 中国")
        #expect(try await store.find(query) == [id])
    }

    @Test(arguments: StoreKind.allCases)
    func deletedPagesAreListedButNotCountedUntilTheyArePurged(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addPage("Apples")
        let other = try await store.addPage("Apples")
        let query = LibraryQuery(words: SearchWords("apples"))
        try await store.delete(id, at: .start)
        let found = try await store.find(query, owner: "ann", range: 0..<1)
        #expect(found.pages.count == 1 && found.count == 1 && found.hasMore)
        #expect(try await store.find("apples") == [other, id])
        try await store.restore(id)
        #expect(try await store.find(query, owner: "ann", range: 0..<2).count == 2)
        try await store.delete(id, at: .start)
        try await store.delete(other, at: .start)
        try await store.purge(deletedBefore: .distantFuture)
        #expect(try await store.find("apples") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func ownersFindOnlyTheirOwnPages(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addPage("Apples")
        let other = try await store.addPage("Apples", owner: "bob")
        #expect(try await store.find("apples") == [id])
        #expect(try await store.find("apples", owner: "bob") == [other])
        #expect(try await store.find("-pears", owner: "bob") == [other])
        #expect(try await store.find("apples", owner: "cleo") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func partsAreReturnedWithTheNumberOfAllPages(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        var ids: [SavedPage.ID] = []
        for second in 0..<5 { ids.append(try await store.addPage("Apples", seconds: TimeInterval(second))) }
        let newest = Array(ids.reversed())
        #expect(try await store.find("apples", range: 1..<3) == Array(newest[1..<3]))
        #expect(try await store.find("apples", range: 4..<9) == [newest[4]])
        #expect(try await store.find("apples", range: 7..<9) == [])
        let found = try await store.find(LibraryQuery(words: SearchWords("apples")), owner: "ann", range: 0..<2)
        #expect(found.count == 5 && found.hasMore && !found.isCutOff)
        // Pages without a word, the newest first.
        #expect(try await store.find("-pears") == newest)
    }

    @Test(arguments: StoreKind.allCases)
    func pageBeingCapturedIsFoundByItsAddress(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let page = try await store.add("https://waiting.example/some/path")
        #expect(try await store.find("waiting path") == [page.id])
    }

    @Test(arguments: StoreKind.allCases)
    func newCaptureReplacesTheTexts(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.addPage("Not here", titled: "Missing")
        let attempt = try await store.beginAgain(id)
        #expect(try await store.find("missing here") == [id])
        var capture = PageCapture.page("Apples")
        capture.text = "Pears"
        _ = try await store.save(capture, as: id, attempt: attempt, at: .start)
        #expect(try await store.find("missing") == [])
        #expect(try await store.find("here") == [])
        #expect(try await store.find("apples pears") == [id])
    }

    @Test(arguments: StoreKind.allCases)
    func textOfAnArchiveIsStoredOnceAndOnlyForThatArchive(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        _ = try await store.addPage("Known")
        let unread = try await store.addPage(nil)
        let archive = try #require(try await store.unreadArchive(after: .min))
        #expect(archive.page == unread && archive.owner == "ann")
        #expect(try await archive.file.read() == Data("archive of A page".utf8))
        #expect(try await store.unreadArchive(after: archive.number) == nil)
        var other = archive
        other.file.digest = String(repeating: "0", count: 64)
        try await store.saveText("Wrong", of: other)
        #expect(try await store.find("wrong") == [])
        try await store.saveText("Cinnamon", of: archive)
        #expect(try await store.find("cinnamon") == [unread])
        try await store.saveText("Late", of: archive)
        #expect(try await store.find("late") == [])
        #expect(try await store.unreadArchive(after: .min) == nil)
    }
}

/// The full-text search of databases.
@Suite(.timeLimit(.minutes(10))) struct DatabaseSearchTests {
    /// Every text of a few characters that could be syntax, and long ones.
    private static let hostile: [String] = {
        let pieces = [
            "\"", "'", "*", "-", "(", ")", "NEAR", "AND", "OR", "NOT", "^", ":", "+", "{", "a", "\u{0}", "東",
            "\u{FFFD}", ";",
        ]
        let pairs = pieces.flatMap { first in pieces.flatMap { [first + $0, "\(first) \($0)"] } }
        let long = [
            String(repeating: "\"", count: 100_000), String(repeating: "a ", count: 50_000),
            String(repeating: "東", count: 100_000), String(repeating: "-a ", count: 30_000),
            String(repeating: "e\u{301}", count: 50_000), "{title} : a", "title:a", "NEAR(a b, 10)", "a* b*",
            "\u{1E900}",
            "a AND \u{1E900}", "a -\u{1E900}", "\u{10FFFF}", "\u{E000}", "\u{202E}abc", "हिन्दी", "ไทย",
        ]
        return pairs + long
    }()

    @Test(arguments: DatabaseKind.allCases)
    func noSearchIsAnError(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addPage("a near and or not 東京 हिन्दी ไทย", titled: "title")
        for text in Self.hostile {
            let found = try await fixture.store.find(text)
            #expect(found == [] || found == [id], "\(text.prefix(40).debugDescription)")
        }
        #expect(try await fixture.store.find("NEAR") == [id])
        #expect(try await fixture.store.find("हिन्दी") == [id])
        #expect(try await fixture.store.find("ไทย") == [id])
    }

    @Test(arguments: DatabaseKind.allCases)
    func titleCountsMoreThanAddressAndAddressMoreThanText(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let filler = "and some other words that make the page as long as the others are"
        let text = try await store.addPage("apple \(filler)", seconds: 3)
        let address = try await store.addPage(filler, at: "https://apple.example", seconds: 2)
        let title = try await store.addPage(filler, titled: "The apple", seconds: 1)
        for number in 0..<20 { _ = try await store.addPage(filler, titled: "Page \(number)") }
        #expect(try await store.find("apple") == [title, address, text])
    }

    @Test(arguments: DatabaseKind.allCases)
    func newestOfEqualMatchesIsFirst(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let older = try await store.addPage("apple", seconds: 5)
        let oldest = try await store.addPage("apple", seconds: 1)
        let newest = try await store.addPage("apple", seconds: 9)
        #expect(try await store.find("apple") == [newest, older, oldest])
    }

    @Test(arguments: DatabaseKind.allCases)
    func excerptShowsTheMatchInItsContext(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let filler = Array(repeating: "filler", count: 100).joined(separator: " ")
        _ = try await fixture.store.addPage("\(filler) ripe <b>Äpfel</b> in 東京都市 \(filler)", titled: "Fruit")
        let query = LibraryQuery(words: SearchWords("apfel 京都"))
        let page = try await fixture.store.find(query, owner: "ann", range: 0..<1).pages.first
        let parts = try #require(page?.excerpt?.parts)
        #expect(parts.filter(\.isMatch).map(\.text) == ["Äpfel", "京都"])
        let text = parts.map(\.text).joined()
        #expect(text.contains("ripe <b>Äpfel</b> in 東京都市 filler") && text.hasPrefix("…") && text.count < 400)
        let named = try await fixture.store.find(
            LibraryQuery(words: SearchWords("fruit")), owner: "ann", range: 0..<1
        ).pages.first
        #expect(named != nil && named?.excerpt == nil)
    }

    @Test func indexFollowsEveryChangeOfThePages() async throws {
        let fixture = try await SQLiteFixture()
        let store = fixture.store
        for number in 0..<20 { _ = try await store.addPage("Text \(number)", titled: "東京 \(number)") }
        let id = try await store.addPage(nil, titled: "Unread")
        let archive = try #require(try await store.unreadArchive(after: .min))
        try await store.saveText("Read", of: archive)
        try await store.delete(id, at: .start)
        try await store.purge(deletedBefore: .distantFuture)
        // SQLite compares the index with the texts.
        try await fixture.changeRows("INSERT INTO library_search (library_search, rank) VALUES ('integrity-check', 1)")
        #expect(try await fixture.values("SELECT count(*) FROM library_text") == [20])
    }

    @Test(arguments: DatabaseKind.allCases)
    func manyMatchesAreCutOffButOldTitlesComeFirst(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let old = try await store.addPage("Nothing", titled: "Apple")
        let id =
            kind == .sqlite
            ? "printf('00000000-0000-4000-8000-%012d', n)"
            : "'00000000-0000-4000-8000-' || lpad(CAST(n AS TEXT), 12, '0')"
        try await fixture.changeRows(
            """
            WITH RECURSIVE counter (n) AS (
                SELECT 10 UNION ALL SELECT n + 1 FROM counter WHERE n < \(SQLiteLibraryStore.maximumRanked + 9))
            INSERT INTO library_page (number, id, owner, address, formats, requested_at, attempt, state)
            SELECT n, \(id), 'ann', 'https://b.example', '[]', n, 1, 'fetching' FROM counter
            """,
            """
            INSERT INTO library_text (page, title, address, body)
            SELECT number, 'Page', 'https://b.example', 'an apple and more' FROM library_page WHERE number >= 10
            """)
        if kind == .postgreSQL {
            try await fixture.changeRows(
                "UPDATE library_text SET search = CAST('page:1A an:3 apple:4 and:5 more:6' AS TSVECTOR) WHERE page >= 10"
            )
        }
        let found = try await store.find(LibraryQuery(words: SearchWords("apple")), owner: "ann", range: 0..<2)
        #expect(found.count == SQLiteLibraryStore.maximumRanked && found.isCutOff)
        #expect(found.pages.first?.id == old)
        let exact = try await store.find(LibraryQuery(words: SearchWords("nothing")), owner: "ann", range: 0..<2)
        #expect(exact.count == 1 && !exact.isCutOff)
    }

    @Test(arguments: DatabaseKind.allCases)
    func cancelledSearchEnds(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        _ = try await store.addPage("Apples")
        let search = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.find("apples")
        }
        let outcome = await search.result
        #expect(throws: (any Error).self) { try outcome.get() }
        #expect(try await store.find("apples").count == 1)
    }

    /// A library of 26 November 2026, whose pages have no searched texts.
    @Test func pagesOfTheLastSchemaAreFoundByTitleAndAddress() async throws {
        let folder = try await SQLiteFixture()
        let id = try await folder.store.addPage("Cinnamon", titled: "Äpple 東京都", at: "https://recipes.example/%C3%A4")
        try await folder.file.write { connection in
            try connection.execute(
                sql: """
                    DROP TABLE library_search; DROP TABLE library_text;
                    DELETE FROM grdb_migrations WHERE identifier = 'library.6'
                    """)
        }
        folder.database.close()
        let (store, database) = try await folder.another()
        defer { database.close() }
        for query in ["apple", "京都", "recipes ä"] { #expect(try await store.find(query) == [id], "\(query)") }
        #expect(try await store.find("cinnamon") == [])
        let archive = try #require(try await store.unreadArchive(after: .min))
        try await store.saveText("Cinnamon", of: archive)
        #expect(try await store.find("cinnamon") == [id])
    }
}

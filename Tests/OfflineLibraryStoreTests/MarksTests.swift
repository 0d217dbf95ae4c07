import Foundation
import GRDB
import OfflineLibraryModel
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Capture
@testable import OfflineLibraryStore

/// The marks and filters that all stores share.
@Suite(.timeLimit(.minutes(10))) struct CommonMarksTests {
    private static func marks(_ tags: String = "", note: String = "", isFavourite: Bool = false) throws -> PageMarks {
        try PageMarks(isFavourite: isFavourite, tags: PageTag.tags(in: tags), note: note)
    }

    private static func capture(_ title: String, at address: String) throws -> PageCapture {
        var capture = PageCapture.page(title)
        capture.url = try #require(URL(string: address))
        capture.warnings = []
        return capture
    }

    private static func find(
        _ words: String = "", in store: any LibraryStore, _ change: (inout PageFilter) -> Void = { _ in }
    ) async throws -> [SavedPage.ID] {
        var filter = PageFilter()
        change(&filter)
        let query = LibraryQuery(words: SearchWords(words), filter: filter)
        return try await store.find(query, owner: "ann", range: 0..<50).pages.map(\.id)
    }

    @Test(arguments: StoreKind.allCases)
    func pagesAreFoundByPort(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let addresses = [
            "http://localhost:8080/a", "http://localhost:8081/", "http://localhost/?u=http://localhost:8080/",
            "https://WWW.localhost:8080", "http://[::1]:8080/", "http://ä.example:8080/", "http://xn--4ca.example/",
        ]
        var ids: [SavedPage.ID] = []
        for address in addresses { ids.append(try await fixture.store.add(address).id) }
        for (site, found) in [
            ("localhost", [0, 1, 2, 3]), ("localhost:8080", [0, 3]), ("http://LOCALHOST:8080/b", [0, 3]),
            ("localhost:80", [0, 1, 2, 3]), ("localhost:9", []), ("[::1]:8080", [4]), ("[::1]", [4]),
            ("Ä.example", [5, 6]), ("xn--4ca.example", [5, 6]), ("ä.example:8080", [5]),
        ] {
            let pages = try await Self.find(in: fixture.store) { $0.site = PageSite(site) }
            #expect(Set(pages) == Set(found.map { ids[$0] }), "\(site)")
            let titled = try await Self.find("localhost", in: fixture.store) { $0.site = PageSite(site) }
            #expect(Set(titled) == Set(found.filter { $0 < 4 }.map { ids[$0] }), "localhost at \(site)")
        }
        #expect(["", " ", "http:///a"].allSatisfy { PageSite($0) == nil })
        #expect(PageSite("https://www.Page.example:443/a").map(\.description) == "page.example")
        #expect(PageSite("http://[::1]:8080/").map(\.description) == "[::1]:8080")
    }

    @Test(arguments: StoreKind.allCases)
    func marksAreReplaced(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let ids = [try await store.add("https://a.example").id, try await store.add("https://b.example").id]
        let marks = try Self.marks("b, a, Ünïcode", note: "A\u{0} note\nof two lines", isFavourite: true)
        try await store.setMarks([ids[0]: marks, ids[1]: Self.marks("a")], owner: "ann")
        func stored() async throws -> [PageMarks?] {
            let pages = try await store.pages(ofOwner: "ann")
            return ids.map { id in pages.first { $0.id == id }?.marks }
        }
        #expect(try await stored() == [marks, Self.marks("a")])
        try await store.setMarks([ids[0]: Self.marks("c")], owner: "ann")
        // Other owners' pages, deleted and unknown ones are skipped.
        try await store.setMarks([ids[1]: Self.marks("x")], owner: "bob")
        try await store.delete(ids[1], at: .start)
        try await store.setMarks([ids[1]: Self.marks("x"), SavedPage.ID(): Self.marks("x")], owner: "ann")
        #expect(try await stored() == [Self.marks("c"), Self.marks("a")])
        try await store.purge(deletedBefore: .distantFuture)
        #expect(try await stored() == [Self.marks("c"), nil])
    }

    @Test(arguments: StoreKind.allCases)
    func marksAreKeptByANewCapture(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add("https://a.example").id
        try await store.setMarks([id: Self.marks("plums", note: "figs", isFavourite: true)], owner: "ann")
        _ = try await store.save(.page("Apples"), as: id, attempt: 1, at: .start)
        let attempt = try await store.beginAgain(id)
        _ = try await store.save(.page("Pears"), as: id, attempt: attempt, at: .start)
        #expect(try await store.pages(ofOwner: "ann").first?.marks.note == "figs")
        #expect(try await Self.find("plums figs pears", in: store) == [id])
    }

    @Test(arguments: StoreKind.allCases)
    func tagsAndNotesAreFoundByTheirWords(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add("https://a.example").id
        _ = try await store.add("https://b.example")
        try await store.setMarks([id: Self.marks("Stone fruit", note: "Ripe plums, 東京")], owner: "ann")
        for words in ["stone", "plums fruit", "京", "\"ripe plums\"", "plu"] {
            #expect(try await Self.find(words, in: store) == [id], "\(words)")
        }
        try await store.setMarks([id: Self.marks("Stone fruit")], owner: "ann")
        #expect(try await Self.find("plums", in: store) == [])
        #expect(try await Self.find("stone", in: store) == [id])
    }

    @Test(arguments: StoreKind.allCases)
    func filtersCombine(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        var ids: [SavedPage.ID] = []
        for (second, host) in ["a.example", "www.b.example", "B.example:8080", "c.example"].enumerated() {
            ids.append(try await store.add("https://\(host)/path", at: TimeInterval(second)).id)
        }
        let complete = try Self.capture("Apples", at: "https://a.example/path")
        _ = try await store.save(complete, as: ids[0], attempt: 1, at: .start)
        var partial = try Self.capture("Apples", at: "https://b.example/other")
        partial.warnings = [.init(kind: .missingResources, message: "1 of 2 parts didn’t load.")]
        _ = try await store.save(partial, as: ids[1], attempt: 1, at: .start)
        try await store.fail(ids[2], attempt: 1, failure: .stopped)
        try await store.setMarks(
            [
                ids[0]: Self.marks("fruit, red", isFavourite: true), ids[1]: Self.marks("Fruit", note: "Sour"),
                ids[3]: Self.marks(note: "Later", isFavourite: true),
            ], owner: "ann")
        func found(_ words: String = "", _ change: (inout PageFilter) -> Void) async throws -> [Int] {
            try await Self.find(words, in: store, change).map { ids.firstIndex(of: $0) ?? -1 }
        }
        #expect(try await found { $0.isFavourite = true } == [3, 0])
        #expect(try await found { $0.hasNote = true } == [3, 1])
        #expect(try await found { $0.tag = PageTag("FRUIT") } == [1, 0])
        #expect(try await found { $0.tag = PageTag("none") } == [])
        #expect(try await found { $0.site = PageSite("b.example") } == [2, 1])
        #expect(try await found { $0.outcome = .complete } == [0])
        #expect(try await found { $0.outcome = .partial } == [1])
        #expect(try await found { $0.outcome = .failed } == [2])
        #expect(try await found { $0.since = .start + 1 } == [3, 2, 1])
        #expect(try await found { ($0.since, $0.before) = (.start + 1, .start + 3) } == [2, 1])
        // The shorter address makes the match of the other page better.
        #expect(Set(try await found("apples") { $0.tag = PageTag("fruit") }) == [1, 0])
        #expect(try await found("apples") { ($0.tag, $0.isFavourite) = (PageTag("fruit"), true) } == [0])
        #expect(try await found("-sour") { $0.tag = PageTag("fruit") } == [0])
        #expect(try await found("pears") { $0.isFavourite = true } == [])
    }
}

/// Marks in databases.
@Suite(.timeLimit(.minutes(10))) struct SQLiteMarksTests {
    @Test(arguments: DatabaseKind.allCases)
    func marksSurviveARestart(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.add("https://a.example").id
        let marks = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "b, a"), note: "Note")
        try await fixture.store.setMarks([id: marks], owner: "ann")
        let other = try await fixture.another()
        #expect(try await other.store.pages(ofOwner: "ann").first?.marks == marks)
        other.database.close()
    }

    /// All pages of a change are stored, or none.
    @Test(arguments: DatabaseKind.allCases)
    func failedChangeStoresNothing(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let ids = [try await store.add("https://a.example").id, try await store.add("https://b.example").id]
        try await fixture.refuse(insertionInto: "library_tag", where: "NEW.name = 'bad'")
        let good = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "good"), note: "")
        let bad = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "bad"), note: "")
        await #expect(throws: LibraryError.self) {
            try await store.setMarks([ids[0]: good, ids[1]: bad], owner: "ann")
        }
        #expect(try await store.pages(ofOwner: "ann").allSatisfy { $0.marks == PageMarks() })
    }

    /// The migration adds the hosts of the pages that earlier versions saved.
    @Test func earlierPagesAreFoundByTheirHosts() async throws {
        let folder = try TemporaryFolder()
        let earlier = try await AppDatabase.open(
            in: DataFolder.open(at: folder.path),
            migrations: Array(LibraryMigrations.all.prefix { $0.identifier != "library.7" }))
        let ids = [SavedPage.ID(), SavedPage.ID()]
        try await earlier.write { [ids] connection in
            for (id, url) in zip(ids, ["'https://www.Moved.example/'", "NULL"]) {
                let (state, time) = url == "NULL" ? ("fetching", "NULL") : ("found", "1")
                try connection.execute(
                    sql: """
                        INSERT INTO library_page (id, owner, address, formats, requested_at, attempt, state, url, captured_at)
                        VALUES ('\(id)', 'ann', 'https://first.example/', '[]', 1, 1, '\(state)', \(url), \(time))
                        """)
            }
        }
        earlier.close()
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: folder.path), migrations: LibraryMigrations.all)
        let store = SQLiteLibraryStore(database: database, blobs: BlobStore(database: database))
        for (host, id) in zip(["moved.example", "first.example"], ids) {
            var filter = PageFilter()
            filter.site = PageSite(host)
            let found = try await store.find(LibraryQuery(filter: filter), owner: "ann", range: 0..<9)
            #expect(found.pages.map(\.id) == [id])
        }
        database.close()
    }
}

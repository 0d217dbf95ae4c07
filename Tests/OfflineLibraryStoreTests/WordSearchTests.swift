import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import SeededChance
import ServedPostgreSQL
import Testing

@testable import Capture
@testable import OfflineLibraryStore

/// PostgreSQL's index, compared with FTS5.
@Suite(.timeLimit(.minutes(10))) struct WordSearchTests {
    private static let words = [
        "apple", "Apples", "app", "pear", "PEAR", "pie", "a", "of", "Äpfel", "ÄPFEL", "apfel", "crème", "naïve", "I",
        "café", "Straße", "şeker", "Tiếng", "Việt", "яблоко", "Йод", "иод", "ΆΛΦΑ", "άλφα", "İstanbul", "łódź", "x2",
        "42",
        "4.2", "don't", "snake_case", "a-b", "e\u{301}te", "東京", "東京都", "京都市", "都", "한국어", "カタカナ", "iPhone手机", "हिन्दी",
        "ไทย", "שָׁלוֹם", "العَرَبِيَّة", "🍎", "½", "ﬁn", "²", "\u{E000}", "q\u{315}r", "\u{0}", "\\", "'", "\"", ":*", "&",
        "|",
        "!", "(", ")", "<->", "\u{200B}", "\u{FEFF}", "\u{AD}",
    ]
    private static let separators = [" ", " ", " ", " ", ". ", ", ", ": ", "\n", "-", ""]

    private static func text(_ count: Int, _ chance: inout SeededChance) -> String {
        var text = ""
        for _ in 0..<count {
            text += words.randomElement(using: &chance) ?? ""
            text += separators.randomElement(using: &chance) ?? ""
        }
        return text
    }

    private static func query(_ chance: inout SeededChance) -> String {
        let terms = (0..<Int.random(in: 1...3, using: &chance)).map { number in
            let length = Int.random(in: 1...2, using: &chance)
            var term = (0..<length).map { _ in words.randomElement(using: &chance) ?? "" }.joined(separator: " ")
            if Int.random(in: 0..<3, using: &chance) == 0 { term = String(term.prefix(2)) }
            if length == 2 { term = "\"\(term)\"" }
            return number > 0 && Int.random(in: 0..<4, using: &chance) == 0 ? "-\(term)" : term
        }
        return terms.joined(separator: " ")
    }

    /// Only the order may differ: FTS5 ranks by BM25, which also counts how rare a word is.
    @Test(arguments: 1...2) func findsThePagesAndExcerptsOfFTS5(seed: Int) async throws {
        var chance = SeededChance(seed: seed)
        let (first, second) = (try await SQLiteFixture(), try await SQLiteFixture(.postgreSQL))
        for number in 0..<40 {
            var capture = PageCapture.page(Self.text(Int.random(in: 1...4, using: &chance), &chance))
            capture.text = Self.text(Int.random(in: 0...90, using: &chance), &chance)
            let note = Self.text(Int.random(in: 0...2, using: &chance), &chance)
            let url = try #require(URL(string: "https://example.org/\(number)"))
            let request = CaptureRequest(url: url, formats: [.png])
            let page = SavedPage(
                request: request, requestedAt: .start + TimeInterval(number),
                state: .fetching(request, previous: nil))
            let marks = try PageMarks(isFavourite: false, tags: PageTag.tags(in: "fruit"), note: note)
            for store in [first.store, second.store] {
                try await store.add(page, owner: "ann")
                _ = try await store.save(capture, as: page.id, owner: "ann", attempt: 1, at: .start)
                try await store.setMarks([page.id: marks], owner: "ann")
            }
        }
        for _ in 0..<150 {
            let text = Self.query(&chance)
            let query = LibraryQuery(words: SearchWords(text))
            let expected = try await first.store.find(query, owner: "ann", range: 0..<100)
            let found = try await second.store.find(query, owner: "ann", range: 0..<100)
            let excerpts = found.pages.reduce(into: [SavedPage.ID: TextExcerpt?]()) { $0[$1.id] = $1.excerpt }
            #expect(Set(excerpts.keys) == Set(expected.pages.map(\.id)), "\(text.debugDescription)")
            for page in expected.pages where excerpts[page.id] != nil {
                #expect(excerpts[page.id] == page.excerpt, "\(text.debugDescription)")
            }
        }
    }

    private static func add(
        _ text: String, titled title: String = "A page", at address: String = "https://example.org",
        to store: SQLiteLibraryStore
    ) async throws -> SavedPage.ID {
        let id = try await store.add(address).id
        var capture = PageCapture.page(title)
        capture.text = text
        _ = try #require(try await store.save(capture, as: id, owner: "ann", attempt: 1, at: .start))
        return id
    }

    private static func find(_ text: String, in store: SQLiteLibraryStore) async throws -> [FoundPages.Page] {
        try await store.find(LibraryQuery(words: SearchWords(text)), owner: "ann", range: 0..<50).pages
    }

    @Test func wordsBeyondTheLastPositionAreFoundAlone() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let words = Array(repeating: "filler", count: 20_000).joined(separator: " ")
        let id = try await Self.add("first words \(words) last words", to: fixture.store)
        for query in ["first", "last", "last words", "\"first words\"", "filler"] {
            let found = try await Self.find(query, in: fixture.store)
            #expect(found.map(\.id) == [id], "\(query)")
            #expect(found.first?.excerpt?.parts.contains { $0.isMatch } == true)
        }
        #expect(try await Self.find("\"last words\"", in: fixture.store) == [])
    }

    @Test func textWithTooManyWordsIsFoundByTheFirst() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let words = (100_000..<180_000).map { "word\($0)" }.joined(separator: " ")
        let id = try await Self.add(words, titled: "Numbers", to: fixture.store)
        for query in ["word100000", "word116000", "\"word100001 word100002\"", "numbers"] {
            #expect(try await Self.find(query, in: fixture.store).map(\.id) == [id], "\(query)")
        }
        #expect(try await Self.find("word179999", in: fixture.store) == [])
    }

    @Test(arguments: ["a", "ä", "я", "𝒂", "\u{E000}", "\u{10FFFD}"])
    func longWordIsFoundByItsBeginning(letter: String) async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let word = String(repeating: letter, count: 10_000)
        let id = try await Self.add("\(word) end", to: fixture.store)
        #expect(try await Self.find(String(word.prefix(150)), in: fixture.store).map(\.id) == [id])
        #expect(try await Self.find("end", in: fixture.store).map(\.id) == [id])
    }

    /// With FTS5, enough matches in a text outweigh one in a title.
    @Test func titleComesBeforeAnyNumberOfMatchesInTheText() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let filler = (0..<1_000).map { "word\($0)" }.joined(separator: " ")
        let title = try await Self.add(filler, titled: "About an apple and a pear", to: fixture.store)
        let repeated = String(repeating: "apple pear ", count: 2_000)
        let texts = [
            try await Self.add("apple pear", to: fixture.store), try await Self.add(repeated, to: fixture.store),
        ]
        for query in ["apple", "apple pear", "app"] {
            let found = try await Self.find(query, in: fixture.store).map(\.id)
            #expect(found.first == title && Set(found) == Set([title] + texts), "\(query)")
        }
    }

    @Test func indexFollowsEveryChangeOfThePages() async throws {
        let fixture = try await SQLiteFixture(.postgreSQL)
        let store = fixture.store
        let id = try await Self.add("Some words", titled: "東京", to: store)
        let marks = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "fruit"), note: "A note")
        try await store.setMarks([id: marks], owner: "ann")
        _ = try await store.save(.page("Again"), as: id, attempt: store.beginAgain(id), at: .start)
        let archive = try #require(try await store.unreadArchive(after: .min))
        try await store.saveText("Read later", of: archive)
        _ = try await Self.add("Other words", to: store)
        let url = try #require(URL(string: "https://example.org"))
        let request = CaptureRequest(url: url, formats: [.png])
        let schedule = RecaptureSchedule(request, .daily, from: .start, zone: "UTC")
        try await store.setSchedule(schedule, owner: "ann")
        let time = Date.start + 1_000_000
        let begun = try #require(
            try await store.beginScheduled(ofAddress: url.pageKey, owner: "ann", at: time))
        let version = ScheduledOutcome.changed(.page("New version"), as: try #require(begun.running))
        #expect(try await store.endScheduled(begun, version, owner: "ann", at: time))
        let restored = SavedPage(request: request, requestedAt: .start, state: .fetching(request, previous: nil))
        _ = try await store.addRestored(restored, files: [.text: Data("Restored".utf8)], owner: "ann")
        let isCurrent = try await fixture.database.readRows { connection in
            try connection.rows("SELECT title, note, address, body, page FROM library_text").map { row in
                var vector = WordVector()
                vector.add(try row.decode(atIndex: 0), weight: .title)
                vector.add(try row.decode(atIndex: 1), weight: .note)
                vector.add(try row.decode(atIndex: 2), weight: .address)
                vector.add(try row.decode(String?.self, atIndex: 3) ?? "", weight: .body)
                return try connection.value(
                    "SELECT search = CAST(? AS TSVECTOR) FROM library_text WHERE page = ?",
                    [vector.text, try row.decode(Int64.self, atIndex: 4)], as: Bool.self) ?? false
            }
        }
        #expect(isCurrent.count == 4 && isCurrent.allSatisfy { $0 })
    }
}

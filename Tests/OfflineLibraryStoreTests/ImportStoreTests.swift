import Capture
import Foundation
import Loading
import MemoryStores
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServedPostgreSQL
import Testing

/// Tests how stores keep imports.
@Suite(.timeLimit(.minutes(10))) struct ImportStoreTests {
    private typealias Store = LibraryStore & ImportStore

    private func withStore(_ kind: StoreKind, _ body: (any Store) async throws -> Void) async throws {
        let fixture = try await kind.fixture()
        try await body(try #require(fixture.store as? any Store))
        withExtendedLifetime(fixture) {}
    }

    private static func new(_ name: String = "bookmarks.html", at seconds: TimeInterval = 0) -> LibraryImport {
        LibraryImport(
            id: LibraryImport.ID(), name: name, format: .bookmarks, formats: [.png, .webArchive],
            createdAt: .start + seconds)
    }

    private static func entry(_ name: String, place: Int = 1, addedAt: Date? = nil) throws -> ImportEntry {
        let url = try #require(URL(string: "https://\(name).example/"))
        let address = ImportedAddress(
            place: place, address: url.absoluteString, title: "The title “\(name)”", addedAt: addedAt,
            tags: ["a \"tag\"", "b"], folders: ["Outer", "Inner"])
        return ImportEntry(address, .waiting(url))
    }

    @Test(arguments: StoreKind.allCases)
    func notesAreAddedOrStayInTheReport(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let saved = try await store.addCaptured()
            func noted(_ name: String, place: Int, _ state: ImportEntry.State? = nil) throws -> ImportEntry {
                var entry = try Self.entry(name, place: place)
                entry.address.note = "The note of \(name)"
                if let state { entry.state = state }
                return entry
            }
            let new = Self.new()
            let entries = [
                try noted("a", place: 1), try noted("b", place: 2, .alreadySaved(saved)),
                try noted("c", place: 3, .repeated), try noted("d", place: 4),
            ]
            try await store.addImport(new, entries: entries, owner: "ann")
            // The note of a repeated address can't be added.
            #expect(try await store.imports(ofOwner: "ann").first?.counts.otherNotes == 1)
            let waiting = try await store.waitingEntries(ofOwner: "ann", limit: 9)
            #expect(waiting.map(\.note) == ["The note of a", "The note of d"])
            #expect(waiting.map(\.title) == ["The title “a”", "The title “d”"])
            var page = Self.page(waiting[0])
            page.marks.note = waiting[0].note
            page.givenTitle = waiting[0].title
            _ = try await store.start([(waiting[0], page)], known: [(waiting[1], saved)], owner: "ann")
            let started = try #require(try await store.pages(ofOwner: "ann").first { $0.id == page.id })
            #expect(started.marks.note == "The note of a" && started.givenTitle == "The title “a”")
            var filter = PageFilter()
            filter.hasNote = true
            let query = LibraryQuery(words: SearchWords("note"), filter: filter)
            #expect(try await store.find(query, owner: "ann", range: 0..<9).pages.map(\.id) == [page.id])
            // No entry waits for its page, but two do for their notes.
            #expect(try await store.ownersWithWaitingEntries() == ["ann"])
            let noted = try await store.notedEntries(ofOwner: "ann", limit: 9)
            #expect(noted.map(\.note) == ["The note of b", "The note of d"] && noted.allSatisfy { $0.page == saved })
            #expect(noted.allSatisfy { $0.tags == ["a \"tag\"", "b"] })
            #expect(try await store.notedEntries(ofOwner: "ann", limit: 1) == [noted[0]])
            #expect(try await store.notedEntries(ofOwner: "bob", limit: 9).isEmpty)
            try await store.settle([(noted[0], true), (noted[1], false)], owner: "bob")
            #expect(try await store.notedEntries(ofOwner: "ann", limit: 9) == noted)
            try await store.settle([(noted[0], true), (noted[1], false)], owner: "ann")
            #expect(try await store.notedEntries(ofOwner: "ann", limit: 9).isEmpty)
            #expect(try await store.ownersWithWaitingEntries().isEmpty)
            let counts = try #require(try await store.imports(ofOwner: "ann").first?.counts)
            #expect((counts.otherNotes, counts.alreadySaved, counts.total) == (2, 2, 4))
            let reported = try await store.entries(.otherNotes, of: new.id, owner: "ann", limit: 9)
            #expect(reported.map(\.reason) == ["The note of c", "The note of d"] && reported.map(\.place) == [3, 4])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func tagsAreAddedWithoutANote(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let saved = try await store.addCaptured()
            var plain = try Self.entry("plain", place: 2)
            plain.address.tags = []
            plain.state = .alreadySaved(saved)
            var tagged = try Self.entry("tagged", place: 1)
            tagged.state = .alreadySaved(saved)
            try await store.addImport(Self.new(), entries: [tagged, plain], owner: "ann")
            let due = try await store.notedEntries(ofOwner: "ann", limit: 9)
            #expect(due.map(\.tags) == [["a \"tag\"", "b"]] && due.map(\.note) == [""])
            #expect(try await store.ownersWithWaitingEntries() == ["ann"])
            try await store.settle([(due[0], true)], owner: "ann")
            #expect(try await store.notedEntries(ofOwner: "ann", limit: 9).isEmpty)
            #expect(try await store.imports(ofOwner: "ann").first?.counts.otherNotes == 0)
        }
    }

    private static func page(_ entry: WaitingEntry) -> SavedPage {
        SavedPage(
            request: entry.request, requestedAt: entry.addedAt ?? .start,
            state: .fetching(entry.request, previous: nil))
    }

    @Test(arguments: StoreKind.allCases)
    func addedPagesHaveTheirTags(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            try await store.addImport(Self.new(), entries: [Self.entry("a")], owner: "ann")
            let entry = try #require(try await store.waitingEntries(ofOwner: "ann", limit: 1).first)
            var page = Self.page(entry)
            page.marks.tags = entry.tags.compactMap { PageTag($0) }
            _ = try await store.start([(entry, page)], known: [], owner: "ann")
            #expect(try await store.pages(ofOwner: "ann").first?.marks == page.marks)
            var filter = PageFilter()
            filter.tag = PageTag("B")
            let query = LibraryQuery(words: SearchWords("tag"), filter: filter)
            #expect(try await store.find(query, owner: "ann", range: 0..<9).pages.map(\.id) == [page.id])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func importHasItsNumbersAndWaitingEntries(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let saved = try await store.addCaptured()
            let added = Date(timeIntervalSince1970: 1_500_000_000.25)
            var entries = [try Self.entry("a", addedAt: added), try Self.entry("b", place: 2)]
            entries.append(ImportEntry(entries[0].address, .alreadySaved(saved)))
            entries.append(ImportEntry(entries[0].address, .repeated))
            var unusable = entries[0].address
            unusable.address = "javascript:alert('\u{600}')"
            entries.append(ImportEntry(unusable, .unusable("It isn’t a web address.")))
            let new = Self.new()
            try await store.addImport(new, entries: entries, owner: "ann")
            var stored = try #require(try await store.imports(ofOwner: "ann").first)
            #expect(stored.counts.waiting == 2 && stored.counts.total == 5)
            #expect((stored.counts.alreadySaved, stored.counts.repeated, stored.counts.unusable) == (1, 1, 1))
            stored.counts = LibraryImport.Counts()
            #expect(stored == new)
            #expect(try await store.imports(ofOwner: "bob").isEmpty)
            #expect(try await store.ownersWithWaitingEntries() == ["ann"])
            let waiting = try await store.waitingEntries(ofOwner: "ann", limit: 10)
            #expect(waiting.map(\.request.url.absoluteString) == ["https://a.example/", "https://b.example/"])
            #expect(waiting.map(\.addedAt) == [added, nil])
            #expect(waiting.allSatisfy { $0.tags == ["a \"tag\"", "b"] })
            #expect(waiting.allSatisfy { $0.request.formats == [.png, .webArchive] })
            #expect(try await store.waitingEntries(ofOwner: "ann", limit: 1) == [waiting[0]])
            #expect(try await store.waitingEntries(ofOwner: "bob", limit: 10).isEmpty)
            let reported = try await store.entries(.unusable, of: new.id, owner: "ann", limit: 10)
            #expect(
                reported == [
                    ReportedEntry(
                        place: 1, address: unusable.address, title: unusable.title, reason: "It isn’t a web address.")
                ])
            #expect(try await store.entries(.unusable, of: new.id, owner: "bob", limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func startedPagesAreCountedByTheirState(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let new = Self.new()
            let names = ["a", "b", "c", "d"]
            try await store.addImport(new, entries: try names.map { try Self.entry($0) }, owner: "ann")
            let waiting = try await store.waitingEntries(ofOwner: "ann", limit: 10)
            let known = try await store.addCaptured()
            let pages = waiting.prefix(3).map { (entry: $0, page: Self.page($0)) }
            let started = try await store.start(pages, known: [(waiting[3], known)], owner: "ann")
            #expect(started == pages.map(\.page))
            // A second start, as of another process, adds nothing.
            #expect(try await store.start(pages, known: [], owner: "ann").isEmpty)
            #expect(try await store.waitingEntries(ofOwner: "ann", limit: 10).isEmpty)
            // The tags of the known address must still be added.
            #expect(try await store.ownersWithWaitingEntries() == ["ann"])
            #expect(try await store.pages(ofOwner: "ann").count == 4)
            _ = try await store.save(.page("A"), as: started[0].id, attempt: 1, at: .start)
            try await store.fail(started[1].id, attempt: 1, failure: .broken)
            var counts = try #require(try await store.imports(ofOwner: "ann").first?.counts)
            #expect((counts.saved, counts.failed, counts.saving, counts.alreadySaved) == (1, 1, 1, 1))
            let failed = try await store.entries(.failed, of: new.id, owner: "ann", limit: 10)
            #expect(failed.map(\.reason) == [CaptureFailure.broken.message])
            try await store.delete(started[1].id, at: .start)
            #expect(try await store.entries(.failed, of: new.id, owner: "ann", limit: 10).isEmpty)
            try await store.purge(deletedBefore: .start + 1)
            counts = try #require(try await store.imports(ofOwner: "ann").first?.counts)
            #expect((counts.saved, counts.failed, counts.deleted, counts.total) == (1, 0, 1, 4))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func removedImportLeavesItsPages(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let (first, second) = (Self.new("1"), Self.new("2", at: 1))
            try await store.addImport(first, entries: [try Self.entry("a"), try Self.entry("b")], owner: "ann")
            try await store.addImport(second, entries: [try Self.entry("c")], owner: "ann")
            #expect(try await store.imports(ofOwner: "ann").map(\.name) == ["2", "1"])
            let waiting = try await store.waitingEntries(ofOwner: "ann", limit: 1)
            _ = try await store.start(waiting.map { ($0, Self.page($0)) }, known: [], owner: "ann")
            #expect(await error { try await store.removeImport(first.id, owner: "bob") } == .noSuchImport)
            try await store.removeImport(first.id, owner: "ann")
            #expect(await error { try await store.removeImport(first.id, owner: "ann") } == .noSuchImport)
            #expect(try await store.imports(ofOwner: "ann").map(\.id) == [second.id])
            let next = try await store.waitingEntries(ofOwner: "ann", limit: 10)
            #expect(next.map(\.request.url.absoluteString) == ["https://c.example/"])
            #expect(try await store.pages(ofOwner: "ann").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func numberOfImportsIsLimited(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            for number in 0..<ImportLimits.imports {
                try await store.addImport(Self.new("\(number)"), entries: [], owner: "ann")
            }
            let refusal = await error { try await store.addImport(Self.new(), entries: [], owner: "ann") }
            guard case .overBudget(let reason) = refusal else {
                Issue.record("\(String(describing: refusal))")
                return
            }
            #expect(reason.kind == .count)
            try await store.addImport(Self.new(), entries: [], owner: "bob")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func pagesBeyondTheBudgetKeepWaiting(kind: StoreKind) async throws {
        var budget = OwnerBudget()
        budget[.pages] = 2
        let fixture: SQLiteFixture?
        if let database = kind.database {
            fixture = try await SQLiteFixture(database, budget: budget)
        } else {
            fixture = nil
        }
        let store: any Store = fixture?.store ?? MemoryLibraryStore(budget: budget)
        try await store.addImport(
            Self.new(), entries: try ["a", "b", "c"].map { try Self.entry($0) }, owner: "ann")
        let waiting = try await store.waitingEntries(ofOwner: "ann", limit: 10)
        let pages = waiting.map { (entry: $0, page: Self.page($0)) }
        #expect(try await store.start(pages, known: [], owner: "ann").count == 2)
        let rest = try await store.waitingEntries(ofOwner: "ann", limit: 10)
        #expect(rest == [waiting[2]])
        let refusal = await error { _ = try await store.start([pages[2]], known: [], owner: "ann") }
        guard case .overBudget = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        withExtendedLifetime(fixture) {}
    }

    /// Tags and folders are stored until the library has tags.
    @Test(arguments: DatabaseKind.allCases)
    func tagsAndFoldersAreStored(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        try await fixture.store.addImport(Self.new(), entries: [try Self.entry("a")], owner: "ann")
        let stored: [String] = try await fixture.values(
            "SELECT tags FROM library_import_entry UNION ALL SELECT folders FROM library_import_entry")
        let texts = try stored.flatMap { try JSONDecoder().decode([String].self, from: Data($0.utf8)) }
        #expect(texts == ["a \"tag\"", "b", "Outer", "Inner"])
    }
}

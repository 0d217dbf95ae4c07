import Capture
import Foundation
import FuturesFoundation
import Loading
import Persistence
import StoreTesting
import Testing

@testable import OfflineLibraryModel

@Suite(.timeLimit(.minutes(10))) @MainActor struct SettingsTests {
    @Test func pagesFollowTheChosenOrder() async throws {
        let fixture = LibraryFixture()
        var ids: [SavedPage.ID] = []
        for address in ["https://b.example/2", "https://b.example/10", "https://a.example"] {
            fixture.time.advance(by: 1)
            ids.append(try await fixture.library.save(address, formats: [.png]))
        }
        #expect(fixture.library.items.map(\.id) == [ids[2], ids[1], ids[0]])
        fixture.library.settings.value.order = .oldest
        #expect(fixture.library.items.map(\.id) == ids)
        // In localized order, 2 comes before 10.
        fixture.library.settings.value.order = .title
        #expect(fixture.library.items.map(\.id) == [ids[2], ids[0], ids[1]])
    }

    @Test func namesAreSortedAsPeopleExpect() {
        let sorted = [
            "", "007", "9 lives", "10 pages", "1000000000000000000000000", "Äpfel", "apples", "Apples 2",
            "apples 10", "apples and pears", "“Quoted”", "(Zoo)", "Ωmega", "東京",
        ]
        for (index, name) in sorted.enumerated() {
            for other in sorted.dropFirst(index + 1) {
                #expect(SortingKey(name) < SortingKey(other), "\(name), \(other)")
                #expect(!(SortingKey(other) < SortingKey(name)), "\(name), \(other)")
            }
        }
        #expect(!(SortingKey("Café") < SortingKey("cafe")) && !(SortingKey("cafe") < SortingKey("Café")))
    }

    @Test func orderByTitleFollowsChangedTitles() async throws {
        let fixture = LibraryFixture()
        let (ordering, library) = (LibraryOrdering(), fixture.library)
        func names() async throws -> [String] {
            try await ordering.ordered(library.newest, by: .title).map { $0.state.value?.title ?? "" }
        }
        let first = try await fixture.savePage("https://a.example", title: "Pears")
        fixture.time.advance(by: 1)
        _ = try await fixture.savePage("https://b.example", title: "Oranges")
        #expect(try await names() == ["Oranges", "Pears"])
        // Marks change no title; the cached order has the page's present state.
        try await library.setFavourite(first, true)
        let last = try await ordering.ordered(library.newest, by: .title).last
        #expect(last?.marks.isFavourite == true)
        _ = try await fixture.savePage("https://c.example", title: "apples")
        #expect(try await names() == ["apples", "Oranges", "Pears"])
        try await library.delete(first)
        fixture.time.advance(by: 601)
        try await library.purge()
        #expect(try await names() == ["apples", "Oranges"])
    }

    @Test func sortingEndsWhenItsResultIsNoLongerNeeded() {
        let keys = (0..<100).map { SortingKey("Page \($0 * 37 % 100)") }
        var checks = 0
        var failure: WorkError?
        do throws(WorkError) {
            _ = try LibraryOrdering.sortedIndexes(of: keys) { () throws(WorkError) in
                checks += 1
                if checks == 2 { throw WorkError(.cancelled, "Sorting") }
            }
        } catch {
            failure = error
        }
        #expect(failure?.code == .cancelled)
        #expect(checks == 2)
    }

    @Test func orderIsStoredWhenSortReturns() async throws {
        let store = MemoryStore()
        let fixture = LibraryFixture(settings: store)
        try await fixture.library.sort(.oldest)
        let stored = try #require(try await store.read("library/settings"))
        #expect(try StoredFormat<LibrarySettings>("library.settings").value(of: stored.content).order == .oldest)
    }

    @Test func formatsOfTheLastPageBecomeTheDefault() async throws {
        let fixture = LibraryFixture()
        #expect(fixture.library.settings.value.formats == [.png, .pdf, .webArchive])
        try await fixture.library.save("https://a.example", formats: [.pdf])
        #expect(fixture.library.settings.value.formats == [.pdf])
        _ = await error { () throws(LibraryError) in try await fixture.library.save("https://a.example", formats: []) }
        _ = await error { () throws(LibraryError) in try await fixture.library.save("nothing", formats: [.png]) }
        #expect(fixture.library.settings.value.formats == [.pdf])
    }

    @Test func settingsAreStoredAtShutdown() async throws {
        let store = MemoryStore()
        let fixture = LibraryFixture(settings: store)
        try await fixture.library.open()
        fixture.library.settings.value.order = .title
        await fixture.library.shutDown()
        // After a second, which a busy machine may need, the shutdown waits no longer.
        await eventually {
            let next = LibrarySettings.stored(in: store)
            await next.load()
            return next.value.order == .title
        }
    }

    @Test func unknownSettingsOfANewerVersionAreIgnored() throws {
        func read(_ text: String) throws -> LibrarySettings {
            try JSONDecoder().decode(LibrarySettings.self, from: Data(text.utf8))
        }
        #expect(try read("{}") == LibrarySettings())
        #expect(try read(#"{"order":"by size","formats":["pdf","epub"]}"#).formats == [.pdf])
        #expect(try read(#"{"order":"by size","formats":["pdf","epub"]}"#).order == .newest)
        #expect(throws: DecodingError.self) { try read("[]") }
    }
}

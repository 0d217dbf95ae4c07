import Capture
import Foundation
import Persistence
import StoreTesting
import Testing

@testable import OfflineLibraryModel

@Suite(.timeLimit(.minutes(10))) @MainActor struct SettingsTests {
    @Test func theListIsInTheOrderThatWasChosen() async throws {
        let bench = Bench()
        var ids: [KeptPage.ID] = []
        for address in ["https://b.example/2", "https://b.example/10", "https://a.example"] {
            bench.time.advance(by: 1)
            ids.append(try await bench.library.save(address, formats: [.png]))
        }
        #expect(bench.library.items.map(\.id) == [ids[2], ids[1], ids[0]])
        bench.library.settings.value.order = .oldest
        #expect(bench.library.items.map(\.id) == ids)
        // In localized order, 2 comes before 10.
        bench.library.settings.value.order = .title
        #expect(bench.library.items.map(\.id) == [ids[2], ids[0], ids[1]])
    }

    @Test func theOrderIsKeptWhenSortingReturns() async throws {
        let store = MemoryStore()
        let bench = Bench(settings: store)
        try await bench.library.sort(.oldest)
        let kept = try #require(try await store.read("library/settings"))
        #expect(try StoredFormat<LibrarySettings>("library.settings").value(of: kept.content).order == .oldest)
    }

    @Test func theNextPageIsKeptAsTheLastOneWas() async throws {
        let bench = Bench()
        #expect(bench.library.settings.value.formats == Set(PageFormat.allCases))
        try await bench.library.save("https://a.example", formats: [.pdf])
        #expect(bench.library.settings.value.formats == [.pdf])
        _ = await error { () throws(LibraryError) in try await bench.library.save("https://a.example", formats: []) }
        _ = await error { () throws(LibraryError) in try await bench.library.save("nothing", formats: [.png]) }
        #expect(bench.library.settings.value.formats == [.pdf])
    }

    @Test func whatWasChosenIsThereAfterTheEnd() async throws {
        let store = MemoryStore()
        let bench = Bench(settings: store)
        try await bench.library.open()
        bench.library.settings.value.order = .title
        await bench.library.shutDown()
        let next = LibrarySettings.kept(in: store)
        await next.load()
        #expect(next.value.order == .title)
    }

    @Test func whatALaterProgramHasChosenIsReadAsFarAsItIsKnown() throws {
        func read(_ text: String) throws -> LibrarySettings {
            try JSONDecoder().decode(LibrarySettings.self, from: Data(text.utf8))
        }
        #expect(try read("{}") == LibrarySettings())
        #expect(try read(#"{"order":"by size","formats":["pdf","epub"]}"#).formats == [.pdf])
        #expect(try read(#"{"order":"by size","formats":["pdf","epub"]}"#).order == .newest)
        #expect(throws: DecodingError.self) { try read("[]") }
    }
}

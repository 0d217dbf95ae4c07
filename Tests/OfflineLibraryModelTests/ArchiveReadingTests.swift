import Capture
import Foundation
import Futures
import Loading
import MemoryStores
import OfflineLibraryModel
import Persistence
import Testing

/// Reading the texts of pages that an earlier version saved.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ArchiveReadingTests {
    let fixture = LibraryFixture()

    private var reading: ArchiveReading {
        ArchiveReading(store: fixture.store, capturer: fixture.capturer, options: CaptureOptions())
    }

    private func pages(with word: String) async throws -> [SavedPage.ID] {
        let query = LibraryQuery(words: SearchWords(word))
        return try await fixture.store.find(query, owner: "ann", range: 0..<10).pages.map(\.id)
    }

    @Test func eachTextIsStoredBeforeTheNextArchiveIsRead() async throws {
        let first = try await fixture.savePage("https://a.example")
        let second = try await fixture.savePage("https://b.example")
        let reading = reading
        async let count = reading.run()
        try await fixture.capturer.viewerCall().outcome.resolve(Data("Apples and pears".utf8))
        let next = try await fixture.capturer.viewerCall()
        #expect(try await pages(with: "pears") == [first])
        next.outcome.resolve(Data("Only pears".utf8))
        #expect(try await count == 2)
        #expect(try await pages(with: "pears") == [second, first])
        // Nothing is left to read.
        #expect(try await reading.run() == 0)
    }

    @Test func archiveThatFailsNowIsReadLaterAndADamagedOneNever() async throws {
        let first = try await fixture.savePage("https://a.example")
        _ = try await fixture.savePage("https://b.example")
        let reading = reading
        async let count = reading.run()
        try await fixture.capturer.viewerCall().outcome.reject(CaptureError(.browserExited, "The browser crashed."))
        try await fixture.capturer.viewerCall().outcome.reject(CaptureError(.invalidAddress, "It has no address."))
        #expect(try await count == 1)
        async let again = reading.run()
        try await fixture.capturer.viewerCall().outcome.resolve(Data("Apples".utf8))
        #expect(try await again == 1)
        #expect(try await pages(with: "apples") == [first])
    }

    @Test func textOfAReplacedOrDeletedPageIsDropped() async throws {
        let (id, call) = try await fixture.startSaving()
        call.succeed(status: 404)
        await fixture.library.waitForItem(id) { $0.state.isFound }
        let reading = reading
        async let count = reading.run()
        let old = try await fixture.capturer.viewerCall()
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.waitForItem(id) { $0.state.value?.httpStatus == 200 }
        old.outcome.resolve(Data("Not found".utf8))
        _ = try await count
        #expect(try await pages(with: "found") == [])
        async let again = reading.run()
        let new = try await fixture.capturer.viewerCall()
        try await fixture.library.delete(id)
        new.outcome.resolve(Data("Apples".utf8))
        _ = try await again
        try await fixture.library.restore(id)
        #expect(try await pages(with: "apples") == [])
    }
}

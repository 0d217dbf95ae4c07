import Capture
import Foundation
import OfflineLibraryModel
import StoreTesting
import Testing

/// Tests how an address is recognised as that of a saved page.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PageAddressTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    private func saved(_ address: String) -> SavedPage.ID? {
        library.saved(at: address)?.id
    }

    @Test(arguments: [
        "https://example.org", " example.org ", "example.org/", "https://example.org/#top", "https://example.org#",
    ])
    func savedAddressIsRecognised(address: String) async throws {
        let id = try await fixture.savePage("https://example.org")
        #expect(saved(address) == id)
    }

    @Test(arguments: [
        "", "nonsense", "file:///etc/passwd", "http://example.org", "https://example.org/page",
        "https://example.org/?a", "https://example.org/#/inbox", "https://example.org/#!inbox",
        "https://example.org.evil.example",
    ])
    func otherAddressIsNotRecognised(address: String) async throws {
        _ = try await fixture.savePage("https://example.org")
        #expect(saved(address) == nil)
    }

    @Test func pageOfAFragmentIsRecognised() async throws {
        let id = try await fixture.savePage("https://example.org/#/inbox")
        #expect(saved("https://example.org/#/inbox") == id)
        #expect(saved("https://example.org/#/sent") == nil)
    }

    @Test func newestPageIsFound() async throws {
        _ = try await fixture.savePage()
        fixture.time.advance(by: 1)
        let newer = try await fixture.savePage()
        #expect(saved("example.org") == newer)
    }

    @Test func copiesFromTheSameAddressAreFound() async throws {
        let first = try await fixture.savePage("https://example.org/")
        _ = try await fixture.savePage("https://example.org/other")
        fixture.time.advance(by: 1)
        let second = try await fixture.savePage("https://example.org/#top")
        let item = try #require(library.item(first))
        #expect(library.copies(of: item).map(\.id) == [second, first])
        try await library.delete(second)
        #expect(library.copies(of: item).map(\.id) == [first])
    }

    @Test func unfinishedDeletedAndErrorPagesDoNotCount() async throws {
        let (id, call) = try await fixture.startSaving()
        #expect(saved("example.org") == nil)
        call.succeed(title: "Not found", status: 404)
        await library.waitForItem(id) { $0.state.isFound }
        #expect(saved("example.org") == nil)
        let other = try await fixture.savePage()
        #expect(saved("example.org") == other)
        try await library.delete(other)
        #expect(saved("example.org") == nil)
    }
}

import OfflineLibraryModel
import Testing

/// Tests lists of addresses to save.
@MainActor @Suite(.timeLimit(.minutes(10))) struct AddressListTests {
    let fixture = LibraryFixture()

    private func unsaved(_ text: String) throws -> [String] {
        try AddressList(text).unsaved(in: fixture.library)
    }

    @Test func eachLineIsAnAddress() throws {
        let addresses = try unsaved("https://a.example/\r\n\n  b.example/page \nhttps://c.example")
        #expect(addresses == ["https://a.example/", "b.example/page", "https://c.example"])
    }

    @Test func savedPagesAndRepeatedAddressesAreLeftOut() async throws {
        _ = try await fixture.savePage("https://example.org")
        let addresses = try unsaved("example.org\nhttps://a.example/\na.example#top")
        #expect(addresses == ["https://a.example/"])
    }

    @Test(arguments: [
        ("", "at least one"), (" \n\t", "at least one"), ("https://a.example/\nnot an address", "not an address"),
        ("file:///etc/passwd", "file:///etc/passwd"),
    ])
    func invalidListSaysWhatToDo(text: String, expected: String) async throws {
        let problem = await error { () throws(LibraryError) in _ = try AddressList(text) }
        let description = try #require(problem?.description)
        #expect(description.contains(expected), "\(description)")
    }

    @Test func longListAndListOfSavedPagesAreRefused() async throws {
        let lines = (0...AddressList.maximumCount).map { "https://a.example/\($0)" }.joined(separator: "\n")
        let tooLong = await error { () throws(LibraryError) in _ = try AddressList(lines) }
        #expect(tooLong?.description.contains("at most 100") == true)
        _ = try await fixture.savePage("https://example.org")
        let library = fixture.library
        let saved = await error { () throws(LibraryError) in
            _ = try AddressList("https://example.org/").unsaved(in: library)
        }
        #expect(saved == .invalidAddressList("All of these pages are saved already."))
    }
}

import FuturesFoundation
import StoreTesting
import Testing

@testable import OfflineLibraryModel

/// Tests which pages a search finds.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LibrarySearchTests {
    let fixture = LibraryFixture()

    private func save(_ address: String, titled title: String) async throws -> SavedPage.ID {
        let (id, call) = try await fixture.startSaving(address)
        call.succeed(title: title)
        await fixture.library.waitForItem(id) { $0.state.isFound }
        return id
    }

    private func found(_ query: String) async throws -> [SavedPage.ID] {
        try await LibrarySearch.pages(matching: query, in: fixture.library.newest).map(\.id)
    }

    @Test(arguments: [
        "apple", "PIE apple", "  pie\tapple ", "ÄPPLE", "recipes.example", "apple recipes", "crème", "creme",
        "cr%C3%A8me",
    ])
    func wordsOfTitleAndAddressAreFound(query: String) async throws {
        let id = try await save("https://recipes.example/cr%C3%A8me", titled: "Apple pie")
        _ = try await save("https://other.example/", titled: "A pear tart")
        let pages = try await found(query)
        #expect(pages == [id])
    }

    @Test(arguments: ["", " ", "\n", "pear", "apple pear"])
    func otherWordsAndNoWordsFindNothing(query: String) async throws {
        _ = try await save("https://recipes.example/", titled: "Apple pie")
        let pages = try await found(query)
        #expect(pages == [])
    }

    @Test func pagesKeepTheirOrderAndDeletedOnesAreLeftOut() async throws {
        let first = try await save("https://a.example/", titled: "One")
        fixture.time.advance(by: 1)
        let second = try await save("https://b.example/", titled: "Two")
        let both = try await found("example")
        #expect(both == [second, first])
        try await fixture.library.delete(second)
        let rest = try await found("example")
        #expect(rest == [first])
    }

    @Test func longQueryIsCutOff() async throws {
        let id = try await save("https://a.example/", titled: "One")
        let pages = try await found("example " + String(repeating: " ", count: LibrarySearch.maximumLength) + "missing")
        #expect(pages == [id])
    }

    @Test func searchStopsAtTheFirstCheckThatThrows() async throws {
        for number in 1...3 { _ = try await save("https://a.example/\(number)", titled: "One") }
        let items = fixture.library.newest
        var checks = 0
        var failure: WorkError?
        do throws(WorkError) {
            _ = try LibrarySearch.pages(with: ["one"], in: items) { () throws(WorkError) in
                checks += 1
                if checks == 2 { throw WorkError(.timedOut, "Searching") }
            }
        } catch {
            failure = error
        }
        #expect(failure?.code == .timedOut)
        #expect(checks == 2)
    }
}

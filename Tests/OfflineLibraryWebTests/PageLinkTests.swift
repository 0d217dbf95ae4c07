import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests where the links of a saved page lead.
@Suite(.timeLimit(.minutes(20))) struct PageLinkTests {
    private static let next = "https://page.example/next"
    private static let path = "/library/open?url=https%3A%2F%2Fpage.example%2Fnext"

    /// Saves a page, and returns when it is stored.
    private func save(
        _ address: String, _ formats: Set<PageFormat>, in server: LibraryServer
    ) async throws -> SavedPage.ID {
        let id = try await server.libraries.use(.local) { try await $0.library.save(address, formats: formats) }
        try await eventually("the page is saved") {
            try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
        }
        return id
    }

    @Test func displayedPageLinksIntoTheLibraryAndADownloadedOneToTheWeb() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await save("https://page.example/", [.webArchive], in: server)
            let own = try server.url(Self.path).absoluteString
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/view"))
                let link = try await tab.evaluate("document.querySelector('a').href", as: String.self)
                #expect(link == own)
            }
            let (data, _) = try await URLSession.shared.data(
                from: server.url("/library/pages/\(id)/view?download"))
            #expect(String(decoding: data, as: UTF8.self).contains("<a href=\"\(Self.next)\">"))
        }
    }

    @Test func linkToASavedPageOpensItsCopy() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await save(Self.next, [.png], in: server)
            try await BrowserTab.run { tab in
                // An address with a fragment or with a slash at the end is that of the same page.
                for suffix in ["", "%23part", "%2F"] {
                    try await tab.open(server.url(Self.path + suffix))
                    try await tab.wait(until: "location.pathname === '/library/pages/\(id)/picture'")
                }
            }
        }
    }

    @Test func linkToAnotherPageSaysThatItLeavesTheLibrary() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url(Self.path))
                #expect(try await tab.text("h1") == "This page isn’t in your library")
                #expect(try await tab.text("#outside").contains(Self.next))
                let live = try await tab.evaluate("document.querySelector('#outside .primary').href", as: String.self)
                #expect(live == Self.next)
                try await tab.click("#outside a:not(.primary)")
                try await tab.wait(until: "document.querySelector('#address')?.value === '\(Self.next)'")
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test(arguments: ["javascript:alert(1)", "data:text/html,a", "/library/", ""])
    func otherAddressIsNotLinkedTo(address: String) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let encoded = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let (data, response) = try await URLSession.shared.data(
                from: server.url("/library/open?url=\(encoded)"))
            #expect((response as? HTTPURLResponse)?.statusCode == 404)
            #expect(!String(decoding: data, as: UTF8.self).contains("id=\"outside\""))
        }
    }
}

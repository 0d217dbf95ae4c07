import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Site
import Testing

@testable import OfflineLibraryWeb

/// Tests the form with an address that is filled in, or already saved.
@Suite(.timeLimit(.minutes(20))) struct SavedAddressTests {
    private static let address = "https://page.example/"
    private static let field = "document.querySelector('#address').value"

    private func count(of server: LibraryServer) async throws -> Int {
        try await server.libraries.use(.local) { $0.library.newest.count }
    }

    @Test func linkWithAnAddressOnlyFillsTheForm() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/?url=https%3A%2F%2Fpage.example%2F"))
                #expect(try await tab.evaluate(Self.field, as: String.self) == Self.address)
                // No key that the user happens to press saves the page.
                #expect(try await tab.evaluate("document.activeElement === document.body", as: Bool.self))
                #expect(try await count(of: server) == 0)
                try await tab.click("#save button")
                try await tab.wait(
                    until: "location.search === '' && document.querySelectorAll('#pages .item').length === 1")
                #expect(try await tab.evaluate(Self.field, as: String.self) == "")
                #expect(try await count(of: server) == 1)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test(arguments: ["\"><script>alert(1)</script>", "\u{600}\"><b>", "javascript:alert(1)"])
    func hostileAddressIsFilledInAsText(address: String) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                let link = try #require(LibraryTemplates.form(for: address))
                try await tab.open(server.url(link.url))
                #expect(try await tab.evaluate(Self.field, as: String.self) == address)
                let injected = "document.querySelectorAll('#save b, #save script').length"
                #expect(try await tab.evaluate(injected, as: Int.self) == 0)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func pageThatIsBeingSavedIsShown() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            // A capture that doesn't end, as one that waits for others of an import.
            let address = "https://slow.example/"
            _ = try await server.libraries.use(.local) { try await $0.library.save(address, formats: [.png]) }
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type(address)
                try await tab.click("#save button")
                try await tab.wait(until: "document.querySelector('#saved')")
                #expect(try await tab.text("#saved-when").hasPrefix("This page is being saved now"))
                #expect(try await tab.evaluate("!document.querySelector('[name=again]')", as: Bool.self))
                #expect(try await count(of: server) == 1)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func savedPageIsOfferedInsteadOfASecondCopy() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await server.libraries.use(.local) {
                try await $0.library.save(Self.address, formats: [.png])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
            }
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type("page.example")
                try await tab.press(.enter)
                try await tab.wait(until: "document.querySelector('#saved')?.innerText.includes('A page')")
                #expect(try await count(of: server) == 1)
                // The focus moves to the saved page.
                try await tab.wait(until: "document.activeElement.matches('#saved a')")
                try await tab.press(.enter)
                try await tab.wait(until: "location.pathname === '/library/pages/\(id)/picture'")
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    /// A tab scrolls to the page that it has added, but not to those of other tabs.
    @Test func refusedPageLeavesTheListInPlace() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(8)
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type("javascript:alert(1)")
                try await tab.press(.enter)
                try await tab.wait(until: "!document.querySelector('#save [role=alert]').hidden")
                _ = try await tab.evaluate("scrollTo(0, document.body.scrollHeight); true", as: Bool.self)
                try await server.libraries.use(.local) { open in
                    _ = try await open.library.save("https://page.example/9", formats: [.png])
                }
                // The library's script sees the new row in the task that adds it.
                try await tab.wait(until: "document.querySelectorAll('#list .item').length === 9")
                let isAbove = "document.querySelector('#list .item').getBoundingClientRect().bottom < 0"
                #expect(try await tab.evaluate(isAbove, as: Bool.self))
            }
        }
    }

    @Test func menuOfAPageOffersToSaveItAgain() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type(Self.address)
                try await tab.press(.enter)
                try await tab.click("#list .menu summary")
                try await tab.click("#list .menu-body a[href*='?url=']")
                try await tab.wait(until: "document.querySelector('#save button').innerText === 'Save again'")
                #expect(try await tab.evaluate(Self.field, as: String.self) == Self.address)
                try await tab.click("#save button")
                try await tab.wait(until: "document.querySelectorAll('#pages .item').length === 2")
            }
        }
    }
}

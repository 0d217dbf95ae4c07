import BrowserDriver
import Foundation
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests the bookmarklet that the list offers.
@Suite(.timeLimit(.minutes(20))) struct BookmarkletTests {
    @Test func bookmarkletOpensTheFormWithThePagesAddress() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.wait(until: "document.querySelector('#bookmarklet a').checkVisibility()")
                let code = try await tab.evaluate(
                    "document.querySelector('#bookmarklet a').getAttribute('href')", as: String.self)
                #expect(
                    try await tab.evaluate("document.querySelector('#bookmarklet input').value", as: String.self)
                        == code)
                try #require(code.hasPrefix("javascript:"))
                let script = code.dropFirst("javascript:".count)
                // A click in this page selects the text to copy, and causes no error.
                try await tab.click("#bookmarklet a")
                #expect(try await tab.evaluate("getSelection().toString()", as: String.self) == code)
                #expect(try await tab.evaluate("location.pathname", as: String.self) == "/library/")
                #expect(await tab.takeComplaints() == [])

                let page = try await tab.openAnother()
                try await page.open(server.url("/healthz?a=1&b=%C3%A4#top"))
                let opened = try await page.evaluate(
                    "(() => { let opened; window.open = (url) => { opened = url; }; \(script); return opened; })()",
                    as: String.self)
                let address = try await page.evaluate("location.href", as: String.self)
                try await tab.open(try #require(URL(string: opened)))
                #expect(try await tab.evaluate("document.querySelector('#address').value", as: String.self) == address)
                let count = try await server.libraries.use(.local) { $0.library.newest.count }
                #expect(count == 0)
                await page.close()
            }
        }
    }

    @Test func bookmarkletStaysAfterAPageIsSaved() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                #expect(try await tab.text("#nothing .steps").contains("Choose Save"))
                try await tab.click("#address")
                try await tab.type("https://page.example/")
                try await tab.press(.enter)
                try await tab.wait(until: "document.querySelector('#address').value === ''")
                try await tab.wait(until: "document.querySelector('#pages .files')")
                #expect(
                    try await tab.evaluate("document.querySelector('#bookmarklet a').checkVisibility()", as: Bool.self))
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('#bookmarklet a').href.startsWith('javascript:')", as: Bool.self))
            }
        }
    }
}

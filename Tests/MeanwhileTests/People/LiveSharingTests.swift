import BrowserDriver
import Foundation
import Testing

/// Lists of what is shared, which change on open pages.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LiveSharingTests {
    @Test func sharedThingsAppearAndDisappearWithoutAReload() async throws {
        try await BrowserTab.run { his in
            try await BrowserTab.run { hers in
                try await PeopleSite.run { site in
                    let path = try await site.addBoard()
                    let (list, art) = (
                        try #require(URL(string: "\(site.origin)/sharing")),
                        try #require(URL(string: "\(site.origin)/art/"))
                    )
                    try await his.setCookies(site.bertsCookies, of: list)
                    try await hers.setCookies(site.annasCookies, of: list)
                    for (address, item) in [(list, "#received li"), (art, "#shared li")] {
                        try await his.open(address)
                        try await hers.open(list)
                        // A reload would remove the mark.
                        for tab in [his, hers] {
                            _ = try await tab.evaluate("document.body.dataset.mark = 'here'", as: String.self)
                            #expect(
                                try await tab.evaluate("!document.querySelector('\(item), #shares li')", as: Bool.self))
                        }
                        try await site.shareWithBert(path)
                        try await his.wait(until: "document.querySelector('\(item) a')?.textContent === 'Farm'")
                        try await hers.wait(until: "document.querySelector('#shares li')?.textContent.includes('bert')")
                        // The owner ends it on the page that has just changed.
                        try await hers.click("#shares li form button")
                        try await his.wait(until: "!document.querySelector('\(item)')")
                        #expect(try await his.evaluate("document.body.dataset.mark", as: String.self) == "here")
                    }
                    // Leaves the pages before the server shuts down, so that no stream breaks off.
                    for tab in [his, hers] { try await tab.open(try #require(URL(string: "about:blank"))) }
                }
                for tab in [his, hers] { _ = await tab.takeComplaints() }
            }
        }
    }
}

import BrowserDriver
import Capture
import FixtureSite
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServedSite
import Testing

@testable import OfflineLibraryWeb

/// Tests the app as a person uses it, in a real browser, with pages of a real server.
@Suite struct LibraryBrowserTests {
    private let item = "#pages .item"

    /// Clicks the field, types an address, and clicks the button that saves the page.
    private func save(_ url: URL, in tab: BrowserTab) async throws {
        try await tab.click("#address")
        try await tab.type(url.absoluteString)
        try await tab.click("#save button")
    }

    /// The number of requests of pages; the browser asks for icons by itself, at any time.
    private func pageRequests(of site: FixtureSite) -> Int {
        site.requests.count { $0 != "/favicon.ico" && !$0.hasSuffix("/icon.png") }
    }

    @Test(.timeLimit(.minutes(20)))
    func savedPageCanBeOpenedDeletedAndRestored() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                // The headless shell shows no PDF.
                try await BrowserTab.run(of: .whole) { tab in
                    try await tab.open(server.url("/library/"))
                    #expect(try await tab.text("#pages").contains("No saved pages yet"))
                    try await save(site.url("/stall-image"), in: tab)
                    // The page's picture stalls until a slow tab has shown the progress.
                    try await tab.wait(until: "document.querySelector('#pages progress')?.value > 0.02")
                    site.release("/stall/picture.png")
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 3")
                    // The stream may be faster than the response, which empties the field.
                    try await tab.wait(until: "document.querySelector('#address').value === ''")
                    #expect(try await tab.text(".item-address").contains("127.0.0.1"))
                    try await tab.wait(until: "document.querySelector('.thumbnail img')?.naturalWidth === 480")

                    // Delete, then restore.
                    try await tab.click("#list .menu summary")
                    try await tab.click("#list form[action$='/delete'] button")
                    try await tab.wait(until: "document.querySelector('form[action$=\"/restore\"]')")
                    #expect(try await tab.text(item).contains("was deleted"))
                    try await tab.click("form[action$='/restore'] button")
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 3")

                    // The viewer has a tab for each format.
                    try await tab.click(".files li:nth-child(1) a")
                    try await tab.wait(until: "document.images[0]?.naturalWidth >= 1280")
                    let frame = "document.querySelector('iframe.viewer')"
                    try await tab.click(".tabs li:nth-child(3) a")
                    try await tab.wait(
                        until: "document.readyState === 'complete' && \(frame)?.src.endsWith('/page.pdf')")
                    // The archive in its frame loads nothing from the site.
                    let requestCount = pageRequests(of: site)
                    try await tab.click(".tabs li:nth-child(4) a")
                    try await tab.wait(
                        until: "\(frame)?.src.endsWith('/view') && \(frame).getBoundingClientRect().height > 200")
                    #expect(try await tab.text(".viewer-bar").contains("127.0.0.1"))
                    #expect(pageRequests(of: site) == requestCount)
                    // A file opened by itself names no icon, so the browser requests the default one, which exists.
                    let path = try await tab.evaluate(
                        "document.querySelector('.menu-body a[href*=\"page.pdf\"]').pathname", as: String.self)
                    // Retry, because a browser that has just started may lack its PDF viewer, and downloads the file.
                    try await eventually("the PDF is shown") {
                        guard (try? await tab.open(server.url(path))) != nil else { return false }
                        return (try? await tab.wait(until: "document.contentType === 'application/pdf'")) != nil
                    }
                    try await tab.open(server.url(path.replacing("page.pdf", with: "page.png")))
                    try await tab.wait(until: "document.images[0]?.naturalWidth >= 1280")
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func archiveViewShowsThePageWithoutScripts() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                try await BrowserTab.run { tab in
                    try await tab.open(server.url("/library/"))
                    try await save(site.url("/"), in: tab)
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 3")
                    let path = try await tab.evaluate(
                        "document.querySelector('.files li:nth-child(3) a').getAttribute('href')", as: String.self)
                    let requestCount = pageRequests(of: site)
                    // The frame's page must be as harmless outside of its frame.
                    try await tab.open(server.url(path.replacingOccurrences(of: "/archive", with: "/view")))
                    #expect(try await tab.evaluate("document.scripts.length", as: Int.self) == 0)
                    #expect(try await tab.evaluate("self.origin", as: String.self) == "null")
                    #expect(try await tab.text("body").count > 100)
                    #expect(
                        try await tab.evaluate(
                            "[...document.images].filter(image => !image.naturalWidth && image.getAttribute('src')?.length > 30).length",
                            as: Int.self) == 0)
                    #expect(pageRequests(of: site) == requestCount)
                    // The page's policy blocks the test's own scripts too.
                    let complaints = await tab.complaints.filter { !$0.contains("Blocked script execution") }
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [(360, 640), (1440, 900)])
    func viewerFillsTheWindow(width: Int, height: Int) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await server.libraries.use(.local) {
                try await $0.library.save("https://page.example/", formats: [.webArchive])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
            }
            try await BrowserTab.run(width: width, height: height) { tab in
                try await tab.open(server.url("/library/pages/\(id)/archive"))
                let frame = "document.querySelector('iframe.viewer').getBoundingClientRect()"
                #expect(try await tab.evaluate("\(frame).width", as: Double.self) == Double(width))
                #expect(try await tab.evaluate("\(frame).height", as: Double.self) > 0.75 * Double(height))
                // The frame alone scrolls.
                let page = "document.documentElement"
                #expect(try await tab.evaluate("\(page).scrollHeight <= \(page).clientHeight", as: Bool.self))
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func eachFileIsShownOnOneLine() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            _ = try await server.libraries.use(.local) {
                try await $0.library.save("https://page.example/", formats: [.png, .webArchive])
            }
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 2")
                let lines = try await tab.evaluate(
                    """
                    [...document.querySelectorAll('#pages .files li')].map(file =>
                        file.getBoundingClientRect().height / file.querySelector('a').getBoundingClientRect().height)
                    """, as: [Double].self)
                #expect(lines.allSatisfy { $0 < 2 }, "\(lines)")
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func chosenOrderPersistsAndAppliesToOtherTabs() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.withFolder { folder in
                let server = try await LibraryServer.start(in: folder)
                let titles =
                    "[...document.querySelectorAll('#pages .item-title')].map(title => title.textContent).join('|')"
                let sorted = try await BrowserTab.run { tab in
                    try await tab.open(server.url("/library/"))
                    #expect(try await tab.evaluate("!document.querySelector('#orders')", as: Bool.self))
                    for path in ["/", "/plain"] {
                        try await save(site.url(path), in: tab)
                        try await tab.wait(until: "!document.querySelector('#save [disabled]')")
                    }
                    try await tab.wait(until: "document.querySelectorAll('#pages .files').length === 2")
                    let other = try await tab.openAnother()
                    try await other.open(server.url("/library/"))
                    let newest = try await tab.evaluate(titles, as: String.self)
                    try await tab.click(".list-bar summary")
                    try await tab.click("#orders [value=oldest]")
                    for tab in [tab, other] {
                        try await tab.wait(until: "document.querySelector('#orders [value=oldest][aria-pressed=true]')")
                        #expect(try await tab.evaluate(titles, as: String.self) != newest)
                    }
                    // The last page's formats are the default of the next one.
                    try await tab.click("#save .chip:first-of-type")
                    try await save(site.refusedURL("/"), in: tab)
                    try await tab.wait(until: "document.querySelector('#pages .error')")
                    return try await other.evaluate(titles, as: String.self)
                }
                // The end of a server waits for the settings for a second only.
                try await server.libraries.use(.local) { try await $0.library.settings.flush() }
                try await server.stop()
                let next = try await LibraryServer.start(in: folder)
                try await BrowserTab.run { tab in
                    try await tab.open(next.url("/library/"))
                    #expect(try await tab.evaluate(titles, as: String.self).hasPrefix(sorted))
                    let chosen = "[...document.querySelectorAll('#save input:checked')].map(box => box.name).join()"
                    #expect(try await tab.evaluate(chosen, as: String.self) == "pdf,webarchive")
                }
                try await next.stop()
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func chosenFormatsAreRememberedPerBrowser() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                let other = try await tab.openInNewContext()
                // The first browser unselects the picture. The other one starts with the formats of that save, and
                // unselects the PDF as well.
                for (tab, unwanted) in [(tab, "png"), (other, "pdf")] {
                    try await tab.open(server.url("/library/"))
                    try await tab.click("#save .chip:has([name=\(unwanted)])")
                    try await tab.click("#address")
                    try await tab.type("https://page.example/\(unwanted)")
                    try await tab.click("#save button")
                    try await tab.wait(until: "document.querySelector('#address').value === ''")
                }
                let chosen = "[...document.querySelectorAll('#save input:checked')].map(box => box.name).join()"
                for (tab, formats) in [(tab, "pdf,webarchive"), (other, "webarchive")] {
                    try await tab.open(server.url("/library/"))
                    #expect(try await tab.evaluate(chosen, as: String.self) == formats)
                }
                await other.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func failedPageShowsTheReasonAndCanBeRetried() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                try await BrowserTab.run { tab in
                    try await tab.open(server.url("/library/"))
                    try await save(site.refusedURL("/"), in: tab)
                    try await tab.wait(until: "document.querySelector('#pages .error')")
                    let reason = try await tab.text("#pages .error")
                    #expect(reason.contains("refused the connection"))
                    let id = try #require(await server.libraries.use(.local) { $0.library.items.first?.id })
                    try await tab.click("form[action$='/retry'] button")
                    // If the second attempt never begins, the test's time limit ends this loop.
                    while try await server.store.pages(ofOwner: .local).first(where: { $0.id == id })?.attempt != 2 {
                        try await tab.wait(until: "true")
                    }
                    try await tab.wait(until: "document.querySelector('#pages .error')")
                }
            }
        }
    }

    @Test(arguments: ["nonsense", "javascript:alert(1)", "file:///etc/passwd", "https://"])
    func invalidAddressIsReported(address: String) async throws {
        try await LibraryServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type(address)
                try await tab.press(.enter)
                // The address is refused at once, or the page fails to load: both give the reason.
                try await tab.wait(
                    until: """
                        document.querySelector('#save [role=alert]')?.innerText.length > 20
                            || document.querySelector('#pages .error')?.innerText.length > 20
                        """)
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func concurrentSavesFromTwoTabsShareOnePage() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                try await BrowserTab.run { first in
                    let second = try await first.openAnother()
                    for tab in [first, second] {
                        try await tab.open(server.url("/library/"))
                        _ = try await tab.evaluate(
                            "document.querySelector('#address').value = '\(site.url("/stall-image"))'; true",
                            as: Bool.self)
                    }
                    async let one: Void = first.click("#save button")
                    async let other: Void = second.click("#save button")
                    _ = try await (one, other)
                    await site.waitForRequest("/stall/picture.png")
                    for tab in [first, second] {
                        // The response empties the field, or says that the page is being saved.
                        try await tab.wait(
                            until: """
                                document.querySelectorAll('#pages .item').length === 1
                                    && (document.querySelector('#address').value === '' || document.querySelector('#saved'))
                                """)
                    }
                    #expect(site.requests.filter { $0 == "/stall-image" }.count == 1)
                    // Both tabs see what one of them does.
                    try await first.click("form[action$='/stop'] button")
                    try await second.wait(
                        until: "document.querySelector('#pages .error')?.innerText.includes('stopped')")
                    // A stopped page isn't shown as failed.
                    #expect(try await second.text("#pages .item-title .badge") == "stopped")
                    await second.close()
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func openTabReconnectsAfterARestart() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.withFolder { folder in
                let before = try await ServedSite.startAtPortOfItsOwn { port in
                    try await LibraryServer.start(in: folder, port: port)
                }
                try await BrowserTab.run { tab in
                    try await tab.open(before.url("/library/"))
                    try await save(site.url("/"), in: tab)
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 3")
                    // The stream may be faster than the response, which empties the field.
                    try await tab.wait(until: "document.querySelector('#address').value === ''")
                    let shown = try await tab.text("#pages")
                    try await before.stop()
                    try await tab.wait(until: "document.querySelector('#connection').innerText.includes('lost')")
                    // A form says that the server didn't answer, until it answers again.
                    _ = try await tab.evaluate(
                        "document.querySelector('#address').value = 'https://page.example/'; true", as: Bool.self)
                    try await tab.click("#save button")
                    try await tab.wait(
                        until: "document.querySelector('#save [role=alert]').innerText.includes('respond')")
                    let after = try await LibraryServer.start(in: folder, port: before.port)
                    try await tab.wait(until: "document.querySelector('#connection').innerText === ''")
                    try await tab.wait(until: "document.querySelector('#save [role=alert]').hidden")
                    #expect(try await tab.text("#pages") == shown)
                    try await tab.open(after.url("/library/"))
                    #expect(try await tab.text("#pages") == shown)
                    try await after.stop()
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func pagesCanBeManagedByKeyboardAlone() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                try await BrowserTab.run { tab in
                    try await tab.open(server.url("/library/"))
                    try await tab.tab(to: "#address")
                    try await tab.type(site.url("/").absoluteString)
                    try await tab.tab(to: "input[name=pdf]")
                    try await tab.press(.space)
                    try await tab.tab(to: "input[name=webarchive]")
                    try await tab.press(.enter)
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 2")
                    try await tab.tab(to: "#list form[action$='/delete'] button")
                    try await tab.press(.enter)
                    // The focus stays in place, on the button that undoes the deletion.
                    try await tab.wait(until: "document.activeElement.closest('form')?.action.endsWith('/restore')")
                    try await tab.press(.space)
                    try await tab.wait(until: "document.querySelectorAll('#pages .files li').length === 2")
                    try await tab.wait(until: "document.activeElement.closest('form')?.action.endsWith('/delete')")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [360, 820, 1440], BrowserTab.Colours.allCases)
    func pageFitsEveryWindowInBothColours(width: Int, colours: BrowserTab.Colours) async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run(notice: "The database was damaged.") { server in
                let long = site.url("/" + String(repeating: "very-long-name-", count: 40))
                try await server.libraries.use(.local) { open in
                    _ = try await open.library.save(long.absoluteString, formats: Set(PageFormat.allCases))
                    _ = try await open.library.save(site.refusedURL("/").absoluteString, formats: [.png])
                }
                try await BrowserTab.run(width: width, height: 900, colours: colours) { tab in
                    try await tab.open(server.url("/library/"))
                    try await tab.wait(until: "document.querySelectorAll('#pages .files, #pages .error').length === 2")
                    // Nothing overflows horizontally.
                    #expect(
                        try await tab.evaluate(
                            "document.documentElement.scrollWidth <= document.documentElement.clientWidth",
                            as: Bool.self))
                    let background = try await tab.evaluate(
                        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)",
                        as: [Int].self)
                    #expect((background.reduce(0, +) < 384) == (colours == .dark))
                    // Every button is large enough for a finger.
                    let smallest = try await tab.evaluate(
                        """
                        Math.min(...[...document.querySelectorAll('button, summary')]
                            .filter((button) => button.checkVisibility())
                            .map((button) => button.getBoundingClientRect().height))
                        """, as: Double.self)
                    #expect(smallest >= 24)
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func pageCanBeSavedWithoutScripts() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                try await BrowserTab.run { tab in
                    try await tab.open(server.url("/library/"))
                    // As if live.js hadn't loaded yet.
                    _ = try await tab.evaluate(
                        "delete document.querySelector('#save').dataset.enhanced; true", as: Bool.self)
                    try await save(site.url("/stall-image"), in: tab)
                    try await tab.wait(until: "document.querySelectorAll('#pages .item').length === 1")
                    #expect(try await tab.evaluate("location.pathname", as: String.self) == "/library/")
                }
            }
        }
    }
}

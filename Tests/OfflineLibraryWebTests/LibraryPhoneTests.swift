import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests the app in a window of a phone's size.
@Suite(.timeLimit(.minutes(20))) struct LibraryPhoneTests {
    /// Saves a page, opens the list in a window of a phone's size, and runs the body with the page's identifier.
    private func withList(
        of address: String = "https://page.example/",
        _ body: (BrowserTab, LibraryServer, SavedPage.ID) async throws -> Void
    ) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await server.libraries.use(.local) {
                try await $0.library.save(address, formats: [.png, .pdf, .webArchive])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
            }
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await body(tab, server, id)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func touchTargetsOfARowAreAtLeast44PixelsLarge() async throws {
        try await withList { tab, _, _ in
            let targets = "#list :is(.item-title a, .files a, .menu > summary)"
            let sizes = try await tab.evaluate(
                """
                [...document.querySelectorAll('\(targets)')].map((target) => {
                    const box = target.getBoundingClientRect();
                    return Math.min(box.width, box.height);
                })
                """, as: [Double].self)
            #expect(sizes.count == 5)
            #expect(sizes.allSatisfy { $0 >= 44 }, "\(sizes)")
            let height = try await tab.evaluate("document.querySelector('#list .item').offsetHeight", as: Double.self)
            #expect(height < 260)
        }
    }

    @Test func menuButtonStaysInPlaceAndMenuOffersDownloadsAndDelete() async throws {
        try await withList { tab, server, id in
            let summary = "document.querySelector('#list .menu summary').getBoundingClientRect()"
            let item = "document.querySelector('#list .item').getBoundingClientRect()"
            let offset = "[\(summary).x - \(item).x, \(summary).y - \(item).y].map(Math.round)"
            let place = try await tab.evaluate(offset, as: [Double].self)
            try await tab.click("#list .menu summary")
            try await tab.wait(until: "document.querySelector('#list .menu-body').checkVisibility()")
            // The button that was tapped stays where it was.
            #expect(try await tab.evaluate(offset, as: [Double].self) == place)
            let files = try await tab.evaluate(
                "[...document.querySelectorAll('#list .menu-body a')].map((link) => link.getAttribute('href'))",
                as: [String].self)
            let path = "/library/pages/\(id)"
            let downloads = ["page.png", "page.pdf", "page.webarchive", "view"].map { "\(path)/\($0)?download" }
            #expect(files.first == "\(path)/reader" && Array(files.dropFirst(2).prefix(4)) == downloads)
            #expect(files.last == "https://page.example/")
            try await tab.click("#list form[action$='/delete'] button")
            try await tab.wait(until: "document.querySelector('#list form[action$=\"/restore\"]')")
            let isDeleted = try await server.libraries.use(.local) { $0.library.item(id)?.isDeleted }
            #expect(isDeleted == true)
        }
    }

    @Test func sortMenuOpensWithinTheWindow() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(2)
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click(".list-bar .menu summary")
                let isInWindow = """
                    (() => {
                        const box = document.querySelector('#orders').getBoundingClientRect();
                        return box.width > 0 && box.left >= 0 && box.right <= innerWidth;
                    })()
                    """
                #expect(try await tab.evaluate(isInWindow, as: Bool.self))
            }
        }
    }

    @Test func addedPageScrollsIntoViewAndIsAnnounced() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await tab.click("#address")
                try await tab.type("https://page.example/")
                try await tab.press(.enter)
                try await tab.wait(
                    until: "document.querySelector('#announcement').textContent === '“A page” is saved.'")
                let top = "document.querySelector('#list .item').getBoundingClientRect().top"
                #expect(try await tab.evaluate("\(top) >= 0 && \(top) + 44 <= innerHeight", as: Bool.self))
                // A page that fails is announced, too.
                try await tab.wait(until: "document.querySelector('#address').value === ''")
                try await tab.click("#address")
                try await tab.type("https://fails-once.example/")
                try await tab.press(.enter)
                try await tab.wait(
                    until: "document.querySelector('#announcement').textContent.includes('couldn’t be saved')")
            }
        }
    }

    @Test func htmlDownloadIsOneFile() async throws {
        try await withList { tab, _, id in
            let response = try await tab.evaluate(
                """
                fetch('/library/pages/\(id)/view?download').then(async (response) => [
                    response.headers.get('Content-Type'), response.headers.get('Content-Disposition'),
                    await response.text()])
                """, as: [String].self)
            #expect(response.first == "text/html; charset=utf-8")
            #expect(response.dropFirst().first?.contains("A page.html") == true)
            #expect(response.last?.hasPrefix("<!doctype html>") == true)
        }
    }

    @Test func viewerTabsStayInTheApp() async throws {
        try await withList { tab, _, id in
            try await tab.click("#list .item-title a")
            try await tab.wait(until: "location.pathname.endsWith('/archive')")
            for format in ["picture", "archive"] {
                let link = ".tabs a[href$='/\(format)']"
                try await tab.click(link)
                try await tab.wait(until: "location.pathname === '/library/pages/\(id)/\(format)'")
                try await tab.wait(until: "document.querySelector(\"\(link)[aria-current=page]\")")
                try await tab.wait(until: "document.readyState === 'complete'")
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('.viewer').getBoundingClientRect().height > 0.7 * innerHeight",
                        as: Bool.self))
            }
            try await tab.click(".viewer-bar > a")
            try await tab.wait(until: "document.querySelector('#save')")
        }
    }

    @Test func savedErrorPageShowsItsErrorAndCanBeRetried() async throws {
        try await withList(of: "https://missing-once.example/") { tab, server, id in
            #expect(try await tab.text("#list .error").contains("Page not found (404)"))
            try await tab.click("#list form[action$='/retry'] button")
            try await tab.wait(until: "!document.querySelector('#list .error, #list .progress')")
            let status = try await server.libraries.use(.local) { $0.library.item(id)?.state.value?.httpStatus }
            #expect(status == 200)
        }
    }
}

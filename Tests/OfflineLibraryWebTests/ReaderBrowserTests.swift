import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import ServedSite
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests the reader view, the remembered positions, and reading without a server, in a real browser.
@Suite(.timeLimit(.minutes(20))) struct ReaderBrowserTests {
    private static let frame = "document.querySelector('.viewer.reader').contentDocument"
    private static let scroller = "\(frame).scrollingElement"
    private static let isLoaded = "\(frame)?.querySelectorAll('article p').length >= 80"

    private static func save(_ address: String, in server: LibraryServer) async throws -> SavedPage.ID {
        let id = try await server.libraries.use(.local) {
            try await $0.library.save(address, formats: [.png, .webArchive])
        }
        try await eventually("the page is saved") {
            try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
        }
        return id
    }

    private static func position(of id: SavedPage.ID, in server: LibraryServer) async throws -> ReadingPosition? {
        try await server.libraries.use(.local) { $0.library.item(id)?.positions[.reader] }
    }

    @Test func readerShowsTheArticleWithoutScriptsAndWithTheChosenSettings() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://page.example/", in: server)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/archive"))
                try await tab.click(".tabs a[href$='/reader']")
                try await tab.wait(until: Self.isLoaded)
                try await tab.wait(until: "\(Self.frame).querySelector('.minutes')?.innerText === '4 min read'")
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('.viewer').sandbox.value", as: String.self)
                        == "allow-same-origin allow-popups allow-popups-to-escape-sandbox")
                try await tab.click("#reading summary")
                let choose = "const field = document.querySelector('#reader-size'); field.value = '4';"
                _ = try await tab.evaluate("{\(choose) field.dispatchEvent(new Event('change')); true}", as: Bool.self)
                let size = "getComputedStyle(\(Self.frame).documentElement).fontSize === '26.4px'"
                try await tab.wait(until: size)
                try await tab.open(server.url("/library/pages/\(id)/reader"))
                try await tab.wait(until: "\(Self.isLoaded) && \(size)")
            }
        }
    }

    @Test func pageWithoutAnArticleLeadsToItsArchive() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://no-article.example/", in: server)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/reader"))
                #expect(try await tab.text("#no-article h2") == "This page has no article to read.")
                try await tab.click("#no-article a")
                try await tab.wait(until: "location.pathname.endsWith('/archive')")
            }
        }
    }

    @Test func anotherDeviceContinuesWhereReadingStopped() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://page.example/", in: server)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/reader"))
                try await tab.wait(until: Self.isLoaded)
                let halfway = "(\(Self.scroller).scrollHeight - \(Self.scroller).clientHeight) / 2"
                // The viewer's script must be ready.
                try await tab.wait(until: "\(Self.frame).querySelector('.minutes')")
                _ = try await tab.evaluate("\(Self.scroller).scrollTop = \(halfway); true", as: Bool.self)
                try await eventually("the position is stored") {
                    try await Self.position(of: id, in: server).map { abs($0.share - 0.5) < 0.05 } ?? false
                }
                let other = try await tab.openInNewContext()
                try await other.open(server.url("/library/"))
                #expect(try await other.text("#list .reading").contains("50 % read"))
                try await other.open(server.url("/library/pages/\(id)/reader"))
                try await other.wait(until: "document.querySelector('.resumed')")
                let share =
                    "\(Self.scroller).scrollTop / (\(Self.scroller).scrollHeight - \(Self.scroller).clientHeight)"
                #expect(abs(try await other.evaluate(share, as: Double.self) - 0.5) < 0.05)
                try await other.click(".resumed button")
                try await other.wait(until: "\(Self.scroller).scrollTop === 0 && !document.querySelector('.resumed')")
                try await eventually("the new position is stored") {
                    try await Self.position(of: id, in: server)?.share == 0
                }
            }
        }
    }

    /// Runs the body with a server that it can stop, and start again at the same port.
    private static func runRestartable(
        _ body: (LibraryServer, _ restart: () async throws -> LibraryServer) async throws -> Void
    ) async throws {
        try await LibraryServer.withFolder { folder in
            let server = try await ServedSite.startAtPortOfItsOwn { port in
                try await LibraryServer.start(in: folder, port: port, capturer: ScriptedCapturer())
            }
            var last = server
            do {
                try await body(server) {
                    last = try await LibraryServer.start(in: folder, port: server.port, capturer: ScriptedCapturer())
                    return last
                }
            } catch {
                try? await last.stop()
                throw error
            }
        }
    }

    private static let waiting =
        "Object.keys(localStorage).filter((key) => key.startsWith('meanwhile.library.waiting/')).length"

    @Test func keptPageIsReadAndAnAddressWaitsWithoutTheServer() async throws {
        try await Self.runRestartable { server, restart in
            let (id, other) = (
                try await Self.save("https://page.example/", in: server),
                try await Self.save("https://b.example/", in: server)
            )
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/reader"))
                try await tab.wait(
                    until: "navigator.serviceWorker.controller && document.querySelector('#keep')?.textContent")
                try await tab.click(".viewer-bar > .menu:last-of-type summary")
                try await tab.click("#keep")
                try await tab.wait(
                    until: "document.querySelector('#viewer-note')?.innerText.includes('on this device now')")
                try await server.stop()
                try await tab.open(server.url("/library/pages/\(id)/reader"))
                try await tab.wait(until: "document.documentElement.dataset.kept && \(Self.isLoaded)")
                try await tab.wait(
                    until: "document.querySelector('#viewer-note')?.innerText.includes('You’re offline')")
                try await tab.open(server.url("/library/pages/\(id)/archive"))
                try await tab.wait(
                    until: """
                        document.documentElement.dataset.kept && performance.getEntriesByType('resource')
                            .some((entry) => entry.name.endsWith('/view') && entry.responseStatus === 200)
                        """)
                // A page that isn't kept, and the list, lead to what is on this device.
                for path in ["/library/pages/\(other)/reader", "/library/"] {
                    try await tab.open(server.url(path))
                    try await tab.wait(until: "document.querySelectorAll('#kept .item').length === 1")
                    try await tab.wait(until: "document.querySelectorAll('#others .item').length === 1")
                }
                #expect(
                    try await tab.evaluate("document.querySelector('#state').dataset.kind", as: String.self)
                        == "offline")
                try await tab.click("#waiting-address")
                try await tab.type("https://c.example/")
                try await tab.press(.enter)
                try await tab.wait(
                    until: "\(Self.waiting) === 1 && document.querySelectorAll('#waiting .item').length === 1")
                _ = await tab.takeComplaints()
                let next = try await restart()
                try await next.libraries.use(.local) { try await $0.library.delete(id) }
                try await tab.open(next.url("/library/"))
                try await tab.wait(until: "\(Self.waiting) === 0 && document.querySelector('#list')")
                try await eventually("the address is saved once") {
                    try await next.libraries.use(.local) {
                        $0.library.newest.count { $0.request.url.host() == "c.example" } == 1
                    }
                }
                // What was deleted on the server is no longer kept.
                try await Self.waitForKept("=== 0", in: tab)
                try await next.stop()
            }
        }
    }

    /// Opens a page's reader, where the request for its archive has an outcome of its own, and keeps the page.
    private static func keep(_ id: SavedPage.ID, of server: LibraryServer, in tab: BrowserTab, outcome: String)
        async throws
    {
        try await tab.runBeforePages(
            """
            if (location.pathname.endsWith('/reader')) {
                const send = window.fetch;
                window.fetch = (address, ...options) =>
                    `${address}`.endsWith('/archive') ? \(outcome) : send(address, ...options);
            }
            """)
        try await tab.open(server.url("/library/pages/\(id)/reader"))
        try await tab.wait(
            until: "navigator.serviceWorker.controller && document.querySelector('#keep')?.textContent")
        try await tab.click(".viewer-bar > .menu:last-of-type summary")
        try await tab.click("#keep")
    }

    /// Waits until the number of entries in the cache of kept pages meets a condition, such as `> 0`.
    private static func waitForKept(_ condition: String, in tab: BrowserTab) async throws {
        let count = "caches.open('meanwhile.library.kept').then((cache) => cache.keys()).then((keys) => keys.length)"
        try await tab.wait(
            until: "window.keptCount \(condition) || \(count).then((count) => { window.keptCount = count; }) && false")
    }

    private static let index = "localStorage.getItem('meanwhile.library.kept')"

    @Test func copyThatIsLeftIsMadeAgainWhole() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://page.example/", in: server)
            try await BrowserTab.run { tab in
                try await Self.keep(
                    id, of: server, in: tab, outcome: "new Promise(() => { window.isCopying = true; })")
                try await tab.wait(until: "window.isCopying")
                try await Self.waitForKept("=== 0", in: tab)
                #expect(try await tab.evaluate(Self.index, as: String.self) == #"{"\#(id)":""}"#)
                try await tab.open(server.url("/library/"))
                try await tab.wait(until: "JSON.parse(\(Self.index))['\(id)']")
                try await Self.waitForKept("> 3", in: tab)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func copyThatFailsLeavesNothingAndCanBeRepeated() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://page.example/", in: server)
            try await BrowserTab.run { tab in
                let outcome = "(window.hasFailed ? send(address) : Promise.reject(new TypeError()))"
                try await Self.keep(id, of: server, in: tab, outcome: outcome)
                try await tab.wait(
                    until: "document.querySelector('#viewer-note')?.innerText.includes('couldn’t be copied')")
                try await Self.waitForKept("=== 0", in: tab)
                #expect(try await tab.evaluate(Self.index, as: String.self) == "{}")
                _ = try await tab.evaluate("window.hasFailed = true", as: Bool.self)
                try await tab.click(".viewer-bar > .menu:last-of-type summary")
                try await tab.click("#keep")
                try await tab.wait(
                    until: "document.querySelector('#viewer-note')?.innerText.includes('on this device now')")
                _ = try await tab.evaluate("window.keptCount = 0", as: Int.self)
                try await Self.waitForKept("> 3", in: tab)
            }
        }
    }

    @Test func waitingAddressWhoseAnswerIsLostIsSavedOnce() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = SavedPage.ID()
            for _ in 1...2 {
                var request = URLRequest(url: try server.url("/library/pages/waiting"))
                request.httpMethod = "POST"
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                request.setValue("http://127.0.0.1:\(server.port)", forHTTPHeaderField: "Origin")
                request.httpBody = Data("id=\(id)&address=https%3A%2F%2Fpage.example%2F".utf8)
                let (_, response) = try await URLSession.shared.data(for: request)
                #expect((response as? HTTPURLResponse)?.statusCode == 204)
            }
            #expect(try await server.libraries.use(.local) { $0.library.newest.map(\.id) } == [id])
        }
    }
}

import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The pages of versions, in a browser.
@Suite(.timeLimit(.minutes(20))) struct VersionPageTests {
    private static let address = "https://changes.example/"

    /// Saves versions of a page, and returns them, the oldest first.
    private func save(_ count: Int, in server: LibraryServer, _ address: String = address) async throws -> [SavedPage
        .ID]
    {
        var ids: [SavedPage.ID] = []
        for _ in 0..<count {
            let id = try await server.libraries.use(.local) {
                try await $0.library.save(address, formats: [.png, .webArchive])
            }
            try await eventually("the change is there") { (try? await isSaved(id, in: server)) ?? false }
            ids.append(id)
        }
        return ids
    }

    private func isSaved(_ id: SavedPage.ID, in server: LibraryServer) async throws -> Bool {
        try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
    }

    private func with(
        width: Int = 1000, height: Int = 700, configuration: Library.Configuration = Library.Configuration(),
        _ body: (BrowserTab, LibraryServer) async throws -> Void
    ) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer(), configuration: configuration) { server in
            try await BrowserTab.run(width: width, height: height) { tab in
                try await body(tab, server)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    @Test func historyListsVersionsAndWhatChanged() async throws {
        try await with { tab, server in
            let ids = try await save(3, in: server)
            _ = try await save(1, in: server, "https://page.example/")
            try await tab.open(server.url("/library/pages/\(ids[0])/versions"))
            try await tab.wait(until: "document.querySelectorAll('.versions .change a').length === 2")
            // The page is updated when the versions have been compared.
            try await tab.wait(
                until:
                    "[...document.querySelectorAll('.versions .change')].every((change) => !change.innerText.includes('Not'))"
            )
            let texts = try await tab.evaluate(
                "[...document.querySelectorAll('.versions .change')].map(({ innerText }) => innerText)",
                as: [String].self)
            #expect(
                texts == [
                    "2 words added, 2 removed, 20% of the picture changed",
                    "2 words added, 2 removed, 25% of the picture changed", "First version",
                ])
            // The newest version and the one before it are chosen.
            try await tab.click("#choose button")
            try await tab.wait(until: "location.pathname === '/library/compare'")
            let query = try await tab.evaluate("location.search", as: String.self)
            #expect(query == "?new=\(ids[2])&old=\(ids[1])" || query == "?old=\(ids[1])&new=\(ids[2])")
        }
    }

    @Test func comparisonMarksWordsAndPartsOfThePicture() async throws {
        try await with { tab, server in
            let ids = try await save(2, in: server)
            // The older version is on the left, in whichever order they are chosen.
            try await tab.open(server.url("/library/compare?old=\(ids[1])&new=\(ids[0])"))
            try await tab.wait(until: "document.querySelector('#summary') && document.querySelector('.marks rect')")
            #expect(
                try await tab.evaluate(
                    "[...document.querySelectorAll('.text-change del, .text-change ins')].map(({ innerText }) => innerText)",
                    as: [String].self) == ["1", "2", "1", "2"])
            // A page's text is shown as text.
            #expect(
                try await tab.evaluate("document.querySelector('#change-1').innerText", as: String.self).contains(
                    "<b>price</b>"))
            #expect(try await tab.evaluate("document.querySelectorAll('.text-changes b').length", as: Int.self) == 0)
            #expect(
                try await tab.evaluate("document.querySelector('.text-changes summary').innerText", as: String.self)
                    == "7 unchanged paragraphs")
            let rectangles = """
                [...document.querySelectorAll('.marks rect')].map((rect) => ['x', 'y', 'width', 'height'] \
                .map((name) => rect.getAttribute(name)).join(' '))
                """
            #expect(try await tab.evaluate(rectangles, as: [String].self) == ["0 15 8 5"])
        }
    }

    @Test func keysMoveBetweenChanges() async throws {
        try await with { tab, server in
            let ids = try await save(2, in: server)
            try await tab.open(server.url("/library/compare?old=\(ids[0])&new=\(ids[1])"))
            try await tab.wait(until: "!document.querySelector('#change-bar').hidden")
            for (key, change) in [("n", 1), ("n", 2), ("n", 2), ("p", 1)] {
                try await tab.key(key)
                try await tab.wait(until: "document.activeElement.id === 'change-\(change)'")
            }
        }
    }

    @Test func phoneShowsBothPicturesBySwiping() async throws {
        try await with(width: 390, height: 844) { tab, server in
            let ids = try await save(2, in: server)
            for path in ["/library/pages/\(ids[1])/versions", "/library/compare?old=\(ids[0])&new=\(ids[1])"] {
                try await tab.open(server.url(path))
                #expect(
                    try await tab.evaluate("document.documentElement.scrollWidth <= innerWidth", as: Bool.self),
                    "\(path)")
            }
            #expect(
                try await tab.evaluate(
                    "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.picture-pair'))",
                    as: Bool.self))
        }
    }

    @Test func versionWithoutPictureOrTextSaysSo() async throws {
        try await with { tab, server in
            var ids: [SavedPage.ID] = []
            for _ in 0..<2 {
                // The scripted picture isn't one that can be read.
                ids += try await save(1, in: server, "https://page.example/")
            }
            try await tab.open(server.url("/library/compare?old=\(ids[0])&new=\(ids[1])"))
            try await tab.wait(until: "document.querySelector('#summary')")
            let text = try await tab.evaluate("document.querySelector('#comparison').innerText", as: String.self)
            #expect(text.contains("A version has no picture that can be read."))
            #expect(text.contains("The texts are the same."))
        }
    }

    @Test func newVersionIsFilteredUntilItIsOpened() async throws {
        try await with { tab, server in
            let ids = try await save(2, in: server)
            let path = "/library/?changed=1"
            try await tab.open(server.url(path))
            #expect(
                try await tab.evaluate(
                    "[...document.querySelectorAll('#list .item')].map(({ id }) => id)", as: [String].self)
                    == ["page-\(ids[1])"])
            try await tab.open(server.url("/library/pages/\(ids[1])/picture"))
            try await tab.open(server.url(path))
            #expect(try await tab.evaluate("document.querySelectorAll('#list .item').length", as: Int.self) == 0)
        }
    }

    @Test func feedSaysWhatChanged() async throws {
        try await with { tab, server in
            let ids = try await save(2, in: server)
            try await eventually("the change is there") {
                let known = try? await server.libraries.use(.local) { try await $0.library.comparisons(of: [ids[1]]) }
                return known?.isEmpty == false
            }
            let (data, _) = try await URLSession.shared.data(from: server.url("/library/feed.atom"))
            let feed = String(decoding: data, as: UTF8.self)
            #expect(
                feed.contains("Changed since the version before: 2 words added, 2 removed, 25% of the picture changed"))
            try await tab.open(server.url("/library/"))
        }
    }

    @Test func scheduleIsSetAndItsFailureShown() async throws {
        let time = ManualDate(.now)
        var configuration = Library.Configuration()
        configuration.now = { time.now }
        try await with(configuration: configuration) { tab, server in
            // The second capture of this address succeeds, the first one fails.
            let ids = try await save(1, in: server, "https://page.example/")
            try await tab.open(server.url("/library/pages/\(ids[0])/versions"))
            _ = try await tab.evaluate("document.querySelector('#interval').value = 'daily'", as: String.self)
            try await tab.click("#set-schedule button")
            try await tab.wait(until: "document.querySelector('#schedule time')")
            time.advance(by: 90_000)
            let due = try await server.store.ownersWithDueSchedules(at: time.now)
            #expect(due == [.local])
            try await server.libraries.runSchedules(of: due)
            // The version is still the same, so there is no other one; its picture can't be read, so it is kept.
            try await eventually("the change is there") {
                (try? await server.libraries.use(.local) { $0.library.schedules.first?.endedAt != nil }) ?? false
            }
            try await tab.wait(until: "document.querySelectorAll('.versions .item').length === 2")
        }
    }
}

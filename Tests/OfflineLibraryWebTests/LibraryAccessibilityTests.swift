import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// The library's pages beside its list, for people with a keyboard, a screen reader, large text or a phone.
@Suite(.timeLimit(.minutes(20))) struct LibraryAccessibilityTests {
    /// A page, and a JavaScript condition that holds once its scripts have filled it in.
    private typealias Page = (path: String, ready: String)

    /// Runs the body with each page, of a library with versions, notes, positions, a schedule and imports.
    private func forAllPages(_ body: (LibraryServer, Page) async throws -> Void) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let formats: Set<PageFormat> = [.png, .pdf, .webArchive]
            var ids: [SavedPage.ID] = []
            for address in ["https://changes.example/", "https://changes.example/", "https://no-article.example/"] {
                ids.append(try await Self.save(address, formats, in: server))
            }
            let imported = try await server.libraries.use(.local) { [ids] open in
                let library = open.library
                try await library.mark(
                    ids[0], try PageMarks(isFavourite: true, tags: PageTag.tags(in: "Later, Read"), note: "A note"))
                try await library.setPosition(
                    ReadingPosition(share: 0.4, paragraph: 3, changedAt: .now), in: .reader, of: ids[0])
                try await library.schedule(ids[0], .weekly, zone: "UTC")
                _ = try await library.createUploadToken()
                return try await library.importAddresses(
                    of: AddressFile(
                        format: .bookmarks,
                        addresses: [
                            ImportedAddress(place: 1, address: "https://changes.example/", note: "Another note"),
                            ImportedAddress(place: 2, address: "https://fails-once.example/", title: "A title"),
                            ImportedAddress(place: 3, address: "no address"),
                        ]), name: "bookmarks.html")
            }
            try await eventually("the import is done") {
                try await server.libraries.use(.local) { $0.library.imports.allSatisfy(\.counts.isFinished) }
            }
            let (page, compared) = ("/library/pages/\(ids[0])", "/library/compare?old=\(ids[0])&new=\(ids[1])")
            let pages: [Page] =
                [
                    ("\(page)/versions", "document.querySelectorAll('.versions .item').length === 2"),
                    (compared, "document.querySelector('.text-change')"),
                    ("\(page)/reader", "document.querySelector('.viewer').contentDocument?.querySelector('.minutes')"),
                    ("/library/pages/\(ids[2])/reader", "document.querySelector('#no-article')"),
                    ("/library/offline", "document.querySelector('#others .item')"),
                    ("/library/import/\(imported)", "document.querySelector('#report .entries')"),
                    ("/library/?reading=started", "document.querySelector('#list')"),
                ]
                + ["\(page)/picture", "\(page)/archive", "\(page)/marks", "/library/import", "/library/uploads"]
                .map { ($0, "true") }
            for page in pages { try await body(server, page) }
        }
    }

    private static func save(
        _ address: String, _ formats: Set<PageFormat>, in server: LibraryServer
    ) async throws -> SavedPage.ID {
        let id = try await server.libraries.use(.local) { try await $0.library.save(address, formats: formats) }
        try await eventually("the page is saved") {
            try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
        }
        return id
    }

    /// Opens a page, and all its menus and folded parts.
    private func open(_ page: Page, of server: LibraryServer, in tab: BrowserTab) async throws {
        try await tab.open(server.url(page.path))
        try await tab.wait(until: page.ready)
    }

    private static let unfold = """
        document.querySelectorAll('main details:not(.menu)').forEach((details) => { details.open = true; }); true
        """

    @Test(arguments: BrowserTab.Colours.allCases)
    func axeFindsNothing(colours: BrowserTab.Colours) async throws {
        let axe = try Axe.source()
        try await BrowserTab.run(colours: colours) { tab in
            try await forAllPages { server, page in
                try await open(page, of: server, in: tab)
                _ = try await tab.evaluate(Self.unfold, as: Bool.self)
                #expect(try await Axe.violations(axe, in: tab) == [], "\(page.path)")
                // Each menu alone, because they cover what is below them.
                let menus = try await tab.evaluate("document.querySelectorAll('main .menu').length", as: Int.self)
                for index in 0..<menus {
                    let toggle = "document.querySelectorAll('main .menu')[\(index)].open"
                    _ = try await tab.evaluate("\(toggle) = true", as: Bool.self)
                    #expect(try await Axe.violations(axe, in: tab) == [], "\(page.path), menu \(index)")
                    _ = try await tab.evaluate("(\(toggle) = false, true)", as: Bool.self)
                }
            }
        }
    }

    /// The list of kept pages after one was kept.
    @Test(arguments: BrowserTab.Colours.allCases)
    func axeFindsNothingOnAKeptPage(colours: BrowserTab.Colours) async throws {
        let axe = try Axe.source()
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            _ = try await Self.save("https://page.example/", [.png, .pdf, .webArchive], in: server)
            try await BrowserTab.run(colours: colours) { tab in
                try await tab.open(server.url("/library/offline"))
                try await tab.wait(until: "document.querySelector('#others .item-actions button')")
                try await tab.click("#others .item-actions button")
                try await tab.wait(until: "document.querySelector(\"#kept [data-key^='pdf/']\")")
                #expect(try await Axe.violations(axe, in: tab) == [])
            }
        }
    }

    @Test func everyTargetIsLargeEnough() async throws {
        try await BrowserTab.run(width: 360, height: 640) { tab in
            try await tab.emulateTouchScreen()
            try await forAllPages { server, page in
                try await open(page, of: server, in: tab)
                _ = try await tab.evaluate(Self.unfold, as: Bool.self)
                #expect(try await tab.smallTargets() == [], "\(page.path)")
            }
        }
    }

    @Test(arguments: [(1_280, "200%"), (320, "100%")])
    func noPageScrollsSideways(width: Int, text: String) async throws {
        try await BrowserTab.run(width: width, height: 640) { tab in
            try await forAllPages { server, page in
                try await open(page, of: server, in: tab)
                _ = try await tab.evaluate(Self.unfold, as: Bool.self)
                #expect(try await tab.excessWidth(textSize: text) <= 1, "\(page.path), text at \(text)")
            }
        }
    }
}

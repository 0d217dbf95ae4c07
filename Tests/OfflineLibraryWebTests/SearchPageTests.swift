import BrowserDriver
import Capture
import FixtureSite
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The search of the list, in a browser and without scripts.
@Suite(.timeLimit(.minutes(20))) struct SearchPageTests {
    private static let count = "document.querySelectorAll('#list .item').length"

    /// Opens a list of eight saved pages, `page.example/1` to `8`.
    private func withList(_ body: (BrowserTab, LibraryServer) async throws -> Void) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(8)
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await body(tab, server)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    /// Replaces the text of the search field as if it was typed at once.
    private func type(_ text: String, in tab: BrowserTab) async throws {
        _ = try await tab.evaluate(
            """
            (() => {
                const field = document.querySelector('#search-words');
                field.focus();
                field.value = '\(text)';
                field.dispatchEvent(new InputEvent('input', { bubbles: true }));
                return true;
            })()
            """, as: Bool.self)
    }

    @Test func resultsFollowTheTypedWords() async throws {
        try await withList { tab, _ in
            try await type("text marks 3", in: tab)
            try await tab.wait(until: "\(Self.count) === 1 && document.querySelector('.excerpt')")
            #expect(try await tab.text(".excerpt") == "The text of 3 has <b>words & marks</b>.")
            #expect(
                try await tab.evaluate(
                    "Array.from(document.querySelectorAll('.excerpt mark'), (mark) => mark.textContent).join()",
                    as: String.self) == "text,3,marks")
            #expect(try await tab.evaluate("location.search", as: String.self) == "?q=text+marks+3")
            // The field keeps the focus and what was typed.
            let field = "document.activeElement.id === 'search-words' && document.activeElement.value"
            #expect(try await tab.evaluate(field, as: String.self) == "text marks 3")
            // Only the results of the last words stay.
            for words in ["text", "marks 1", "nothing like this", "text -marks", "page.example/5"] {
                try await type(words, in: tab)
            }
            try await tab.wait(
                until: "\(Self.count) === 1 && document.querySelector('.item-address').textContent.endsWith('/5')")
            try await type("no such words", in: tab)
            try await tab.wait(until: "document.querySelector('#nothing')")
            try await type("", in: tab)
            try await tab.wait(until: "document.querySelector('#save') && \(Self.count) === 8")
            #expect(try await tab.evaluate("location.search", as: String.self) == "")
        }
    }

    /// The list that comes back after a search is live again.
    @Test func listAfterASearchIsLive() async throws {
        try await withList { tab, server in
            try await type("marks 3", in: tab)
            try await tab.wait(until: "\(Self.count) === 1")
            try await type("", in: tab)
            try await tab.wait(until: "\(Self.count) === 8")
            try await server.libraries.use(.local) {
                _ = try await $0.library.save("https://page.example/new", formats: [.png])
            }
            try await tab.wait(until: "\(Self.count) === 9")
        }
    }

    @Test func actionsOnResultsKeepTheSearch() async throws {
        try await withList { tab, server in
            try await type("marks", in: tab)
            try await tab.wait(
                until: "location.search === '?q=marks' && document.querySelectorAll('.excerpt').length === 8")
            try await tab.click("#list .item:first-child .menu summary")
            try await tab.click("#list .item:first-child form[action$='/delete'] button")
            try await tab.wait(until: "document.querySelectorAll('.excerpt').length === 7")
            #expect(try await server.libraries.use(.local) { $0.library.newest.deletedItems.count } == 1)
            // The row stays, with the button that undoes the deletion.
            #expect(try await tab.evaluate("location.search", as: String.self) == "?q=marks")
            #expect(try await tab.text("#pages-heading") == "7 pages found")
            try await tab.click("#list .item form[action$='/restore'] button")
            try await tab.wait(until: "document.querySelectorAll('.excerpt').length === 8")
            try await tab.click("#selecting")
            for row in [2, 3] { try await tab.click("#list .item:nth-child(\(row)) .select input") }
            try await tab.click("#delete-selected")
            try await tab.wait(until: "document.querySelector('#undo-all')")
            #expect(try await tab.evaluate("location.search", as: String.self) == "?q=marks")
            try await tab.click("#undo-all button")
            try await tab.wait(until: "document.querySelectorAll('.excerpt').length === 8")
        }
    }

    /// The text is read by the browser that captures the page, and in the same way from its archive.
    @Test func textOfACapturedPageIsFound() async throws {
        try await FixtureSite.run { site in
            try await LibraryServer.run { server in
                let address = site.url("/utf16").absoluteString
                try await server.libraries.use(.local) {
                    _ = try await $0.library.save(address, formats: [.webArchive])
                }
                try await eventually("the page is saved") {
                    try await server.libraries.use(.local) { $0.library.items.allSatisfy { $0.state.value != nil } }
                }
                #expect(try await server.page("/library/?q=%D1%8E%D0%BD%D0%B8").contains("<mark>Юникод</mark>"))
                #expect(try await server.page("/library/?q=%E6%96%87").contains("1 page found"))
                let id = try #require(try await server.libraries.use(.local) { $0.library.items.first?.id })
                let archive = try #require(try await server.store.file(.webArchive, of: id, owner: .local))
                let text = try await sharedCapturer.text(of: archive, options: CaptureOptions())
                #expect(text.contains("Юникод, 中文, 😀"))
            }
        }
    }

    @Test func resultsAreListedInPartsWithoutScripts() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let count = LibraryTemplates.listLength + 3
            try await server.savePages(count)
            let first = try await server.page("/library/?q=page.example+marks")
            #expect(first.contains("\(count) pages found") && first.contains("<mark>marks</mark>"))
            #expect(first.contains("/library/?q=page.example+marks&amp;skip=\(LibraryTemplates.listLength)"))
            let rest = try await server.page(
                "/library/?q=page%2Eexample%20marks&skip=\(LibraryTemplates.listLength)")
            #expect(rest.components(separatedBy: "class=\"item\"").count == 4)
            for hostile in [
                "%22", "-", "%00", "NEAR(", "%FF", "a*&skip=-1", "a&skip=99999999999999999999", "%F0%9F%99%82",
            ] {
                #expect(try await server.page("/library/?q=\(hostile)").contains("id=\"search\""), "\(hostile)")
            }
        }
    }
}

extension LibraryServer {
    /// The HTML of a page.
    fileprivate func page(_ path: String) async throws -> String {
        let (data, response) = try await URLSession.shared.data(from: try url(path))
        #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(path)")
        return String(decoding: data, as: UTF8.self)
    }
}

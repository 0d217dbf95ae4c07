import BrowserDriver
import Foundation
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Stars, tags, notes, filters and keys, in a browser.
@Suite(.timeLimit(.minutes(20))) struct MarksPageTests {
    private static let count = "document.querySelectorAll('#list .item').length"
    private static let first = "#list .item:first-child"

    /// Opens a list of eight saved pages, `page.example/1` to `8`; the newest is 8.
    private func withList(
        _ path: String = "/library/", _ body: (BrowserTab, LibraryServer) async throws -> Void
    ) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(8)
            try await BrowserTab.run(width: 1000, height: 700) { tab in
                try await tab.open(server.url(path))
                try await body(tab, server)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    private func focus(_ selector: String, in tab: BrowserTab) async throws {
        #expect(
            try await tab.evaluate(
                "document.querySelector('\(selector)').focus() === undefined && document.activeElement.matches('\(selector)')",
                as: Bool.self))
    }

    private func press(_ keys: String..., in tab: BrowserTab) async throws {
        for key in keys { try await tab.key(key) }
    }

    private func marks(_ number: Int, in server: LibraryServer) async throws -> PageMarks? {
        try await server.libraries.use(.local) { open in
            open.library.newest.first { $0.request.url.lastPathComponent == "\(number)" }?.marks
        }
    }

    private func tag(_ numbers: Set<String>, _ text: String, in server: LibraryServer) async throws {
        try await server.libraries.use(.local) { open in
            let ids = open.library.newest.filter { numbers.contains($0.request.url.lastPathComponent) }.map(\.id)
            try await open.library.markAll(Set(ids), .add(PageTag.tags(in: text)))
        }
    }

    @Test func starIsSwitchedInTheListAndShownInOtherTabs() async throws {
        try await withList { tab, server in
            let other = try server.url("/library/")
            try await BrowserTab.run(width: 500, height: 700) { second in
                try await second.open(other)
                try await tab.click("\(Self.first) .favourite button")
                for tab in [tab, second] {
                    try await tab.wait(until: "document.querySelector('\(Self.first) .favourite [aria-pressed=true]')")
                }
                #expect(try await marks(8, in: server)?.isFavourite == true)
                try await tab.click("\(Self.first) .favourite button")
                try await second.wait(until: "!document.querySelector('.favourite [aria-pressed=true]')")
                #expect(try await marks(8, in: server)?.isFavourite == false)
            }
        }
    }

    @Test func tagsAndNoteAreWrittenAndLeadToTheirPages() async throws {
        try await withList { tab, server in
            try await tag(["1", "8"], "Old", in: server)
            try await tab.click("\(Self.first) .menu summary")
            try await tab.click("\(Self.first) .menu a[href$='/marks']")
            try await tab.wait(until: "document.activeElement.id === 'new-tags'")
            #expect(try await tab.evaluate("document.querySelector('.chips input').checked", as: Bool.self))
            try await tab.type("old, <b>New</b>")
            try await focus("#note", in: tab)
            try await tab.type("Read & think")
            try await tab.click("#marks button")
            try await tab.wait(until: "location.pathname === '/library/' && document.querySelector('.item-note')")
            #expect(try await tab.text("\(Self.first) .tags") == "Old\n<b>New</b>")
            #expect(try await marks(8, in: server)?.note == "Read & think")
            try await tab.click("\(Self.first) .tags a")
            try await tab.wait(until: "location.search === '?tag=Old' && \(Self.count) === 2")
            #expect(try await tab.evaluate("document.querySelector('#filter-tag').value", as: String.self) == "Old")
            // Saving from results leads back to them.
            try await tab.click("\(Self.first) .menu summary")
            try await tab.click("\(Self.first) .menu a[href$='/marks']")
            try await tab.wait(until: "document.querySelector('#marks')")
            try await tab.click(".chips .chip:nth-of-type(1) input")
            try await tab.click("#marks button")
            try await tab.wait(until: "location.search === '?tag=Old' && \(Self.count) === 1")
        }
    }

    @Test func filtersCombineWithWordsAndStayInTheAddress() async throws {
        try await withList { tab, server in
            try await tag(["2", "3", "4"], "Later", in: server)
            try await tab.click("#filters summary")
            #expect(
                try await tab.evaluate(
                    """
                    (() => {
                        const tags = document.querySelector('#filter-tag');
                        tags.value = 'Later';
                        return tags.dispatchEvent(new Event('input', { bubbles: true }));
                    })()
                    """, as: Bool.self))
            try await tab.wait(until: "\(Self.count) === 3 && location.search === '?tag=Later'")
            #expect(try await tab.text("#pages-heading") == "3 pages found")
            try await focus("#search-words", in: tab)
            try await tab.type("marks 3")
            try await tab.wait(until: "\(Self.count) === 1")
            #expect(try await tab.evaluate("location.search", as: String.self) == "?q=marks+3&tag=Later")
            try await tab.open(server.url("/library/?q=marks+3&tag=Later"))
            #expect(try await tab.evaluate(Self.count, as: Int.self) == 1)
            #expect(try await tab.evaluate("document.querySelector('#filters').open", as: Bool.self))
            try await tab.click(".filters a")
            try await tab.wait(until: "location.search === '' && \(Self.count) === 8")
        }
    }

    /// Days are those of the reader.
    @Test func pagesAreFoundByDayAndSite() async throws {
        try await withList("/library/?since=2000-01-01&until=2000-01-31&q=") { tab, server in
            #expect(
                try await tab.evaluate("document.querySelector('#filter-since').value", as: String.self) == "2000-01-01"
            )
            #expect(try await tab.evaluate("Boolean(document.querySelector('#nothing'))", as: Bool.self))
            try await tab.open(server.url("/library/?since=2000-01-01&host=https%3A%2F%2Fwww.page.example%2Fa"))
            #expect(try await tab.evaluate(Self.count, as: Int.self) == 8)
            #expect(
                try await tab.evaluate("document.querySelector('#filter-host').value", as: String.self)
                    == "page.example")
            // A day that doesn't exist is no filter.
            try await tab.open(server.url("/library/?since=2026-02-30&q="))
            #expect(try await tab.evaluate("location.search", as: String.self) == "")
        }
    }

    @Test func selectedPagesAreTaggedAndThatIsUndone() async throws {
        try await withList { tab, server in
            try await tag(["7"], "Old", in: server)
            try await tab.click("#selecting")
            for row in [1, 2] { try await tab.click("#list .item:nth-child(\(row)) .select input") }
            try await tab.click("#selection summary")
            try await focus("#selection-tags", in: tab)
            try await tab.type("old, New")
            // The Enter key adds the tags, and deletes nothing.
            try await tab.press(.enter)
            try await tab.wait(until: "document.querySelectorAll('.tags').length === 2")
            try await tab.wait(until: "!document.querySelector('#selection details[open]')")
            #expect(try await tab.text("#bulk [role=status]") == "2 pages were tagged “Old”, “New”.")
            #expect(try await marks(7, in: server)?.tags.map(\.name) == ["Old", "New"])
            try await tab.click("#undo-all button")
            try await tab.wait(until: "document.querySelectorAll('.tags').length === 1")
            #expect(try await marks(7, in: server)?.tags.map(\.name) == ["Old"])
            #expect(try await marks(8, in: server)?.tags.isEmpty == true)
            #expect(try await server.libraries.use(.local) { $0.library.newest.deletedItems.count } == 0)
        }
    }

    @Test func keysMoveSelectMarkDeleteAndUndo() async throws {
        try await withList { tab, server in
            let focused =
                "[...document.querySelectorAll('#list .item')].indexOf(document.activeElement.closest('.item'))"
            try await press("j", in: tab)
            #expect(try await tab.evaluate(focused, as: Int.self) == 0)
            try await press("j", "j", "ArrowDown", "k", in: tab)
            #expect(try await tab.evaluate(focused, as: Int.self) == 2)
            try await press("f", in: tab)
            try await tab.wait(
                until: "document.querySelector('#list .item:nth-child(3) .favourite [aria-pressed=true]')")
            #expect(try await marks(6, in: server)?.isFavourite == true)
            try await press("x", in: tab)
            #expect(
                try await tab.evaluate("document.querySelectorAll('.select input:checked').length", as: Int.self) == 1)
            try await press("Delete", in: tab)
            try await tab.wait(until: "document.querySelector('#list .item:nth-child(3) form[action$=\"/restore\"]')")
            try await press("u", in: tab)
            try await tab.wait(until: "!document.querySelector('form[action$=\"/restore\"]')")
            // Letters that are typed stay letters.
            try await press("/", in: tab)
            try await tab.type("marks 3")
            try await tab.wait(until: "\(Self.count) === 1 && location.search === '?q=marks+3'")
            #expect(try await server.libraries.use(.local) { $0.library.newest.count { $0.marks.isFavourite } } == 1)
        }
    }

    @Test func keysAreListedAndCanBeSwitchedOff() async throws {
        try await withList { tab, server in
            try await press("?", in: tab)
            try await tab.wait(until: "document.querySelector('#keys[open]')")
            try await tab.click("#use-keys")
            try await tab.click("#keys button")
            try await press("j", "f", in: tab)
            #expect(try await tab.evaluate("document.activeElement.closest('.item') === null", as: Bool.self))
            try await tab.open(server.url("/library/"))
            try await press("j", in: tab)
            #expect(try await tab.evaluate("document.activeElement.closest('.item') === null", as: Bool.self))
            try await press("?", in: tab)
            try await tab.click("#use-keys")
            try await tab.click("#keys button")
            #expect(try await tab.evaluate("document.activeElement.blur() === undefined", as: Bool.self))
            try await press("j", in: tab)
            #expect(try await tab.evaluate("document.activeElement.closest('.item') !== null", as: Bool.self))
        }
    }

    /// A form can't be made to lead to another site.
    @Test(arguments: ["//other.example/", "https://other.example/", "/library/\\other.example", "/library/../art/", ""])
    func formLeadsOnlyIntoTheLibrary(back: String) async throws {
        try await withList { tab, server in
            let id = try await server.libraries.use(.local) { $0.library.newest[0].id }
            let path = try await tab.evaluate(
                """
                fetch('/library/pages/\(id)/marks', { method: 'POST', body: new URLSearchParams({ back: \(back.debugDescription) }) })
                    .then((response) => response.url.replace(location.origin, ''))
                """, as: String.self)
            #expect(path == "/library/")
        }
    }
}

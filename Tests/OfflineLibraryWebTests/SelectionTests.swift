import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests how several pages are selected, deleted and restored, in a window of a phone's size.
@Suite(.timeLimit(.minutes(20))) struct SelectionTests {
    /// Opens a list of eight saved pages.
    private func withList(_ body: (BrowserTab, LibraryServer) async throws -> Void) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(8)
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.open(server.url("/library/"))
                try await body(tab, server)
            }
        }
    }

    private func deletedCount(of server: LibraryServer) async throws -> Int {
        try await server.libraries.use(.local) { $0.library.items.count { $0.isDeleted } }
    }

    private func isInWindow(_ selector: String, of tab: BrowserTab) async throws -> Bool {
        try await tab.evaluate(
            """
            (() => {
                const box = document.querySelector('\(selector)').getBoundingClientRect();
                return box.height >= 44 && box.top >= 0 && box.bottom <= innerHeight;
            })()
            """, as: Bool.self)
    }

    @Test func selectedPagesAreDeletedAndRestoredOnOneScreen() async throws {
        try await withList { tab, server in
            let isHidden = "!document.querySelector('#list .select').checkVisibility()"
            #expect(try await tab.evaluate(isHidden, as: Bool.self))
            try await tab.click("#selecting")
            for row in [2, 3, 5] { try await tab.click("#list .item:nth-child(\(row)) .select input") }
            #expect(try await isInWindow("#delete-selected", of: tab))
            try await tab.click("#delete-selected")
            try await tab.wait(
                until: "document.querySelector('#undo-all') && !document.querySelector('#selection[aria-busy]')")
            #expect(try await deletedCount(of: server) == 3)
            #expect(try await tab.text("#bulk [role=status]") == "3 pages were deleted.")
            #expect(try await isInWindow("#undo-all button", of: tab))
            // The focus stays in the bar, and nothing is selected any more.
            try await tab.wait(until: "document.activeElement.closest('#bulk')")
            #expect(
                try await tab.evaluate("document.querySelectorAll('.select input:checked').length", as: Int.self) == 0)
            try await tab.click("#undo-all button")
            try await tab.wait(until: "document.querySelectorAll('#list .files').length === 8")
            try await tab.wait(
                until: "document.querySelector('#announcement').textContent === '3 pages were restored.'")
            #expect(try await deletedCount(of: server) == 0)
            #expect(await tab.takeComplaints() == [])
        }
    }

    /// After the deletion of one page, its row has the button that undoes it, and the bar shows no message.
    @Test func deletionOfOneSelectedPageIsAnnounced() async throws {
        try await withList { tab, server in
            try await tab.click("#selecting")
            try await tab.click("#list .item:nth-child(2) .select input")
            try await tab.click("#delete-selected")
            try await tab.wait(
                until: "document.querySelector('#announcement').textContent === '“A page” was deleted.'")
            #expect(try await deletedCount(of: server) == 1)
        }
    }

    @Test func selectionSurvivesChangesOfTheList() async throws {
        try await withList { tab, server in
            try await tab.click("#selecting")
            try await tab.click("#list .item:nth-child(4) .select input")
            try await server.libraries.use(.local) { open in
                _ = try await open.library.save("https://page.example/9", formats: [.png])
                if let last = open.library.items.last { try await open.library.delete(last.id) }
            }
            try await tab.wait(until: "document.querySelectorAll('#list .item').length === 9")
            try await tab.wait(until: "document.querySelector('#list form[action$=\"/restore\"]')")
            #expect(
                try await tab.evaluate(
                    "document.querySelector('#list .item:nth-child(5) .select input').checked", as: Bool.self))
        }
    }

    @Test func allPagesAreSelectedAndCountedAtOnce() async throws {
        try await withList { tab, server in
            try await tab.click("#selecting")
            #expect(try await tab.text("#delete-selected") == "Delete selected")
            try await tab.click("#select-all")
            try await tab.wait(until: "document.querySelector('#delete-selected').innerText === 'Delete 8 pages'")
            #expect(try await tab.text("#select-all") == "Select none")
            #expect(try await tab.text("#selected-status") == "8 pages selected")
            try await tab.click("#list .item:nth-child(2) .select input")
            try await tab.wait(until: "document.querySelector('#delete-selected').innerText === 'Delete 7 pages'")
            #expect(try await tab.text("#select-all") == "Select all")
            // Changes by others are counted, too.
            try await server.libraries.use(.local) { open in
                guard let first = open.library.items.first else { return }
                try await open.library.delete(first.id)
            }
            try await tab.wait(until: "document.querySelector('#delete-selected').innerText === 'Delete 6 pages'")
            try await tab.click("#select-all")
            try await tab.click("#select-all")
            try await tab.wait(until: "document.querySelector('#selected-status').innerText === 'No pages selected'")
            #expect(try await tab.text("#delete-selected") == "Delete selected")
            try await tab.click("#select-all")
            #expect(try await isInWindow("#delete-selected", of: tab))
            #expect(try await isInWindow("#select-all", of: tab))
            try await tab.click("#delete-selected")
            // Nothing is left to select: the list shows the first steps, above the deleted pages and the undo.
            try await tab.wait(until: "document.querySelector('#pages-heading').innerText === 'No saved pages'")
            #expect(try await tab.text("#nothing .steps").contains("Choose Save"))
            #expect(try await tab.text("#bulk [role=status]") == "7 pages were deleted.")
            #expect(try await tab.evaluate("document.querySelectorAll('#list .item').length", as: Int.self) == 8)
            // The focus isn't lost with the button that had it.
            try await tab.wait(until: "document.activeElement.closest('#bulk')")
            #expect(try await deletedCount(of: server) == 8)
            try await tab.click("#undo-all button")
            // The page that was deleted before is still deleted.
            try await tab.wait(until: "document.querySelector('#pages-heading').innerText === '7 pages'")
            #expect(try await tab.evaluate("!document.querySelector('#nothing')", as: Bool.self))
            #expect(await tab.takeComplaints() == [])
        }
    }

    /// The list may have no more pages than a form may select.
    @Test func everyPageOfAListFitsItsForm() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(LibraryTemplates.listLength)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.wait(until: "document.querySelector('#pages-heading').innerText === '50 pages'")
                try await tab.click("#selecting")
                try await tab.click("#select-all")
                try await tab.click("#delete-selected")
                try await tab.wait(
                    until: "document.querySelector('#undo-all') && !document.querySelector('#selection[aria-busy]')")
                #expect(try await deletedCount(of: server) == LibraryTemplates.listLength)
                // The form that undoes it has one field, whatever the number of pages.
                let fields = "document.querySelectorAll('#undo-all input').length"
                #expect(try await tab.evaluate(fields, as: Int.self) == 1)
                try await tab.click("#undo-all button")
                try await tab.wait(until: "document.querySelector('#pages-heading').innerText === '50 pages'")
                #expect(try await deletedCount(of: server) == 0)
            }
        }
    }

    /// A list is longer than the part that a page shows.
    @Test func allPagesOfALongListAreSelected() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let count = LibraryTemplates.listLength + 2
            try await server.savePages(count)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await tab.wait(until: "document.querySelector('#pages-heading').innerText === '\(count) pages'")
                try await tab.click("#selecting")
                try await tab.click("#select-every")
                try await tab.wait(
                    until: "document.querySelector('#delete-selected').innerText === 'Delete \(count) pages'")
                // A page that is taken out leaves the shown ones.
                try await tab.click("#list .item:nth-child(2) .select input")
                try await tab.wait(until: "document.querySelector('#delete-selected').innerText === 'Delete 49 pages'")
                try await tab.click("#select-every")
                try await tab.click("#delete-selected")
                try await tab.wait(
                    until: "document.querySelector('#undo-all') && !document.querySelector('#selection[aria-busy]')")
                #expect(try await deletedCount(of: server) == count)
                try await tab.click("#undo-all button")
                try await tab.wait(until: "document.querySelector('#pages-heading').innerText === '\(count) pages'")
                #expect(try await deletedCount(of: server) == 0)
                #expect(await tab.takeComplaints() == [])
            }
        }
    }

    /// The Delete key moves the focus to the bar, so that a user needn't tab through the links and buttons of all later
    /// rows.
    @Test func keyboardReachesTheBarDirectly() async throws {
        try await withList { tab, server in
            try await tab.tab(to: "#selecting")
            try await tab.press(.space)
            // The bar comes before the list.
            try await tab.tab(to: "#select-all")
            #expect(try await tab.evaluate("!document.activeElement.closest('#list')", as: Bool.self))
            for next in ["#selection summary", "#export-selected", "#delete-selected"] {
                try await tab.press(.tab)
                #expect(try await tab.evaluate("document.activeElement.matches('\(next)')", as: Bool.self))
            }
            try await tab.tab(to: "#list .item:nth-child(3) .select input")
            try await tab.press(.space)
            try await tab.key("Delete")
            try await tab.wait(until: "document.activeElement.matches('#delete-selected')")
            #expect(try await tab.text("#selected-status") == "1 page selected")
            #expect(try await isInWindow("#delete-selected", of: tab))
            try await tab.press(.enter)
            try await tab.wait(
                until: "document.querySelector('#announcement').textContent === '“A page” was deleted.'")
            #expect(try await deletedCount(of: server) == 1)
        }
    }

    @Test func deletionWithoutASelectionIsRefused() async throws {
        try await withList { tab, server in
            try await tab.click("#selecting")
            try await tab.click("#delete-selected")
            try await tab.wait(
                until: "document.querySelector('#selection [role=alert]').innerText.includes('at least one')")
            #expect(try await deletedCount(of: server) == 0)
        }
    }
}

extension LibraryServer {
    /// Saves pages as pictures, and returns when they are stored.
    func savePages(_ count: Int) async throws {
        try await libraries.use(.local) { open in
            for number in 1...count {
                _ = try await open.library.save("https://page.example/\(number)", formats: [.png])
            }
        }
        try await eventually("the pages are saved") {
            try await libraries.use(.local) { $0.library.items.allSatisfy { $0.state.value != nil } }
        }
    }
}

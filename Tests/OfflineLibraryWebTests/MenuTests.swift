import BrowserDriver
import Capture
import Foundation
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests when menus close, with the menus over the page and those in the flow of the page.
@Suite(.timeLimit(.minutes(20))) struct MenuTests {
    private static let menus = [".list-bar .menu", "#list .item:nth-child(2) .menu"]

    private func withList(_ body: (BrowserTab) async throws -> Void) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(3)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                try await body(tab)
                let complaints = await tab.takeComplaints()
                #expect(complaints == [])
            }
        }
    }

    private static func isOpen(_ menu: String) -> String { "document.querySelector('\(menu)').open" }

    private func open(_ menu: String, in tab: BrowserTab) async throws {
        try await tab.click("\(menu) > summary")
        try await tab.wait(until: Self.isOpen(menu))
    }

    @Test(arguments: menus) func escapeClosesAMenuAndReturnsTheFocus(menu: String) async throws {
        try await withList { tab in
            try await open(menu, in: tab)
            try await tab.tab(to: "\(menu) .menu-body :is(a, button)")
            try await tab.key("Escape")
            try await tab.wait(
                until: "!\(Self.isOpen(menu)) && document.activeElement.matches('\(menu) > summary')")
        }
    }

    @Test func focusOnTheButtonOfAClosedMenuMovesNoRow() async throws {
        try await withList { tab in
            let height = "document.querySelector('#list').offsetHeight"
            let before = try await tab.evaluate(height, as: Double.self)
            try await tab.tab(to: "#list .item:nth-child(2) .menu-end button")
            try await tab.wait(until: "document.activeElement.getBoundingClientRect().width > 40")
            let after = try await tab.evaluate(height, as: Double.self)
            #expect(after == before)
        }
    }

    @Test func escapeDoesNotMoveAFocusOutsideTheMenu() async throws {
        try await withList { tab in
            try await open("#list .item:nth-child(2) .menu", in: tab)
            _ = try await tab.evaluate("document.querySelector('#address').focus(); true", as: Bool.self)
            try await tab.key("Escape")
            try await tab.wait(until: "!document.querySelector('details.menu[open]')")
            let isUnmoved = try await tab.evaluate("document.activeElement.id === 'address'", as: Bool.self)
            #expect(isUnmoved)
        }
    }

    @Test(arguments: menus) func clickOutsideClosesAMenu(menu: String) async throws {
        try await withList { tab in
            try await open(menu, in: tab)
            try await tab.click("h1")
            try await tab.wait(until: "!\(Self.isOpen(menu))")
        }
    }

    @Test func menuOverThePageClosesWhenTheFocusLeavesIt() async throws {
        try await withList { tab in
            try await open(".list-bar .menu", in: tab)
            try await tab.tab(to: "#list a")
            try await tab.wait(until: "!\(Self.isOpen(".list-bar .menu"))")
        }
    }

    /// A menu in the flow of the page must not move the page between the press and the click.
    @Test func pressBelowAnOpenMenuHitsItsTarget() async throws {
        try await withList { tab in
            try await open("#list .item:nth-child(1) .menu", in: tab)
            let below = "#list .item:nth-child(2) .menu"
            let place = try await tab.evaluate(
                """
                (() => {
                    const summary = document.querySelector('\(below) > summary');
                    summary.scrollIntoView({ block: 'center', behavior: 'instant' });
                    const { x, y, width, height } = summary.getBoundingClientRect();
                    return [x + width / 2, y + height / 2];
                })()
                """, as: [Double].self)
            try await tab.tap(at: BrowserTab.Place(place[0], place[1]))
            try await tab.wait(until: "\(Self.isOpen(below)) && document.querySelectorAll('.menu[open]').length === 1")
        }
    }

    @Test func menuClosesAfterItsFormHasSucceeded() async throws {
        try await withList { tab in
            try await open(".list-bar .menu", in: tab)
            try await tab.click("#orders [value=title]")
            try await tab.wait(
                until: """
                    !\(Self.isOpen(".list-bar .menu")) && document.activeElement.matches('.list-bar summary') \
                    && document.activeElement.innerText.includes('By title')
                    """)
        }
    }

    /// The page receives no events for a press inside a frame; it only loses the focus to the frame.
    @Test func pressInTheFrameOfTheViewerClosesTheMenu() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await server.libraries.use(.local) {
                try await $0.library.save("https://page.example/", formats: [.webArchive])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { !$0.library.isBusy }
            }
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/pages/\(id)/archive"))
                try await open(".viewer-bar .menu", in: tab)
                // The event is dispatched here, because a tab in the background doesn't receive `blur`.
                _ = try await tab.evaluate(
                    "document.querySelector('iframe').focus(); window.dispatchEvent(new Event('blur'))", as: Bool.self)
                try await tab.wait(until: "!\(Self.isOpen(".viewer-bar .menu"))")
            }
        }
    }
}

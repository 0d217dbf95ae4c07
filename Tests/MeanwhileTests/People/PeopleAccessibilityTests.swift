import Accounts
import BrowserDriver
import Foundation
import Testing

/// The pages for accounts and sharing, for people with a screen reader, and on a small touch screen.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PeopleAccessibilityTests {
    enum Screen: CaseIterable {
        case light, dark, phone
    }

    /// Checks the page of a tab.
    private struct Checker {
        let tab: BrowserTab
        let site: PeopleSite
        let axe: String
        let screen: Screen

        /// Opens a page with the cookies of a browser, and checks it.
        func check(_ path: String, _ title: String, cookies: [String: String], ready: String = "true") async throws {
            let url = try #require(URL(string: site.origin + path))
            try await tab.setCookies(cookies, of: url)
            try await tab.open(url)
            try await tab.wait(until: ready)
            try await check(title)
        }

        func check(_ title: String) async throws {
            if screen == .phone {
                #expect(try await tab.smallTargets() == [], "\(title)")
                #expect(try await tab.excessWidth(textSize: "100%") <= 1, "\(title)")
            } else {
                #expect(try await Axe.violations(axe, in: tab) == [], "\(title)")
            }
        }
    }

    private func withPages(_ screen: Screen, _ body: (Checker) async throws -> Void) async throws {
        let axe = try Axe.source()
        let (width, height) = screen == .phone ? (320, 640) : (1280, 900)
        try await BrowserTab.run(width: width, height: height, colours: screen == .dark ? .dark : .light) { tab in
            if screen == .phone { try await tab.emulateTouchScreen() }
            try await PeopleSite.run { site in
                try await body(Checker(tab: tab, site: site, axe: axe, screen: screen))
                // Leaves the page before its server shuts down, so that none of its streams breaks off.
                try await tab.open(try #require(URL(string: "about:blank")))
            }
            _ = await tab.takeComplaints()
        }
    }

    @Test(arguments: Screen.allCases)
    func pagesForAccountsAreAccessible(screen: Screen) async throws {
        try await withPages(screen) { pages in
            let cookies = pages.site.annasCookies
            try await pages.check("/sign-in", "the page for signing in", cookies: [:])
            let token = try await pages.site.people.signIn.invite()
            try await pages.check("/invitation?token=\(token.text)", "an invitation", cookies: [:])
            try await pages.site.signInAnna()
            try await pages.check("/account", "an account", cookies: cookies)
            try await pages.check("/activity", "the activity", cookies: cookies)
            try await pages.check("/account/tokens", "no tokens", cookies: cookies)
            try await pages.tab.click("#name")
            try await pages.tab.type("Backup")
            try await pages.tab.click("#add-token button")
            try await pages.tab.wait(until: "document.querySelector('#problem')")
            try await pages.check("a token that is refused")
            try await pages.site.addToken()
            try await pages.check("/account/tokens", "a token", cookies: cookies)
            try await pages.tab.click("#name")
            try await pages.tab.type("Reports")
            _ = try await pages.tab.evaluate("document.querySelector('#scope-art').value = 'read'", as: String.self)
            try await pages.tab.click("#add-token button")
            try await pages.tab.wait(until: "document.querySelector('#copy')?.checkVisibility()")
            try await pages.check("a new token")
        }
    }

    @Test(arguments: Screen.allCases)
    func pagesForSharingAreAccessible(screen: Screen) async throws {
        try await withPages(screen) { pages in
            let (site, cookies) = (pages.site, pages.site.annasCookies)
            try await pages.check("/sharing", "nothing shared", cookies: cookies)
            let (board, page) = (try await site.addBoard(), try await site.addSavedPage())
            try await pages.check(board, "sharing a board", cookies: cookies)
            try await pages.tab.click("#share-link button")
            try await pages.tab.wait(until: "document.querySelector('#copy')?.checkVisibility()")
            try await pages.check("a new link")
            try await pages.check(page, "sharing a page", cookies: cookies)
            try await site.shareWithBert(board)
            try await pages.check("/sharing", "shared things", cookies: cookies)
            try await pages.check("/sharing", "received things", cookies: site.bertsCookies)
            try await pages.check("/art/", "the boards that others share", cookies: site.bertsCookies)
            for access in ["view", "edit"] {
                try await pages.check(
                    try await site.link(to: board, access), "a board, opened by a link for \(access)", cookies: [:],
                    ready: "document.getElementById('stage').dataset.ready === ''")
                try await pages.tab.click("#guest-name")
                try await pages.tab.wait(until: "document.getElementById('guest-dialog').open")
                try await pages.check("the dialog for a guest's name")
            }
        }
    }
}

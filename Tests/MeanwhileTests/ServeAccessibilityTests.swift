import BrowserDriver
import Foundation
import Testing

extension ServerRuns {
    /// All pages, for people with a keyboard, a screen reader, large text or a preference for less motion.
    @Suite struct Accessibility {
        /// Runs the body with the paths of all pages, first empty and then with sample data.
        private func forAllPages(_ body: (RunningServer, String, _ title: String) async throws -> Void) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    // The page “offline” reads the drinks on each load, and isn't among those that load once.
                    let pages = try await server.pages() + ["/coffee/offline"]
                    for path in pages { try await body(server, path, "\(path), empty") }
                    #expect(try await server.post("/samples").status == 303)
                    for path in pages { try await body(server, path, "\(path), with data") }
                }
            }
        }

        @Test(arguments: BrowserTab.Colours.allCases)
        func axeFindsNothing(colours: BrowserTab.Colours) async throws {
            let axe = try Axe.source()
            try await BrowserTab.run(colours: colours) { tab in
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    #expect(try await Axe.violations(axe, in: tab) == [], "\(title)")
                }
            }
        }

        @Test func axeFindsViolations() async throws {
            let axe = try Axe.source()
            try await BrowserTab.run { tab in
                let page = "data:text/html,<html><title>A</title><main><h1>A</h1><img src=a.png><input></main></html>"
                try await tab.open(try #require(URL(string: page)))
                let found = try await Axe.violations(axe, in: tab)
                for rule in ["html-has-lang", "image-alt", "label"] {
                    #expect(found.contains { $0.hasPrefix("\(rule) ") }, "\(found)")
                }
            }
        }

        /// WCAG 2.2, 2.5.8: 24 by 24 px, except for links in a line of text, and targets with enough space around them.
        @Test func everyTargetIsLargeEnough() async throws {
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.emulateTouchScreen()
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    #expect(try await tab.smallTargets() == [], "\(title)")
                }
            }
        }

        /// What a phone's user taps first is at least 44 px high.
        @Test(arguments: [
            ("/", ".step"), ("/", "#add-samples button"), ("/library/", "#save button"), ("/art/", "#new button"),
            ("/coffee/", "#quick-form button"), ("/library/", "#tip button"),
        ])
        func primaryTargetFitsAFinger(path: String, selector: String) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    try await BrowserTab.run(width: 360, height: 640) { tab in
                        try await tab.emulateTouchScreen()
                        try await tab.open(try server.url(path))
                        let script = """
                            Math.min(...Array.from(document.querySelectorAll('\(selector)'),
                                (element) => element.getBoundingClientRect().height))
                            """
                        let height = try await tab.evaluate(script, as: Double.self)
                        #expect(height >= 43.5, "\(selector) of \(path) is \(height) px high")
                    }
                }
            }
        }

        /// WCAG 1.4.4 and 1.4.10: text of twice the size, and a window of 320 px, need no scrolling to the side.
        @Test(arguments: [(1_280, "200%"), (320, "100%")])
        func noPageScrollsSideways(width: Int, text: String) async throws {
            try await BrowserTab.run(width: width, height: 640) { tab in
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    #expect(try await tab.excessWidth(textSize: text) <= 1, "\(title), text at \(text)")
                }
            }
        }

        @Test func longAddressDoesNotWidenTheHomePage() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    try await server.save("http://localhost:2/" + String(repeating: "a", count: 100))
                    try await BrowserTab.run(width: 360, height: 640) { tab in
                        try await tab.open(try server.url("/"))
                        try await tab.wait(until: "document.querySelector('.card-entries a')")
                        let excess = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                        #expect(try await tab.evaluate(excess, as: Double.self) <= 1)
                    }
                }
            }
        }

        @Test func reducedMotionStopsAnimations() async throws {
            let running = """
                document.getAnimations().filter((animation) => animation.playState === 'running'
                    && animation.effect.getComputedTiming().activeDuration > 1)
                    .map(({ effect }) => effect.target?.outerHTML.slice(0, 120) ?? 'an animation')
                """
            try await BrowserTab.run { tab in
                try await tab.reduceMotion()
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    #expect(try await tab.evaluate(running, as: [String].self) == [], "\(title)")
                }
            }
        }

        /// The first stop of the keyboard skips the navigation, and the others are in the order of the page.
        @Test func keyboardReachesTheContentFirst() async throws {
            try await BrowserTab.run { tab in
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    let reordered = """
                        Array.from(document.querySelectorAll('[tabindex]'))
                            .filter(({ tabIndex }) => tabIndex > 0).length
                        """
                    #expect(try await tab.evaluate(reordered, as: Int.self) == 0, "\(title)")
                    // A board takes the keys itself.
                    if path.hasPrefix("/art/boards/") { return }
                    try await tab.press(.tab)
                    let isSkip = "document.activeElement.matches('.skip')"
                    #expect(try await tab.evaluate(isSkip, as: Bool.self), "\(title)")
                    try await tab.press(.enter)
                    try await tab.wait(until: "document.activeElement.id === 'main'")
                }
            }
        }

        /// A screen reader announces a change only in a region that was there before.
        @Test(arguments: [("/", "#add-samples button"), ("/coffee/", "#quick-form button")])
        func confirmationIsAnnounced(path: String, selector: String) async throws {
            let regions = "Array.from(document.querySelectorAll('[role=status], [aria-live=polite]'))"
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    try await BrowserTab.run { tab in
                        try await tab.open(try server.url(path))
                        // The message may be gone before the test looks.
                        let watch = """
                            window.announced = '',
                            \(regions).map((region) => new MutationObserver(
                                () => window.announced += region.textContent)
                                .observe(region, { childList: true, characterData: true, subtree: true })).length
                            """
                        #expect(try await tab.evaluate(watch, as: Int.self) > 0)
                        try await tab.click(selector)
                        try await tab.wait(until: "/added/i.test(window.announced)")
                    }
                }
            }
        }
    }
}

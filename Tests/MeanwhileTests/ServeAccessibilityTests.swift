import BrowserDriver
import Foundation
import Testing

/// axe-core, a script that checks a page against accessibility rules.
enum Axe {
    /// The script's text, from the folder into which `script/bootstrap` installs it.
    static func source() throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let libraries = package.appending(path: ".build/python/lib")
        let versions = try FileManager.default.contentsOfDirectory(atPath: libraries.path())
        for version in versions where version.hasPrefix("python") {
            let file = libraries.appending(path: "\(version)/site-packages/axe_playwright_python/axe.min.js")
            if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
        }
        throw MissingAxe()
    }

    /// Checks the page of a tab, and returns the violations in words.
    static func violations(_ source: String, in tab: BrowserTab) async throws -> [String] {
        _ = try await tab.evaluate("\(source)\n; true", as: Bool.self)
        return try await tab.evaluate(
            """
            axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
                ({ id, help, nodes }) => nodes.map(({ html }) => `${id} (${help}): ${html}`)))
            """, as: [String].self)
    }

    private struct MissingAxe: Error, CustomStringConvertible {
        let description = "axe-core isn't installed. Run script/bootstrap."
    }
}

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
            let small = """
                (() => {
                    const kinds = 'a[href], button, summary, select, input:not([type=hidden]), textarea, [role=button]';
                    const isShown = (element) =>
                        element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
                    const targets = Array.from(document.querySelectorAll(kinds)).filter((element) => {
                        const box = element.getBoundingClientRect();
                        // Those of one pixel are for screen readers; their labels are larger.
                        return isShown(element) && box.width > 2 && box.height > 2 && !element.closest('.skip');
                    });
                    const isInText = (element) => getComputedStyle(element).display === 'inline'
                        && Array.from(element.parentElement.childNodes)
                            .some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
                    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
                    const distance = ([x, y], box) => Math.hypot(
                        Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
                    return targets.filter((element) => {
                        const box = element.getBoundingClientRect();
                        if ((box.width >= 23.5 && box.height >= 23.5) || isInText(element)) return false;
                        return targets.some((other) => other !== element && !other.contains(element)
                            && !element.contains(other) && distance(middle(box), other.getBoundingClientRect()) < 12);
                    }).map((element) => element.outerHTML.slice(0, 160));
                })()
                """
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.emulateTouchScreen()
                try await forAllPages { server, path, title in
                    try await tab.open(try server.url(path))
                    #expect(try await tab.evaluate(small, as: [String].self) == [], "\(title)")
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
                    let script = """
                        (document.documentElement.style.fontSize = '\(text)', new Promise((done) =>
                            requestAnimationFrame(() => done(
                                document.documentElement.scrollWidth - document.documentElement.clientWidth))))
                        """
                    #expect(try await tab.evaluate(script, as: Double.self) <= 1, "\(title), text at \(text)")
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
                        let mark = "\(regions).map((region) => region.dataset.before = '').length"
                        #expect(try await tab.evaluate(mark, as: Int.self) > 0)
                        try await tab.click(selector)
                        let isAnnounced = """
                            \(regions).some((region) => 'before' in region.dataset && /added/i.test(region.textContent))
                            """
                        try await tab.wait(until: isAnnounced)
                    }
                }
            }
        }
    }
}

import Foundation

/// axe-core, a script that checks a page against accessibility rules.
package enum Axe {
    /// The script's text, from the folder into which `script/bootstrap` installs it.
    package static func source() throws -> String {
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
    package static func violations(_ source: String, in tab: BrowserTab) async throws -> [String] {
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

extension BrowserTab {
    /// The controls of a page that are too small for a finger, as HTML.
    ///
    /// WCAG 2.2, 2.5.8: 24 by 24 px, except for links in a line of text, and targets with enough space around them.
    package func smallTargets() async throws -> [String] {
        try await evaluate(
            """
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
            """, as: [String].self)
    }

    /// By how much a page is wider than the window, in pixels, with a text size such as `200%`.
    package func excessWidth(textSize: String) async throws -> Double {
        try await evaluate(
            """
            (document.documentElement.style.fontSize = '\(textSize)', new Promise((done) =>
                requestAnimationFrame(() => done(
                    document.documentElement.scrollWidth - document.documentElement.clientWidth))))
            """, as: Double.self)
    }
}

import BrowserDriver
import Foundation
import Testing

extension RunningServer {
    /// Creates a board, and returns the paths of its page and of the apps' other pages.
    func pages() async throws -> [String] {
        let board = try await makeBoard()
        return [
            "/", "/library/", "/art/", "/art/palettes", "/art/boards/\(board)", "/coffee/", "/coffee/history",
            "/coffee/catalogue", "/coffee/settings", "/coffee/health", "/coffee/complications", "/data/", "/data/jobs/",
        ]
    }

    func url(_ path: String) throws -> URL { try #require(URL(string: origin + path)) }
}

extension ServerRuns {
    /// The pages of all apps in a browser: how much they load.
    @Suite struct PageLoads {
        /// The most requests of a page's first load, event streams included.
        private static let mostRequests = 12
        /// The most bytes of a page's first load, compressed and with headers; a board's page also loads its model.
        private static let (mostBytes, mostBytesWithModel) = (150_000, 300_000)

        @Test func everyPageLoadsFewFilesAndCachesThem() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    for path in try await server.pages() {
                        // Each page in a browser with an empty cache.
                        try await BrowserTab.run { tab in try await expectLightLoads(of: path, server, in: tab) }
                    }
                }
            }
        }

        @Test func requestsOfALeftPageAreNotWaitedFor() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    try await BrowserTab.run { tab in
                        try await tab.recordRequests()
                        try await tab.open(try server.url("/healthz"))
                        // A response that doesn't end, which outlives the page.
                        let path = "/art/boards/\(board)/events"
                        _ = try await tab.evaluate(
                            "fetch('\(path)', { keepalive: true }).then(() => true)", as: Bool.self)
                        try await tab.open(try server.url("/coffee/"))
                        let urls = try await tab.takeRequests().map(\.url)
                        #expect(
                            urls.contains(server.origin + path) && urls.contains(server.origin + "/coffee/"), "\(urls)")
                    }
                }
            }
        }

        private func expectLightLoads(of path: String, _ server: RunningServer, in tab: BrowserTab) async throws {
            let page = try server.url(path)
            try await tab.recordRequests()
            try await tab.open(page)
            let first = try await tab.takeRequests()
            let bytes = first.reduce(0) { $0 + $1.bytes }
            #expect(first.count >= 3, "\(path) loads \(first)")
            #expect(first.count <= Self.mostRequests, "\(path) loads \(first)")
            let hasModel = first.contains { $0.url.hasSuffix(".wasm") }
            #expect(hasModel == path.hasPrefix("/art/boards/"), "\(path) loads \(first)")
            #expect(
                bytes <= (hasModel ? Self.mostBytesWithModel : Self.mostBytes), "\(path) loads \(bytes) bytes: \(first)"
            )
            try await tab.open(try server.url("/healthz"))
            _ = try await tab.takeRequests()
            try await tab.open(page)
            let second = try await tab.takeRequests().filter { !$0.isFromCache && !$0.isStream }
            #expect(second.map(\.url) == [page.absoluteString], "\(path) loads again")
            #expect(await tab.takeComplaints() == [], "\(path)")
        }
    }
}

extension ServerRuns {
    /// How far the content of pages moves while they load.
    @Suite struct LayoutShifts {
        /// According to https://web.dev/articles/cls, a score of at most 0.1 is good.
        ///
        /// That score counts only the worst five seconds; this one counts all movements.
        private static let mostShift = 0.1

        /// The movements of an open page.
        private struct Shift: Decodable, Sendable {
            let score: Double
            let moved: [String]
        }

        @Test(arguments: [(360, 640), (1_280, 900)])
        func pagesHardlyMoveWhileTheyLoad(width: Int, height: Int) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let board = try await server.makeBoard()
                    let pages = ["/", "/library/", "/art/", "/art/boards/\(board)", "/coffee/"]
                    for path in pages { try await expectStillness(of: path, server, width, height) }
                    #expect(try await server.post("/samples").status == 303)
                    for path in pages { try await expectStillness(of: path, server, width, height) }
                }
            }
        }

        private func expectStillness(
            of path: String, _ server: RunningServer, _ width: Int, _ height: Int
        ) async throws {
            // Each page in a browser with an empty cache, and in another time zone than the server's.
            try await BrowserTab.run(width: width, height: height) { tab in
                try await tab.prefer(language: "en-US", zone: "America/New_York")
                try await tab.recordRequests()
                try await tab.open(try server.url(path))
                _ = try await tab.takeRequests()
                let shift = try await shift(in: tab)
                #expect(shift.score < Self.mostShift, "\(path) moved \(shift.moved)")
            }
        }

        /// The styles of a page's frame must not depend on elements that come later.
        @Test(arguments: [(360, 640), (1_280, 900)])
        func pagesHardlyMoveWhileTheyComeInParts(width: Int, height: Int) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    #expect(try await server.post("/samples").status == 303)
                    let ids = try await workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'")
                    let saved = "/library/pages/\(try #require(ids.first))"
                    let paths = try await server.pages() + ["\(saved)/archive", "\(saved)/reader"]
                    try await BrowserTab.run(width: width, height: height) { tab in
                        for path in paths {
                            let html = try await server.get(path).text
                            try await tab.open(try server.url("/"))
                            let styledAt = try await write(html, inPartsOf: html.count / 24, in: tab)
                            let shift = try await shift(in: tab, since: styledAt)
                            #expect(shift.score < Self.mostShift, "\(path) moved \(shift.moved)")
                        }
                    }
                }
            }
        }

        /// Replaces an open page by another, which is drawn after each part and after the start of `<main>`.
        ///
        /// - Returns: When the style sheets were loaded, for which browsers don't wait in a page that replaces another one.
        private func write(_ html: String, inPartsOf length: Int, in tab: BrowserTab) async throws -> Double {
            let start = try #require(html.firstRange(of: /<main[^>]*>/)).upperBound
            var (parts, rest) = ([html[..<start]], html[start...])
            while !rest.isEmpty {
                parts.append(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            let json = String(decoding: try JSONEncoder().encode(parts.map { String($0) }), as: UTF8.self)
            return try await tab.evaluate(
                """
                new Promise(async (done) => {
                    const drawn = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
                    const isStyled = () => [...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet);
                    const [head, ...parts] = \(json);
                    document.open();
                    document.write(head);
                    do await drawn(); while (!isStyled());
                    await drawn();
                    const styledAt = performance.now();
                    for (const part of parts) {
                        document.write(part);
                        await drawn();
                    }
                    document.close();
                    done(styledAt);
                })
                """, as: Double.self)
        }

        @Test func movedContentIsMeasured() async throws {
            try await BrowserTab.run { tab in
                try await tab.open(try #require(URL(string: "data:text/html,<p style=height:200px>Text</p>")))
                let before = try await shift(in: tab)
                #expect(before.score == 0)
                _ = try await tab.evaluate("(document.body.style.marginTop = '400px', true)", as: Bool.self)
                let after = try await shift(in: tab)
                #expect(after.score > Self.mostShift && after.moved.contains { $0.contains("Text") }, "\(after)")
            }
        }

        /// Waits until the page is drawn, and returns how far its content has moved without a user's action since a time of
        /// the page.
        private func shift(in tab: BrowserTab, since time: Double = 0) async throws -> Shift {
            try await tab.evaluate(
                """
                new Promise((done) => {
                    const shifts = [];
                    const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
                    observer.observe({ type: 'layout-shift', buffered: true });
                    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
                        shifts.push(...observer.takeRecords());
                        const own = shifts.filter(({ hadRecentInput, startTime }) =>
                            !hadRecentInput && startTime >= \(time));
                        done({
                            score: own.reduce((sum, { value }) => sum + value, 0),
                            moved: own.flatMap(({ sources }) => sources).map(({ node }) =>
                                (node?.outerHTML ?? node?.textContent ?? 'a removed element').slice(0, 100)),
                        });
                    })));
                })
                """, as: Shift.self)
        }
    }
}

extension ServerRuns {
    /// The home page, which shows an overview of each app's data.
    @Suite struct HomePage {
        @Test(arguments: [true, false])
        func sampleDataIsAddedToAllAppsAndRemovedByOneClickEach(runsScripts: Bool) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    // Data of the user's own, which must stay.
                    let board = try await server.makeBoard("Mine")
                    try await BrowserTab.run { tab in
                        try await tab.setRunsScripts(runsScripts)
                        try await tab.open(try server.url("/"))
                        #expect(try await tab.text("#first-steps").contains("Save a web page"))
                        #expect(try await tab.text("#apps").contains("Mine"))
                        try await tab.click("#add-samples button")
                        try await tab.wait(until: "document.querySelector('#remove-samples button')")
                        let full = try await tab.text("#apps")
                        for part in [
                            "1 saved page", "Sample: a saved page", "2 boards", "Sample: a beach", "mg of caffeine",
                        ] {
                            #expect(full.contains(part), "\(full)")
                        }
                        // The sample page opens like a captured one.
                        try await tab.open(try server.url("/library/"))
                        try await tab.wait(until: "document.querySelector('#list .item-title a')")
                        try await tab.wait(until: "document.querySelector('#list .thumbnail img').naturalWidth === 480")
                        try await tab.open(try server.url("/"))
                        try await tab.click("#remove-samples button")
                        try await tab.wait(until: "document.querySelector('#add-samples button')")
                        let empty = try await tab.text("#apps")
                        #expect(empty.contains("1 board") && empty.contains("Mine"), "\(empty)")
                        #expect(!empty.contains("Sample"), "\(empty)")
                        #expect(try await tab.text("#first-steps").contains("Add a drink"))
                        #expect(await tab.takeComplaints() == [])
                    }
                    #expect(try await server.state(of: board).name == "Mine")
                    // They can be added again, under new identifiers.
                    #expect(try await server.post("/samples").status == 303)
                    #expect(try await server.get("/").text.contains("Sample: a beach"))
                }
                try await workspace.expectIntactData()
            }
        }

        @Test func addedSampleDataSurvivesARestart() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let added = try await server.post("/samples")
                    #expect(added.status == 303)
                }
                try await workspace.serve { server in
                    let restarted = try await server.get("/")
                    #expect(restarted.text.contains("Remove sample data"))
                    let removed = try await server.post("/samples/remove")
                    #expect(removed.status == 303)
                    let home = try await server.get("/")
                    #expect(home.text.contains("Add sample data"))
                    let library = try await server.get("/library/")
                    #expect(library.text.contains("Undo deleting"))
                }
            }
        }
    }
}

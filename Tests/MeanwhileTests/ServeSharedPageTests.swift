import BrowserDriver
import Foundation
import Testing

extension ServerRuns {
    /// Saved pages that a visitor opens by a link, as a worker prepares them.
    @Suite struct SharedPage {
        private enum View: String, CaseIterable {
            case archive = "view"
            case reader
        }

        /// Shares the sample page by a link, and returns the link's path.
        private static func link(_ server: RunningServer) async throws -> String {
            #expect(try await server.post("/samples").status == 303)
            let ids = try await server.workspace.sqlite("SELECT id FROM library_page WHERE state = 'found'")
            let page = try await server.post("/sharing/page/\(try #require(ids.first))/links", "access=view", "days=7")
            let link = /value="http:\/\/[^\/"]*(\/shared\/[0-9a-f]{64}\/page)"/
            return try #require(page.text.firstMatch(of: link)).output.1.description
        }

        @Test(arguments: BrowserTab.Colours.allCases)
        func axeFindsNothing(colours: BrowserTab.Colours) async throws {
            let axe = try Axe.source()
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let link = try await Self.link(server)
                    try await BrowserTab.run(colours: colours) { tab in
                        // The script of axe never ends on the page of the archive, whose frame is sandboxed.
                        for path in ["/sharing", "\(link)/\(View.reader.rawValue)"] {
                            try await tab.open(try server.url(path))
                            #expect(try await Axe.violations(axe, in: tab) == [], "\(path)")
                            #expect(await tab.takeComplaints() == [], "\(path)")
                        }
                    }
                }
            }
        }

        /// Fails if a visitor gets a form or a button.
        @Test(arguments: [true, false])
        func visitorCanOnlyRead(runsScripts: Bool) async throws {
            let scenes = View.allCases.map { view in
                ControlScene<RunningServer>(
                    "a saved page, opened by a link", page: "/shared/[^/]+/page/\(view.rawValue)",
                    at: { "\(try await Self.link($0))/\(view.rawValue)" }, rows: [])
            }
            let test = EveryControl(scenes, origin: \.origin)
            let failures = try await test.failures(runsScripts: runsScripts) { body in
                try await Workspace.with { workspace in try await workspace.serve { try await body($0) } }
            }
            for failure in failures { Issue.record("\(failure)") }
        }
    }
}

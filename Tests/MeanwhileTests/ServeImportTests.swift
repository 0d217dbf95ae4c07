import BrowserDriver
import FixtureSite
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Imports of addresses by a running server, and by the command.
    @Suite struct Imports {
        private static func bookmarks(_ addresses: [String]) -> String {
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n"
                + addresses.map { "<DT><A HREF=\"\($0)\" ADD_DATE=\"1500000000\">\($0)</A>\n" }.joined() + "</DL>\n"
        }

        private static func states(of workspace: Workspace) async throws -> [String] {
            try await workspace.sqlite(
                "SELECT state || ' ' || count(*) FROM library_import_entry GROUP BY state ORDER BY state")
        }

        private static func saved(in workspace: Workspace) async throws -> Int {
            let count = try await workspace.sqlite("SELECT count(*) FROM library_page WHERE state = 'found'")
            return try #require(count.first.flatMap { Int($0) })
        }

        @Test func twoThousandBookmarksSurviveAKill() async throws {
            try await withSite { site, workspace in
                let addresses = (0..<2_000).map { site.address("/plain?\($0)") }
                let file = try workspace.makeFile("bookmarks.html", Self.bookmarks(addresses + ["javascript:void(0)"]))
                let killed = try await workspace.serve { server in
                    let answer = try await server.get(
                        "/library/import", "--header", "Origin: \(server.origin)", "--form", "file=@\(file)",
                        "--form", "webarchive=on")
                    #expect(answer.status == 303, "\(answer.text)")
                    try await eventually("a page is saved", within: .seconds(300)) {
                        try await Self.saved(in: workspace) > 0
                    }
                    try server.program.send(SIGKILL)
                }
                #expect(killed.signal == SIGKILL)
                // Each address is waiting, or has a page; few captures wait at a time.
                #expect(
                    try await workspace.sqlite(
                        """
                        SELECT count(*) FROM library_import_entry
                        WHERE state = 'waiting' OR state = 'started' AND page IS NOT NULL
                        """) == ["2000"])
                let pages = try await workspace.sqlite("SELECT count(*) FROM library_page")
                #expect(try #require(pages.first.flatMap { Int($0) }) <= 200)
                let before = try await Self.saved(in: workspace)
                let next = try await workspace.serve { server in
                    try await eventually("the import continues", within: .seconds(300)) {
                        try await Self.saved(in: workspace) > before
                    }
                    let id = try #require(try await workspace.sqlite("SELECT id FROM library_import").first)
                    let report = try await server.get("/library/import/\(id)").text
                    #expect(report.contains("2,001 addresses") && report.contains("javascript:void(0)"), "\(report)")
                    // The owner's own page comes before those of the import.
                    let answer = try await server.post(
                        "/library/pages", "address=\(site.address("/"))", "webarchive=on")
                    #expect(answer.status == 303)
                    try await eventually("the owner's page is saved", within: .seconds(300)) {
                        try await workspace.sqlite(
                            "SELECT state FROM library_page WHERE address = '\(site.address("/"))'") == ["found"]
                    }
                    #expect(try await Self.saved(in: workspace) < 500)
                }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test func commandImportsAndTheServerSaves() async throws {
            try await withSite { site, workspace in
                let list = try workspace.makeFile(
                    "list.txt", "\(site.address("/plain"))\n\(site.address("/plain#top"))\nno address\n")
                let command = [Program.path, "library", "import", "--data", workspace.data, "--format", "webarchive"]
                let outcome = try await workspace.run(command + [list])
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(
                    String(decoding: outcome.output, as: UTF8.self)
                        == "list.txt\t1 new\t0 already saved\t1 repeated\t1 unusable\n")
                let served = try await workspace.serve { server in try await server.wait(untilSaved: 1) }
                #expect(served.exitCode == 0, "\(served.errors)")
                let again = try await workspace.run(command + ["--json", list])
                let json = String(decoding: again.output, as: UTF8.self)
                #expect(json.contains(#""alreadySaved":1"#) && json.contains(#""new":0"#), "\(json)")
                #expect(try await Self.states(of: workspace) == ["known 1", "repeated 2", "started 1", "unusable 2"])
                let unknown = try workspace.makeFile("unknown.json", "{}")
                let refused = try await workspace.run(command + ["--json", list, unknown])
                #expect(refused.exitCode == 1)
                #expect(refused.errors.contains("format isn’t known") && refused.errors.contains("Imported before"))
            }
        }

        @Test func commandImportsPagesThatARunningServerShows() async throws {
            try await Workspace.with { workspace in
                let page = try workspace.makeFile(
                    "page.html",
                    "<!doctype html><html><link rel=\"canonical\" href=\"https://a.example/\"><title>A</title><p>Text</html>"
                )
                let command = [Program.path, "library", "import", "--data", workspace.data, "--format", "webarchive"]
                let outcome = try await workspace.run(command + [page])
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(String(decoding: outcome.output, as: UTF8.self) == "page.html\t1 page\n")
                let served = try await workspace.serve { server in
                    try await server.wait(untilSaved: 1)
                    // The server knows its page already; it looks for others every minute.
                    let second = try await workspace.run(command + ["--json", page])
                    #expect(String(decoding: second.output, as: UTF8.self).contains(#""refused":[]"#))
                    try await server.wait(untilSaved: 2)
                }
                #expect(served.exitCode == 0, "\(served.errors)")
                let addresses = try await workspace.sqlite("SELECT address FROM library_page")
                #expect(addresses == ["https://a.example/", "https://a.example/"])
            }
        }
    }
}

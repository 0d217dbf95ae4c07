import Foundation
import Testing

extension InterruptedRuns {
    /// Databases with the schemas of 25 November 2026, the last before each app's schema became one migration.
    @Suite struct Conversions {
        /// Creates a data folder from a dump of such a database.
        private func makeData(in workspace: Workspace) async throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "Databases/2026-11-25.sql")
            try FileManager.default.createDirectory(
                atPath: workspace.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            _ = try await workspace.sqlite(".read \(file.path(percentEncoded: false))")
        }

        @Test func aDatabaseOfTheLastSchemasIsConverted() async throws {
            try await Workspace.with { workspace in
                try await makeData(in: workspace)
                try await workspace.expectDataOf25November()
                let known = try await workspace.sqlite("SELECT identifier FROM grdb_migrations ORDER BY 1")
                #expect(
                    known == [
                        "accounts.1", "accounts.identities-1", "accounts.tokens-1", "art.3", "audit.1", "coffee.2",
                        "jobs.1", "jobs.2", "library.10",
                        "library.11", "library.13", "library.14", "library.4", "library.5", "library.6", "library.7",
                        "library.8", "library.9", "persistence.1", "persistence.2", "persistence.3", "persistence.4",
                        "persistence.budget-1", "samples.2", "shares.1",
                    ])
                // The pages and counters match the JSON in which they were stored before.
                #expect(
                    try await workspace.sqlite(
                        "SELECT state, title, failure_code, deleted_at IS NULL FROM library_page ORDER BY number")
                        == [
                            "found|A page of today||1", "found|Error response||1", "failed||hostNotFound|1",
                            "found|A page of today||0", "fetching|||1",
                        ])
                #expect(
                    try await workspace.sqlite("SELECT item, amount FROM owner_usage ORDER BY 1")
                        == ["art.boards|4", "bytes|65261", "coffee.drinks|2", "library.pages|5", "library.waiting|1"])
                // A server resumes the interrupted capture.
                let outcome = try await workspace.serve { server in
                    try await server.wait(untilReceived: "badge bad")
                    let page = try await server.get("/library/").text
                    #expect(page.contains("A page of today") && page.contains("refused.invalid"))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test(arguments: ["art.2", "coffee.budget-1", "library.3"])
        func databaseOfOlderSchemasIsRefusedUnchanged(step: String) async throws {
            try await Workspace.with { workspace in
                try await makeData(in: workspace)
                _ = try await workspace.sqlite("DELETE FROM grdb_migrations WHERE identifier = '\(step)'")
                let before = try await workspace.sqlite(".dump")
                let refused = try await workspace.run([Program.path, "art", "list", "--data", workspace.data])
                #expect(refused.exitCode == 1 && refused.output.isEmpty)
                #expect(refused.errors.contains(step) && refused.errors.contains("too old"), "\(refused.errors)")
                #expect(try await workspace.sqlite(".dump") == before)
            }
        }
    }
}

extension Workspace {
    /// Checks, by commands, that the data folder contains the data of 25 November 2026, converted or restored from a
    /// backup.
    func expectDataOf25November() async throws {
        let drinks = try await run([Program.path, "coffee", "list", "--days", "3660", "--json", "--data", data])
        let text = String(decoding: drinks.output, as: UTF8.self)
        #expect(text.split(separator: "Espresso").count == 3, "\(text) \(drinks.errors)")
        let boards = try await run([Program.path, "art", "list", "--data", data])
        let names = boards.lines.map { $0.split(separator: "\t").dropFirst(2).joined(separator: " ") }
        #expect(names == ["3 emoji Beach 🏖️", "0 emoji Beach 🏖️"], "\(boards.errors)")
        let pages = try await sqlite("SELECT address FROM library_page WHERE state = 'found' ORDER BY number")
        #expect(pages.count == 3 && pages.allSatisfy { $0.hasPrefix("http://127.0.0.1:8377/") }, "\(pages)")
        let settings = try await sqlite("SELECT CAST(payload AS TEXT) FROM stored_value WHERE key = 'library/settings'")
        #expect(settings.contains { $0.contains(#""order":"title""#) })
        // The board's snapshot and log can only be read if their checksums match.
        let board = try #require(boards.lines.first?.split(separator: "\t").first)
        let file = "\(root)/beach.json"
        let exported = try await run([Program.path, "art", "export", String(board), "-o", file, "--data", data])
        let art = try? String(contentsOfFile: file, encoding: .utf8)
        #expect(exported.exitCode == 0 && art?.split(separator: "🐶").count == 4, "\(exported.errors)")
    }
}

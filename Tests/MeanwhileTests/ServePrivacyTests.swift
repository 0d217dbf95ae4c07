import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// Access of other accounts of the machine to a server's data.
    @Suite struct Privacy {
        private func permissions(_ path: String) -> Int? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return attributes?[.posixPermissions] as? Int
        }

        @Test func dataIsPrivateRegardlessOfUmaskAndOldPermissions() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { _ in }
                let database = "\(workspace.data)/meanwhile.sqlite"
                try #require(chmod(workspace.data, 0o755) == 0 && chmod(database, 0o644) == 0)
                let outcome = try await workspace.run([
                    "/bin/sh", "-c", #"umask 0; exec "$@""#, "sh", Program.path, "serve", "--port", "0", "--data",
                    workspace.data,
                ]) { program in
                    try await program.wait(until: "the database is open") {
                        workspace.exists("\(workspace.data)/meanwhile.sqlite-wal")
                    }
                    #expect(permissions(workspace.data) == 0o700)
                    for name in workspace.names(in: workspace.data) where name != "blobs" {
                        #expect(permissions("\(workspace.data)/\(name)") == 0o600, "\(name)")
                    }
                    try program.send(SIGTERM)
                }
                #expect(outcome.errorLines.isEmpty, "\(outcome.errors)")
            }
        }

        @Test func aSharedFolderIsRefusedWithAdvice() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFolder(workspace.data, mode: 0o777)
                try Data("mine".utf8).write(to: URL(filePath: "\(workspace.data)/letter.txt"))
                let outcome = try await workspace.run([
                    Program.path, "serve", "--port", "0", "--data", workspace.data,
                ])
                #expect(outcome.exitCode == 1)
                #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
                #expect(outcome.errors.contains("chmod 700 \(workspace.data)"), "\(outcome.errors)")
                #expect(workspace.names(in: workspace.data) == ["letter.txt"])
                #expect(permissions(workspace.data) == 0o777)
            }
        }

        /// A reader of the log must not get what is shared by a link, become a person, or see what is searched for.
        @Test(arguments: ["debug", "trace"])
        func logContainsNoTokens(level: String) async throws {
            try await Workspace.with { workspace in
                var (links, secrets): ([String], [String]) = ([], [])
                let outcome = try await workspace.serve("--no-worker", "--log-level", level) { server in
                    #expect(try await server.post("/art/boards", "name=Farm").status == 303)
                    let board = try #require(try await workspace.sqlite("SELECT id FROM art_board").first)
                    let page = try await server.post("/sharing/board/\(board)/links", "access=edit", "days=7").text
                    let link = try #require(page.firstMatch(of: /\/shared\/([0-9a-f]{64})\/board/))
                    links.append(String(link.output.0))
                    secrets.append(String(link.output.1))
                    #expect(try await server.get(links[0]).status == 200)
                    #expect(try await server.get("\(links[0])/state").status == 200)
                    #expect(try await server.post("\(links[0])/operations", "a=b").status >= 400)
                    // Unknown tokens and codes are secrets, too: they may be those of another server.
                    for path in [
                        "/shared/0123456789abcdef/board", "/shared/0123456789abcdef",
                        "/invitation?token=0123456789abcdef",
                        "/sign-in/provider/callback?code=0123456789abcdef&state=a", "/library/?q=0123456789abcdef",
                    ] {
                        _ = try await server.get(path)
                    }
                    let wrong = try await server.get(
                        "/api/v1/art/boards", "--header", "Authorization: Bearer 0123456789abcdef")
                    #expect(wrong.status == 401)
                    _ = try await server.post("/sign-in", "name=0123456789abcdef", "password=0123456789abcdef")
                    secrets.append("0123456789abcdef")
                }
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.contains("/shared/…"), "\(outcome.errors)")
                #expect(outcome.errors.contains("/art/boards") && outcome.errors.contains("POST"))
                for secret in secrets {
                    let lines = outcome.errorLines.filter { $0.contains(secret) }
                    #expect(lines.isEmpty, "\(lines)")
                }
            }
        }
    }
}

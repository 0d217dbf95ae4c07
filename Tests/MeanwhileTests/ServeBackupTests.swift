import Foundation
import Testing

extension ServerRuns {
    /// Backups that a server makes by itself, and the page about what is kept.
    @Suite struct ServedBackups {
        /// The names of the backups in a folder.
        private func backups(in folder: String, of workspace: Workspace) -> [String] {
            workspace.names(in: folder).filter { $0.hasSuffix(".tar") }.sorted()
        }

        /// The addresses of the page's downloads.
        private func downloads(_ page: Answer, below path: String) -> [String] {
            page.text.matches(of: /href="([^"]*)" download/).map { String($0.output.1) }.filter { $0.hasPrefix(path) }
        }

        @Test func oneIsMadeAtTheStartAndOneMoreWhereSomebodyAsks() async throws {
            try await Workspace.with { workspace in
                let folder = workspace.root + "/backups"
                let ended = try await workspace.serve("--backup-folder", folder) { server in
                    try await server.program.wait(until: "a backup is made") {
                        backups(in: folder, of: workspace).count == 1
                    }
                    #expect(try await server.post("/library/settings", "order=title").status == 303)
                    let asked = try await server.post("/kept/backups")
                    #expect(asked.status == 303)
                    try await server.program.wait(until: "another backup is made") {
                        backups(in: folder, of: workspace).count == 2
                    }
                    var page = try await server.ask("/kept/")
                    while page.text.contains("A backup is being made") { page = try await server.ask("/kept/") }
                    #expect(page.status == 200)
                    #expect(page.text.contains("One is made every day"))
                    #expect(page.text.contains("<dt>Database</dt>"))
                    #expect(page.text.contains("Nothing was set aside."))
                    let links = downloads(page, below: "/kept/backups/")
                    #expect(links.count == 2)
                    let file = try await server.ask(try #require(links.first))
                    #expect(file.status == 200 && file.type == "application/x-tar")
                    let copy = workspace.root + "/copy.tar"
                    try file.body.write(to: URL(filePath: copy))
                    let verified = try await workspace.run([Program.path, "verify", copy])
                    #expect(verified.exitCode == 0, "\(verified.errors)")
                    for name in [
                        "nothing.tar", "%2e%2e%2fdata%2fmeanwhile.sqlite", "..%2f..%2fetc%2fpasswd", ".backup.lock",
                    ] {
                        #expect(try await server.ask("/kept/backups/\(name)").status == 404, "\(name)")
                    }
                    // Who comes from another site makes none.
                    let foreign = try await curl([
                        server.origin + "/kept/backups", "--request", "POST", "--header", "Origin: https://example.com",
                    ])
                    #expect(foreign.status == 403)
                    let home = try await server.ask("/")
                    #expect(home.text.contains(#"href="/kept/""#))
                }
                #expect(ended.exitCode == 0, "\(ended.errors)")
                // The newest is young enough: the next start makes none.
                let there = backups(in: folder, of: workspace)
                try await workspace.serve("--backup-folder", folder) { server in
                    let page = try await server.ask("/kept/")
                    #expect(!page.text.contains("A backup is being made"))
                }
                #expect(backups(in: folder, of: workspace) == there)
            }
        }

        @Test func aFolderThatCannotTakeOneIsSaidOnThePage() async throws {
            try await Workspace.with { workspace in
                let folder = workspace.root + "/backups"
                try workspace.makeFolder(folder)
                // Where the lock should be there is a folder, so that no account can make a file of it.
                try workspace.makeFolder(folder + "/.backup.lock")
                try await workspace.serve("--backup-folder", folder) { server in
                    var page = try await server.ask("/kept/")
                    while !page.text.contains("could not be made (") { page = try await server.ask("/kept/") }
                    #expect(page.text.contains(".backup.lock"), "\(page.text)")
                    #expect(page.text.contains("There is none yet."))
                }
            }
        }

        @Test func withoutAFolderThePageSaysHowToHaveThem() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let page = try await server.ask("/kept/")
                    #expect(page.text.contains("meanwhile serve --backup-folder FOLDER"))
                    #expect(try await server.post("/kept/backups").status == 409)
                    #expect(try await server.ask("/kept/backups/meanwhile-2026-11-23T12-00-00Z.tar").status == 404)
                }
            }
        }

        @Test func aDamagedDatabaseThatWasSetAsideCanBeDownloaded() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let saved = try await server.post("/library/settings", "order=title")
                    #expect(saved.status == 303)
                }
                let file = URL(filePath: workspace.data + "/meanwhile.sqlite")
                let damaged = Data(repeating: 0xA5, count: 40_000)
                try damaged.write(to: file)
                try await workspace.serve { server in
                    let page = try await server.ask("/kept/")
                    #expect(page.text.contains("A whole database"))
                    let link = try #require(downloads(page, below: "/kept/set-aside/folders/").first)
                    let archive = try await server.ask(link)
                    #expect(archive.status == 200 && archive.type == "application/x-tar")
                    #expect(archive.body.range(of: damaged) != nil)
                    #expect(try await server.ask("/kept/set-aside/folders/blobs").status == 404)
                    #expect(try await server.ask("/kept/set-aside/values/1").status == 404)
                    #expect(try await server.ask("/kept/set-aside/values/x").status == 404)
                }
            }
        }

        @Test(arguments: [
            ["--backup-hours", "3"], ["--backup-folder", ""], ["--backup-folder", "b", "--backup-hours", "0"],
            ["--backup-folder", "b", "--backup-hours", "nan"], ["--backup-folder", "b", "--backup-hours", "9999"],
        ])
        func wrongSettingsAreRefusedBeforeAnythingIsMade(arguments: [String]) async throws {
            try await Workspace.with { workspace in
                let refused = try await workspace.run(
                    [Program.path, "serve", "--port", "0", "--data", workspace.data] + arguments)
                #expect(refused.exitCode == 64)
                #expect(refused.errors.contains("--backup-"), "\(refused.errors)")
                #expect(!FileManager.default.fileExists(atPath: workspace.data))
            }
        }
    }
}

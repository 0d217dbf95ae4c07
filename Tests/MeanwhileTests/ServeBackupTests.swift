import BrowserDriver
import Foundation
import Testing

extension ServerRuns {
    /// Scheduled backups, and the page “Your data”.
    @Suite struct ServedBackups {
        /// Returns the names of the backups in a folder.
        private func backups(in folder: String, of workspace: Workspace) -> [String] {
            workspace.names(in: folder).filter { $0.hasSuffix(".tar") }.sorted()
        }

        /// Returns the page's download links below a path.
        private func downloads(_ page: Response, below path: String) -> [String] {
            page.text.matches(of: /href="([^"]*)" download/).map { String($0.output.1) }.filter { $0.hasPrefix(path) }
        }

        @Test func serverBacksUpAtTheStartAndOnRequest() async throws {
            try await Workspace.with { workspace in
                let folder = workspace.root + "/backups"
                let ended = try await workspace.serve("--backup-folder", folder) { server in
                    try await server.program.wait(until: "a backup is made") {
                        backups(in: folder, of: workspace).count == 1
                    }
                    // While one is being made, another one can't begin.
                    try await eventually("the first backup has ended") {
                        try await !server.get("/data/").text.contains("Backup running")
                    }
                    // Storing may take longer than the request waits for it.
                    try await eventually("the order is stored") {
                        try await server.post("/library/settings", "order=title").status == 303
                    }
                    let response = try await server.post("/data/backups")
                    #expect(response.status == 303)
                    try await server.program.wait(until: "another backup is made") {
                        backups(in: folder, of: workspace).count == 2
                    }
                    var page = try await server.get("/data/")
                    while page.text.contains("Backup running") { page = try await server.get("/data/") }
                    #expect(page.status == 200)
                    #expect(page.text.contains("backs up every day"))
                    #expect(page.text.contains("<dt>Database</dt>"))
                    #expect(page.text.contains("No unreadable data."))
                    let links = downloads(page, below: "/data/backups/")
                    #expect(links.count == 2)
                    let file = try await server.get(try #require(links.first))
                    #expect(file.status == 200 && file.type == "application/x-tar")
                    let copy = workspace.root + "/copy.tar"
                    try file.body.write(to: URL(filePath: copy))
                    let verified = try await workspace.run([Program.path, "verify", copy])
                    #expect(verified.exitCode == 0, "\(verified.errors)")
                    for name in [
                        "nothing.tar", "%2e%2e%2fdata%2fmeanwhile.sqlite", "..%2f..%2fetc%2fpasswd", ".backup.lock",
                    ] {
                        #expect(try await server.get("/data/backups/\(name)").status == 404, "\(name)")
                    }
                    // A request from another origin starts no backup.
                    let foreign = try await curl([
                        server.origin + "/data/backups", "--request", "POST", "--header", "Origin: https://example.com",
                    ])
                    #expect(foreign.status == 403)
                    let home = try await server.get("/")
                    #expect(home.text.contains(#"href="/data/""#))
                }
                #expect(ended.exitCode == 0, "\(ended.errors)")
                // The newest backup is less than a day old, so the next start makes none.
                let earlier = backups(in: folder, of: workspace)
                try await workspace.serve("--backup-folder", folder) { server in
                    let page = try await server.get("/data/")
                    #expect(!page.text.contains("Backup running"))
                }
                #expect(backups(in: folder, of: workspace) == earlier)
            }
        }

        @Test func failedBackupIsShownOnThePage() async throws {
            try await Workspace.with { workspace in
                let folder = workspace.root + "/backups"
                try workspace.makeFolder(folder)
                // A folder in place of the lock file, which even root can't open for writing.
                try workspace.makeFolder(folder + "/.backup.lock")
                try await workspace.serve("--backup-folder", folder) { server in
                    var page = try await server.get("/data/")
                    while !page.text.contains("Backup failed on") { page = try await server.get("/data/") }
                    #expect(page.text.contains(".backup.lock"), "\(page.text)")
                    #expect(page.text.contains("No backups yet."))
                }
            }
        }

        @Test func pageWithoutABackupFolderExplainsTheOption() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    let page = try await server.get("/data/")
                    #expect(page.text.contains("meanwhile serve --backup-folder FOLDER"))
                    #expect(try await server.post("/data/backups").status == 409)
                    #expect(try await server.get("/data/backups/meanwhile-2026-11-23T12-00-00Z.tar").status == 404)
                }
            }
        }

        /// The bar of the drinks, whose limit is zero, is full.
        @Test func useOfEachLimitIsShown() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve("--max-drinks", "0", "--max-boards", "4", "--owner-disk", "3GB") { server in
                    #expect(try await server.post("/art/boards", "name=One").status == 303)
                    let page = try await server.get("/data/").text
                    for (id, text, percent) in [
                        ("files", "0 bytes of 3 GB", "0.0"), ("pages", "0 of 10,000", "0.0"),
                        ("boards", "1 of 4", "25.0"),
                        ("drinks", "0 of 0", "100.0"),
                    ] {
                        let bar =
                            #"<meter max="100" high="90" value="\#(percent)" aria-labelledby="use-\#(id)">\#(text)"#
                        #expect(page.contains(bar), "\(page)")
                    }
                    #expect(page.contains(#"aria-labelledby="use-disk""#))
                }
            }
        }

        @Test func damagedDatabaseCanBeDownloaded() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { server in
                    // Storing may take longer than the request waits for it.
                    try await eventually("the order is stored") {
                        try await server.post("/library/settings", "order=title").status == 303
                    }
                }
                let file = URL(filePath: workspace.data + "/meanwhile.sqlite")
                let damaged = Data(repeating: 0xA5, count: 40_000)
                try damaged.write(to: file)
                try await workspace.serve { server in
                    let page = try await server.get("/data/")
                    #expect(page.text.contains("A whole database"))
                    let link = try #require(downloads(page, below: "/data/set-aside/folders/").first)
                    let archive = try await server.get(link)
                    #expect(archive.status == 200 && archive.type == "application/x-tar")
                    #expect(archive.body.range(of: damaged) != nil)
                    #expect(try await server.get("/data/set-aside/folders/blobs").status == 404)
                    #expect(try await server.get("/data/set-aside/values/1").status == 404)
                    #expect(try await server.get("/data/set-aside/values/x").status == 404)
                }
            }
        }

        @Test(arguments: [
            ["--backup-hours", "3"], ["--backup-folder", ""], ["--backup-folder", "b", "--backup-hours", "0"],
            ["--backup-folder", "b", "--backup-hours", "nan"], ["--backup-folder", "b", "--backup-hours", "9999"],
        ])
        func wrongOptionsAreRefusedBeforeAFolderIsCreated(arguments: [String]) async throws {
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

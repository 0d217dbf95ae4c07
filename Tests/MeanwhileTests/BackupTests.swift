import BrowserDriver
import Foundation
import Persistence
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension InterruptedRuns {
    /// The commands `meanwhile backup`, `restore` and `verify`.
    @Suite struct Backups {
        /// Fills the workspace's data folder with a drink, which a command adds, and with blobs.
        private func fill(_ workspace: Workspace) async throws {
            let added = try await workspace.run([Program.path, "coffee", "add", "espresso", "--data", workspace.data])
            #expect(added.exitCode == 0, "\(added.errors)")
            let database = try await AppDatabase.open(
                in: DataFolder.open(at: workspace.data), migrations: try await knownMigrations(in: workspace))
            defer { database.close() }
            let blobs = BlobStore(database: database)
            for number in 0..<12 {
                let staged = try await blobs.stage(Data(repeating: UInt8(number), count: 300_000 + number))
                try await database.write { try blobs.add(staged, in: $0) }
            }
        }

        /// Returns the database's applied migrations, without their work, which is already done.
        private func knownMigrations(in workspace: Workspace) async throws -> [AppDatabase.Migration] {
            try await workspace.sqlite("SELECT identifier FROM grdb_migrations")
                .filter { !$0.hasPrefix("persistence.") }.map { AppDatabase.Migration($0) { _ in } }
        }

        private func run(
            _ workspace: Workspace, _ arguments: String..., killedAt call: String? = nil
        ) async throws -> Outcome {
            let wrapper =
                call.map {
                    [
                        strace, "--follow-forks", "--trace=\($0.prefix { $0 != ":" })",
                        "--inject=\($0.replacing(":", with: ":signal=KILL:when="))", "--output=/dev/null", "--",
                    ]
                } ?? []
            return try await workspace.run(wrapper + [Program.path] + arguments)
        }

        @Test func backupCanBeVerifiedAndRestored() async throws {
            try await Workspace.with { workspace in
                try await fill(workspace)
                let file = "\(workspace.root)/kept.tar"
                // Backups also work while a server writes.
                try await workspace.serve { server in
                    // Storing may take longer than the request waits for it.
                    try await eventually("the order is stored") {
                        try await server.post("/library/settings", "order=title").status == 303
                    }
                    let saved = try await run(workspace, "backup", file, "--data", workspace.data)
                    #expect(saved.exitCode == 0, "\(saved.errors)")
                    #expect(saved.lines.count == 1 && saved.lines[0].contains("12 files of 3.6 MB"), "\(saved.lines)")
                    let whole = try await run(workspace, "verify", "--data", workspace.data)
                    #expect(whole.exitCode == 0, "\(whole.errors)")
                    // The data folder is in use.
                    let refused = try await run(workspace, "restore", file, "--data", workspace.data)
                    #expect(refused.exitCode == 1 && refused.output.isEmpty)
                }
                let verified = try await run(workspace, "verify", file, "--json")
                #expect(verified.exitCode == 0)
                #expect(String(decoding: verified.output, as: UTF8.self).contains(#""fileCount":12"#))
                try FileManager.default.moveItem(atPath: workspace.data, toPath: workspace.root + "/old")
                let restored = try await run(workspace, "restore", file, "--data", workspace.data)
                #expect(restored.exitCode == 0, "\(restored.errors)")
                let settings = try await workspace.sqlite(
                    "SELECT CAST(payload AS TEXT) FROM stored_value WHERE key = 'library/settings'")
                #expect(settings.contains { $0.contains(#""order":"title""#) })
                let list = try await run(workspace, "coffee", "list", "--data", workspace.data)
                #expect(list.lines.count == 1 && list.lines[0].contains("Espresso"))
            }
        }

        /// Unpacks a backup made by an earlier version.
        private func unpack(_ name: String, in workspace: Workspace) async throws -> String {
            let packed = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Backups/\(name)")
            let file = "\(workspace.root)/old.tar"
            let unpacked = try await workspace.run([
                "/bin/sh", "-c", #"gzip -dc "$1" >"$2""#, "sh", packed.path(percentEncoded: false), file,
            ])
            try #require(unpacked.exitCode == 0, "\(unpacked.errors)")
            return file
        }

        /// Otherwise, it would be checked as a saved page.
        @Test func backupWhoseFirstFileIsAPageIsVerifiedAsABackup() async throws {
            try await Workspace.with { workspace in
                let added = try await workspace.run(
                    [Program.path, "coffee", "add", "espresso", "--data", workspace.data])
                #expect(added.exitCode == 0, "\(added.errors)")
                let database = try await AppDatabase.open(
                    in: DataFolder.open(at: workspace.data), migrations: try await knownMigrations(in: workspace))
                let blobs = BlobStore(database: database)
                let staged = try await blobs.stage(Data("<!doctype html><html><p>A page</html>".utf8))
                try await database.write { try blobs.add(staged, in: $0) }
                database.close()
                let file = "\(workspace.root)/page.tar"
                #expect(try await run(workspace, "backup", file, "--data", workspace.data).exitCode == 0)
                let verified = try await run(workspace, "verify", file, "--json")
                #expect(verified.exitCode == 0)
                #expect(String(decoding: verified.output, as: UTF8.self).contains(#""fileCount":1"#))
            }
        }

        /// The backup was made by the version of 25 November 2026, the last one with its schemas.
        @Test func backupOfTheLastSchemasIsRestored() async throws {
            try await Workspace.with { workspace in
                let file = try await unpack("2026-11-25.tar.gz", in: workspace)
                let restored = try await run(workspace, "restore", file, "--data", workspace.data)
                #expect(restored.exitCode == 0, "\(restored.errors)")
                try await workspace.expectDataOf25November()
                let verified = try await run(workspace, "verify", "--data", workspace.data)
                #expect(verified.exitCode == 0 && verified.lines[0].contains("6 files of 65 kB"), "\(verified.lines)")
            }
        }

        @Test func backupOfAnOlderVersionIsRefusedAndNothingIsWritten() async throws {
            try await Workspace.with { workspace in
                let file = try await unpack("2026-11-23.tar.gz", in: workspace)
                let refused = try await run(workspace, "restore", file, "--data", workspace.data)
                #expect(refused.exitCode == 1 && refused.errorLines.count == 1, "\(refused.errors)")
                #expect(refused.errors.contains("too old") && refused.errors.contains(file), "\(refused.errors)")
                #expect(!FileManager.default.fileExists(atPath: workspace.data + "/meanwhile.sqlite"))
            }
        }

        @Test func missingFileIsReported() async throws {
            try await Workspace.with { workspace in
                try await fill(workspace)
                let blobs = workspace.data + "/blobs"
                let folder = try #require(workspace.names(in: blobs).first { !$0.hasPrefix(".") })
                let name = try #require(workspace.names(in: "\(blobs)/\(folder)").first)
                try FileManager.default.removeItem(atPath: "\(blobs)/\(folder)/\(name)")
                let verified = try await run(workspace, "verify", "--data", workspace.data)
                #expect(verified.exitCode == 1 && verified.lines.last == "\(blobs)/\(folder)/\(name) is missing.")
                let saved = try await run(workspace, "backup", "\(workspace.root)/b.tar", "--data", workspace.data)
                #expect(saved.exitCode == 2 && saved.lines.last?.contains(name) == true, "\(saved.lines)")
                let incomplete = try await run(workspace, "verify", "\(workspace.root)/b.tar")
                #expect(incomplete.exitCode == 1 && incomplete.lines.last?.contains(name) == true)
                #expect(incomplete.lines.first?.contains("is incomplete") == true, "\(incomplete.lines)")
                let empty = try await run(workspace, "verify", "--data", "\(workspace.root)/none")
                #expect(empty.exitCode == 1 && !FileManager.default.fileExists(atPath: "\(workspace.root)/none"))
            }
        }

        @Test(arguments: ["backup", "verify"])
        func damagedDatabaseIsAFailure(command: String) async throws {
            try await Workspace.with { workspace in
                try await fill(workspace)
                let database = URL(filePath: workspace.data + "/meanwhile.sqlite")
                try Data(repeating: 0xA5, count: 40_000).write(to: database)
                let file = "\(workspace.root)/b.tar"
                let arguments = command == "backup" ? [command, file] : [command]
                let failed = try await workspace.run([Program.path] + arguments + ["--data", workspace.data])
                #expect(failed.exitCode == 1 && failed.output.isEmpty)
                #expect(failed.errors.contains("error: The database was damaged"), "\(failed.errors)")
                #expect(!workspace.exists(file))
            }
        }

        /// A killed backup leaves a complete file or none, and the next one resumes it.
        ///
        /// A half-restored folder isn't opened.
        @Test(
            .enabled("Needs strace, to kill the program at a given system call.") {
                FileManager.default.fileExists(atPath: strace)
            })
        func partialBackupOrRestoreIsNeverAccepted() async throws {
            try await Workspace.with { workspace in
                try await fill(workspace)
                let file = "\(workspace.root)/kept.tar"
                var kills = 0
                for call in [
                    "flock:1", "write:1", "write:5", "write:20", "write:40", "pwrite64:1", "pwrite64:60", "fsync:1",
                    "rename:1",
                ] {
                    let killed = try await run(workspace, "backup", file, "--data", workspace.data, killedAt: call)
                    if killed.signal == SIGKILL { kills += 1 }
                    guard FileManager.default.fileExists(atPath: file) else { continue }
                    #expect(try await run(workspace, "verify", file).exitCode == 0, "\(call)")
                    try FileManager.default.removeItem(atPath: file)
                }
                #expect(kills >= 6)
                let saved = try await run(workspace, "backup", file, "--data", workspace.data)
                #expect(saved.exitCode == 0, "\(saved.errors)")
                kills = 0
                var refusals = 0
                for call in ["flock:1", "mkdir:2", "write:2", "write:9", "fsync:3", "fsync:12", "rename:1", "rename:2"]
                {
                    let folder = "\(workspace.root)/restored-\(call.replacing(":", with: "-"))"
                    let killed = try await run(workspace, "restore", file, "--data", folder, killedAt: call)
                    if killed.signal == SIGKILL { kills += 1 }
                    let verified = try await run(workspace, "verify", "--data", folder)
                    if verified.exitCode != 0 {
                        refusals += 1
                        let again = try await run(workspace, "restore", file, "--data", folder)
                        #expect(again.exitCode == 0, "\(call): \(again.errors)")
                    }
                    let whole = try await run(workspace, "verify", "--data", folder)
                    #expect(whole.exitCode == 0 && whole.lines.first?.contains("12 files") == true, "\(whole.errors)")
                }
                #expect(kills >= 6 && refusals >= 5)
            }
        }
    }
}

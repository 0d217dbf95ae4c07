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
    }
}

import FixtureSite
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// The command `meanwhile library export`.
    @Suite struct Exports {
        private func export(_ workspace: Workspace, _ arguments: String...) async throws -> Outcome {
            try await workspace.run([Program.path, "library", "export", "--data", workspace.data] + arguments)
        }

        @Test func otherProgramsReadTheFile() async throws {
            try await withSite { site, workspace in
                let served = try await workspace.serve { server in
                    for path in ["/plain", "/missing-resources"] {
                        let answer = try await server.post(
                            "/library/pages", "address=\(site.address(path))", "webarchive=on", "png=on", "wacz=on")
                        #expect(answer.status == 303)
                    }
                    try await server.wait(untilSaved: 2)
                }
                #expect(served.exitCode == 0, "\(served.errors)")
                let file = "\(workspace.root)/pages ü.zip"
                let outcome = try await export(workspace, "--to", file, "--json")
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(outcome.lines.count == 1)
                #expect(outcome.lines.first?.contains(#""files":6"#) == true, "\(outcome.lines)")
                let unzip = try await workspace.run(["/usr/bin/unzip", "-t", file])
                #expect(unzip.exitCode == 0, "\(unzip.errors)")
                let check = """
                    import hashlib, json, sys, zipfile
                    zip = zipfile.ZipFile(sys.argv[1])
                    assert zip.testzip() is None
                    pages = json.loads(zip.read("pages.json"))["pages"]
                    files = [file for page in pages for file in page["files"]]
                    assert len(pages) == 2 and len(files) == 6
                    for file in files:
                        assert hashlib.sha256(zip.read(file["path"])).hexdigest() == file["sha256"]
                        assert zip.getinfo(file["path"]).compress_type == zipfile.ZIP_STORED
                    """
                let python = try await workspace.run(["/usr/bin/python3", "-c", check, file])
                #expect(python.exitCode == 0, "\(python.errors)")
                // An existing file is replaced only on request.
                let refused = try await export(workspace, "--to", file)
                #expect(refused.exitCode == 1 && refused.errors.contains("already exists"))
                let one = try await export(workspace, "--to", file, "--force", "--search", "missing")
                #expect(one.exitCode == 0, "\(one.errors)")
                let piped = try await export(workspace, "--to", "-", "--search", "missing")
                #expect(piped.exitCode == 0 && piped.output.starts(with: Data("PK".utf8)))
                // All but the time of the export is equal.
                #expect(abs(piped.output.count - (try Data(contentsOf: URL(filePath: file)).count)) < 64)
                #expect(workspace.names(in: workspace.root).count { $0.hasSuffix(".part") } == 0)
            }
        }

        @Test func nothingIsLeftAfterASignal() async throws {
            try await withSite { site, workspace in
                let served = try await workspace.serve { server in
                    _ = try await server.post(
                        "/library/pages", "address=\(site.address("/plain"))", "png=on", "webarchive=on")
                    try await server.wait(untilSaved: 1)
                }
                #expect(served.exitCode == 0)
                let blobs = try await workspace.sqlite("SELECT blob FROM library_file WHERE kind = 'png'")
                let blob = try #require(blobs.first)
                let path = "\(workspace.data)/blobs/\(blob.prefix(2))/\(blob)"
                // A sparse file of 64 GB takes long to export.
                #expect(truncate(path, 64 << 30) == 0)
                let outcome = try await workspace.run(
                    [
                        Program.path, "library", "export", "--data", workspace.data, "--to",
                        "\(workspace.root)/pages.zip",
                    ]
                ) { program in
                    try await program.wait(until: "the export has begun") {
                        workspace.names(in: workspace.root).contains { $0.hasSuffix(".part") }
                    }
                    try program.send(SIGINT)
                }
                #expect(outcome.exitCode == 130, "\(outcome.errors)")
                #expect(outcome.errors.contains("Interrupted"))
                #expect(!workspace.names(in: workspace.root).contains { $0.hasSuffix(".part") || $0.hasSuffix(".zip") })
            }
        }
    }
}

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
                #expect(outcome.lines.first?.contains(#""files":10"#) == true, "\(outcome.lines)")
                let unzip = try await workspace.run(["/usr/bin/unzip", "-t", file])
                #expect(unzip.exitCode == 0, "\(unzip.errors)")
                let check = """
                    import hashlib, json, sys, zipfile
                    zip = zipfile.ZipFile(sys.argv[1])
                    assert zip.testzip() is None
                    pages = json.loads(zip.read("pages.json"))["pages"]
                    files = [file for page in pages for file in page["files"]]
                    assert len(pages) == 2 and len(files) == 10
                    for file in files:
                        assert hashlib.sha256(zip.read(file["path"])).hexdigest() == file["sha256"]
                        if file["kind"] != "text":
                            assert zip.getinfo(file["path"]).compress_type == zipfile.ZIP_STORED
                    """
                let python = try await workspace.run(["/usr/bin/python3", "-c", check, file])
                #expect(python.exitCode == 0, "\(python.errors)")
                // All pages are there already; in another library, they come back with their files.
                let again = try await workspace.run([
                    Program.path, "library", "import", "--data", workspace.data, file,
                ])
                #expect(
                    again.exitCode == 0 && again.lines == ["pages ü.zip\t0 pages\t2 already saved"], "\(again.lines)")
                try await Workspace.with { other in
                    let restored = try await other.run([
                        Program.path, "library", "import", "--data", other.data, file, "--json",
                    ])
                    #expect(restored.exitCode == 0, "\(restored.errors)")
                    let blobs = "SELECT kind || blob FROM library_file ORDER BY 1"
                    #expect(try await other.sqlite(blobs) == (try await workspace.sqlite(blobs)))
                    let served = try await other.serve { server in
                        let list = try await server.get("/library/").text
                        #expect(list.components(separatedBy: "page.webarchive?download").count == 3)
                        let found = try await server.get("/library/?q=missing").text
                        #expect(found.contains("1 page found"))
                    }
                    #expect(served.exitCode == 0, "\(served.errors)")
                }
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

        @Test func pdfAtAnAddressIsKept() async throws {
            try await withSite { site, workspace in
                let served = try await workspace.serve { server in
                    _ = try await server.post(
                        "/library/pages", "address=\(site.address("/document.pdf"))", "png=on", "webarchive=on")
                    try await server.program.wait(until: "the PDF is saved") {
                        server.events.contains("page.pdf?download")
                    }
                    let list = try await server.get("/library/").text
                    #expect(list.contains("page.pdf?download") && list.contains("document</a>"), "\(list)")
                    // A file of another kind can't be kept, and says so.
                    _ = try await server.post("/library/pages", "address=\(site.address("/download"))", "png=on")
                    try await server.program.wait(until: "the page has failed") {
                        server.events.contains("is a file to download, not a web page")
                    }
                }
                #expect(served.exitCode == 0, "\(served.errors)")
                let files = try await workspace.sqlite("SELECT kind FROM library_file")
                #expect(files == ["pdf"])
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

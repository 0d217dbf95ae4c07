import FixtureSite
import Foundation
import Testing

extension ServerRuns {
    /// Servers that can't start, or start only with a new database.
    @Suite struct Faults {
        @Test func portInUseIsReported() async throws {
            try await Workspace.with { workspace in
                let first = try await workspace.serve { server in
                    let second = try await workspace.run([
                        Program.path, "serve", "--port", "\(server.port)", "--data", workspace.root + "/second",
                    ])
                    #expect(second.exitCode == 1)
                    #expect(second.output.isEmpty)
                    #expect(second.errorLines.count == 1, "\(second.errors)")
                    #expect(second.errors.contains("Port \(server.port) is in use"), "\(second.errors)")
                    #expect(second.errors.contains("--port"))
                    #expect(try await server.get("/healthz").status == 200)
                }
                #expect(first.exitCode == 0, "\(first.errors)")
            }
        }

        @Test func dataFolderInUseIsReportedWithTheProcess() async throws {
            try await Workspace.with { workspace in
                let first = try await workspace.serve { server in
                    let second = try await workspace.run([
                        Program.path, "serve", "--port", "0", "--data", workspace.data,
                    ])
                    #expect(second.exitCode == 1)
                    #expect(second.output.isEmpty)
                    #expect(second.errorLines.count == 1, "\(second.errors)")
                    #expect(second.errors.contains(workspace.data))
                    #expect(second.errors.contains("process \(server.program.processID)"), "\(second.errors)")
                    #expect(try await server.get("/healthz").status == 200)
                }
                #expect(first.exitCode == 0, "\(first.errors)")
            }
        }

        @Test func unwritableDataFolderIsReported() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFolder(workspace.data)
                let foreign = try await workspace.run(
                    Program.unprivileged + [Program.path, "serve", "--port", "0", "--data", workspace.data])
                if !Program.unprivileged.isEmpty {
                    #expect(foreign.exitCode == 1)
                    #expect(foreign.errors.contains(workspace.data), "\(foreign.errors)")
                    #expect(workspace.names(in: workspace.data).isEmpty)
                }
                let file = try workspace.makeFile("file", "mine")
                let below = try await workspace.run([
                    Program.path, "serve", "--port", "0", "--data", file + "/data",
                ])
                #expect(below.exitCode == 1)
                #expect(below.errorLines.count == 1, "\(below.errors)")
                #expect(below.errors.contains(file), "\(below.errors)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            }
        }

        @Test func newerDataFolderIsRefusedUnchanged() async throws {
            try await Workspace.with { workspace in
                try await workspace.serve { _ in }
                _ = try await workspace.sqlite("INSERT INTO grdb_migrations VALUES ('library.999')")
                let before = FileManager.default.contents(atPath: "\(workspace.data)/meanwhile.sqlite")
                let outcome = try await workspace.run([
                    Program.path, "serve", "--port", "0", "--data", workspace.data,
                ])
                #expect(outcome.exitCode == 1)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains("newer version"), "\(outcome.errors)")
                #expect(outcome.errors.contains("library.999"))
                #expect(before != nil)
                #expect(FileManager.default.contents(atPath: "\(workspace.data)/meanwhile.sqlite") == before)
            }
        }

        @Test func damagedDatabaseIsSetAsideAndReplaced() async throws {
            try await withSite { site, workspace in
                try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                }
                let damaged = Data(String(repeating: "This is no database.\n", count: 1000).utf8)
                try damaged.write(to: URL(filePath: "\(workspace.data)/meanwhile.sqlite"))
                let blobs = try FileManager.default.subpathsOfDirectory(atPath: "\(workspace.data)/blobs").sorted()
                var setAside = ""
                let outcome = try await workspace.serve { server in
                    let name = try #require(
                        workspace.names(in: workspace.data).first { $0.hasPrefix("set-aside-") })
                    setAside = "\(workspace.data)/\(name)"
                    #expect(try await server.get("/library/").text.contains(setAside))
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                }
                #expect(outcome.exitCode == 0)
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.hasPrefix("warning: "), "\(outcome.errors)")
                #expect(outcome.errors.contains(setAside))
                #expect(FileManager.default.contents(atPath: setAside + "/meanwhile.sqlite") == damaged)
                #expect(try FileManager.default.subpathsOfDirectory(atPath: setAside + "/blobs").sorted() == blobs)
                try await workspace.expectIntactData()
                // The notice appears only in the run that set the database aside.
                let next = try await workspace.serve { server in
                    let library = try await server.get("/library/")
                    #expect(library.status == 200)
                    #expect(!library.text.contains(setAside))
                }
                #expect(next.errors == "")
            }
        }

        @Test(arguments: [
            (["--port", "65536"], [:], "--port takes a number from 0 to 65535"),
            (["--port", "-1"], [:], "--port"),
            (["--port", "web"], [:], "'web' is invalid for '--port"),
            (["--port", ""], [:], "invalid for '--port"),
            (["--data", ""], [:], "--data takes a folder's name"),
            (["--origin", "pages.example.com"], [:], "--origin takes an address"),
            (["--origin", "ftp://pages.example.com"], [:], "--origin takes an address"),
            (["--origin", "https://"], [:], "--origin takes an address"),
            (["--origin", "https://pages.example.com/path"], [:], "--origin takes an address"),
            (["--origin", "https://pages.example.com?query"], [:], "--origin takes an address"),
            (["--log-level", "loud"], [:], "'loud' is invalid for '--log-level"),
            (["--colour"], [:], "Unknown option '--colour'"),
            (["here"], [:], "Unexpected argument 'here'"),
            (["--allow", "http://nas.local/"], [:], "--allow: http://nas.local/ can't be allowed"),
            ([], ["MEANWHILE_ALLOW": "nas.local,*"], "MEANWHILE_ALLOW: * can't be allowed"),
            ([], ["MEANWHILE_PORT": "web"], "MEANWHILE_PORT takes a number from 0 to 65535; got web"),
            ([], ["MEANWHILE_PORT": "99999"], "MEANWHILE_PORT takes a number from 0 to 65535; got 99999"),
            ([], ["MEANWHILE_ORIGIN": "nowhere"], "MEANWHILE_ORIGIN takes an address"),
            ([], ["MEANWHILE_LOG_LEVEL": "loud"], "MEANWHILE_LOG_LEVEL takes one of trace"),
            (["--log-format", "xml"], [:], "'xml' is invalid for '--log-format"),
            ([], ["MEANWHILE_LOG_FORMAT": "xml"], "MEANWHILE_LOG_FORMAT takes one of text"),
            (["--metrics-port", "0"], [:], "--metrics-port takes a number from 1 to 65535; got 0"),
        ])
        func invalidOptionExitsWith64(
            arguments: [String], environment: [String: String], message: String
        ) async throws {
            try await Workspace.with { workspace in
                var environment = environment
                environment["MEANWHILE_DATA"] = workspace.data
                let outcome = try await workspace.run(
                    [Program.path, "serve"] + arguments, environment: environment)
                #expect(outcome.exitCode == 64)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
                #expect(!workspace.exists(workspace.data))
            }
        }
    }

    /// Requests that are rejected.
    @Suite struct Refusals {
        @Test func tenMegabyteAddressIsRefused() async throws {
            try await Workspace.with { workspace in
                let form = try workspace.makeFile(
                    "form", "png=on&address=" + String(repeating: "http://localhost/", count: 600_000))
                let outcome = try await workspace.serve { server in
                    for (accept, type) in [
                        ("text/html", "text/html; charset=utf-8"),
                        ("application/problem+json, text/html", "application/problem+json"),
                    ] {
                        let answer = try await server.get(
                            "/library/pages", "--header", "Origin: \(server.origin)", "--header", "Accept: \(accept)",
                            "--header", "Expect:", "--data-binary", "@\(form)")
                        #expect(answer.status == 413)
                        #expect(answer.type == type)
                        #expect(answer.text.contains("Too much data"), "\(answer.text)")
                    }
                    #expect(try await server.get("/library/").text.contains("No saved pages yet"))
                }
                #expect(outcome.exitCode == 0)
            }
        }

        @Test func requestsForOtherHostsOrOriginsAreRefused() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve(
                    "--origin", "https://pages.example.com", "--trust-proxy"
                ) { server in
                    for (host, status) in [
                        ("evil.example", 421), ("127.0.0.1", 421), ("127.0.0.1:\(server.port)", 200),
                        ("localhost:\(server.port)", 200), ("pages.example.com", 200),
                        ("pages.example.com.evil.example", 421),
                    ] {
                        let answer = try await server.get("/library/", "--header", "Host: \(host)")
                        #expect(answer.status == status, "\(host)")
                    }
                    for (origin, status) in [
                        ("https://evil.example", 403), ("null", 403), ("http://pages.example.com", 403),
                        // Without a format, the request passes the origin check and is rejected for its content.
                        ("https://pages.example.com", 422), (server.origin, 422),
                    ] {
                        let answer = try await server.get(
                            "/library/pages", "--header", "Origin: \(origin)", "--data", "address=localhost")
                        #expect(answer.status == status, "\(origin)")
                    }
                    #expect(try await server.get("/library/").text.contains("No saved pages yet"))
                }
                #expect(outcome.exitCode == 0)
            }
        }
    }
}

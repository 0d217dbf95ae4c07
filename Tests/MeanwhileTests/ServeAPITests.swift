import FixtureSite
import Foundation
import Testing

extension ServerRuns {
    /// The API of a running server: Schemathesis, which tries it by its description, and the commands with `--server`.
    @Suite struct ServeAPI {
        private func token(_ workspace: Workspace, _ scopes: [String], days: Int = 1) async throws -> String {
            let outcome = try await workspace.run(
                [Program.path, "token", "add", "Test", "--data", workspace.data, "--days", "\(days)"]
                    + scopes.flatMap { ["--scope", $0] })
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return outcome.lines.first ?? ""
        }

        private static let all = ["library:write", "art:write", "coffee:write"]

        /// The program of the environment that `script/bootstrap` makes.
        private static let schemathesis = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.build/python-api/bin/schemathesis").standardizedFileURL.path()

        @Test(.timeLimit(.minutes(20))) func schemathesisFindsNoFault() async throws {
            try await Workspace.with { workspace in
                let token = try await token(workspace, Self.all)
                // A change that is based on another version, or is too large, is refused before it is read.
                let configuration = "\(workspace.root)/schemathesis.toml"
                try """
                [checks]
                negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429]
                """.write(toFile: configuration, atomically: true, encoding: .utf8)
                let outcome = try await workspace.serve("--no-worker") { server in
                    // Something of each kind, so that lists aren't empty.
                    for (path, json) in [
                        ("library/pages", #"{"url":"https://a.example/","formats":["png"]}"#),
                        ("art/boards", #"{"name":"Farm","example":true}"#),
                        ("coffee/drinks", #"{"kind":"sourced/espresso"}"#),
                    ] {
                        let made = try await curl([
                            "\(server.origin)/api/v1/\(path)", "--header", "Authorization: Bearer \(token)", "--header",
                            "Content-Type: application/json", "--data", json,
                        ])
                        #expect(made.status == 201, "\(made.text)")
                    }
                    // Without a worker, uploads would wait. Streams of events don't end, and two exports at once are the most
                    // that the server allows. Tables of methods and allowed fields are this project's own.
                    let excluded = [
                        "importBoard", "addPicture", "exportBoard", "importFile", "exportPages", "followPages",
                        "followDrinks", "followBoards", "followBoard", "followPalettes",
                    ]
                    // One worker: Schemathesis's threads read Python's source, which Python 3.11 can't do in several
                    // threads at once.
                    let arguments = [
                        "/usr/bin/env", "PYTHONHASHSEED=0", Self.schemathesis, "--config-file", configuration, "run",
                        "\(server.origin)/api/openapi.json",
                        "--header",
                        "Authorization: Bearer \(token)", "--max-examples", "40", "--workers", "1", "--request-timeout",
                        "300",
                        "--seed", "1", "--generation-database", "none", "--no-color", "--continue-on-failure",
                        "--checks",
                        """
                        not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                        response_headers_conformance,ignored_auth,negative_data_rejection
                        """,
                    ]
                    let run = try await workspace.run(
                        arguments + excluded.flatMap { ["--exclude-operation-id", $0] })
                    let report = String(decoding: run.output, as: UTF8.self)
                    // Faults first, because a summary may show only the beginning.
                    let faults = report.firstRange(of: /=== (ERRORS|FAILURES) ===/).map { report[$0.lowerBound...] }
                    #expect(run.exitCode == 0, "\((faults ?? report[...]).prefix(20_000)) \(run.errors)")
                    #expect(try await server.get("/healthz").status == 200)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        /// Runs a command with a server and a token in a file.
        private func remote(
            _ workspace: Workspace, _ server: RunningServer, _ token: String, _ arguments: String...
        ) async throws -> (code: Int32?, text: String, errors: String) {
            let file = "\(workspace.root)/token-\(UInt32.random(in: 0...UInt32.max))"
            try "\(token)\n".write(toFile: file, atomically: true, encoding: .utf8)
            let outcome = try await workspace.run(
                [Program.path] + arguments + ["--server", server.origin, "--token-file", file])
            return (outcome.exitCode, String(decoding: outcome.output, as: UTF8.self), outcome.errors)
        }

        @Test func commandsUseAServer() async throws {
            try await Workspace.with { workspace in
                let token = try await token(workspace, Self.all)
                let outcome = try await workspace.serve("--no-worker") { server in
                    func run(_ arguments: String...) async throws -> String {
                        let file = "\(workspace.root)/token"
                        try token.write(toFile: file, atomically: true, encoding: .utf8)
                        let outcome = try await workspace.run(
                            [Program.path] + arguments + ["--server", server.origin, "--token-file", file])
                        #expect(outcome.exitCode == 0, "\(arguments): \(outcome.errors)")
                        return String(decoding: outcome.output, as: UTF8.self)
                    }
                    #expect(try await run("coffee", "add", "espresso").contains("Espresso"))
                    let drinks = try await run("coffee", "list")
                    let id = try #require(drinks.split(separator: "\t").first)
                    #expect(try await run("coffee", "edit", String(id), "--mg", "33").contains("33 mg"))
                    #expect(try await run("coffee", "now").contains("Caffeine now"))
                    #expect(try await run("coffee", "drinks").contains("Espresso"))
                    #expect(try await run("coffee", "now", "--json").contains(#""colour":"#))
                    #expect(try await run("coffee", "delete", String(id)).contains("Deleted"))
                    #expect(try await run("coffee", "list").contains("No drinks."))

                    #expect(try await run("art", "new", "Farm").contains("Farm"))
                    #expect(try await run("art", "rename", "Farm", "Zoo").contains("Zoo"))
                    let file = "\(workspace.root)/zoo.json"
                    #expect(try await run("art", "export", "Zoo", "-o", file).contains(file))
                    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("Zoo"))
                    _ = try await run("art", "delete", "Zoo")
                    #expect(try await run("art", "list", "--deleted").contains("Zoo"))
                    #expect(try await run("art", "restore", "Zoo").contains("Zoo"))
                    // The same data, without the server's API.
                    let local = try await workspace.run([Program.path, "art", "list", "--data", workspace.data])
                    #expect(String(decoding: local.output, as: UTF8.self).contains("Zoo"))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        /// The times of a server's drinks are written as its owner wants, on any computer.
        @Test func commandWritesTimesAsTheOwnerOfTheServersDataDoes() async throws {
            try await Workspace.with { workspace in
                let token = try await token(workspace, ["coffee:write"])
                let outcome = try await workspace.serve("--no-worker") { server in
                    let saved = try await server.post(
                        "/coffee/settings", "clockFormat=12", "zone=Pacific/Auckland", "dayStart=04:00", "bedtime=22:30"
                    )
                    #expect(saved.status == 303, "\(saved.text)")
                    #expect(try await remote(workspace, server, token, "coffee", "add", "espresso").code == 0)
                    let environment = ["TZ": "America/New_York", "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"]
                    let file = try workspace.makeFile("coffee-token", token)
                    for command in [["list"], ["list", "--days", "2"], ["list", "--json"]] {
                        let local = try await workspace.run(
                            [Program.path, "coffee"] + command + ["--data", workspace.data], environment: environment)
                        let remote = try await workspace.run(
                            [Program.path, "coffee"] + command + ["--server", server.origin, "--token-file", file],
                            environment: environment)
                        #expect(local.exitCode == 0 && remote.exitCode == 0, "\(local) \(remote)")
                        if command.contains("--json") {
                            #expect(local.lines.first?.contains("Auckland") == true, "\(local)")
                            #expect(remote.lines.first?.contains("Auckland") == true, "\(remote)")
                        } else {
                            #expect(remote.output == local.output, "\(remote) \(local)")
                            #expect(local.lines.allSatisfy { $0.contains("AM") || $0.contains("PM") }, "\(local)")
                        }
                    }
                    // Both name the same bedtime, in the third line.
                    func bedtime(_ text: String) -> Substring? {
                        text.split(separator: "\n")[2].split(separator: ": ").first
                    }
                    let local = try await workspace.run([Program.path, "coffee", "now", "--data", workspace.data])
                    let now = try await remote(workspace, server, token, "coffee", "now")
                    #expect(bedtime(now.text) == bedtime(String(decoding: local.output, as: UTF8.self)), "\(now)")
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        /// A server with a worker and a browser captures the page, and the command downloads its files.
        @Test func serverCapturesAPageForTheCommand() async throws {
            try await withSite { site, workspace in
                let token = try await token(workspace, ["library:write"])
                let outcome = try await workspace.serve("--allow", "127.0.0.1") { server in
                    let file = try workspace.makeFile("capture-token", token)
                    let options = ["--server", server.origin, "--token-file", file, "--timeout", "300"]
                    let capture = try await workspace.run(
                        [
                            Program.path, "capture", site.address("/plain"), "--json", "-o", workspace.output,
                        ] + options)
                    #expect(capture.exitCode == 0, "\(capture.errors)")
                    let report = try #require(try capture.reports().first)
                    #expect(report.outcome == "kept" && report.url == site.address("/plain"), "\(report)")
                    #expect(workspace.outputNames == site.names("/plain"))
                    try workspace.expectCompleteFiles()
                    for name in workspace.outputNames {
                        let stored = try await workspace.sqlite(
                            "SELECT bytes FROM library_file WHERE kind = '\(name.split(separator: ".").last ?? "")'")
                        #expect(stored == ["\(try workspace.file(name).count)"], "\(name)")
                    }
                    // The page is in the library of the token's owner.
                    #expect(
                        try await workspace.sqlite("SELECT address, state, owner FROM library_page")
                            == ["\(site.address("/plain"))|found|local"])
                    // One format, to standard output; the page is saved again.
                    let png = try await workspace.run(
                        [Program.path, "capture", site.address("/plain"), "--format", "png", "-o", "-"] + options)
                    #expect(png.exitCode == 0 && png.output.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(png.errors)")
                    // A page that can't be saved, and one that can.
                    let mixed = try await workspace.run(
                        [
                            Program.path, "capture", site.address("/status/404"), site.refusedURL("/").absoluteString,
                            "--format", "png", "-o",
                            "\(workspace.root)/mixed",
                        ] + options)
                    #expect(mixed.exitCode == 2, "\(mixed)")
                    #expect(workspace.names(in: "\(workspace.root)/mixed").count == 1, "\(mixed)")
                    // The policy is the server's.
                    let refused = try await workspace.run(
                        [
                            Program.path, "capture", "http://127.0.0.2:\(server.port)/", "--format", "png", "-o",
                            "\(workspace.root)/refused",
                        ] + options)
                    #expect(refused.exitCode == 1 && refused.errors.contains("127.0.0.2"), "\(refused)")
                    #expect(!workspace.exists("\(workspace.root)/refused"))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func wrongServersAndTokensAreExplained() async throws {
            try await Workspace.with { workspace in
                let (reader, other) = (
                    try await token(workspace, ["coffee:read"]), try await token(workspace, ["art:write"])
                )
                let outcome = try await workspace.serve("--no-worker") { server in
                    let wrong = "meanwhile_" + String(repeating: "0", count: 64)
                    for (token, command, message) in [
                        (wrong, ["coffee", "now"], "was removed or has expired"),
                        (reader, ["coffee", "add", "espresso"], "coffee:write"),
                        (other, ["coffee", "now"], "coffee:read"), (reader, ["art", "list"], "art:read"),
                    ] {
                        let file = "\(workspace.root)/token"
                        try token.write(toFile: file, atomically: true, encoding: .utf8)
                        let run = try await workspace.run(
                            [Program.path] + command + ["--server", server.origin, "--token-file", file])
                        #expect(run.exitCode == 1 && run.errors.contains(message), "\(run.errors)")
                        #expect(!run.errors.contains(token) && !run.errors.contains(".swift"), "\(run.errors)")
                    }
                    let access = try await remote(workspace, server, reader, "coffee", "access")
                    #expect(access.code == 1 && access.errors.contains("without --server"))
                    let capture = try await remote(
                        workspace, server, reader, "capture", "https://a.example/", "-o", "\(workspace.root)/out")
                    #expect(capture.code == 1 && capture.errors.contains("library:write"), "\(capture)")
                    // Something else that speaks HTTP.
                    let site = try await workspace.run(
                        [
                            Program.path, "coffee", "now", "--server",
                            server.origin.replacing("127.0.0.1", with: "localhost"), "--json",
                        ], environment: ["MEANWHILE_TOKEN": wrong])
                    #expect(
                        site.exitCode == 1 && String(decoding: site.output, as: UTF8.self).contains(#""wrongToken""#))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                let gone = try await workspace.run(
                    [Program.path, "coffee", "now", "--server", "http://127.0.0.1:9"],
                    environment: ["MEANWHILE_TOKEN": reader])
                #expect(gone.exitCode == 1 && gone.errors.contains("Can't reach http://127.0.0.1:9"), "\(gone.errors)")
                let none = try await workspace.run([Program.path, "art", "list", "--server", "http://127.0.0.1:9"])
                #expect(none.exitCode == 1 && none.errors.contains("no token"), "\(none.errors)")
                for address in ["ftp://a.example", "https://a.example/path", "https://a@b.example", "a.example"] {
                    let wrong = try await workspace.run(
                        [Program.path, "art", "list", "--server", address], environment: ["MEANWHILE_TOKEN": "x"])
                    #expect(wrong.exitCode == 64 && wrong.errors.contains("--server takes"), "\(wrong.errors)")
                }
            }
        }

        @Test func tokensAreManagedByCommands() async throws {
            try await Workspace.with { workspace in
                let secret = try await token(workspace, ["coffee:read", "art:write"])
                #expect(secret.wholeMatch(of: /meanwhile_[0-9a-f]{64}/) != nil)
                func run(_ arguments: String...) async throws -> (code: Int32?, text: String, errors: String) {
                    let outcome = try await workspace.run(
                        [Program.path, "token"] + arguments + ["--data", workspace.data])
                    return (outcome.exitCode, String(decoding: outcome.output, as: UTF8.self), outcome.errors)
                }
                let list = try await run("list")
                #expect(list.text.contains("art:write,coffee:read") && !list.text.contains(secret))
                let id = try #require(list.text.split(separator: "\t").first)
                for arguments in [
                    ["add", "a"], ["add", "", "--scope", "art:read"],
                    ["add", "a", "--scope", "art:read", "--days", "0"],
                ] {
                    let refused = try await workspace.run(
                        [Program.path, "token"] + arguments + ["--data", workspace.data])
                    #expect(refused.exitCode == 1, "\(arguments)")
                }
                #expect(try await run("add", "a", "--scope", "tea:read").code == 64)
                #expect(try await run("remove", "zzz").code == 1)
                #expect(try await run("remove", String(id)).code == 0)
                #expect(try await run("list").text.contains("There are no tokens."))
            }
        }
    }
}

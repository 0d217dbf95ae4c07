import FixtureSite
import Foundation
import Subprocess
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension JobRuns {
    /// Servers that shut down on a signal.
    @Suite struct Shutdowns {
        @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
        func shutdownEndsOpenTabsAndRunningCapturesAreResumedLater(signal: CInt) async throws {
            try await withSite { site, workspace in
                let paths = ["/stall", "/stall/one.html", "/stall-image"]
                let outcome = try await workspace.serve { server in
                    for path in paths { try await server.save(site.address(path)) }
                    // Two captures run at a time.
                    for path in paths.prefix(2) { try await server.program.waitForRequest(path, of: site) }
                    try await withTabs(3, at: server) { try await expectEnd(of: server, by: signal) }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(outcome.errors == "")
                #expect(workspace.stagedBlobs.isEmpty)
                try await workspace.expectIntactData()
                #expect(try await workspace.sqlite("SELECT state FROM library_page GROUP BY 1") == ["fetching"])
                for path in ["/stall", "/stall/one.html", "/stall/picture.png"] { site.release(path) }
                let next = try await workspace.serve { server in try await server.wait(untilSaved: 3) }
                #expect(next.exitCode == 0, "\(next.errors)")
                try await workspace.expectIntactData()
            }
        }

        @Test(arguments: Connection.all)
        func idleConnectionDoesNotDelayShutdown(connection: Connection) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    try await connection.whileOpen(to: server) { try await expectEnd(of: server, by: SIGTERM) }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func unreadDownloadDoesNotDelayShutdown() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                    let id = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    // More than the socket buffers can hold.
                    try await workspace.makeFilesLarge(of: id, bytes: 50_000_000)
                    let download = Connection(
                        name: "a download", request: "GET /library/pages/\(id)/page.webarchive HTTP/1.1\r\n",
                        hasCompleteHead: true, readsResponse: false)
                    try await download.whileOpen(to: server) { try await expectEnd(of: server, by: SIGTERM) }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func unresponsiveBrowserDoesNotDelayShutdown() async throws {
            try await withSite { site, workspace in
                let silent = try workspace.makeProgram("silent", "sleep 300")
                let outcome = try await workspace.serve("--chromium", silent) { server in
                    try await server.save(site.address("/plain"))
                    try await server.program.wait(until: "the browser starts") { workspace.chromium != nil }
                    try await expectEnd(of: server, by: SIGTERM)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                let next = try await workspace.serve { server in try await server.wait(untilSaved: 1) }
                #expect(next.exitCode == 0, "\(next.errors)")
            }
        }

        @Test func viewerCopyInProgressDoesNotDelayShutdown() async throws {
            try await withSite { site, workspace in
                try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                }
                let id = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                let silent = try workspace.makeProgram("silent", "sleep 300")
                let outcome = try await workspace.serve("--chromium", silent) { server in
                    async let view = Subprocess.run(
                        .name("curl"),
                        arguments: [
                            "--silent", "--max-time", "600", "--output", "/dev/null", "--write-out", "%{http_code}",
                            "\(server.origin)/library/pages/\(id)/view",
                        ], output: .string(limit: 100), error: .discarded)
                    try await server.program.wait(until: "the browser starts") { workspace.chromium != nil }
                    try await expectEnd(of: server, by: SIGTERM)
                    let answer = try await view
                    // A server that is too slow to answer before it ends closes the connection.
                    #expect(answer.standardOutput == "503" || !answer.terminationStatus.isSuccess)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                try await workspace.serve { server in
                    let view = try await server.get("/library/pages/\(id)/view")
                    #expect(view.status == 200, "\(view.text)")
                }
                try await workspace.expectIntactData()
            }
        }

        /// Runs the body while a captured page waits to be stored, because another program locks the database.
        private func whileAPageWaitsToBeStored(
            of site: FixtureSite, by server: RunningServer, _ body: () async throws -> Void
        ) async throws {
            let workspace = server.workspace
            try await server.save(site.address("/stall"))
            try await server.program.waitForRequest("/stall", of: site)
            try await workspace.whileDatabaseIsLocked {
                site.release("/stall")
                try await server.program.wait(until: "the files are written") { workspace.jobOutputFiles.count == 5 }
                try await body()
            }
        }

        @Test func pageWrittenDuringShutdownIsStoredWholeOrNotAtAll() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await whileAPageWaitsToBeStored(of: site, by: server) {
                        try server.program.send(SIGTERM)
                    }
                    #expect(try await endsInTime(server.program))
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                #expect(workspace.stagedBlobs.isEmpty)
                try await workspace.expectIntactData()
                try await workspace.serve { server in try await server.wait(untilSaved: 1) }
            }
        }

        /// Another program holds the lock until the server has ended.
        @Test func lockedDatabaseDoesNotDelayShutdown() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await whileAPageWaitsToBeStored(of: site, by: server) {
                        try await expectEnd(of: server, by: SIGTERM)
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                try await workspace.serve { server in try await server.wait(untilSaved: 1) }
                try await workspace.expectIntactData()
            }
        }

        /// Sends a signal, and expects the server to end.
        private func expectEnd(
            of server: RunningServer, by signal: CInt, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try server.program.send(signal)
            let hasEnded = try await endsInTime(server.program)
            #expect(hasEnded, sourceLocation: sourceLocation)
            if !hasEnded { for process in server.workspace.processes { kill(process) } }
        }

        private func withTabs(_ count: Int, at server: RunningServer, _ body: () async throws -> Void) async throws {
            let files = (0..<count).map { "\(server.eventFile)-\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for file in files {
                    group.addTask {
                        try await server.workspace.follow(server.origin + "/library/events", into: file)
                    }
                }
                try await server.program.wait(until: "every tab has received an event") {
                    files.allSatisfy {
                        (FileManager.default.contents(atPath: $0) ?? Data()).count > "retry: 2000\n\n".utf8.count
                    }
                }
                try await body()
                try await group.waitForAll()
            }
        }
    }
}

/// A connection that its client holds open without continuing.
struct Connection: Sendable, CustomTestStringConvertible {
    var name: String
    /// The text to send; if ``hasCompleteHead`` is true, the rest of the head follows.
    var request: String
    var hasCompleteHead: Bool
    /// Whether the client reads everything until the connection closes; otherwise it reads only the first byte.
    var readsResponse: Bool

    static let all = [
        Connection(name: "no request", request: "", hasCompleteHead: false, readsResponse: true),
        Connection(name: "half a head", request: "GET /heal", hasCompleteHead: false, readsResponse: true),
        Connection(
            name: "half a body",
            request: "POST /library/pages HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "X-Requested-With: test\r\nContent-Length: 100\r\n", hasCompleteHead: true, readsResponse: true),
        Connection(
            name: "answered, and kept alive", request: "GET /healthz HTTP/1.1\r\n", hasCompleteHead: true,
            readsResponse: true),
        Connection(
            name: "answered, first byte read", request: "GET / HTTP/1.1\r\n", hasCompleteHead: true,
            readsResponse: false),
    ]

    var testDescription: String { name }

    /// Runs the body while the connection is open; the client's process ends when the server closes the connection.
    func whileOpen(to server: RunningServer, _ body: () async throws -> Void) async throws {
        let workspace = server.workspace
        let head = hasCompleteHead ? request + "Host: 127.0.0.1:\(server.port)\r\n\r\n" : request
        let requestFile = try workspace.makeFile("request", head)
        let responseFile = workspace.root + "/got"
        let end = try NamedPipe(workspace.root + "/end")
        defer {
            end.close()
            try? FileManager.default.removeItem(atPath: end.path)
        }
        let rest = readsResponse ? "cat <&3 >>\"$3\"" : "head -c 1 <&3 >>\"$3\"; read -r <\"$4\""
        let script = "exec 3<>/dev/tcp/127.0.0.1/$1; cat \"$2\" >&3; printf '>' >\"$3\"; \(rest)"
        async let holder = run(
            .name("bash"),
            arguments: ["-c", script, "bash", "\(server.port)", requestFile, responseFile, end.path],
            output: .discarded, error: .discarded)
        let isAnswered = hasCompleteHead && !request.hasPrefix("POST")
        try await server.program.wait(until: "the client is connected") {
            (FileManager.default.contents(atPath: responseFile) ?? Data()).count >= (isAnswered ? 2 : 1)
        }
        defer { try? end.write("\n") }
        try await body()
        try end.write("\n")
        _ = try await holder
    }
}

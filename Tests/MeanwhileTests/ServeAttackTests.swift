import BrowserDriver
import FixtureSite
import Foundation
import Subprocess
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// Hostile clients: the server still answers other clients, and shuts down in time.
    @Suite struct Attacks {
        /// The attacks that `attack.py` implements.
        enum Attack: String, CaseIterable, Sendable, CustomTestStringConvertible {
            /// Ten thousand connections without a request.
            case idle
            /// Request heads that don't end.
            case heads
            /// Request bodies that don't end.
            case bodies
            /// Downloads that aren't read.
            case downloads
            /// Event streams that aren't read.
            case streams

            var count: Int { self == .idle ? 10_000 : 200 }
            var testDescription: String { rawValue }
        }

        @Test(arguments: Attack.allCases)
        func attackDelaysNeitherOtherClientsNorShutdown(attack: Attack) async throws {
            try await withSite { site, workspace in
                try workspace.makeFile("attack.py", Self.script)
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilSaved: 1)
                    let page = try #require(try await workspace.sqlite("SELECT id FROM library_page").first)
                    try await workspace.makeFilesLarge(of: page, bytes: 20_000_000)
                    let before = try await server.responseTimesOfOtherClients()
                    try await workspace.attack(attack, server, page: page) {
                        let times = try await server.responseTimesOfOtherClients()
                        Self.expectShort(times, before, in: attack.rawValue)
                        let memory = try server.peakMemory()
                        #expect(memory < 500_000_000, "\(memory) bytes")
                        let clock = ContinuousClock()
                        let start = clock.now
                        try server.program.send(SIGTERM)
                        #expect(try await endsInTime(server.program))
                        print("\(attack): ended \(clock.now - start) after SIGTERM")
                    }
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        /// Checks the response times during an attack, and prints them.
        ///
        /// Only optimised builds are subject to limits: a debug build parses a hostile file for seconds on a slow
        /// machine, and `script/bench attacks` measures release builds.
        /// ``RunningServer/responseTimesOfOtherClients()`` fails if a response takes a minute.
        static func expectShort(
            _ times: [Int], _ before: [Int], in attack: String, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let (usual, longest) = (before.max() ?? 0, times.max() ?? 0)
            let p99 = times.sorted()[times.count * 99 / 100]
            print("\(attack): \(times.count) requests, p99 \(p99) ms, longest \(longest) ms, usually \(usual) ms")
            #if !DEBUG
                #expect(p99 < max(100, 10 * usual), "\(p99) ms", sourceLocation: sourceLocation)
                #expect(
                    longest < max(1_000, 10 * usual), "\(longest) ms, and \(usual) ms without the attack",
                    sourceLocation: sourceLocation)
            #endif
        }

        /// Arguments: attack, port, count, page, and the file to create once all connections are open.
        private static let script = """
            import os, resource, socket, sys
            attack, port, count, page, begun = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            # The system may allow fewer files.
            count = min(count, hard - 100)
            host = f"Host: 127.0.0.1:{port}\\r\\n"
            begins = {
                "idle": "",
                "heads": "GET /library/ HTTP/1.1\\r\\nX-A: ",
                "bodies": f"POST /library/pages HTTP/1.1\\r\\n{host}X-Requested-With: test\\r\\nContent-Length: 90000\\r\\n\\r\\na",
                "downloads": f"GET /library/pages/{page}/page.webarchive HTTP/1.1\\r\\n{host}\\r\\n",
                "streams": f"GET /library/events HTTP/1.1\\r\\n{host}\\r\\n",
            }
            connections = []
            for _ in range(count):
                connection = socket.create_connection(("127.0.0.1", port), 60)
                connections.append(connection)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                try:
                    connection.sendall(begins[attack].encode())
                except OSError:
                    pass  # The server has closed it again.
            with open(begun + ".new", "w") as file:
                file.write(f"{len(connections)}")
            os.rename(begun + ".new", begun)
            sys.stdin.readline()
            """
    }
}

extension Workspace {
    /// Runs a body during an attack.
    fileprivate func attack(
        _ attack: ServerRuns.Attacks.Attack, _ server: RunningServer, page: String,
        while body: () async throws -> Void
    ) async throws {
        let begun = "\(root)/begun"
        let end = try NamedPipe(root + "/end-of-attack")
        defer { end.close() }
        async let attacker = Subprocess.run(
            .name("sh"),
            arguments: [
                "-c", #"exec python3 "$0" "$@" <"$6""#, "\(root)/attack.py", attack.rawValue, "\(server.port)",
                "\(attack.count)", page, begun, end.path,
            ], output: .discarded, error: .string(limit: 100_000))
        try await server.program.wait(until: "the attack has begun") { exists(begun) }
        do {
            let opened = Int(try String(contentsOfFile: begun, encoding: .utf8)) ?? 0
            // Fewer if the system allows only 4,096 open files.
            #expect(opened == attack.count || opened >= 3_996, "\(opened) connections")
            try await body()
        } catch {
            try? end.write("\n")
            throw error
        }
        try end.write("\n")
        let result = try await attacker
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
    }
}

extension RunningServer {
    /// Times 200 requests of a well-behaved client with another address, in milliseconds; fails if one takes
    /// five minutes.
    func responseTimesOfOtherClients() async throws -> [Int] {
        let addresses = ["/library/", "/art/", "/coffee/", "/healthz"].map { origin + $0 }
        let all = (0..<50).flatMap { _ in addresses.flatMap { [$0, "--output", "/dev/null"] } }
        let result = try await Subprocess.run(
            .name("curl"),
            arguments: Arguments(
                [
                    "--silent", "--show-error", "--fail", "--interface", "127.0.0.2", "--write-out",
                    "%{time_total}\n", "--max-time", "300",
                ]
                    + all),
            output: .string(limit: 1_000_000), error: .string(limit: 100_000))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        let times = result.standardOutput.split(separator: "\n").compactMap { Double($0) }.map { Int($0 * 1_000) }
        try #require(times.count == 200)
        return times
    }
}

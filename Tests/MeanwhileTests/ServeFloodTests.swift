import FixtureSite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// Servers that clients attack by being many, or slow.
    @Suite struct Floods {
        @Test func tenThousandIdleConnectionsLeaveRoomForAnotherAddress() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    let quiet = try server.measure(50)
                    // Half of the descriptors may be needed by other tests of this process.
                    let count = min(10_000, PlainSocket.raiseLimit() / 2)
                    var attackers: [PlainSocket] = []
                    var times: [Duration] = []
                    while attackers.count < count {
                        for _ in 0..<500 { attackers.append(try PlainSocket(port: server.port)) }
                        times += try server.measure(10)
                    }
                    print("\(attackers.count) idle connections:", Self.summary(times), "before:", Self.summary(quiet))
                    // Where others keep the processors busy, a request takes long without attackers too.
                    #expect(times.max() ?? .zero < max(.seconds(1), (quiet.max() ?? .zero) * 10))
                    try await Self.expectEnd(of: server)
                    withExtendedLifetime(attackers) {}
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func slowClientsOfEveryKindTakeBoundedMemoryAndDoNotHoldUpTheEnd() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.serve { server in
                    try await server.save(site.address("/plain"))
                    try await server.wait(untilKept: 1)
                    let id = try #require(try await workspace.library("SELECT id FROM page").first)
                    try await workspace.makeFilesLarge(of: id, bytes: 20_000_000)
                    let host = "Host: 127.0.0.1:\(server.port)\r\n"
                    let post =
                        "POST /library/pages HTTP/1.1\r\n\(host)X-Requested-With: test\r\nContent-Length: 100000\r\n"
                        + "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
                    let kinds = [
                        (100, "GET /library/pages/\(id)/page.webarchive HTTP/1.1\r\n\(host)\r\n"),
                        (200, "GET /library/events HTTP/1.1\r\n\(host)\r\n"),
                        (50, "GET /heal"),
                        (50, post + "address="),
                    ]
                    let quiet = try server.measure(100)
                    var attackers: [PlainSocket] = []
                    var trickling: [PlainSocket] = []
                    for (index, kind) in kinds.enumerated() {
                        for _ in 0..<kind.0 {
                            let attacker = try PlainSocket(port: server.port, from: "127.0.0.\(index + 3)")
                            attacker.send(kind.1)
                            attackers.append(attacker)
                            if index > 1 { trickling.append(attacker) }
                        }
                    }
                    var times: [Duration] = []
                    for _ in 0..<20 {
                        for attacker in trickling { attacker.send("a") }
                        times += try server.measure(10)
                    }
                    let memory = try server.program.peakMemory()
                    print(
                        "slow clients:", Self.summary(times), "before:", Self.summary(quiet), "memory:",
                        memory / 1_000_000, "MB")
                    #expect(memory < 500_000_000)
                    #expect(times.max() ?? .zero < max(.seconds(5), (quiet.max() ?? .zero) * 10))
                    try await Self.expectEnd(of: server)
                    withExtendedLifetime(attackers) {}
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test(arguments: ["0", "7", "100001", "many", "-5"])
        func numberOfConnectionsThatIsNoneIsRefused(text: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run(
                    [Program.path, "serve", "--port", "0", "--data", workspace.data],
                    environment: ["MEANWHILE_MAX_CONNECTIONS": text])
                #expect(outcome.exitCode == 64)
                #expect(outcome.errors.contains("MEANWHILE_MAX_CONNECTIONS takes a number from 8 to 100000"))
            }
        }

        /// The time is printed, for 10 s are promised; a busy machine may take longer, but no deadline of a connection
        /// may be what ends it.
        private static func expectEnd(of server: RunningServer) async throws {
            let start = ContinuousClock.now
            try server.program.send(SIGTERM)
            #expect(try await endsInTime(server.program))
            print("ended after", ContinuousClock.now - start)
        }

        private static func summary(_ times: [Duration]) -> String {
            let sorted = times.sorted()
            func at(_ share: Double) -> Duration { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
            return "p50 \(at(0.5)), p99 \(at(0.99)), maximum \(at(1)) of \(sorted.count)"
        }
    }
}

extension RunningServer {
    /// How long requests of a well-behaved client take, each on a connection of its own from 127.0.0.2.
    fileprivate func measure(_ count: Int) throws -> [Duration] {
        try (0..<count).map { _ in
            let start = ContinuousClock.now
            let socket = try PlainSocket(port: port, from: "127.0.0.2")
            socket.send("GET /coffee/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
            let answer = socket.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer.prefix(200))")
            return ContinuousClock.now - start
        }
    }
}

extension RunningProgram {
    /// The most memory that it has had, in bytes.
    fileprivate func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1_024
    }
}

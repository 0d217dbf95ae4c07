import Hummingbird
import NIOCore
import Testing
import VirtualTime

@testable import Site

/// Slow and greedy clients, on a real port, with short limits.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
    private static func configuration(_ change: (inout ConnectionLimits) -> Void) -> SiteConfiguration {
        var configuration = SiteConfiguration(port: 0)
        change(&configuration.limits)
        return configuration
    }

    @Test func connectionsAboveTheLimitAreClosedAndRoomIsMadeWhenOthersEnd() async throws {
        let configuration = Self.configuration { $0.connectionsPerAddress = 2 }
        try await RunningSite.run(configuration) { site in
            let request = "GET /health HTTP/1.1\r\n\(site.host)\r\n\r\n"
            try await Wire.connect(port: site.port) { first in
                try await first.send(request)
                _ = try await first.read(until: "ok\n")
                try await Wire.connect(port: site.port) { second in
                    try await second.send(request)
                    _ = try await second.read(until: "ok\n")
                    let refused = try await Wire.connect(port: site.port) { third in try await third.readAll() }
                    #expect(refused.isEmpty)
                }
                // The second is gone soon.
                var text = ""
                while text.isEmpty {
                    text = try await Wire.connect(port: site.port) { third in
                        try? await third.send(request)
                        return (try? await third.read(until: "ok\n")) ?? ""
                    }
                }
            }
        }
    }

    @Test func aHeadThatDoesNotEndIsGivenUp() async throws {
        // The time runs from the connection's beginning: bytes that make no whole head don't extend it.
        let configuration = Self.configuration { $0.idleTimeout = .milliseconds(300) }
        try await RunningSite.run(configuration) { site in
            let answer = try await Wire.connect(port: site.port) { wire in
                try await wire.send("GET /heal")
                return try await wire.readAll()
            }
            #expect(answer.isEmpty)
        }
    }

    @Test func aBodyThatTricklesEnds() async throws {
        let configuration = Self.configuration {
            $0.slowestBody = 100_000
            $0.bodyInterval = .milliseconds(300)
        }
        let routes: RunningSite.Routes = { router in
            router.post("/upload") { request, _ in
                for try await _ in request.body {}
                return "done"
            }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send(
                    "POST /upload HTTP/1.1\r\n\(site.host)\r\nX-Requested-With: test\r\nContent-Length: 100000\r\n\r\n123"
                )
                let answer = try await wire.readAll()
                #expect(!answer.contains("done"))
            }
        }
    }

    @Test func aReaderThatTakesNothingIsDisconnectedAndItsBytesAreDropped() async throws {
        let configuration = Self.configuration { $0.readTimeout = .milliseconds(300) }
        let size = 50_000_000
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let routes: RunningSite.Routes = { router in
            router.get("/large") { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody(contentLength: size) { writer in
                        defer { ended.yield() }
                        try await writer.write(ByteBuffer(repeating: 65, count: size))
                        try await writer.finish(nil)
                    })
            }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send("GET /large HTTP/1.1\r\n\(site.host)\r\n\r\n")
                for await _ in ends { break }
                // The response is given up: only what fits into the system's buffers has arrived.
                let text = try await wire.readAll()
                #expect(text.utf8.count < size)
            }
        }
    }

    @Test func eventStreamsAboveTheLimitAreRefusedAndRoomIsMadeWhenOthersEnd() async throws {
        let configuration = Self.configuration { $0.eventStreamsPerAddress = 1 }
        let routes: RunningSite.Routes = { router in
            router.get("/events") { request, _ in
                EventStream(clock: ManualClock()).response(to: request, sending: AsyncStream { _ in })
            }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            let request = "GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n"
            try await Wire.connect(port: site.port) { first in
                try await first.send(request)
                _ = try await first.read(until: "retry: 2000\n\n")
                let refused = try await site.answer("GET", "/events", [site.host])
                #expect(refused.hasPrefix("HTTP/1.1 503"))
                #expect(refused.contains("Retry-After: 30\r\n"))
                // Pages are answered all the same.
                #expect(try await site.answer("GET", "/health", [site.host]).hasPrefix("HTTP/1.1 200"))
            }
            var isServed = false
            while !isServed {
                isServed = try await Wire.connect(port: site.port) { next in
                    try await next.send(request)
                    return try await next.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200")
                }
            }
        }
    }

    @Test(arguments: [
        "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 200_000) + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 20_000) + "\r\n",
    ])
    func aHeadThatIsTooLargeIsRefused(head: String) async throws {
        try await RunningSite.run { site in
            let answer = try await Wire.connect(port: site.port) { wire in
                try? await wire.send(head)
                return try await wire.readAll()
            }
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(100))")
            #expect(try await site.answer("GET", "/health", [site.host]).hasPrefix("HTTP/1.1 200"))
        }
    }
}

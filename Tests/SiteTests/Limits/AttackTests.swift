import FaultServer
import Foundation
import Futures
import Hummingbird
import NIOCore
import NIOPosix
import StoreTesting
import Testing

@testable import Site

/// Attacks a listening server that has small limits.
@Suite(.timeLimit(.minutes(10))) struct AttackTests {
    private static func configuration(_ change: (inout SiteLimits) -> Void = { _ in }) -> SiteConfiguration {
        var configuration = SiteConfiguration(port: 0)
        configuration.limits.maximumConnections = 40
        configuration.limits.maximumConnectionsPerAddress = 10
        change(&configuration.limits)
        return configuration
    }

    /// Opens connections, sends the text if any, runs the body, and closes the connections.
    private func withConnections<R>(
        _ count: Int, to site: RunningSite, sending text: String = "", isReading: Bool = true,
        _ body: () async throws -> R
    ) async throws -> R {
        var channels: [any Channel] = []
        for _ in 0..<count {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: isReading)
                .connect(host: "127.0.0.1", port: site.port).get()
            channels.append(channel)
            // A connection that was closed immediately can't be written to.
            if !text.isEmpty { try? await channel.writeAndFlush(ByteBuffer(string: text)) }
        }
        defer { for channel in channels { channel.close(promise: nil) } }
        return try await body()
    }

    @Test func idleConnectionsDoNotShutOutOtherClients() async throws {
        try await RunningSite.run(Self.configuration()) { site in
            try await withConnections(300, to: site) { () async throws in
                for address in ["127.0.0.2", "127.0.0.1"] {
                    try await Wire.connect(port: site.port, from: address) { wire in
                        for _ in 0..<20 {
                            try await wire.send("GET /healthz HTTP/1.1\r\n\(site.host)\r\n\r\n")
                            _ = try await wire.read(until: "ok\n")
                        }
                    }
                }
            }
        }
    }

    @Test func clientThatSendsNoHeaderIsDisconnected() async throws {
        let configuration = Self.configuration { $0.requestTimeout = .milliseconds(200) }
        try await RunningSite.run(configuration) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send("GET /hea")
                #expect(try await wire.readAll() == "")
            }
        }
    }

    /// A client that connects and says nothing, or begins a handshake and stops, is disconnected.
    @Test(arguments: ["", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"])
    func clientThatDoesNotFinishItsHandshakeIsDisconnected(bytes: String) async throws {
        let certificate = try TestCertificate(for: "localhost")
        var configuration = Self.configuration { $0.requestTimeout = .milliseconds(200) }
        configuration.certificate = try SiteCertificate(
            certificateFile: certificate.path, keyFile: certificate.keyPath)
        try await RunningSite.run(configuration) { site in
            // The server's time begins when it accepts the connection.
            let begin = ContinuousClock.now
            try await Wire.connect(port: site.port) { wire in
                if !bytes.isEmpty { try await wire.send(bytes) }
                #expect(try await wire.readAll() == "")
                // It isn't refused before its time has passed.
                #expect(ContinuousClock.now - begin >= .milliseconds(150))
            }
        }
        // The server has this limit, which the command doesn't change.
        #expect(SiteLimits().requestTimeout == .seconds(20))
    }

    @Test func clientThatStopsInTheMiddleOfABodyIsDisconnected() async throws {
        let configuration = Self.configuration { $0.transferAllowance = .milliseconds(200) }
        let routes: RunningSite.Routes = { router in
            router.post("/body") { request, _ in "\(try await request.body.collect(upTo: 1_000).readableBytes)" }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            try await Wire.connect(port: site.port) { wire in
                let fields = "\(site.host)\r\nX-Requested-With: test\r\nContent-Length: 100\r\n"
                try await wire.send("POST /body HTTP/1.1\r\n\(fields)\r\nhalf")
                _ = try await wire.readAll()
            }
            #expect(try await site.send("GET", "/healthz", [site.host]).hasSuffix("ok\n"))
        }
    }

    @Test func bodyThatIsNotHTTPIsTheClientsError() async throws {
        let routes: RunningSite.Routes = { router in
            router.post("/body") { request, _ in "\(try await request.body.collect(upTo: 1_000).readableBytes)" }
        }
        try await RunningSite.run(Self.configuration(), routes: routes) { site in
            try await Wire.connect(port: site.port) { wire in
                let fields = "\(site.host)\r\nX-Requested-With: test\r\nTransfer-Encoding: chunked\r\n"
                try await wire.send("POST /body HTTP/1.1\r\n\(fields)\r\nno size of a chunk\r\n")
                #expect(try await wire.read(until: "\r\n") == "HTTP/1.1 400 Bad Request\r\n")
            }
        }
    }

    @Test(arguments: [
        "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 20_000))\r\n",
        "GET / HTTP/1.1\r\n" + String(repeating: "X: \(String(repeating: "a", count: 1_000))\r\n", count: 50),
        "GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 200),
    ])
    func headerAboveTheLimitsIsRefused(header: String) async throws {
        try await RunningSite.run(Self.configuration()) { site in
            try await Wire.connect(port: site.port) { wire in
                try await wire.send("\(header)\(site.host)\r\n\r\n")
                #expect(try await wire.read(until: "\r\n") == "HTTP/1.1 400 Bad Request\r\n")
            }
        }
    }

    @Test func eventStreamAboveTheLimitIsRefusedUntilAnotherEnds() async throws {
        let configuration = Self.configuration { $0.maximumEventStreamsPerAddress = 1 }
        let routes: RunningSite.Routes = { router in
            router.get("/events") { request, _ in
                EventStream().response(to: request, sending: AsyncStream<ServerSentEvent> { _ in })
            }
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            // Responses to HEAD release their stream immediately.
            for _ in 0..<3 {
                #expect(try await site.send("HEAD", "/events", [site.host]).hasPrefix("HTTP/1.1 200 "))
            }
            try await Wire.connect(port: site.port) { wire in
                try await wire.send("GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n")
                _ = try await wire.read(until: "retry: 2000")
                let refused = try await site.send("GET", "/events", [site.host])
                #expect(refused.hasPrefix("HTTP/1.1 429 "))
                #expect(refused.contains("Retry-After: 30\r\n"))
                #expect(refused.contains("Too many pages are open"))
                try await Wire.connect(port: site.port, from: "127.0.0.2") { other in
                    try await other.send("GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n")
                    _ = try await other.read(until: "retry: 2000")
                }
            }
            try await eventually {
                try await Wire.connect(port: site.port) { wire in
                    try await wire.send("GET /events HTTP/1.1\r\n\(site.host)\r\n\r\n")
                    return try await wire.read(until: "\r\n").contains(" 200 ")
                }
            }
        }
    }

    @Test(arguments: [
        "GET /large HTTP/1.1\r\n", "POST /large HTTP/1.1\r\nX-Requested-With: t\r\nContent-Length: 9\r\n",
    ])
    func clientsThatReadNothingDoNotDelayShutdown(request: String) async throws {
        let body = ByteBuffer(repeating: 1, count: 20_000_000)
        let routes: RunningSite.Routes = { router in
            router.get("/large") { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: body)) }
            router.post("/large") { request, _ in "\(try await request.body.collect(upTo: 1_000).readableBytes)" }
        }
        let configuration = Self.configuration {
            $0.maximumBufferedBytes = 50_000_000
            $0.shutdownTimeout = .milliseconds(300)
        }
        try await RunningSite.run(configuration, routes: routes) { site in
            let text = "\(request)\(site.host)\r\n\r\n"
            try await withConnections(9, to: site, sending: text, isReading: false) { () async throws in
                #expect(try await site.send("GET", "/healthz", [site.host]).hasSuffix("ok\n"))
                // Without the shutdown timeout, a client that reads nothing would delay the end by a minute.
                await site.shutDown()
            }
        }
    }

    @Test func routesDoNotWriteAheadWhileTheEventLoopIsBusy() async throws {
        let written = Lock(0)
        let writtenAhead = Lock<Int?>(nil)
        let routes: RunningSite.Routes = { router in
            router.get("/long") { _, context in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        // The loop is busy until the route has written ahead, or has had 200 ms for it.
                        context.eventLoop?.execute {
                            let end = ContinuousClock.now + .milliseconds(200)
                            while ContinuousClock.now < end, written.withLock({ $0 }) < 50 { sched_yield() }
                            writtenAhead.withLock { $0 = written.withLock { $0 } }
                        }
                        for _ in 0..<50 {
                            try await writer.write(ByteBuffer(repeating: 1, count: SiteLimits.fileChunkBytes))
                            written.withLock { $0 += 1 }
                        }
                        try await writer.finish(nil)
                    })
            }
        }
        try await RunningSite.run(Self.configuration(), routes: routes) { site in
            let length = try await site.send("GET", "/long", [site.host]).utf8.count
            #expect(length > 50 * SiteLimits.fileChunkBytes)
        }
        #expect(writtenAhead.withLock { $0 } == 0)
    }
}

import NIOCore
import NIOPosix
import StoreTesting
import Testing

@testable import Egress

@Suite(.timeLimit(.minutes(10))) struct ProxyTunnelTests {
    private static func echo() async throws -> WireServer {
        try await WireServer.start { wire, _ in
            while true { try await wire.send(try await wire.read(to: "\n").uppercased()) }
        }
    }

    /// Waits until the bytes fill the kernel's buffers, and no event loop moves any more of them.
    private static func waitForStandstill(of session: PinningProxy.Session, after bytes: Int) async throws {
        var before = -1
        var turns = 0
        while turns < 100 {
            try Task.checkCancellation()
            let now = session.bytes
            turns = now == before && now > bytes ? turns + 1 : 0
            before = now
            // In each turn, a loop reads and writes as much as it can.
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
        }
    }

    @Test func bytesPassBothWays() async throws {
        let server = try await Self.echo()
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        // Bytes that the client sends before the response are forwarded too.
        try await client.send(fixture.connectRequest("127.0.0.1:\(server.port)") + "early\n")
        #expect(try await client.read(to: "\r\n\r\n") == "HTTP/1.1 200 Connection Established\r\n\r\n")
        #expect(try await client.read(to: "\n") == "EARLY\n")
        try await client.send("GET / HTTP/1.1\n")
        #expect(try await client.read(to: "\n") == "GET / HTTP/1.1\n")
        #expect(fixture.session.bytes == 2 * (6 + 15))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func tunnelStaysOpenAfterTheClientClosesItsOutput() async throws {
        let server = try await WireServer.start { wire, _ in
            let all = await wire.readToEnd()
            try await wire.send("had \(all)")
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        _ = try await client.read(to: "\r\n\r\n")
        try await client.send("everything")
        try await client.closeOutput()
        #expect(await client.readToEnd() == "had everything")
        await eventually { fixture.session.openConnections == 0 }
        await fixture.proxy.close()
        await server.close()
    }

    @Test func proxyDoesNotReadAheadOfASlowClient() async throws {
        let size = 64 << 20
        let server = try await WireServer.start { wire, _ in
            _ = try await wire.read(to: "\n")
            try await wire.send(zeros: size)
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect(reads: false)
        try await client.send(fixture.connectRequest("127.0.0.1:\(server.port)") + "go\n")
        try await Self.waitForStandstill(of: fixture.session, after: 3)
        #expect(fixture.session.bytes < size / 2)
        try await client.channel.setOption(.autoRead, value: true).get()
        let head = "HTTP/1.1 200 Connection Established\r\n\r\n".utf8.count
        #expect(await client.countToEnd() == size + head)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func sessionEndClosesAStalledServerConnection() async throws {
        let server = try await WireServer.start { wire, _ in
            try await wire.channel.setOption(.autoRead, value: false).get()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        _ = try await client.read(to: "\r\n\r\n")
        client.channel.writeAndFlush(ByteBuffer(repeating: 0, count: 64 << 20), promise: nil)
        try await Self.waitForStandstill(of: fixture.session, after: 0)
        #expect(fixture.session.openServerConnections == 1)
        await fixture.session.end()
        #expect(fixture.session.openConnections == 0 && fixture.session.openServerConnections == 0)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func sessionEndClosesOnlyItsOwnTunnels() async throws {
        let server = try await Self.echo()
        let fixture = try await ProxyFixture.start()
        let other = fixture.proxy.session(policy: fixture.session.policy)
        let clients = [try await fixture.connect(), try await fixture.connect()]
        for (client, session) in zip(clients, [fixture.session, other]) {
            try await client.send(
                "CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\nHost: x\r\n\(ProxyFixture.authorization(session))\r\n")
            _ = try await client.read(to: "\r\n\r\n")
        }
        await fixture.session.end()
        #expect(await clients[0].readToEnd() == "")
        try await clients[1].send("still here\n")
        #expect(try await clients[1].read(to: "\n") == "STILL HERE\n")
        let late = try await fixture.connect()
        try await late.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        #expect(try await late.readMessage().hasPrefix("HTTP/1.1 407 "))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func closingEndsTunnelsAndWaitingClients() async throws {
        let server = try await Self.echo()
        let fixture = try await ProxyFixture.start(resolver: SlowResolver())
        let tunnel = try await fixture.connect()
        try await tunnel.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        _ = try await tunnel.read(to: "\r\n\r\n")
        let waiting = try await fixture.connect()
        try await waiting.send(fixture.get("http://never.example/"))
        let idle = try await fixture.connect()
        await eventually { fixture.session.openConnections == 2 }
        await fixture.proxy.close()
        for client in [tunnel, waiting, idle] { #expect(await client.readToEnd() == "") }
        await #expect(throws: (any Error).self) { try await fixture.connect() }
        // A session can still be created.
        #expect(fixture.proxy.session().openConnections == 0)
        await server.close()
    }

    @Test func tunnelIsCutAtTheByteLimitOfItsSession() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.bytesPerSession = 100_000
        let server = try await WireServer.start { wire, _ in try await wire.send(zeros: 1 << 20) }
        let fixture = try await ProxyFixture.start(limits: limits)
        let client = try await fixture.connect()
        try await client.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        #expect(await client.countToEnd() < 1 << 20)
        await fixture.proxy.close()
        await server.close()
    }
}

@Suite(.timeLimit(.minutes(10))) struct ProxyLimitTests {
    @Test func aHeadThatIsTooLargeIsRefused() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.headBytes = 16 << 10
        let fixture = try await ProxyFixture.start(limits: limits)
        let client = try await fixture.connect()
        let fields = (0..<100).map { "X-\($0): \(String(repeating: "a", count: 400))\r\n" }.joined()
        try await client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\n\(fields)\r\n")
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 431 "))
        await fixture.proxy.close()
    }

    @Test func endlessAddressIsRefused() async throws {
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try? await client.send("GET http://127.0.0.1:1/\(String(repeating: "a", count: 2 << 20))")
        let answer = await client.readToEnd()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
        await fixture.proxy.close()
    }

    @Test func silentAndSlowClientsAreDisconnected() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.headTime = .milliseconds(50)
        let fixture = try await ProxyFixture.start(limits: limits)
        let silent = try await fixture.connect()
        let slow = try await fixture.connect()
        try? await slow.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nX: ")
        let drip = Task {
            while !Task.isCancelled {
                try await slow.send("a")
                await Task.yield()
            }
        }
        #expect(await silent.readToEnd() == "")
        _ = await slow.readToEnd()
        drip.cancel()
        await fixture.proxy.close()
    }

    @Test func idleConnectionsTimeOut() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.idleTime = .milliseconds(50)
        let server = try await WireServer.start { wire, _ in _ = await wire.readToEnd() }
        let fixture = try await ProxyFixture.start(limits: limits)
        let tunnel = try await fixture.connect()
        // On a very busy machine, the connections may time out before they have begun.
        try? await tunnel.send(fixture.connectRequest("127.0.0.1:\(server.port)"))
        let opened = await tunnel.readToEnd()
        #expect(opened.isEmpty || opened.hasSuffix("\r\n\r\n"))
        let request = try await fixture.connect()
        try? await request.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let answer = await request.readToEnd()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 504 "))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func connectionsOfASessionAreLimited() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.connectionsPerSession = 2
        let server = try await WireServer.answering("hello")
        let fixture = try await ProxyFixture.start(limits: limits)
        var clients: [Wire] = []
        for number in 1...3 {
            let client = try await fixture.connect()
            try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
            #expect(try await client.readMessage().hasPrefix(number < 3 ? "HTTP/1.1 200" : "HTTP/1.1 503"))
            clients.append(client)
        }
        await clients[0].close()
        // The connection to the server closes with its client's.
        await eventually { fixture.session.openConnections == 1 && fixture.session.openServerConnections == 1 }
        let next = try await fixture.connect()
        try await next.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        #expect(try await next.readMessage().hasPrefix("HTTP/1.1 200"))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func connectionsOfTheProxyAreLimited() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.connections = 1
        let fixture = try await ProxyFixture.start(limits: limits)
        let first = try await fixture.connect()
        try await first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await first.readMessage()
        let second = try await fixture.connect()
        #expect(await second.readToEnd() == "")
        await fixture.proxy.close()
    }

    @Test func failuresAreRememberedUpToALimit() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.failures = 3
        let fixture = try await ProxyFixture.start(allowing: [], limits: limits)
        let client = try await fixture.connect()
        for number in 1...5 {
            try await client.send(fixture.get("http://127.0.0.\(number)/"))
            _ = try await client.readMessage()
        }
        #expect(fixture.session.failures.map(\.host) == ["127.0.0.3", "127.0.0.4", "127.0.0.5"])
        await fixture.proxy.close()
    }
}

/// Doesn't answer for an hour, unless the task is cancelled.
private struct SlowResolver: NameResolver {
    func addresses(of host: String) async throws -> [IPAddress] {
        try await ContinuousClock().sleep(for: .seconds(3600))
        return []
    }
}

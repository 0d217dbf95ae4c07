import NIOCore
import Testing

@testable import Egress

@Suite(.timeLimit(.minutes(10))) struct ProxyForwardingTests {
    @Test func hopByHopHeadersAreNotForwarded() async throws {
        let seen = Journal()
        let server = try await WireServer.answering("hello", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(
            fixture.get(
                "http://127.0.0.1:\(server.port)/a?b=c",
                headers: "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n"
                    + "Upgrade: h2c\r\nExpect: 100-continue\r\nX-End: 2\r\n"))
        let answer = try await client.readMessage()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("hello"))
        let request = try #require(seen.all.first)
        #expect(request.hasPrefix("1 GET /a?b=c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(request.contains("\r\nX-End: 2\r\n"))
        for name in ["proxy-", "connection", "x-hop", "\r\nte:", "upgrade", "expect", "via", "elsewhere"] {
            #expect(!request.lowercased().contains(name), "\(name)")
        }
        await fixture.proxy.close()
        await server.close()
    }

    /// The body of a request must never be read as another request, whatever the method.
    @Test(arguments: ["TRACE", "GET", "HEAD", "OPTIONS", "DELETE", "POST", "PROPFIND"])
    func requestBodyIsNeverReadAsARequest(method: String) async throws {
        let seen = Journal()
        let server = try await WireServer.answering("", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        let body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        try await client.send(
            "\(method) http://127.0.0.1:\(server.port)/first HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        _ = try await client.readMessage()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/second"))
        _ = try await client.readMessage()
        let requests = seen.all
        #expect(requests.count == 2 && requests[0].hasSuffix(body), "\(requests)")
        #expect(requests.last?.contains(" GET /second HTTP/1.1\r\n") == true)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func serverConnectionsAreReused() async throws {
        let seen = Journal()
        let server = try await WireServer.answering("hello", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        for _ in 0..<3 {
            try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
            _ = try await client.readMessage()
        }
        #expect(seen.all.count == 3 && seen.all.allSatisfy { $0.hasPrefix("1 ") })
        await fixture.proxy.close()
        await server.close()
    }

    @Test func closedIdleConnectionIsReplaced() async throws {
        let server = try await WireServer.start { wire, number in
            _ = try await wire.readMessage()
            try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
            // The server closes the first connection after the next request, without a response.
            if number == 1 { _ = try await wire.readMessage() }
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        for number in 1...2 {
            try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
            #expect(try await client.readMessage().hasSuffix("\r\n\r\n\(number)"))
        }
        await fixture.proxy.close()
        await server.close()
    }

    @Test func postWithoutABodyIsSentOnce() async throws {
        let seen = Journal()
        let server = try await WireServer.start { wire, number in
            seen.note(try await wire.readMessage())
            try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            // The server closes the first connection after the next request, without a response.
            if number == 1 { seen.note(try await wire.readMessage()) }
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        let target = "http://127.0.0.1:\(server.port)/"
        try await client.send(fixture.get(target))
        _ = try await client.readMessage()
        try await client.send(
            "POST \(target) HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)Content-Length: 0\r\n\r\n")
        #expect(try await client.readMessage().hasPrefix("HTTP/1.1 200 "))
        #expect(seen.all.count { $0.hasPrefix("POST ") } == 1)
        await fixture.proxy.close()
        await server.close()
    }

    /// The limit on discarded bytes applies to each request, not to all requests of a connection together.
    @Test func connectionSurvivesRepeatedEarlyResponses() async throws {
        let server = try await WireServer.start { wire, _ in
            _ = try await wire.read(to: "\r\n\r\n")
            try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        let target = "http://127.0.0.1:\(server.port)/"
        for _ in 0..<3 {
            try await client.send(
                "POST \(target) HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)Content-Length: 700000\r\n\r\n")
            #expect(try await client.readMessage().hasPrefix("HTTP/1.1 200 "))
            try await client.send(zeros: 700_000)
        }
        await fixture.proxy.close()
        await server.close()
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
    ])
    func bodiesAreForwardedBothWays(body: String) async throws {
        let seen = Journal()
        let server = try await WireServer.answering("ok", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        for _ in 0..<2 {
            try await client.send(
                "POST http://127.0.0.1:\(server.port)/ HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)\(body)")
            #expect(try await client.readMessage().hasSuffix("ok"))
        }
        #expect(seen.all.count == 2)
        for request in seen.all {
            let content = request.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
            // The proxy may split chunks differently, so join every other line.
            let lines = content.split(separator: "\r\n").enumerated()
            let chunks = lines.filter { !$0.offset.isMultiple(of: 2) }.map(\.element).joined()
            #expect((body.contains("chunked") ? chunks : content) == "hello", "\(request)")
        }
        #expect(fixture.session.bytes == 2 * 5 + 2 * 2)
        await fixture.proxy.close()
        await server.close()
    }

    @Test(arguments: [
        ("GET", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"),
        ("GET", "200 OK\r\nConnection: close\r\n\r\nabc", "3\r\nabc\r\n0\r\n\r\n"),
        ("HEAD", "200 OK\r\nContent-Length: 300\r\n\r\n", "Content-Length: 300\r\n\r\n"),
        ("GET", "304 Not Modified\r\nETag: \"a\"\r\n\r\n", "\r\n\r\n"), ("GET", "204 No Content\r\n\r\n", "\r\n\r\n"),
        ("GET", "200 OK\r\nContent-Length: 0\r\n\r\n", "\r\n\r\n"),
        ("GET", "103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "\r\n\r\nabc"),
    ])
    func endOfAResponseIsRecognized(method: String, answer: String, arrives: String) async throws {
        let server = try await WireServer.start { wire, _ in
            while true {
                _ = try await wire.read(to: "\r\n\r\n")
                try await wire.send("HTTP/1.1 \(answer)")
                if answer.contains("close") { await wire.close() }
            }
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        let target = "http://127.0.0.1:\(server.port)/"
        try await client.send(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)\r\n")
        let first = try await client.read(to: arrives)
        #expect(first.hasPrefix("HTTP/1.1 \(answer.contains("103") ? "200" : answer.prefix(3))"), "\(first)")
        // The next response follows directly, without leftover bytes.
        try await client.send(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)Connection: close\r\n\r\n")
        let second = await client.readToEnd()
        #expect(second.contains("Connection: close\r\n"))
        #expect(second.replacing("Connection: close\r\n", with: "") == first)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func unreachableServerGivesBadGateway() async throws {
        let server = try await WireServer.start { wire, _ in
            _ = try await wire.readMessage()
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let answer = try await client.readMessage()
        #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("Proxy-Status: meanwhile; error="))
        #expect(fixture.session.failure(of: "127.0.0.1", port: server.port)?.code == .connectionFailed)
        await server.close()
        // The client's own port: it accepts no connections, and no other program can get it while the client uses it.
        let gone = try #require(client.channel.localAddress?.port)
        try await client.send(fixture.get("http://127.0.0.1:\(gone)/"))
        #expect(try await client.readMessage().contains("127.0.0.1 refused the connection"))
        #expect(fixture.session.failure(of: "127.0.0.1", port: gone)?.code == .connectionRefused)
        await fixture.proxy.close()
    }

    @Test func nameThatIsNotResolvedInTimeGivesGatewayTimeout() async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.connectTime = .milliseconds(1)
        let fixture = try await ProxyFixture.start(limits: limits, resolver: SilentResolver())
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://silent.example/"))
        #expect(try await client.readMessage().hasPrefix("HTTP/1.1 504 "))
        #expect(fixture.session.failure(of: "silent.example", port: 80)?.code == .timedOut)
        await fixture.proxy.close()
    }

    @Test func serverWithoutARouteIsReportedAsUnreachable() async throws {
        // TCP has no routes to multicast addresses.
        let fixture = try await ProxyFixture.start(allowing: ["224.0.0.0/4"])
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://224.0.0.1/"))
        #expect(try await client.readMessage().contains("error=destination_ip_unroutable\r\n"))
        #expect(fixture.session.failure(of: "224.0.0.1", port: 80)?.code == .unreachable)
        await fixture.proxy.close()
    }

    @Test(arguments: ["Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"])
    func truncatedResponseIsNotCompleted(answer: String) async throws {
        let server = try await WireServer.start { wire, _ in
            _ = try await wire.readMessage()
            try await wire.send("HTTP/1.1 200 OK\r\n\(answer)")
            await wire.close()
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let received = await client.readToEnd()
        #expect(received.hasPrefix("HTTP/1.1 200 OK") && received.contains("abc") && !received.hasSuffix("0\r\n\r\n"))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func serverResponsesCannotImitateTheProxy() async throws {
        let server = try await WireServer.start { wire, number in
            _ = try await wire.readMessage()
            if number == 1 {
                try await wire.send(
                    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                        + "Content-Length: 0\r\n\r\n")
            } else {
                try await wire.send(
                    "HTTP/1.1 403 Forbidden\r\nProxy-Status: meanwhile; error=destination_ip_prohibited\r\n"
                        + "Content-Length: 0\r\n\r\n")
            }
        }
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let first = try await client.readMessage()
        #expect(first.hasPrefix("HTTP/1.1 502 ") && !first.contains("Proxy-Authenticate"))
        #expect(fixture.session.failure(of: "127.0.0.1", port: server.port)?.code == .invalidResponse)
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let second = try await client.readMessage()
        #expect(second.hasPrefix("HTTP/1.1 403 ") && !second.contains("Proxy-Status"))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func responseArrivesAfterTheClientClosesItsOutput() async throws {
        let server = try await WireServer.answering("hello")
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        try await client.closeOutput()
        #expect(await client.readToEnd().hasSuffix("hello"))
        await fixture.proxy.close()
        await server.close()
    }

    @Test func onlyTheFirstOfPipelinedRequestsIsAnswered() async throws {
        let seen = Journal()
        let server = try await WireServer.answering("hello", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        let post = "POST http://127.0.0.1:\(server.port)/ HTTP/1.1\r\nHost: x\r\n\(fixture.authorization)"
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/") + post + "Content-Length: 3\r\n\r\nxyz")
        let received = await client.readToEnd()
        #expect(received.occurrences(of: "HTTP/1.1 200") == 1)
        #expect(seen.all.count == 1 && !seen.all[0].contains("xyz"))
        await fixture.proxy.close()
        await server.close()
    }
}

extension String {
    /// The number of occurrences of a text.
    func occurrences(of text: String) -> Int { ranges(of: text).count }
}

import Testing

@testable import Egress

@Suite(.timeLimit(.minutes(10))) struct ProxyGuardTests {
    @Test func refusalNamesTheRangeTheAddressAndTheOption() async throws {
        let seen = Journal()
        let server = try await WireServer.answering("secret", seen: seen)
        let fixture = try await ProxyFixture.start(allowing: [], resolver: FixedResolver(["10.1.2.3"]))
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        let literal = try await client.readMessage()
        #expect(literal.hasPrefix("HTTP/1.1 403 ") && literal.contains("(127.0.0.0/8)"))
        #expect(literal.contains("--allow 127.0.0.1:\(server.port)\n"))
        try await client.send(fixture.get("http://inside.example/"))
        let named = try await client.readMessage()
        #expect(named.contains("10.1.2.3") && named.contains("--allow inside.example:80"))
        try await client.send(fixture.connectRequest("inside.example:443"))
        #expect(try await client.readMessage().hasPrefix("HTTP/1.1 403 "))
        #expect(
            fixture.session.refusals.map(\.allowRule) == [
                "127.0.0.1:\(server.port)", "inside.example:80", "inside.example:443",
            ])
        #expect(seen.all.isEmpty)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func rebindingNameKeepsItsCheckedAddress() async throws {
        let resolver = ChangingResolver([["127.0.0.1"], ["127.0.0.2"]])
        let seen = Journal()
        let first = try await WireServer.answering("first", seen: seen)
        let second = try await WireServer.answering("second", host: "127.0.0.2", port: first.port, seen: seen)
        let fixture = try await ProxyFixture.start(allowing: ["127.0.0.1"], resolver: resolver)
        for _ in 0..<3 {
            let client = try await fixture.connect()
            try await client.send(fixture.get("http://rebinding.example:\(first.port)/"))
            #expect(try await client.readMessage().hasSuffix("first"))
            await client.close()
        }
        #expect(resolver.queryCount.value == 1)
        // Another session resolves the name again, and is refused.
        let other = try fixture.proxy.session(policy: AddressPolicy(allowing: [AllowRule("127.0.0.1")]))
        let client = try await fixture.connect()
        try await client.send(
            "GET http://rebinding.example:\(first.port)/ HTTP/1.1\r\nHost: x\r\n\(ProxyFixture.authorization(other))\r\n"
        )
        #expect(try await client.readMessage().contains("127.0.0.2"))
        #expect(other.refusals.count == 1 && fixture.session.refusals.isEmpty)
        await fixture.proxy.close()
        await first.close()
        await second.close()
    }

    /// If a name changed to another address, a page could stop its own server and read another server's content as its
    /// own.
    @Test func nameKeepsItsFirstRespondingAddress() async throws {
        let seen = Journal()
        let first = try await WireServer.answering("first", seen: seen)
        let second = try await WireServer.answering("second", host: "127.0.0.2", port: first.port, seen: seen)
        let fixture = try await ProxyFixture.start(resolver: FixedResolver(["127.0.0.1", "127.0.0.2"]))
        let url = "http://both.example:\(first.port)/"
        let client = try await fixture.connect()
        try await client.send(fixture.get(url))
        #expect(try await client.readMessage().hasSuffix("first"))
        await client.close()
        await first.close()
        for request in [fixture.get(url), fixture.connectRequest("both.example:\(first.port)")] {
            let client = try await fixture.connect()
            try await client.send(request)
            let response = try await client.readMessage()
            #expect(response.hasPrefix("HTTP/1.1 502 "), "\(response)")
            await client.close()
        }
        #expect(seen.all.count == 1)
        await fixture.proxy.close()
        await second.close()
    }

    /// The first address is one on which no test listens.
    ///
    /// On 127.0.0.1, a server of another test could have the same port, and never answer.
    @Test func nextAddressIsUsedWhenTheFirstDoesNotAnswer() async throws {
        let server = try await WireServer.answering("second", host: "127.0.0.2")
        let fixture = try await ProxyFixture.start(resolver: FixedResolver(["127.0.0.3", "127.0.0.2"]))
        for _ in 0..<2 {
            let client = try await fixture.connect()
            try await client.send(fixture.get("http://both.example:\(server.port)/"))
            #expect(try await client.readMessage().hasSuffix("second"))
            await client.close()
        }
        await fixture.proxy.close()
        await server.close()
    }

    @Test(arguments: [
        "", "Proxy-Authorization: Basic\r\n", "Proxy-Authorization: Basic Og==\r\n",
        "Proxy-Authorization: Basic %%%\r\n",
        "Proxy-Authorization: Bearer abc\r\n", "Authorization: Basic YTpi\r\n", "Proxy-Authorization: Basic YTpi\r\n",
    ])
    func requestWithoutCredentialsIsRefused(header: String) async throws {
        let seen = Journal()
        let server = try await WireServer.answering("secret", seen: seen)
        let fixture = try await ProxyFixture.start()
        for request in [
            "GET http://127.0.0.1:\(server.port)/ HTTP/1.1", "CONNECT 127.0.0.1:\(server.port) HTTP/1.1",
            "GET / HTTP/1.1",
        ] {
            let client = try await fixture.connect()
            try await client.send("\(request)\r\nHost: x\r\n\(header)\r\n")
            let answer = try await client.readMessage()
            #expect(answer.hasPrefix("HTTP/1.1 407 ") && answer.contains("Proxy-Authenticate: Basic "))
            await client.close()
        }
        #expect(seen.all.isEmpty && fixture.session.failures.isEmpty && fixture.session.openConnections == 0)
        await fixture.proxy.close()
        await server.close()
    }

    /// NIO's decoder parses nothing after a CONNECT.
    ///
    /// On an open connection, a client that repeats it with credentials would wait until the head times out.
    @Test func refusedConnectClosesItsConnection() async throws {
        let fixture = try await ProxyFixture.start(allowing: [])
        for request in [
            "CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n", fixture.connectRequest("127.0.0.1:443"),
        ] {
            let client = try await fixture.connect()
            try await client.send(request)
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 40") && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
        }
        await fixture.proxy.close()
    }

    @Test func wrongPasswordIsRefused() async throws {
        let fixture = try await ProxyFixture.start()
        let other = fixture.proxy.session()
        let client = try await fixture.connect()
        let credentials = ProxyFixture.base64("\(fixture.session.userName):\(other.password)")
        try await client.send(
            "GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic \(credentials)\r\n\r\n")
        #expect(try await client.readMessage().hasPrefix("HTTP/1.1 407 "))
        await fixture.proxy.close()
    }

    @Test func aConnectionBelongsToOneSession() async throws {
        let server = try await WireServer.answering("hello")
        let fixture = try await ProxyFixture.start()
        let other = fixture.proxy.session()
        let client = try await fixture.connect()
        try await client.send(fixture.get("http://127.0.0.1:\(server.port)/"))
        _ = try await client.readMessage()
        try await client.send(
            "GET http://127.0.0.1:\(server.port)/ HTTP/1.1\r\nHost: x\r\n\(ProxyFixture.authorization(other))\r\n")
        #expect(try await client.readMessage().hasPrefix("HTTP/1.1 407 "))
        // A session's policy doesn't apply to the other session.
        let second = try await fixture.connect()
        try await second.send(
            "GET http://127.0.0.1:\(server.port)/ HTTP/1.1\r\nHost: x\r\n\(ProxyFixture.authorization(other))\r\n")
        #expect(try await second.readMessage().hasPrefix("HTTP/1.1 403 "))
        #expect(fixture.session.refusals.isEmpty && other.refusals.count == 1)
        await fixture.proxy.close()
        await server.close()
    }

    @Test func proxyRefusesItsOwnPort() async throws {
        let fixture = try await ProxyFixture.start(allowing: ["0.0.0.0/0", "::/0"])
        for host in ["127.0.0.1", "127.1.2.3", "0.0.0.0", "[::ffff:127.0.0.1]", "[::1]"] {
            let client = try await fixture.connect()
            try await client.send(fixture.connectRequest("\(host):\(fixture.proxy.port)"))
            let answer = try await client.readMessage()
            #expect(answer.contains("this program's own port"), "\(answer)")
            await client.close()
        }
        await fixture.proxy.close()
    }

    @Test(arguments: [-1, 0, 1, 2])
    func onlyTheLatestFailuresAreStored(limit: Int) async throws {
        var limits = PinningProxy.Limits.withLongTimeouts
        limits.failures = limit
        let fixture = try await ProxyFixture.start(allowing: [], limits: limits)
        let client = try await fixture.connect()
        for port in 1...3 {
            try await client.send(fixture.get("http://127.0.0.1:\(8000 + port)/"))
            #expect(try await client.readMessage().hasPrefix("HTTP/1.1 403 "))
        }
        #expect(fixture.session.failures.map(\.port) == Array([8001, 8002, 8003].suffix(max(limit, 0))))
        await fixture.proxy.close()
    }

    @Test func closedProxyDoesNotRemoveItsPortAgain() async throws {
        let ports = OwnPorts()
        var proxy: PinningProxy? = try await PinningProxy.start(ownPorts: ports)
        let port = try #require(proxy?.port)
        #expect(ports.contains(port))
        await proxy?.close()
        #expect(!ports.contains(port))
        // The next proxy is assigned the same port.
        ports.insert(port)
        await proxy?.close()
        proxy = nil
        #expect(ports.contains(port))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n", "GET https://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET ftp://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET http://user@HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n", "GET http:/// HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET http://HOST\\@x/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET http://[HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "GET http://HOST/#a HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n", "CONNECT 127.0.0.1 HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "CONNECT http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n", "OPTIONS * HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHContent-Length: 3, 3\r\n\r\nabc",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHContent-Length: +3\r\n\r\nabc",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHX: a\r\n b\r\n\r\n",
        "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\nHost: other\r\nAUTH\r\n",
        "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\nAUTHConnection: Content-Length\r\nContent-Length: 3\r\n\r\nabc",
        "GET http://HOST/ HTTP/1.0\r\nHost: HOST\r\nAUTH\r\n", "GET http://HOST/ HTTP/2.0\r\nHost: HOST\r\nAUTH\r\n",
        "GET http://HOST/\u{1} HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n", "nonsense\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}",
    ])
    func ambiguousRequestIsRefused(template: String) async throws {
        let seen = Journal()
        let server = try await WireServer.answering("secret", seen: seen)
        let fixture = try await ProxyFixture.start()
        let client = try await fixture.connect()
        try await client.send(
            template.replacing("HOST", with: "127.0.0.1:\(server.port)").replacing("AUTH", with: fixture.authorization))
        let answer = await client.readToEnd()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 505"), "\(answer)")
        #expect(answer.occurrences(of: "HTTP/1.1 ") <= 1)
        #expect(seen.all.isEmpty)
        await fixture.proxy.close()
        await server.close()
    }
}

import Egress
import FaultServer
import Foundation
import HTTPTypes
import Loading
import StoreTesting
import Testing
import VirtualTime

@testable import HTTPFetching

/// Address checks: each connection's address is checked, and connections are made to exactly that address.
@Suite(.timeLimit(.minutes(10))) struct AddressTests {
    @Test func privateAddressIsRefusedWithTheOptionThatAllowsIt() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, "secret") }
        ])
        let fetcher = HTTPFetcher()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .blocked && error?.retryAdvice == .never)
        #expect(error?.refusal?.host == "127.0.0.1")
        #expect(error?.message.contains("--allow") == true)
        #expect(server.connectionCount == 0)
        await server.close()
    }

    @Test(arguments: [
        "http://127.0.0.2/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
        "http://0x7f.2/", "http://2130706434/",
    ])
    func redirectToAPrivateAddressIsRefused(target: String) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(302, [("Location", target)], "") }
        ])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .blocked)
        await server.close()
    }

    @Test func nameThatChangesToAPrivateAddressIsRefused() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let resolver = ScriptedResolver(["site.example": [["127.0.0.1"], ["169.254.169.254"]]])
        let fetcher = try HTTPFetcher.local(
            resolver: resolver, settings: FetcherSettings { $0.addressLifetime = .zero })
        let request = FetchRequest(server.url("/", host: "site.example"))
        #expect(try await fetcher.fetch(request).status == 200)
        #expect(server.requests().first?.headers["host"] == "site.example:\(server.port)")
        let error = await failure { _ = try await fetcher.fetch(request) }
        #expect(error?.code == .blocked && error?.message.contains("169.254.169.254") == true)
        #expect(resolver.count == 2)
        await server.close()
    }

    @Test func recentlyCheckedAddressIsReused() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(200, "x")
                try await connection.close()
            }
        ])
        let resolver = ScriptedResolver(["site.example": [["127.0.0.1"], ["169.254.169.254"]]])
        let fetcher = try HTTPFetcher.local(resolver: resolver)
        for _ in 0..<3 {
            // Each request uses a new connection, but none resolves the name again.
            _ = try await fetcher.fetch(FetchRequest(server.url("/", host: "site.example")))
            await eventually { server.openConnectionCount == 0 }
        }
        #expect(resolver.count == 1 && server.connectionCount == 3)
        await server.close()
    }

    @Test func recentlyResolvedAddressIsCheckedAgain() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let resolver = ScriptedResolver(["site.example": [["127.0.0.1"]]])
        let policy = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
        let ports = OwnPorts()
        let checker = AddressChecker(policy: policy, resolver: resolver, ownPorts: ports)
        let fetcher = HTTPFetcher(addresses: checker, clock: ManualClock())
        let request = FetchRequest(server.url("/", host: "site.example"))
        _ = try await fetcher.fetch(request)
        ports.insert(server.port)
        let error = await failure { _ = try await fetcher.fetch(request) }
        #expect(error?.code == .blocked && error?.refusal?.code == .ownPort && resolver.count == 1)
        await server.close()
    }

    @Test func oneForbiddenAddressAmongSeveralRefusesTheHost() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let resolver = ScriptedResolver(["site.example": [["127.0.0.1", "10.0.0.1"]]])
        let fetcher = try HTTPFetcher.local(resolver: resolver)
        let error = await failure {
            _ = try await fetcher.fetch(FetchRequest(server.url("/", host: "site.example")))
        }
        #expect(error?.code == .blocked && server.connectionCount == 0)
        await server.close()
    }

    @Test func nextAddressIsTriedWhenAConnectionFails() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let policy = AddressPolicy(allowing: [try AllowRule("127.0.0.0/8")])
        let resolver = ScriptedResolver(["site.example": [["127.0.0.9", "127.0.0.1"]]])
        let checker = AddressChecker(policy: policy, resolver: resolver)
        let fetcher = HTTPFetcher(addresses: checker, clock: ManualClock())
        #expect(try await fetcher.fetch(FetchRequest(server.url("/", host: "site.example"))).status == 200)
        await server.close()
    }

    @Test func unknownNameFailsWithHostNotFound() async throws {
        let fetcher = try HTTPFetcher.local(resolver: ScriptedResolver([:]))
        let url = try #require(URL(string: "http://nowhere.example/"))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .hostNotFound && error?.retryAdvice == .never)
    }

    @Test func failedResolutionIsReportedAsNoNetwork() async throws {
        struct Offline: NameResolver {
            func addresses(of host: String) async throws -> [IPAddress] {
                throw EgressError(.resolutionFailed, "No name server could be asked.")
            }
        }
        let fetcher = try HTTPFetcher.local(resolver: Offline())
        let url = try #require(URL(string: "http://site.example/"))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .noNetwork && error?.retryAdvice == .whenConnected)
        let probe = HTTPProbe(addresses: try HTTPFetcher.checker(Offline()))
        #expect(await probe.connect(to: url) == false)
    }

    @Test func probeConnectsOnlyToAllowedAddresses() async throws {
        let server = try await FaultServer.start()
        let resolver = ScriptedResolver(["site.example": [["127.0.0.1"]]])
        let probe = HTTPProbe(addresses: try HTTPFetcher.checker(resolver), timeout: .seconds(600))
        #expect(await probe.connect(to: server.url("/", host: "site.example")))
        await eventually { server.connectionCount == 1 && server.openConnectionCount == 0 }
        // Waiting doesn't change a rule: the probe reports success for a refused address, so that a fetch is tried and
        // throws the refusal.
        #expect(await HTTPProbe().connect(to: server.url("/")))
        #expect(server.connectionCount == 1)
        await server.close()
    }
}

/// TLS connections: to the checked address, with the certificate for the requested name.
@Suite(.timeLimit(.minutes(10))) struct SecureConnectionTests {
    private func fetcher(trusting certificate: TestCertificate?) throws -> HTTPFetcher {
        let names = ["site.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]]
        return try HTTPFetcher.local(
            resolver: ScriptedResolver(names), settings: FetcherSettings { $0.trustedCertificates = certificate?.path })
    }

    @Test func certificateMustMatchTheRequestedName() async throws {
        let certificate = try TestCertificate(for: "site.example")
        let server = try await FaultServer.start(
            ["/": { _, connection in try await connection.respond(200, "x") }], identity: certificate)
        let fetcher = try fetcher(trusting: certificate)
        let site = FetchRequest(server.url("/", host: "site.example", scheme: "https"))
        #expect(try await fetcher.fetch(site).data == Data("x".utf8))
        let other = FetchRequest(server.url("/", host: "other.example", scheme: "https"))
        let error = await failure { _ = try await fetcher.fetch(other) }
        #expect(error?.code == .insecureConnection && error?.retryAdvice == .never)
        #expect(server.requests().count == 1)
        await server.close()
    }

    @Test func untrustedServerGetsNoRequest() async throws {
        let certificate = try TestCertificate(for: "site.example")
        let server = try await FaultServer.start(identity: certificate)
        let request = FetchRequest(server.url("/", host: "site.example", scheme: "https"))
        let error = await failure { _ = try await fetcher(trusting: nil).fetch(request) }
        #expect(error?.code == .insecureConnection && error?.message.contains("site.example") == true)
        #expect(server.requests().isEmpty)
        await server.close()
    }

    @Test func redirectFromHTTPSToHTTPIsRefused() async throws {
        let certificate = try TestCertificate(for: "site.example")
        let plain = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let target = plain.url("/").absoluteString
        let server = try await FaultServer.start(
            ["/": { _, connection in try await connection.respond(302, [("Location", target)], "") }],
            identity: certificate)
        let request = FetchRequest(server.url("/", host: "site.example", scheme: "https"))
        let error = await failure { _ = try await fetcher(trusting: certificate).fetch(request) }
        #expect(error?.code == .insecureRedirect && plain.connectionCount == 0)
        await server.close()
        await plain.close()
    }
}

/// Redirects.
@Suite(.timeLimit(.minutes(10))) struct RedirectTests {
    @Test func redirectsAreFollowed() async throws {
        let server = try await FaultServer.start([
            "/1": { _, connection in try await connection.respond(301, [("Location", "/2?a")], "gone") },
            "/2": { _, connection in try await connection.respond(307, [("Location", "3#f")], "") },
            "/3": { _, connection in try await connection.respond(200, "here") },
        ])
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/1")))
        #expect(resource.data == Data("here".utf8) && resource.url == server.url("/3"))
        #expect(server.requests().map(\.path) == ["/1", "/2", "/3"] && server.connectionCount == 1)
        await server.close()
    }

    @Test func circularAndEndlessRedirectsFail() async throws {
        let server = try await FaultServer.start([
            "/a": { _, connection in try await connection.respond(302, [("Location", "/b")], "") },
            "/b": { _, connection in try await connection.respond(302, [("Location", "/a")], "") },
            "/endless": { request, connection in
                try await connection.respond(302, [("Location", "/endless?\(request.query)x")], "")
            },
        ])
        let fetcher = try HTTPFetcher.local()
        for path in ["/a", "/endless"] {
            let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url(path))) }
            #expect(error?.code == .tooManyRedirects && error?.retryAdvice == .never)
        }
        #expect(server.requests("/endless").count == 21)
        await server.close()
    }

    @Test func credentialsStayWithTheirOrigin() async throws {
        let other = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let target = other.url("/").absoluteString
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(302, [("Location", "/same")], "") },
            "/same": { _, connection in try await connection.respond(302, [("Location", target)], "") },
        ])
        let headers: HTTPFields = [.authorization: "Bearer secret", .cookie: "a=b", .acceptLanguage: "de"]
        _ = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/"), headers: headers))
        #expect(server.requests("/same").first?.headers["authorization"] == "Bearer secret")
        let last = try #require(other.requests().first)
        #expect(last.headers["authorization"] == nil && last.headers["cookie"] == nil)
        #expect(last.headers["accept-language"] == "de")
        await server.close()
        await other.close()
    }
}

import Egress
import FaultServer
import Foundation
import Futures
import StoreTesting
import Testing

@testable import Capture

/// Tests of the network addresses that Chromium's features can reach: reports, prefetches, payments, workers and the
/// like.
@Suite(.timeLimit(.minutes(20))) struct PageFeatureEgressTests {
    /// The servers that receive one page's attempts.
    private struct AttemptServers {
        let plain: FaultServer
        let secure: FaultServer
        let preconnected: FaultServer

        static func start(_ certificate: TestCertificate) async throws -> AttemptServers {
            AttemptServers(
                plain: try await FaultServer.start(), secure: try await FaultServer.start(identity: certificate),
                preconnected: try await FaultServer.start())
        }

        /// The names of the attempts that have arrived.
        var seen: (plain: Set<String>, secure: Set<String>) {
            func names(_ server: FaultServer) -> Set<String> {
                Set(server.requests().map { $0.path.replacing("/x/", with: "") })
            }
            return (names(plain), names(secure))
        }

        var connectionCount: Int {
            plain.connectionCount + secure.connectionCount + preconnected.connectionCount
        }

        func close() async {
            for server in [plain, secure, preconnected] { await server.close() }
        }
    }

    /// Opens the page in two captures that overlap: in one, its attempts must be refused; in the other, which begins
    /// later, the same attempts go to allowed servers.
    ///
    /// When the allowed servers have received all attempts, the first page must have made its attempts too.
    @Test func noBrowserFeatureReachesARefusedAddress() async throws {
        let certificate = try TestCertificate(for: "page.example")
        let (refused, allowed) = (
            try await AttemptServers.start(certificate), try await AttemptServers.start(certificate)
        )
        let datagrams = try DatagramSocket()
        // Literal addresses of this machine: the only ones that Chromium could connect to without the proxy.
        var pages = [
            "refused": FeaturePage(
                plain: "http://127.0.0.1:\(refused.plain.port)", secure: "https://127.0.0.1:\(refused.secure.port)",
                sameSite: "https://page.example:\(refused.secure.port)",
                preconnected: "http://127.0.0.1:\(refused.preconnected.port)", unknownIssuer: "",
                datagrams: "127.0.0.1:\(datagrams.port)"),
            "allowed": FeaturePage(
                plain: "http://plain.localhost:\(allowed.plain.port)",
                secure: "https://secure.example:\(allowed.secure.port)",
                sameSite: "https://page.example:\(allowed.secure.port)",
                preconnected: "http://plain.localhost:\(allowed.preconnected.port)", unknownIssuer: "",
                datagrams: "127.0.0.1:\(datagrams.port)"),
        ]
        var unknown: [FaultServer] = []
        for (role, page) in pages {
            let identity = try TestCertificate(for: "unknown.example", issuerAt: "\(page.plain)/x/issuer")
            let server = try await FaultServer.start(identity: identity)
            unknown.append(server)
            pages[role]?.unknownIssuer = "https://unknown.example:\(server.port)"
        }
        let released = Gate()
        let site = try await Self.site(pages, released: released, certificate)
        let folder = FileManager.default.temporaryDirectory.appending(path: "features-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try Self.chromium(in: folder, trusting: certificate)

        var configuration = PageCapturer.Configuration()
        configuration.chromium = program
        configuration.clock = SlowClock()
        configuration.resolver = LoopbackResolver()
        configuration.addressPolicy.rules = try [
            "page.example:\(site.port)", "page.example:\(allowed.secure.port)", "unknown.example", "plain.localhost",
            "secure.example",
        ].map { try AllowRule($0) }
        let capturer = PageCapturer(configuration: configuration)
        var options = CaptureOptions()
        // The page's streams never finish; by this clock the limit is 100 s, in which all attempts have to be made.
        options.settleLimit = .seconds(10)
        // A capture that ends before the pages are released has failed.
        let failed = Promise<Void, Never>()
        let captures = try await withThrowingTaskGroup(of: PageCapture.self) { group in
            for role in ["refused", "allowed"] {
                let url = site.url("/?\(role)", host: "page.example", scheme: "https")
                group.addTask { [options] in
                    defer { failed.resolve(()) }
                    return try await capturer.capture(url, formats: [.png, .webArchive], options: options)
                }
                _ = await eventually {
                    site.requests("/attempted").contains { $0.query == role } || failed.future.isComplete
                }
            }
            let texts = [FeaturePage.html, FeaturePage.worker, "PLAIN/x/refresh PLAIN/x/issuer SECURE/x/exchange"]
            let text = (texts + FeaturePage.headers.map(\.1)).joined(separator: " ")
            let plain = FeaturePage.attempts(text, of: "PLAIN")
            let secure = FeaturePage.attempts(text, of: "SECURE").union(FeaturePage.attempts(text, of: "SAME"))
            _ = await eventually {
                failed.future.isComplete
                    || plain.isSubset(of: allowed.seen.plain) && secure.isSubset(of: allowed.seen.secure)
                        && allowed.preconnected.connectionCount > 0
            }
            #expect(plain.subtracting(allowed.seen.plain) == [])
            #expect(secure.subtracting(allowed.seen.secure) == [])
            released.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refused.seen.plain == [] && refused.seen.secure == [])
        #expect(refused.connectionCount == 0)
        #expect(datagrams.receivedCount() == 0)
        #expect(captures.contains { capture in capture.refusals.contains { $0.port == refused.plain.port } })
        // The browser makes no requests of its own either, such as for the meaning of form fields.
        let hosts = Set(captures.flatMap(\.refusals).map(\.host))
        #expect(hosts.isSubset(of: ["127.0.0.1", "page.example", "related.example"]), "\(hosts)")
        // No file of this machine is part of the page.
        for capture in captures {
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            #expect(!archive.allResources.contains { String(decoding: $0.data, as: UTF8.self).contains("root:") })
        }
        await capturer.close()
        for server in unknown + [site] { await server.close() }
        await refused.close()
        await allowed.close()
    }

    /// A resolver over HTTPS in the browser's settings would be a server that the browser connects to by itself.
    ///
    /// A control browser with the same settings, started beside the first without our options, queries its own
    /// resolver. This shows that Chromium reads these settings.
    @Test func dnsOverHTTPSResolverIsNotUsed() async throws {
        let (refused, control) = (try await FaultServer.start(), try await FaultServer.start())
        let site = try await FaultServer.start([
            "/": { _, connection in
                let html =
                    "<title>Names</title><img src='http://other.example/'><link rel=dns-prefetch href='//a.example'>"
                try await connection.respond(200, [("Content-Type", "text/html")], html)
            }
        ])
        let folder = FileManager.default.temporaryDirectory.appending(path: "resolver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = PageCapturer.Configuration()
        configuration.chromium = try Self.program(
            """
            for argument; do case "$argument" in --user-data-dir=*) data=${argument#*=} ;; esac; done
            choose() {
                mkdir -p "$1"
                printf '{"dns_over_https": {"mode": "secure", "templates": "https://127.0.0.1:%s/"}}' "$2" >"$1/Local State"
            }
            choose "$data" \(refused.port)
            choose "$data-beside" \(control.port)
            "$chromium" --headless --user-data-dir="$data-beside" --dump-dom http://name.example/ \
                </dev/null >/dev/null 2>&1 3<&- 4>&- &
            exec "$chromium" "$@"
            """, in: folder)
        configuration.clock = SlowClock()
        configuration.resolver = LoopbackResolver()
        configuration.addressPolicy.rules = [try AllowRule("page.example:\(site.port)")]
        let capturer = PageCapturer(configuration: configuration)
        let capture = try await capturer.capture(site.url("/", host: "page.example"), formats: [.png])
        // Both browsers started at the same time; Chromium probes such a resolver several times, seconds after its
        // start.
        #expect(await eventually { control.connectionCount >= 12 })
        #expect(refused.connectionCount == 0)
        #expect(capture.title == "Names")
        #expect(capture.refusals.contains { $0.host == "other.example" })
        await capturer.close()
        for server in [refused, control, site] { await server.close() }
    }

    // MARK: The site and the browser

    private static func site(
        _ pages: [String: FeaturePage], released: Gate, _ certificate: TestCertificate
    ) async throws -> FaultServer {
        func route(
            _ respond: @escaping @Sendable (FeaturePage, FaultRequest, FaultConnection) async throws -> Void
        ) -> FaultServer.Route {
            { request, connection in
                guard let page = pages[request.query] else { return try await connection.respond(404, "") }
                try await respond(page, request, connection)
            }
        }
        return try await FaultServer.start(
            [
                "/": route { page, request, connection in
                    let headers = FeaturePage.headers.map { ($0.0, page.filled($0.1)) }
                    let html = page.filled(FeaturePage.html.replacing("ROLE", with: request.query))
                    try await connection.respond(200, headers + [("Content-Type", "text/html")], html)
                },
                "/refresh": route { page, _, connection in
                    try await connection.respond(200, [("Refresh", page.filled("0; url=PLAIN/x/refresh"))], "")
                },
                "/hints": route { page, _, connection in
                    let link = page.filled("<PLAIN/x/early-hints>; rel=preload; as=image")
                    try await connection.write("HTTP/1.1 103 Early Hints\r\nLink: \(link)\r\n\r\n")
                    try await connection.respond(200, [("Content-Type", "text/html")], "")
                },
                "/exchange": route { page, _, connection in
                    let headers = [
                        ("Content-Type", "application/signed-exchange;v=b3"), ("X-Content-Type-Options", "nosniff"),
                    ]
                    try await connection.respond(200, headers, page.exchange())
                },
                "/worker.js": route { page, _, connection in
                    try await connection.respond(
                        200, [("Content-Type", "text/javascript")], page.filled(FeaturePage.worker))
                },
                "/hold": { _, connection in
                    try await released.wait()
                    try await connection.respond(200, "")
                },
            ], identity: certificate)
    }

    /// A Chromium that trusts the test certificate, and sends reports at once instead of after a minute.
    private static func chromium(in folder: URL, trusting certificate: TestCertificate) throws -> String {
        try program(
            """
            exec "$chromium" "$@" --short-reporting-delay \
                --ignore-certificate-errors-spki-list=\(try certificate.publicKeyDigest())
            """, in: folder)
    }

    /// A program that starts `$chromium` by a shell script.
    private static func program(_ script: String, in folder: URL) throws -> String {
        let program = folder.appending(path: "chromium")
        let chromium = try ChromiumExecutable.find(chosen: nil)
        try Data("#!/bin/sh\nchromium='\(chromium)'\n\(script)\n".utf8).write(to: program)
        let everyone: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        for path in [folder.path, program.path] {
            try FileManager.default.setAttributes(everyone, ofItemAtPath: path)
        }
        return program.path
    }
}

/// Resolves every name to this machine.
private struct LoopbackResolver: NameResolver {
    func addresses(of host: String) async throws -> [IPAddress] { [IPAddress("127.0.0.1")].compactMap(\.self) }
}

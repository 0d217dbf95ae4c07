import Foundation
import Hummingbird
import Testing

@testable import Site

@Suite(.timeLimit(.minutes(10))) struct SiteServerTests {
    /// A `ServiceGroup` describes its services when it is created.
    @Test func servicesAreDescribedWithoutTheirFiles() throws {
        let server = try SiteServer(configuration: SiteConfiguration(port: 0), logger: .quiet) { _, _ in }
        #expect("\(server)" == "SiteServer")
        #expect("\(SiteModules([]))" == "SiteModules")
    }

    @Test func portInUseIsReported() async throws {
        try await RunningSite.run { site in
            let second = try SiteServer(configuration: SiteConfiguration(port: site.port), logger: .quiet) { _, _ in }
            let error = await #expect(throws: SiteError.self) { try await second.run() }
            #expect(error?.code == .portInUse)
            #expect(error?.description.contains("Port \(site.port) is in use") == true)
            #expect(error?.description.contains("--port") == true)
            #expect(try await site.send("GET", "/healthz", [site.host]).hasSuffix("ok\n"))
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.1", "example.com", ""])
    func nonLoopbackHostIsRejected(host: String) async throws {
        let server = try SiteServer(configuration: SiteConfiguration(host: host, port: 0), logger: .quiet) { _, _ in }
        let error = await #expect(throws: SiteError.self) { try await server.run() }
        #expect(error?.code == .notLoopback)
    }

    @Test(arguments: ["pages.example.com", "ftp://pages.example.com", "https://pages.example.com/path", "https://"])
    func invalidPublicOriginIsRejected(text: String) async throws {
        let origin = try #require(URL(string: text))
        let server = try SiteServer(configuration: SiteConfiguration(port: 0, origin: origin), logger: .quiet) { _, _ in
        }
        let error = await #expect(throws: SiteError.self) { try await server.run() }
        #expect(error?.code == .invalidOrigin)
        #expect(error?.description.contains("--origin") == true)
    }

    @Test func oversizedBodyIsRejectedAndTheConnectionStaysOpen() async throws {
        struct Form: Decodable { let address: String }
        let routes: RunningSite.Routes = { router in
            router.post("/form") { request, context in
                try await request.decode(as: Form.self, context: context).address
            }
        }
        try await RunningSite.run(routes: routes) { site in
            try await Wire.connect(port: site.port) { wire in
                let fields = "\(site.host)\r\nX-Requested-With: test\r\n"
                let type = "Content-Type: application/x-www-form-urlencoded\r\n"
                let body = "address=" + String(repeating: "a", count: 10_000_000)
                let length = "Content-Length: \(body.utf8.count)\r\n"
                let request = "POST /form HTTP/1.1\r\n\(fields)\(type)\(length)\r\n\(body)"
                // The response arrives while the request is still being sent.
                let outbound = wire.outbound
                async let sent: Void = outbound.write(ByteBuffer(string: request))
                let answer = try await wire.read(until: "</html>")
                #expect(answer.hasPrefix("HTTP/1.1 413 "))
                #expect(answer.contains("250,000 bytes"))
                try await sent
                try await wire.send("GET /healthz HTTP/1.1\r\n\(site.host)\r\n\r\n")
                _ = try await wire.read(until: "ok\n")
            }
        }
    }

}

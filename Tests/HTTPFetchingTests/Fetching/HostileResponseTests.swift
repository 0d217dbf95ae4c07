import FaultServer
import Foundation
import HTTPTypes
import Loading
import StoreTesting
import Testing

@testable import HTTPFetching

/// A server that writes any number wherever HTTP has one: each fetch ends, with a resource or an error.
@Suite(.timeLimit(.minutes(10))) struct HostileResponseTests {
    private static let values =
        hostileNumbers + [
            "9223372036854775807", "0", "1", "Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        ]

    @Test(arguments: values)
    func hostileHeaderValueIsHandled(value: String) async throws {
        let server = try await FaultServer.start()
        let names = ["Age", "Date", "Retry-After", "Content-Length", "Content-Range", "ETag"]
        for name in names {
            server.on("/\(name)") { request, connection in
                let lead = "HTTP/1.1 \(name == "Retry-After" ? 503 : 200) Whatever\r\n\(name): \(value)\r\n"
                try await connection.write(
                    name == "Content-Length" ? lead + "\r\nhi" : lead + "Content-Length: 2\r\n\r\nhi")
                try await connection.end()
            }
        }
        let fetcher = try HTTPFetcher.local(limits: FetchLimits { $0.resumptions = 1 })
        for name in names {
            let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/\(name)"))) }
            if let error { #expect(!error.message.isEmpty && error.code != .cancelled) }
        }
        await server.close()
    }

    @Test(arguments: ["65536", "99999", "9223372036854775807", "9223372036854775808", "0", "-1", "+80", "٣"])
    func redirectToAnInvalidPortFails(port: String) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(302, [("Location", "http://127.0.0.1:\(port)/")], "")
            }
        ])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits { $0.redirects = 2 })
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error != nil)
        if let url = URL(string: "http://127.0.0.1:\(port)/") {
            _ = await HTTPProbe(addresses: try HTTPFetcher.checker()).connect(to: url)
        }
        await server.close()
    }
}

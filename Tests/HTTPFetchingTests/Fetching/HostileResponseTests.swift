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
    func anyHeaderFieldIsTakenOrRefused(value: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await FaultServer.start()
        let names = [
            "Age", "Cache-Control", "Date", "Expires", "Last-Modified", "Retry-After", "Content-Length",
            "Content-Range",
            "ETag", "Vary",
        ]
        for name in names {
            server.on("/\(name)") { request, connection in
                let field = name == "Cache-Control" ? "max-age=\(value), stale-while-revalidate=\(value)" : value
                let lead = "HTTP/1.1 \(name == "Retry-After" ? 503 : 200) Whatever\r\n\(name): \(field)\r\n"
                try await connection.write(
                    name == "Content-Length" ? lead + "\r\nhi" : lead + "Content-Length: 2\r\n\r\nhi")
                try await connection.end()
            }
        }
        for kind in StorageKind.allCases {
            let fetcher = try HTTPFetcher.local(
                limits: FetchLimits(resumptions: 1), cache: HTTPCache(storage: kind.make(folder)))
            for name in names {
                // Again, from what was stored of the first.
                for use in [FetchRequest.CacheUse.standard, .standard, .revalidate, .preferCached] {
                    let error = await failure {
                        _ = try await fetcher.fetch(FetchRequest(server.url("/\(name)"), cacheUse: use))
                    }
                    if let error { #expect(!error.message.isEmpty && error.code != .cancelled) }
                }
            }
        }
        await server.close()
    }

    @Test(arguments: ["65536", "99999", "9223372036854775807", "9223372036854775808", "0", "-1", "+80", "٣"])
    func anyPortThatAServerLeadsToIsAnError(port: String) async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.answer(302, [("Location", "http://127.0.0.1:\(port)/")], "")
            }
        ])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits(redirects: 2))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error != nil)
        if let url = URL(string: "http://127.0.0.1:\(port)/") {
            _ = await HTTPProbe(addresses: try HTTPFetcher.checker()).connect(to: url)
        }
        await server.close()
    }
}

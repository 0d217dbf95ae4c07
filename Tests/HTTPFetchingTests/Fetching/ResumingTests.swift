import FaultServer
import Foundation
import HTTPTypes
import StoreTesting
import Testing

@testable import HTTPFetching

/// Transfers that are resumed after a broken connection.
@Suite(.timeLimit(.minutes(10))) struct ResumingTests {
    private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })

    /// Sends `count` bytes of the content per request; `range` gives the value of `Content-Range`.
    private static func breaking(
        every count: Int, tag: @escaping @Sendable (Int) -> String = { _ in "\"a\"" },
        range: @escaping @Sendable (Int) -> String = { "bytes \($0)-99999/100000" }
    ) -> FaultServer.Route {
        { request, connection in
            let requestedStart = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) }
            let start = request.headers["if-range"] == tag(requestedStart ?? 0) ? requestedStart ?? 0 : 0
            let rest = content[start...]
            var headers = [("ETag", tag(start)), ("Content-Length", "\(rest.count)")]
            if start > 0 { headers.append(("Content-Range", range(start))) }
            try await connection.writeHead(start > 0 ? 206 : 200, headers)
            try await connection.write(Data(rest.prefix(count)))
            if rest.count > count { try await connection.close() }
        }
    }

    @Test(arguments: [false, true])
    func brokenTransferIsResumed(toFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let server = try await FaultServer.start(["/": Self.breaking(every: 30_000)])
        let fetcher = try HTTPFetcher.local()
        let destination = toFile ? FetchRequest.Destination.file(folder.path + "/out") : .memory
        let resource = try await fetcher.fetch(FetchRequest(server.url("/"), destination: destination))
        let content = toFile ? FileManager.default.contents(atPath: folder.path + "/out") : resource.data
        #expect(content == Self.content && resource.status == 200)
        #expect(
            server.requests().map { $0.headers["range"] } == [nil, "bytes=30000-", "bytes=60000-", "bytes=90000-"])
        #expect(server.requests().dropFirst().allSatisfy { $0.headers["if-range"] == "\"a\"" })
        #expect(server.requests().dropFirst().allSatisfy { $0.headers["accept-encoding"] == "identity" })
        await server.close()
    }

    @Test func resumptionsAreLimited() async throws {
        let server = try await FaultServer.start(["/": Self.breaking(every: 10_000)])
        let fetcher = try HTTPFetcher.local(limits: FetchLimits { $0.resumptions = 2 })
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff && server.requests().count == 3)
        await server.close()
    }

    @Test func changedContentIsFetchedFromTheBeginning() async throws {
        // The content changes during the transfer, so the first part is discarded.
        let server = try await FaultServer.start()
        server.setRoute("/") { [weak server] request, connection in
            let isFirst = server?.requests().count == 1
            try await connection.writeHead(200, [("ETag", isFirst ? "\"a\"" : "\"b\""), ("Content-Length", "100000")])
            try await connection.write(isFirst ? Data(repeating: 1, count: 50_000) : Self.content)
            if isFirst { try await connection.close() }
        }
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/")))
        #expect(resource.data == Self.content && resource.headers[.eTag] == "\"b\"")
        #expect(server.requests().count == 2)
        await server.close()
    }

    @Test(arguments: [
        "bytes 0-99999/100000", "bytes 30001-99999/100000", "nonsense", "bytes 30000-30000/-9223372036854775808",
        "bytes 30000-9223372036854775807/-9223372036854775808",
    ])
    func wrongRangeRestartsTheTransfer(range: String) async throws {
        let server = try await FaultServer.start()
        server.setRoute("/") { [weak server] request, connection in
            switch server?.requests().count {
            case 1: try await Self.breaking(every: 30_000)(request, connection)
            case 2: try await Self.breaking(every: 100_000, range: { _ in range })(request, connection)
            default: try await connection.respond(200, Self.content)
            }
        }
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/")))
        #expect(resource.data == Self.content)
        #expect(server.requests().map { $0.headers["range"] } == [nil, "bytes=30000-", nil])
        await server.close()
    }

    @Test func transferWithoutAStrongValidatorIsNotResumed() async throws {
        let server = try await FaultServer.start(["/": Self.breaking(every: 30_000, tag: { _ in "W/\"a\"" })])
        let error = await failure { _ = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff && server.requests().count == 1)
        await server.close()
    }
}

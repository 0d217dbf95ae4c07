import FaultServer
import Foundation
import Futures
import HTTPTypes
import ImageInfo
import Loading
import StoreTesting
import Testing
import VirtualTime

@testable import HTTPFetching

/// Servers that are slow, invalid or silent: a fetch fails with the right error, or succeeds within its limits.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    /// Fetches a stalled response, and returns the error after time has passed.
    ///
    /// - Parameters:
    ///   - limits: The limits of the fetch.
    ///   - time: How far to advance the clock once the response has stalled.
    ///   - received: The number of bytes that must have arrived before; 0 to wait only for the request.
    ///   - route: The route that stalls.
    /// - Returns: The error.
    /// - Throws: If the server can't be started.
    private func fetchError(
        _ limits: FetchLimits, after time: Duration, received: Int64, _ route: @escaping FaultServer.Route
    ) async throws -> FetchError? {
        let server = try await FaultServer.start(["/": route])
        let clock = ManualClock()
        let fetcher = try HTTPFetcher.local(limits: limits, clock: clock)
        let progress = Collected<FetchProgress>()
        let url = server.url("/")
        let outcome = Task { await failure { _ = try await fetcher.fetch(FetchRequest(url)) { progress.add($0) } } }
        await eventually {
            received == 0 ? server.requests().count == 1 : progress.elements.contains { $0.received >= received }
        }
        // Wakes tasks that sleep until then; a task that starts to sleep later sees a deadline in the past.
        clock.advance(by: time)
        let error = await outcome.value
        await eventually { fetcher.flights.isIdle && fetcher.watchdog.count == 0 }
        await server.close()
        return error
    }

    @Test func missingResponseTimesOut() async throws {
        let gate = Gate()
        let error = try await fetchError(FetchLimits { $0.firstByte = .seconds(7) }, after: .seconds(8), received: 0) {
            _, _ in
            try await gate.wait()
        }
        #expect(error?.code == .timedOut && error?.limit == .firstByte && error?.retryAdvice == .retry(after: nil))
        #expect(error?.message.contains(" for 7 s") == true)
    }

    @Test func endlessHeadersTimeOut() async throws {
        let gate = Gate()
        let error = try await fetchError(FetchLimits { $0.firstByte = .seconds(7) }, after: .seconds(8), received: 0) {
            _, connection in
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Le")
            try await gate.wait()
        }
        #expect(error?.code == .timedOut && error?.limit == .firstByte)
    }

    @Test func stalledBodyTimesOut() async throws {
        let gate = Gate()
        let limits = FetchLimits {
            $0.firstByte = .seconds(1_000)
            $0.idle = .seconds(7)
            $0.total = .seconds(10_000)
        }
        let error = try await fetchError(limits, after: .seconds(8), received: 9) { _, connection in
            try await connection.writeHead(200, [("Content-Length", "100")])
            try await connection.write("something")
            try await gate.wait()
        }
        #expect(error?.code == .timedOut && error?.limit == .idle)
    }

    @Test func endlessBodyTimesOut() async throws {
        let limits = FetchLimits {
            $0.bytes = 1 << 40
            $0.firstByte = .seconds(10_000)
            $0.idle = .seconds(10_000)
            $0.total = .seconds(9)
        }
        let error = try await fetchError(limits, after: .seconds(10), received: 100) { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            // In large chunks, because byte-by-byte writes keep the shared event loop busy until the socket's buffer is
            // full.
            let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
            while true { try await connection.write(chunk) }
        }
        #expect(error?.code == .timedOut && error?.limit == .total)
    }

    @Test func slowBodyIsReceivedCompletely() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.writeHead(200, [("Content-Length", "8")])
                try await connection.write("half")
                try await gate.wait()
                try await connection.write("full")
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let progress = Collected<FetchProgress>()
        let url = server.url("/")
        let resource = Task { try await fetcher.fetch(FetchRequest(url)) { progress.add($0) } }
        await eventually { progress.elements.last == FetchProgress(received: 4, expected: 8) }
        gate.open()
        #expect(try await resource.value.data == Data("halffull".utf8))
        await server.close()
    }
}

extension FaultTests {
    private func fetchError(_ limits: FetchLimits = FetchLimits(), _ route: @escaping FaultServer.Route) async throws
        -> FetchError?
    {
        let server = try await FaultServer.start(["/": route])
        let fetcher = try HTTPFetcher.local(limits: limits)
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        await server.close()
        return error
    }

    @Test func truncatedBodyFails() async throws {
        let error = try await fetchError { _, connection in
            try await connection.writeHead(200, [("Content-Length", "100")])
            try await connection.write("only this")
            try await connection.close()
        }
        #expect(error?.code == .cutOff && error?.retryAdvice == .retry(after: nil))
    }

    @Test func truncatedChunksFail() async throws {
        let error = try await fetchError { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("5\r\nhello\r\n")
            try await connection.close()
        }
        #expect(error?.code == .cutOff)
    }

    @Test func invalidChunksFail() async throws {
        let error = try await fetchError { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("ZZZ\r\nthis is no chunk\r\n")
        }
        #expect(error?.code == .garbled && error?.retryAdvice == .retry(after: nil))
    }

    @Test func responseThatIsNotHTTPFails() async throws {
        let error = try await fetchError { _, connection in try await connection.write("SSH-2.0-OpenSSH_9.2\r\n\r\n") }
        #expect(error?.code == .garbled)
    }

    @Test func closedConnectionIsRetriedOnceForGETOnly() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.close() }])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == .cutOff)
        // GET is retried exactly once, because the server may have closed an idle connection.
        #expect(server.requests().count == 2)
        let post = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), method: .post)) }
        #expect(post?.code == .cutOff && server.requests().count == 3)
        await server.close()
    }

    @Test func contradictoryLengthsFail() async throws {
        let error = try await fetchError { _, connection in
            try await connection.writeHead(200, [("Content-Length", "5"), ("Content-Length", "6")])
            try await connection.write("hello")
        }
        #expect(error?.code == .garbled)
    }

    @Test func announcedLengthOverTheLimitFails() async throws {
        let gate = Gate()
        let error = try await fetchError(FetchLimits { $0.bytes = 1_000 }) { _, connection in
            try await connection.writeHead(200, [("Content-Length", "1001")])
            try await gate.wait()
        }
        #expect(error?.code == .tooLarge && error?.limit == .bytes && error?.retryAdvice == .never)
    }

    @Test func bodyOverTheLimitFails() async throws {
        let gate = Gate()
        let error = try await fetchError(FetchLimits { $0.bytes = 1_000 }) { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("3e9\r\n" + String(repeating: "x", count: 1_001) + "\r\n")
            try await gate.wait()
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func bodyOfExactlyTheLimitSucceeds() async throws {
        let error = try await fetchError(FetchLimits { $0.bytes = 1_000 }) { _, connection in
            try await connection.respond(200, Data(count: 1_000))
        }
        #expect(error == nil)
    }

    @Test func gzipBombFailsAtTheLimit() async throws {
        let bomb = Gzip.bomb(200_000_000)
        #expect(bomb.count < 2_000_000)
        let error = try await fetchError(FetchLimits { $0.bytes = 3_000_000 }) { _, connection in
            try await connection.respond(200, [("Content-Encoding", "gzip")], bomb)
        }
        #expect(error?.code == .tooLarge && error?.limit == .bytes)
    }

    @Test func invalidGzipFails() async throws {
        let error = try await fetchError { _, connection in
            try await connection.respond(200, [("Content-Encoding", "gzip")], "this is no gzip")
        }
        #expect(error?.code == .garbled)
    }

    @Test(arguments: [1, 40])
    func headersOverTheLimitFail(lines: Int) async throws {
        let error = try await fetchError(FetchLimits { $0.headerBytes = 10_000 }) { _, connection in
            let value = String(repeating: "x", count: 20_000 / lines)
            try await connection.respond(200, (0..<lines).map { ("X-\($0)", value) }, "")
        }
        #expect(error?.code == .tooLarge && error?.limit == .headerBytes)
    }

    @Test func unrequestedNotModifiedFails() async throws {
        let error = try await fetchError { _, connection in try await connection.respond(304, "") }
        #expect(error?.code == .garbled)
    }
}

/// Responses with an unexpected type.
@Suite(.timeLimit(.minutes(10))) struct ExpectationTests {
    @Test func htmlInsteadOfAnImageIsRefused() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.respond(200, [("Content-Type", "image/png")], "<!DOCTYPE html><p>Not found</p>")
            },
            "/png": { _, connection in
                try await connection.respond(
                    200, [("Content-Type", "text/html")], Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            },
            "/empty": { _, connection in try await connection.respond(200, "") },
        ])
        let fetcher = try HTTPFetcher.local()
        let error = await failure {
            _ = try await fetcher.fetch(FetchRequest(server.url("/"), expecting: .image))
        }
        #expect(error?.code == .unexpectedType && error?.sniffedType == .html && error?.retryAdvice == .never)
        #expect(error?.message.contains("not an image, but an HTML page") == true)
        #expect(try await fetcher.fetch(FetchRequest(server.url("/png"), expecting: .image)).sniffedType == .png)
        let empty = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/empty"), expecting: .text)) }
        #expect(empty?.sniffedType == .nothing)
        await server.close()
    }

    @Test func unexpectedTypeDoesNotReplaceTheFile() async throws {
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, "<!DOCTYPE html><p>Not found</p>") }
        ])
        let folder = try TemporaryFolder()
        let path = folder.path + "/picture"
        try Data("good".utf8).write(to: URL(filePath: path))
        let fetcher = try HTTPFetcher.local()
        let error = await failure {
            _ = try await fetcher.fetch(
                FetchRequest(server.url("/"), expecting: .image, destination: .file(path)))
        }
        #expect(error?.code == .unexpectedType)
        #expect(folder.files() == [path] && FileManager.default.contents(atPath: path) == Data("good".utf8))
        await server.close()
    }

    @Test func unexpectedTypeIsRefusedAfterItsFirstBytes() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await connection.writeHead(200, [("Content-Length", "1000000")])
                try await connection.write("<html>" + String(repeating: " ", count: 2_000))
                try await gate.wait()
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"), expecting: .pdf)) }
        #expect(error?.code == .unexpectedType)
        await server.close()
    }
}

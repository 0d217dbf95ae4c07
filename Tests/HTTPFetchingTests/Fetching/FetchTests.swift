import Egress
import FaultServer
import Foundation
import HTTPTypes
import ImageInfo
import Loading
import StoreTesting
import Testing

@testable import HTTPFetching

/// Successful fetches, and errors that the server reports.
@Suite(.timeLimit(.minutes(10))) struct FetchTests {
    @Test func fetchReturnsContentHeadersAndProgress() async throws {
        let server = try await FaultServer.start([
            "/a": { _, connection in try await connection.respond(200, [("X-One", "1"), ("x-two", "2")], "hello") }
        ])
        let fetcher = try HTTPFetcher.local()
        let progress = Collected<FetchProgress>()
        let resource = try await fetcher.fetch(FetchRequest(server.url("/a?q#f"))) { progress.add($0) }
        #expect(resource.data == Data("hello".utf8) && resource.status == 200)
        #expect(resource.url == server.url("/a?q") && resource.sniffedType == .text)
        #expect(resource.headers.first { $0.name.canonicalName == "x-two" }?.value == "2")
        #expect(progress.elements.last == FetchProgress(received: 5, expected: 5))
        let request = try #require(server.requests().first)
        #expect(request.query == "q" && request.headers["user-agent"] == "Meanwhile")
        #expect(request.headers["accept-encoding"] == "gzip, deflate" && request.headers["accept"] == "*/*")
        await server.close()
    }

    @Test func connectionsAreReused() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(200, "x") }])
        let fetcher = try HTTPFetcher.local()
        for _ in 0..<20 { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(server.requests().count == 20 && server.connectionCount == 1)
        await server.close()
    }

    @Test func methodsHeadersAndContentAreSent() async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(201, "made") }])
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(
            server.url("/"), method: .post, headers: [.contentType: "text/plain", .userAgent: "me"],
            body: Data("content".utf8))
        #expect(try await fetcher.fetch(request).status == 201)
        let received = try #require(server.requests().first)
        #expect(received.method == "POST" && received.body == Data("content".utf8))
        #expect(received.headers["content-type"] == "text/plain" && received.headers["user-agent"] == "me")
        await server.close()
    }

    static let statuses: [(Int, FetchError.Code, RetryAdvice)] = [
        (400, .status, .never), (401, .status, .never), (403, .status, .never), (404, .status, .never),
        (410, .status, .never), (418, .status, .never), (408, .unavailable, .retry(after: nil)),
        (429, .unavailable, .retry(after: nil)), (500, .unavailable, .retry(after: nil)),
        (503, .unavailable, .retry(after: nil)), (501, .status, .never), (300, .status, .never),
    ]

    @Test(arguments: statuses)
    func statusDeterminesWhetherToRetry(status: Int, code: FetchError.Code, advice: RetryAdvice) async throws {
        let server = try await FaultServer.start(["/": { _, connection in try await connection.respond(status, "no") }])
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(server.url("/"))) }
        #expect(error?.code == code && error?.status == status && error?.retryAdvice == advice)
        #expect(error?.message.contains("\(status)") == true && error?.message.hasSuffix(".") == true)
        await server.close()
    }

    @Test func retryAfterBecomesTheRetryDelay() async throws {
        let server = try await FaultServer.start([
            "/seconds": { _, connection in try await connection.respond(429, [("Retry-After", "120")], "") },
            "/nonsense": { _, connection in try await connection.respond(503, [("Retry-After", "soon")], "") },
            "/date": { _, connection in
                try await connection.respond(503, [("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")], "")
            },
        ])
        let fetcher = try HTTPFetcher.local()
        func error(_ path: String) async -> FetchError? {
            await failure { _ = try await fetcher.fetch(FetchRequest(server.url(path))) }
        }
        let limited = await error("/seconds")
        #expect(limited?.retryAdvice == .retry(after: .seconds(120)))
        #expect(limited?.message.hasSuffix("Try again in 120 s.") == true)
        #expect(await error("/nonsense")?.retryAdvice == .retry(after: nil))
        #expect(await error("/date")?.retryAdvice == .retry(after: .zero))
        await server.close()
    }

    @Test func compressedContentIsDecompressed() async throws {
        let text = Data(String(repeating: "many words. ", count: 20_000).utf8)
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, [("Content-Encoding", "gzip")], Gzip.stored(text))
            }
        ])
        let resource = try await HTTPFetcher.local().fetch(FetchRequest(server.url("/")))
        #expect(resource.data == text)
        #expect(!resource.headers.contains(.contentEncoding) && !resource.headers.contains(.contentLength))
        await server.close()
    }

    @Test func fileIsWrittenCompletelyOrNotAtAll() async throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try await FaultServer.start([
            "/": { _, connection in try await connection.respond(200, content) },
            "/half": { _, connection in
                try await connection.writeHead(200, [("Content-Length", "100")])
                try await connection.write("only this")
                try await connection.close()
            },
            "/none": { _, connection in try await connection.respond(404, "no") },
        ])
        let fetcher = try HTTPFetcher.local()
        let path = folder.path + "/out"
        let resource = try await fetcher.fetch(FetchRequest(server.url("/"), destination: .file(path)))
        #expect(resource.content == .file(path, bytes: 300_000))
        #expect(FileManager.default.contents(atPath: path) == content)
        for name in ["/half", "/none"] {
            let error = await failure {
                _ = try await fetcher.fetch(FetchRequest(server.url(name), destination: .file(path)))
            }
            #expect(error?.code == (name == "/half" ? .cutOff : .status))
        }
        #expect(FileManager.default.contents(atPath: path) == content)
        #expect(folder.files() == [path])
        let missingFolderError = await failure {
            _ = try await fetcher.fetch(FetchRequest(server.url("/"), destination: .file(folder.path + "/no/out")))
        }
        #expect(missingFolderError?.code == .notWritable && missingFolderError?.message.contains("/no/out") == true)
        await server.close()
    }

    @Test func refusedConnectionFailsAndCanBeRetried() async throws {
        let ports = Collected<Int>()
        let server = try await FaultServer.start([
            "/": { _, connection in
                ports.add(connection.clientPort)
                try await connection.respond(200, "x")
            }
        ])
        let fetcher = try HTTPFetcher.local()
        _ = try await fetcher.fetch(FetchRequest(server.url("/")))
        // The fetcher's own port: it accepts no connections, and no other server can get it while the fetcher uses it.
        let port = try #require(ports.elements.first)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .connectionFailed && error?.retryAdvice == .retry(after: nil))
        // A refused connection means that the network is available.
        let probe = HTTPProbe(addresses: try HTTPFetcher.checker(), timeout: .seconds(600))
        #expect(await probe.connect(to: url))
        await server.close()
    }

    @Test(arguments: ["ftp://127.0.0.1/", "http:///x", "mailto:a@b", "http://u:p@127.0.0.1/"])
    func invalidURLIsRefused(text: String) async throws {
        let url = try #require(URL(string: text))
        let fetcher = try HTTPFetcher.local()
        let error = await failure { _ = try await fetcher.fetch(FetchRequest(url)) }
        #expect(error?.code == .invalidRequest && error?.retryAdvice == .never)
    }

    @Test func fetchAfterShutDownFails() async throws {
        let gate = Gate()
        let server = try await FaultServer.start([
            "/": { _, connection in
                try await gate.wait()
                try await connection.respond(200, "x")
            }
        ])
        let fetcher = try HTTPFetcher.local()
        let request = FetchRequest(server.url("/"))
        let waiting = Task { await failure { _ = try await fetcher.fetch(request) } }
        await eventually { server.requests().count == 1 }
        fetcher.shutDown()
        #expect([.cancelled, .closed].contains(await waiting.value?.code))
        #expect(await failure { _ = try await fetcher.fetch(request) }?.code == .closed)
        await server.close()
    }
}

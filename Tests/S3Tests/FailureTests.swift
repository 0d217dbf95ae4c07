import FaultServer
import Foundation
import Futures
import Persistence
import StoreTesting
import Testing
import VirtualTime

@testable import S3

/// Services that fail, or answer what no service should.
@Suite(.timeLimit(.minutes(20))) struct FailureTests {
    private let folder: TemporaryFolder
    private let content = Data("a picture".utf8)

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func client(
        _ server: FaultServer, attempts: Int = 1, clock: any Clock<Duration> = ManualClock()
    ) throws -> S3Client {
        var settings = S3Client.Settings()
        settings.retry = Retry(attempts: attempts, backoff: Backoff(firstPause: .zero))
        settings.partBytes = 4
        settings.connectLimit = .seconds(600)
        return S3Client(
            try S3Address("s3://bucket?endpoint=http://127.0.0.1:\(server.port)"),
            credentials: S3Credentials(keyID: "AKIDHIDDEN", secret: "hidden"), settings: settings, clock: clock)
    }

    /// Runs a body with a server that answers each request with the next route, and then with the last one again.
    private func withServer(
        at path: String = "/bucket/key", _ routes: [FaultServer.Route], attempts: Int = 1,
        _ body: (S3Client, FaultServer) async throws -> Void
    ) async throws {
        let next = Lock(0)
        let server = try await FaultServer.start([
            path: { request, connection in
                let number = next.withLock { next in
                    defer { next += 1 }
                    return min(next, routes.count - 1)
                }
                try await routes[number](request, connection)
            }
        ])
        try await body(Self.client(server, attempts: attempts), server)
        await server.close()
    }

    private func get(_ client: S3Client) async throws -> Data {
        let path = "\(folder.path)/copy"
        try await client.get("key", byteCount: content.count, into: path)
        return try Data(contentsOf: URL(filePath: path))
    }

    private static func error(_ status: Int, _ code: String, _ message: String = "") -> FaultServer.Route {
        { _, connection in
            try await connection.respond(
                status, "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>\(message)</Message></Error>")
        }
    }

    private var good: FaultServer.Route { { [content] _, connection in try await connection.respond(200, content) } }

    private var half: FaultServer.Route {
        { [content] _, connection in
            try await connection.writeHead(200, [("Content-Length", "\(content.count)")])
            try await connection.write(content.prefix(4))
            try await connection.close()
        }
    }

    // MARK: Answers

    @Test func answerThatEndsEarlyIsAnError() async throws {
        try await withServer([half]) { client, server in
            let error = await storeError { _ = try await get(client) }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains("closed the connection") == true)
            #expect(server.requests().count == 1)
        }
    }

    @Test func answerThatEndedEarlyIsRequestedAgain() async throws {
        try await withServer([half, half, good], attempts: 3) { client, server in
            let found = try await get(client)
            #expect(found == content)
            #expect(server.requests().count == 3)
        }
    }

    @Test func answerOfAnotherLengthIsCorruptAndNotRequestedAgain() async throws {
        let route: FaultServer.Route = { _, connection in try await connection.respond(200, "another") }
        try await withServer([route], attempts: 3) { client, server in
            #expect(await code { _ = try await get(client) } == .corrupt)
            #expect(server.requests().count == 1)
        }
    }

    @Test func endlessAnswerIsNotReadToItsEnd() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            while true { try await connection.write("4\r\ntext\r\n") }
        }
        try await withServer([route]) { client, _ in
            #expect(await code { _ = try await get(client) } == .corrupt)
        }
    }

    @Test func answerWithoutALengthIsCounted() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            try await connection.write("4\r\na pi\r\n0\r\n\r\n")
        }
        try await withServer([route]) { client, _ in
            #expect(await code { _ = try await get(client) } == .inputOutput)
        }
    }

    @Test func tooLargeListIsRefused() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.writeHead(200, [("Transfer-Encoding", "chunked")])
            while true { try await connection.write("1000\r\n\(String(repeating: "<", count: 4_096))\r\n") }
        }
        try await withServer(at: "/bucket", [route]) { client, _ in
            let error = await storeError { _ = try await client.list() }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains("larger than") == true)
        }
    }

    @Test(arguments: [
        "", "<html><body>Sign in</body></html>", "<ListBucketResult>",
        "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]><ListBucketResult>&c;</ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
    ])
    func listThatIsNotOneIsRefused(text: String) async throws {
        let route: FaultServer.Route = { _, connection in try await connection.respond(200, text) }
        try await withServer(at: "/bucket", [route]) { client, _ in
            #expect(await code { _ = try await client.list() } == .inputOutput)
        }
    }

    @Test func listWithInvalidItemsLeavesThemOut() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.respond(
                200,
                """
                <ListBucketResult><Contents/><Contents><Key>a</Key><Size>9999999999999999999999</Size></Contents>
                <Contents><Key>b</Key><Size>-1</Size><LastModified>never</LastModified></Contents>
                <Contents><Key>c</Key><Size>1</Size><LastModified>2027-01-15T08:00:00Z</LastModified></Contents>
                </ListBucketResult>
                """)
        }
        try await withServer(at: "/bucket", [route]) { client, _ in
            let page = try await client.list()
            #expect(page.objects.map(\.key) == ["c"])
        }
    }

    @Test func listWithoutEndIsRefused() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.respond(
                200,
                "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>"
                    + "</ListBucketResult>")
        }
        try await withServer(at: "/bucket", [route]) { client, _ in
            let page = try await client.list()
            #expect(page.next == "x")
            #expect(await code { _ = try await client.list(from: page.next) } == .inputOutput)
        }
    }

    @Test func failedDeletionOfOneObjectIsAnError() async throws {
        let route: FaultServer.Route = { _, connection in
            try await connection.respond(
                200,
                "<DeleteResult><Error><Key>key</Key><Code>AccessDenied</Code><Message>No</Message></Error>"
                    + "</DeleteResult>")
        }
        try await withServer(at: "/bucket", [route]) { client, server in
            let error = await storeError { try await client.delete(["key"]) }
            #expect(error?.message.contains("AccessDenied") == true)
            #expect(server.requests().first?.headers["content-md5"]?.isEmpty == false)
        }
    }

    // MARK: Refusals

    @Test(arguments: [(503, "SlowDown"), (500, "InternalError"), (429, ""), (400, "RequestTimeout")])
    func requestIsRepeatedUntilTheServiceHasTime(status: Int, name: String) async throws {
        try await withServer([Self.error(status, name), Self.error(status, name), good], attempts: 3) { client, _ in
            let found = try await get(client)
            #expect(found == content)
        }
        try await withServer([Self.error(status, name)], attempts: 3) { client, server in
            #expect(await code { _ = try await get(client) } == .inputOutput)
            #expect(server.requests().count == 3)
        }
    }

    @Test(arguments: [
        (403, "SignatureDoesNotMatch", StoreError.Code.notWritable), (404, "NoSuchKey", .missing),
        (404, "NoSuchBucket", .invalidName), (301, "PermanentRedirect", .invalidName),
        (400, "AuthorizationHeaderMalformed", .invalidName), (400, "InvalidRequest", .inputOutput),
        (507, "", .diskFull),
    ])
    func refusalIsReportedOnce(status: Int, name: String, expected: StoreError.Code) async throws {
        try await withServer([Self.error(status, name)], attempts: 3) { client, server in
            let error = await storeError { _ = try await get(client) }
            #expect(error?.code == expected)
            #expect(server.requests().count == 1)
            #expect(error?.message.contains("hidden") == false && error?.message.contains("AKIDHIDDEN") == false)
        }
    }

    @Test func messageOfTheServiceIsShownAsOneShortLine() async throws {
        let message = "line\n\u{1b}[31mred " + String(repeating: "x", count: 10_000)
        try await withServer([Self.error(400, "Bad", message)]) { client, _ in
            let error = try #require(await storeError { _ = try await get(client) })
            #expect(error.message.contains("line??[31mred"))
            #expect(!error.message.contains("\n") && error.message.utf8.count < 1_000)
        }
    }

    // MARK: Ends

    @Test func unreachableServiceIsReported() async throws {
        let server = try await FaultServer.start()
        let client = try Self.client(server, attempts: 2)
        await server.close()
        let error = await storeError { _ = try await get(client) }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("can't be reached") == true)
    }

    @Test(arguments: [false, true])
    func silentServiceIsReportedAtTheDeadline(hasHead: Bool) async throws {
        let (gate, reached) = (Gate(), Gate())
        let server = try await FaultServer.start([
            "/bucket/key": { _, connection in
                if hasHead {
                    try await connection.writeHead(200, [("Content-Length", "9")])
                    try await connection.write("a")
                }
                reached.open()
                try await gate.wait()
            }
        ])
        let clock = ManualClock()
        let client = try Self.client(server, clock: clock)
        async let error = storeError { _ = try await get(client) }
        try await reached.wait()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await error?.code == .timedOut)
        await server.close()
    }

    @Test func cancellationEndsARequest() async throws {
        let (gate, reached) = (Gate(), Gate())
        let server = try await FaultServer.start([
            "/bucket/key": { _, _ in
                reached.open()
                try await gate.wait()
            }
        ])
        let client = try Self.client(server, attempts: 3)
        let task = Task { await code { _ = try await get(client) } }
        try await reached.wait()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.requests().count == 1)
        await server.close()
    }

    // MARK: Parts

    private static func begin(_ connection: FaultConnection) async throws {
        try await connection.respond(
            200, "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>")
    }

    /// Uploads a file of nine bytes in parts of four.
    private func put(_ client: S3Client) async throws {
        let path = "\(folder.path)/file"
        try content.write(to: URL(filePath: path))
        try await client.put(file: path, byteCount: content.count, as: "key")
    }

    private static func part(_ connection: FaultConnection) async throws {
        try await connection.respond(200, [("ETag", "\"tag\"")], "")
    }

    private static let completed = "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>"

    @Test func failedUploadInPartsIsAbandoned() async throws {
        let route: FaultServer.Route = { request, connection in
            switch (request.method, request.query) {
            case ("POST", "uploads="): try await Self.begin(connection)
            case ("PUT", "partNumber=1&uploadId=u1"): try await Self.part(connection)
            case ("PUT", _): try await Self.error(400, "EntityTooSmall")(request, connection)
            default: try await connection.respond(204, "")
            }
        }
        try await withServer([route]) { client, server in
            let error = await storeError { try await put(client) }
            #expect(error?.message.contains("EntityTooSmall") == true)
            #expect(
                server.requests().map { "\($0.method) \($0.query)" } == [
                    "POST uploads=", "PUT partNumber=1&uploadId=u1", "PUT partNumber=2&uploadId=u1",
                    "DELETE uploadId=u1",
                ])
        }
    }

    @Test func cancelledUploadInPartsIsAbandoned() async throws {
        let (gate, reached) = (Gate(), Gate())
        let route: FaultServer.Route = { request, connection in
            switch request.method {
            case "POST": try await Self.begin(connection)
            case "PUT":
                reached.open()
                try await gate.wait()
            default: try await connection.respond(204, "")
            }
        }
        try await withServer([route]) { client, server in
            let task = Task { await code { try await put(client) } }
            try await reached.wait()
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(server.requests().last?.method == "DELETE")
        }
    }

    @Test(arguments: ["late failure", "lost answer"])
    func completionIsRepeated(kind: String) async throws {
        let completions = Lock(0)
        let route: FaultServer.Route = { [content] request, connection in
            switch (request.method, request.query) {
            case ("POST", "uploads="): try await Self.begin(connection)
            case ("PUT", _): try await Self.part(connection)
            case ("HEAD", _): try await connection.writeHead(200, [("Content-Length", "\(content.count)")])
            case ("POST", _):
                let number = completions.withLock { count in
                    count += 1
                    return count
                }
                switch (kind, number) {
                case ("late failure", 1): try await Self.error(200, "InternalError")(request, connection)
                case ("lost answer", 1): try await connection.close()
                case ("lost answer", 2): try await Self.error(404, "NoSuchUpload")(request, connection)
                default: try await connection.respond(200, Self.completed)
                }
            default: try await connection.respond(500, "")
            }
        }
        try await withServer([route], attempts: 3) { client, server in
            try await put(client)
            #expect(completions.withLock(\.self) == 2)
            let body = server.requests().last { $0.query == "uploadId=u1" && $0.method == "POST" }?.body ?? Data()
            #expect(
                S3XML.root(of: body)?.all("Part").map { "\($0["PartNumber"] ?? "") \($0["ETag"] ?? "")" }
                    == ["1 \"tag\"", "2 \"tag\"", "3 \"tag\""])
        }
    }

    @Test func uploadWhosePartsWereLostIsCorrupt() async throws {
        let route: FaultServer.Route = { request, connection in
            switch (request.method, request.query) {
            case ("POST", "uploads="): try await Self.begin(connection)
            case ("PUT", _): try await Self.part(connection)
            case ("HEAD", _): try await connection.writeHead(200, [("Content-Length", "8")])
            case ("POST", _): try await connection.respond(200, Self.completed)
            default: try await connection.respond(204, "")
            }
        }
        try await withServer([route]) { client, _ in
            #expect(await code { try await put(client) } == .corrupt)
        }
    }
}

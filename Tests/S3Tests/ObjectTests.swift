import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Persistence
import ServedS3
import StoreTesting
import Testing

@testable import S3

/// Objects of real services.
@Suite(.timeLimit(.minutes(20))) struct ObjectTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ content: Data) throws -> String {
        let path = "\(folder.path)/\(UUID().uuidString)"
        try content.write(to: URL(filePath: path))
        return path
    }

    private static func content(_ count: Int) -> Data {
        // Quick to make, and each part of a file has other bytes.
        let block = (0..<997).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var content = Data(capacity: count + block.count)
        while content.count < count { content.append(contentsOf: block) }
        return content.prefix(count)
    }

    private func content(of key: String, _ count: Int, _ client: S3Client) async throws -> Data {
        let path = "\(folder.path)/\(UUID().uuidString)"
        try await client.get(key, byteCount: count, into: path)
        return try Data(contentsOf: URL(filePath: path))
    }

    @Test(arguments: ServedS3.allCases, [0, 1, 300_000, 5 << 20])
    func objectIsStoredReadAndDeleted(service: ServedS3, count: Int) async throws {
        let client = try await service.client()
        let content = Self.content(count)
        #expect(try await client.size(of: "a/b") == nil)
        try await client.put(file: file(content), byteCount: count, as: "a/b")
        #expect(try await client.size(of: "a/b") == count)
        #expect(try await self.content(of: "a/b", count, client) == content)
        try await client.delete(["a/b", "a/missing"])
        #expect(try await client.size(of: "a/b") == nil)
        #expect(await code { _ = try await self.content(of: "a/b", count, client) } == .missing)
    }

    @Test(arguments: ServedS3.allCases, [(5 << 20) + 1, (10 << 20) + 7])
    func largeFileIsStoredInParts(service: ServedS3, count: Int) async throws {
        let client = try await service.client()
        let content = Self.content(count)
        try await client.put(file: file(content), byteCount: count, as: "large")
        #expect(try await self.content(of: "large", count, client) == content)
        // It replaces an object of any kind.
        try await client.put(file: file(Data("small".utf8)), byteCount: 5, as: "large")
        #expect(try await self.content(of: "large", 5, client) == Data("small".utf8))
        #expect(try await client.list().objects.map(\.key) == ["large"])
    }

    @Test(arguments: ServedS3.allCases)
    func uploadThatWasNotCompletedIsAbandoned(service: ServedS3) async throws {
        let client = try await service.client()
        let response = try await client.send(S3Request(method: .POST, key: "begun", query: [("uploads", "")]))
        let upload = try #require(S3XML.root(of: response.content)?["UploadId"])
        let part = S3Request(
            method: .PUT, key: "begun", query: [("partNumber", "1"), ("uploadId", upload)],
            content: S3Content(data: Data("part".utf8)))
        try await client.send(part)
        // It may be in progress. moto says of all uploads that they began in 2010.
        let early = Date(timeIntervalSinceNow: service == .moto ? -1_000_000_000 : -3_600)
        try await client.abandonUploads(begunBefore: early)
        try await client.send(part)
        try await client.abandonUploads(begunBefore: Date(timeIntervalSinceNow: 3_600))
        await #expect(throws: S3Failure.self) { try await client.send(part) }
        #expect(try await client.list().objects == [])
    }

    @Test(arguments: ServedS3.allCases)
    func objectsAreListedInPages(service: ServedS3) async throws {
        let (client, other) = (try await service.client(), try await service.client())
        try await other.put(file: file(Data("other".utf8)), byteCount: 5, as: "key1")
        let keys = (0..<7).map { "k&<\($0)>" }
        for key in keys { try await client.put(file: file(Data(key.utf8)), byteCount: key.utf8.count, as: key) }
        var (found, token, pages) = ([S3Client.Object](), String?.none, 0)
        repeat {
            let page = try await client.list(from: token, limit: 3)
            #expect(page.objects.count <= 3)
            found += page.objects
            token = page.next
            pages += 1
        } while token != nil
        #expect(found.map(\.key) == keys && pages == 3)
        #expect(found.allSatisfy { $0.byteCount == $0.key.utf8.count })
        // The service runs on this computer.
        #expect(found.allSatisfy { abs($0.modified.timeIntervalSinceNow) < 3_600 })
        try await client.delete(keys)
        #expect(try await client.list().objects == [])
        #expect(try await other.list().objects.map(\.key) == ["key1"])
    }

    @Test(arguments: ServedS3.allCases)
    func objectIsReadByItsURLWithoutAKey(service: ServedS3) async throws {
        let client = try await service.client()
        try await client.put(file: file(Data("content".utf8)), byteCount: 7, as: "a b")
        let url = try #require(
            client.presignedURL(
                of: "a b", lifetime: .seconds(600), type: "text/x-test; charset=utf-8",
                disposition: "attachment; filename=\"a b.txt\""))
        #expect(!url.absoluteString.contains("right"))
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: url.absoluteString), timeout: .minutes(10))
        #expect(response.status == .ok)
        #expect(response.headers.first(name: "content-type") == "text/x-test; charset=utf-8")
        #expect(response.headers.first(name: "content-disposition") == "attachment; filename=\"a b.txt\"")
        #expect(try await String(buffer: response.body.collect(upTo: 100)) == "content")
    }

    /// moto doesn't check signatures.
    @Test(arguments: ["AWSAccessKeyId", "expired", "changed"])
    func urlThatIsNotValidIsRefused(kind: String) async throws {
        let address = try await ServedS3.seaweedFS.address()
        let now: @Sendable () -> Date = { Date(timeIntervalSinceNow: kind == "expired" ? -3_600 : 0) }
        let client = S3Client(address, credentials: ServedS3.credentials, now: now)
        var url = try #require(client.presignedURL(of: "key", lifetime: .seconds(60))?.absoluteString)
        if kind == "changed" { url = url.replacing("/key?", with: "/other?") }
        if kind == "AWSAccessKeyId" { url = url.replacing("AKIDTESTS", with: "AKIDOTHER") }
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .minutes(10))
        #expect(response.status == .forbidden)
    }

    @Test(arguments: [("AKIDTESTS", "wrong-secret"), ("AKIDOTHER", "right")])
    func wrongKeyIsRefused(keyID: String, secret: String) async throws {
        let client = S3Client(
            try await ServedS3.seaweedFS.address(), credentials: S3Credentials(keyID: keyID, secret: secret),
            settings: ServedS3.settings)
        let path = try file(Data("content".utf8))
        let error = await storeError { try await client.put(file: path, byteCount: 7, as: "key") }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains("AWS_SECRET_ACCESS_KEY") == true)
        #expect(error?.message.contains(secret) == false && error?.message.contains(keyID) == false)
        #expect(await code { _ = try await client.size(of: "key") } == .notWritable)
        #expect(await code { _ = try await client.list() } == .notWritable)
        #expect(await code { try await client.delete(["key"]) } == .notWritable)
    }

    @Test func wrongClockIsReported() async throws {
        let client = S3Client(
            try await ServedS3.seaweedFS.address(), credentials: ServedS3.credentials,
            settings: ServedS3.settings, now: { Date(timeIntervalSinceNow: -7_200) })
        #expect(await code { _ = try await client.list() } == .notWritable)
    }

    @Test(arguments: ServedS3.allCases)
    func missingBucketIsReported(service: ServedS3) async throws {
        let address = try await service.address()
        let port = try #require(address.endpoint.port)
        let client = S3Client(
            try S3Address("s3://other-bucket?endpoint=http://127.0.0.1:\(port)"), credentials: ServedS3.credentials,
            settings: ServedS3.settings)
        let error = await storeError { _ = try await client.list() }
        #expect(error?.code == .invalidName)
        #expect(error?.message.contains("Create the bucket") == true)
    }

    @Test func contentWithAnotherHashIsRefused() async throws {
        // So a fault of the network isn't stored. moto doesn't compare them.
        let client = try await ServedS3.seaweedFS.client()
        var content = S3Content(data: Data("content".utf8))
        content.hashes.md5 = S3Content(data: Data("Content".utf8)).hashes.md5
        let request = S3Request(method: .PUT, key: "key", content: content)
        await #expect(throws: S3Failure.self) { try await client.send(request) }
        #expect(try await client.size(of: "key") == nil)
    }

    @Test(arguments: ServedS3.allCases)
    func objectOfAnotherSizeIsCorrupt(service: ServedS3) async throws {
        let client = try await service.client()
        try await client.put(file: file(Data("content".utf8)), byteCount: 7, as: "key")
        for count in [0, 6, 8] {
            #expect(await code { _ = try await self.content(of: "key", count, client) } == .corrupt)
        }
    }

    @Test func fileThatHasBecomeShorterIsNotStored() async throws {
        let client = try await ServedS3.moto.client()
        let path = try file(Data("content".utf8))
        #expect(await code { try await client.put(file: path, byteCount: 8, as: "key") } == .corrupt)
        #expect(try await client.size(of: "key") == nil)
        #expect(await code { try await client.put(file: "\(path).missing", byteCount: 8, as: "key") } == .missing)
    }
}

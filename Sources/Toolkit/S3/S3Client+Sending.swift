import AsyncHTTPClient
import DurableFiles
import Foundation
import Futures
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Persistence
import SystemPackage

extension S3Client {
    /// A successful answer.
    struct Response: Sendable {
        var headers: HTTPHeaders
        /// The content, unless it was written to a file.
        var content = Data()
    }

    /// The largest answer that is read into memory: a list of a thousand objects has less than a megabyte.
    private static let maximumBytes = 4 << 20

    /// The scheme and the host of the URLs.
    var origin: String { "\(address.endpoint.scheme ?? "https")://\(host)" }

    /// The host of the URLs, with the port unless it's the scheme's default.
    private var host: String {
        let host = address.endpoint.host(percentEncoded: false) ?? ""
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let standard = address.endpoint.scheme == "http" ? 80 : 443
        let port = address.endpoint.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        return (address.isVirtualHosted ? "\(address.bucket)." : "") + bracketed + port
    }

    var signature: S3Signature { S3Signature(credentials: credentials, region: address.region, date: now()) }

    /// What is signed of a request.
    func signedRequest(_ request: S3Request) -> S3Signature.Request {
        let bucket = address.isVirtualHosted ? "" : "/\(address.bucket)"
        let path = request.key.map { "\(bucket)/\(address.prefix)\($0)" } ?? (bucket.isEmpty ? "/" : bucket)
        return S3Signature.Request(
            method: request.method.rawValue, host: host, path: path, query: request.query,
            headers: request.headers + (request.content.map { [("content-md5", $0.hashes.md5)] } ?? []))
    }

    /// Sends a request, again if that is worthwhile, and waits for its complete answer.
    @discardableResult
    func send(_ request: S3Request) async throws(S3Failure) -> Response {
        let stopwatch = Stopwatch(clock)
        let rate = max(settings.slowestRate, 1)
        let limit = settings.timeLimit + .seconds(request.byteCount / rate)
        var attempt = 1
        while true {
            do throws(S3Failure) {
                @Sendable func late() -> S3Failure { .late(limit) }
                return try await withDeadline(limit, clock: clock, late: late) { () async throws(S3Failure) in
                    try await self.sendOnce(request)
                }
            } catch {
                if Task.isCancelled { throw .cancelled }
                guard error.isTransient, let pause = settings.retry.pause(after: attempt, spent: stopwatch.elapsed)
                else {
                    throw error
                }
                do {
                    try await stopwatch.sleep(until: stopwatch.elapsed + pause)
                } catch {
                    throw .cancelled
                }
                attempt += 1
            }
        }
    }

    private func sendOnce(_ request: S3Request) async throws(S3Failure) -> Response {
        let signed = signedRequest(request)
        let query = S3Signature.canonicalQuery(signed.query)
        let url = origin + S3Signature.encoded(path: signed.path) + (query.isEmpty ? "" : "?\(query)")
        var http = HTTPClientRequest(url: url)
        http.method = request.method
        let payload = request.content?.hashes.sha256 ?? S3Signature.emptyHash
        for field in signature.headers(of: signed, payload: payload) {
            http.headers.add(name: field.name, value: field.value)
        }
        http.body = request.content?.body
        do {
            let response = try await self.http.execute(http, deadline: .distantFuture)
            guard (200..<300).contains(response.status.code) else {
                throw S3Failure(response, content: try await Self.content(of: response, request.method))
            }
            if let destination = request.destination {
                try await Self.write(response, to: destination)
                return Response(headers: response.headers)
            }
            let content = try await Self.content(of: response, request.method)
            if request.mayFailLate, S3XML.root(of: content)?.name != "CompleteMultipartUploadResult" {
                throw S3Failure(response, content: content)
            }
            return Response(headers: response.headers, content: content)
        } catch {
            throw S3Failure(error)
        }
    }

    private static func content(of response: HTTPClientResponse, _ method: HTTPMethod) async throws -> Data {
        guard method != .HEAD else { return Data() }
        var content = Data()
        for try await piece in response.body {
            guard content.count + piece.readableBytes <= maximumBytes else {
                throw S3Failure.garbled("an answer is larger than \(maximumBytes) bytes")
            }
            content.append(contentsOf: piece.readableBytesView)
        }
        // After a cancellation, the content may end as if it were complete.
        if Task.isCancelled { throw S3Failure.cancelled }
        if let length = response.headers.first(name: "content-length"), Int(length) != content.count {
            throw S3Failure.cutOff
        }
        return content
    }

    /// Writes an object to a file, and stops as soon as it's larger than it must be.
    private static func write(
        _ response: HTTPClientResponse, to destination: S3Request.Destination
    ) async throws {
        let (path, expected) = (destination.path, destination.byteCount)
        if let length = response.headers.first(name: "content-length").map({ Int($0) }), length != expected {
            throw S3Failure.changed(expected: expected)
        }
        let failed = "could not be written"
        let file = try await S3File.onDisk(failed, path) { () throws(Errno) in
            let file = try OpenFile(path, .creating)
            try file.truncate(to: 0)
            return file
        }
        var count = 0
        for try await piece in response.body {
            count += piece.readableBytes
            guard count <= expected else { throw S3Failure.changed(expected: expected) }
            let data = Data(buffer: piece)
            try await S3File.onDisk(failed, path) { () throws(Errno) in try file.append(data) }
        }
        // After a cancellation, the content may end as if it were complete.
        if Task.isCancelled { throw S3Failure.cancelled }
        guard count == expected else { throw S3Failure.cutOff }
    }
}

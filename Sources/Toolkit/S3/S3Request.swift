import AsyncHTTPClient
import Crypto
import Digests
import DurableFiles
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Persistence
import SystemPackage

/// A request to a bucket.
struct S3Request: Sendable {
    /// Where an object is copied to.
    struct Destination: Sendable {
        var path: String
        /// The size that the object must have.
        var byteCount: Int
    }

    var method: HTTPMethod
    /// The object's name without the address's prefix; `nil` for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var content: S3Content?
    var destination: Destination?
    /// Whether the service may report a failure after it has sent the status of success.
    var mayFailLate = false

    init(
        method: HTTPMethod, key: String?, query: [(name: String, value: String)] = [], content: S3Content? = nil,
        destination: Destination? = nil
    ) {
        (self.method, self.key, self.query) = (method, key, query)
        (self.content, self.destination) = (content, destination)
    }

    /// The number of bytes that are sent or received, besides small answers.
    var byteCount: Int { (content?.byteCount ?? 0) + (destination?.byteCount ?? 0) }
}

/// The content of a request: data, or a part of a file.
struct S3Content: Sendable {
    private enum Source: Sendable {
        case data(Data)
        case file(S3File, Range<Int>)
    }

    /// The hashes of the content, with which a service checks what it has received.
    struct Hashes: Sendable {
        /// The SHA-256 as hexadecimal digits, which is signed, but not checked by every service.
        var sha256: String
        /// The MD5 as Base64, which others check.
        var md5: String
    }

    private let source: Source
    var hashes: Hashes

    init(data: Data) {
        source = .data(data)
        hashes = Hashes(
            sha256: SHA256.hash(data: data).hexadecimal,
            md5: Data(Insecure.MD5.hash(data: data)).base64EncodedString())
    }

    /// Hashes a part of a file, which must not change from now on.
    init(_ file: S3File, _ range: Range<Int>) async throws(S3Failure) {
        source = .file(file, range)
        hashes = try await file.onDisk { () throws(Errno) in
            var (hash, md5) = (SHA256(), Insecure.MD5())
            for start in stride(from: range.lowerBound, to: range.upperBound, by: S3File.chunkBytes) {
                let count = min(S3File.chunkBytes, range.upperBound - start)
                let part = try file.file.read(count, at: Int64(start))
                hash.update(data: part)
                md5.update(data: part)
            }
            return Hashes(sha256: hash.finalize().hexadecimal, md5: Data(md5.finalize()).base64EncodedString())
        }
    }

    var byteCount: Int {
        switch source {
        case .data(let data): data.count
        case .file(_, let range): range.count
        }
    }

    /// The body of a request, which reads the file while it is sent.
    var body: HTTPClientRequest.Body {
        switch source {
        case .data(let data): .bytes(ByteBuffer(data: data))
        case .file(let file, let range):
            .stream(S3FileChunks(file: file, range: range), length: .known(Int64(range.count)))
        }
    }
}

/// A file that is uploaded.
struct S3File: Sendable {
    let file: OpenFile
    let path: String

    static let chunkBytes = 256 << 10

    /// Opens a file; a symbolic link is refused.
    init(_ path: String) async throws(S3Failure) {
        self.path = path
        file = try await Self.onDisk("could not be read", path) { () throws(Errno) in
            try OpenFile(path, .reading, followingLink: false)
        }
    }

    /// Reads on a thread that may block.
    func onDisk<Value: Sendable>(_ work: @escaping @Sendable () throws(Errno) -> Value) async throws(S3Failure) -> Value
    {
        try await Self.onDisk("could not be read", path, work)
    }

    /// Reads or writes a file on a thread that may block.
    static func onDisk<Value: Sendable>(
        _ failed: String, _ path: String, _ work: @escaping @Sendable () throws(Errno) -> Value
    ) async throws(S3Failure) -> Value {
        try await DiskWork.run { () throws(S3Failure) in
            do throws(Errno) {
                return try work()
            } catch {
                throw .disk(StoreError(error, failed, at: path))
            }
        }
    }
}

/// A part of a file in chunks, which are read when they are needed.
struct S3FileChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let file: S3File
    let range: Range<Int>

    struct AsyncIterator: AsyncIteratorProtocol {
        let file: S3File
        var rest: Range<Int>

        mutating func next() async throws -> ByteBuffer? {
            guard !rest.isEmpty else { return nil }
            let (file, start, count) = (file, rest.lowerBound, Swift.min(S3File.chunkBytes, rest.count))
            let data = try await file.onDisk { () throws(Errno) in try file.file.read(count, at: Int64(start)) }
            guard data.count == count else {
                throw S3Failure.disk(
                    StoreError(.corrupt, "\(file.path) has become shorter while it was uploaded. Try again."))
            }
            rest = rest.dropFirst(count)
            return ByteBuffer(data: data)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, rest: range) }
}

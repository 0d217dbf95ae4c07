public import Foundation
import NIOCore

/// A request that the server received.
public struct FaultRequest: Sendable, Hashable {
    /// The method.
    public var method: String
    /// The path, without the query.
    public var path: String
    /// The query, without the question mark.
    public var query: String
    /// The header fields by lower-case name; the values of repeated fields are joined with commas.
    public var headers: [String: String]
    /// The content.
    public var body: Data
    /// The number of the request's connection, counted from 1.
    public var connection: Int
}

/// Parses the requests of a connection, one after another.
struct RequestReader: ~Copyable {
    private var pieces: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let connection: Int
    private var buffer: [UInt8] = []

    init(pieces: consuming NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, connection: Int) {
        self.pieces = pieces
        self.connection = connection
    }

    /// The next request; `nil` at the end of the connection, or if the request line is malformed.
    ///
    /// The length of the content must be declared: a chunked content isn't read.
    mutating func next() async throws -> FaultRequest? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = buffer.firstRange(of: end)
        while headEnd == nil {
            guard try await readMore() else { return nil }
            headEnd = buffer.firstRange(of: end)
        }
        guard let headEnd else { return nil }
        let head = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<headEnd.upperBound)
        let lines = head.split(separator: "\r\n")
        let start = lines.first?.split(separator: " ") ?? []
        guard start.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            let name = line[..<colon].lowercased()
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < length {
            guard try await readMore() else { return nil }
        }
        let body = Data(buffer[..<length])
        buffer.removeSubrange(..<length)
        let target = start[1].split(separator: "?", maxSplits: 1)
        return FaultRequest(
            method: String(start[0]), path: String(target.first ?? "/"),
            query: target.count > 1 ? String(target[1]) : "", headers: headers, body: body, connection: connection)
    }

    private mutating func readMore() async throws -> Bool {
        guard let piece = try await pieces.next(isolation: #isolation) else { return false }
        buffer.append(contentsOf: piece.readableBytesView)
        return true
    }
}

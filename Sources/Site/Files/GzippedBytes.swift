import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Compresses content once, to be sent to many clients.
enum GzippedBytes {
    /// Compresses content with gzip.
    ///
    /// - Parameter bytes: The content.
    /// - Returns: The compressed content; `nil` if it isn't smaller.
    static func ifSmaller(_ bytes: [UInt8]) -> ByteBuffer? {
        guard let compressed = try? Self.compressed(bytes), compressed.readableBytes < bytes.count else { return nil }
        return compressed
    }

    private static func compressed(_ bytes: [UInt8]) throws -> ByteBuffer {
        // NIO's compressor is a channel handler for requests; a channel without a socket collects what it writes.
        let channel = EmbeddedChannel(handler: NIOHTTPRequestCompressor(encoding: .gzip))
        defer { _ = try? channel.finish() }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        for part in [HTTPClientRequestPart.head(head), .body(.byteBuffer(ByteBuffer(bytes: bytes))), .end(nil)] {
            channel.write(part, promise: nil)
        }
        // Flushed only now, so that all content is compressed at once.
        channel.flush()
        var compressed = ByteBuffer()
        while let part = try channel.readOutbound(as: HTTPClientRequestPart.self) {
            if case .body(.byteBuffer(var buffer)) = part { compressed.writeBuffer(&buffer) }
        }
        return compressed
    }
}

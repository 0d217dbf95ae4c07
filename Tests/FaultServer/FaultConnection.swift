public import Foundation
import Futures
import NIOCore

/// What a route answers on.
public final class FaultConnection: Sendable {
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel
    private let ended = Lock(false)

    init(outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, channel: any Channel) {
        self.outbound = outbound
        self.channel = channel
    }

    var isEnded: Bool { ended.withLock { $0 } }

    /// The client's port.
    public var clientPort: Int { channel.remoteAddress?.port ?? 0 }
}

extension FaultConnection {
    /// Writes bytes as they are.
    public func write(_ bytes: some Collection<UInt8> & Sendable) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Writes text as it is; lines must end as those of HTTP do.
    public func write(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Writes the beginning of an answer, and nothing of its content.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields, in their order; what the length of the content is must be among them.
    /// - Throws: What the channel says, if the other end has gone.
    public func begin(_ status: Int, _ headers: [(String, String)]) async throws {
        try await write("HTTP/1.1 \(status) Whatever\r\n" + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
    }

    /// Writes a whole answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields, without the length.
    ///   - body: The content.
    /// - Throws: What the channel says, if the other end has gone.
    public func answer(_ status: Int, _ headers: [(String, String)], _ body: Data) async throws {
        let hasContent = status != 304 && status != 204
        try await begin(status, headers + (hasContent ? [("Content-Length", "\(body.count)")] : []))
        if hasContent, !body.isEmpty { try await write(body) }
    }

    /// Writes a whole answer of text.
    public func answer(_ status: Int, _ headers: [(String, String)], _ text: String) async throws {
        try await answer(status, headers, Data(text.utf8))
    }

    /// Writes a whole answer without header fields.
    public func answer(_ status: Int, _ body: Data) async throws {
        try await answer(status, [], body)
    }

    /// Writes a whole answer of text without header fields.
    public func answer(_ status: Int, _ text: String) async throws {
        try await answer(status, [], Data(text.utf8))
    }

    /// Ends the connection, after what was written.
    public func end() async throws {
        ended.withLock { $0 = true }
        try? await channel.close()
    }
}

/// What a route waits at until a test lets it go on.
public final class Gate: Sendable {
    private struct Closed: Error {}

    private let promise = Promise<Void, any Error>()

    /// Creates a gate that is closed.
    public init() {}

    /// Lets go on who waits, and who comes later.
    public func open() {
        promise.resolve(())
    }

    /// Returns when the gate is open, or the server ends.
    public func wait() async throws {
        try await promise.future.value(onCancel: Closed())
    }
}

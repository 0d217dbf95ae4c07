public import Foundation
import Futures
import NIOCore

/// The connection that a route writes its response to.
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
    /// Writes bytes unchanged.
    public func write(_ bytes: some Collection<UInt8> & Sendable) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Writes text unchanged; lines must end with CRLF, as in HTTP.
    public func write(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Writes the head of a response, without content.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields, in order, including those that determine the content's length.
    /// - Throws: The channel's error, if the client has disconnected.
    public func writeHead(_ status: Int, _ headers: [(String, String)]) async throws {
        try await write("HTTP/1.1 \(status) Whatever\r\n" + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
    }

    /// Writes a complete response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields, without the content's length.
    ///   - body: The content.
    /// - Throws: The channel's error, if the client has disconnected.
    public func respond(_ status: Int, _ headers: [(String, String)], _ body: Data) async throws {
        let hasContent = status != 304 && status != 204
        try await writeHead(status, headers + (hasContent ? [("Content-Length", "\(body.count)")] : []))
        if hasContent, !body.isEmpty { try await write(body) }
    }

    /// Writes a complete response with text.
    public func respond(_ status: Int, _ headers: [(String, String)], _ text: String) async throws {
        try await respond(status, headers, Data(text.utf8))
    }

    /// Writes a complete response without additional header fields.
    public func respond(_ status: Int, _ body: Data) async throws {
        try await respond(status, [], body)
    }

    /// Writes a complete response with text and without additional header fields.
    public func respond(_ status: Int, _ text: String) async throws {
        try await respond(status, [], Data(text.utf8))
    }

    /// Closes the connection, after everything that was written.
    public func close() async throws {
        ended.withLock { $0 = true }
        try? await channel.close()
    }
}

/// A gate at which routes wait until the test opens it.
public final class Gate: Sendable {
    private struct Closed: Error {}

    private let promise = Promise<Void, any Error>()

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all current and future callers of ``wait()``.
    public func open() {
        promise.resolve(())
    }

    /// Waits until the gate is opened; throws when the task is cancelled, as it is when the server closes.
    public func wait() async throws {
        try await promise.future.value(onCancel: Closed())
    }
}

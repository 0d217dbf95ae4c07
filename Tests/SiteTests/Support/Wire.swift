import NIOCore
import NIOPosix

/// A TCP connection on which a test controls when data is read.
final class Wire {
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var text = ""

    private init(
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    ) {
        self.outbound = outbound
        self.inbound = inbound
    }

    /// Connects to a local port, runs the body, and closes the connection.
    static func connect<R: Sendable>(
        port: Int, from address: String = "127.0.0.1", _ body: @Sendable (Wire) async throws -> R
    ) async throws -> R {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(Wire(outbound: outbound, inbound: inbound.makeAsyncIterator()))
        }
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Reads until a text has arrived, and returns everything since the last call up to the end of that text.
    func read(until end: String) async throws -> String {
        while true {
            if let range = text.firstRange(of: end) {
                let part = String(text[..<range.upperBound])
                text = String(text[range.upperBound...])
                return part
            }
            guard try await readMore() else { throw Unexpected("the connection was closed before “\(end)”: \(text)") }
        }
    }

    /// Reads until the peer closes the connection.
    func readAll() async throws -> String {
        while try await readMore() {}
        return text
    }

    private func readMore() async throws -> Bool {
        // The server may close without having read everything, which resets the connection.
        guard let buffer = try? await inbound.next(isolation: #isolation) else { return false }
        text += String(buffer: buffer)
        return true
    }
}

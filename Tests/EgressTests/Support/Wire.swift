import NIOCore
import NIOPosix

/// One end of a raw connection.
actor Wire {
    struct Ended: Error, CustomStringConvertible {
        var description: String
    }

    nonisolated let channel: any Channel
    private let incoming: AsyncStream<ByteBuffer>
    private var received = ""

    init(_ channel: any Channel, incoming: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.incoming = incoming
    }

    /// Connects to a port on this machine.
    static func connect(to port: Int, reads: Bool = true) async throws -> Wire {
        let (incoming, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Inbox(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return Wire(channel, incoming: incoming)
    }

    nonisolated func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    nonisolated func send(zeros: Int) async throws {
        try await channel.writeAndFlush(ByteBuffer(repeating: UInt8(ascii: "0"), count: zeros))
    }

    nonisolated func closeOutput() async throws {
        try await channel.close(mode: .output)
    }

    nonisolated func close() async {
        try? await channel.close()
    }

    /// Reads until the text, and returns everything up to and including it.
    func read(to end: String) async throws -> String {
        if let text = taken(to: end) { return text }
        for await buffer in incoming {
            received += String(buffer: buffer)
            if let text = taken(to: end) { return text }
        }
        throw Ended(description: "ended before \(end.debugDescription), after: \(received)")
    }

    private func taken(to end: String) -> String? {
        guard let range = received.firstRange(of: end) else { return nil }
        let text = String(received[..<range.upperBound])
        received = String(received[range.upperBound...])
        return text
    }

    /// Reads a head, and the body with the announced length.
    func readMessage() async throws -> String {
        let head = try await read(to: "\r\n\r\n")
        if head.lowercased().contains("transfer-encoding: chunked") { return try await head + read(to: "0\r\n\r\n") }
        guard let match = head.lowercased().firstMatch(of: /content-length: (\d+)/), let count = Int(match.output.1),
            count > 0
        else { return head }
        while received.utf8.count < count {
            guard let buffer = await next() else { throw Ended(description: "ended in the body: \(head)\(received)") }
            received += String(buffer: buffer)
        }
        let body = String(decoding: received.utf8.prefix(count), as: UTF8.self)
        received = String(decoding: received.utf8.dropFirst(count), as: UTF8.self)
        return head + body
    }

    private func next() async -> ByteBuffer? {
        for await buffer in incoming { return buffer }
        return nil
    }

    /// Reads until the other end closes its output.
    func readToEnd() async -> String {
        for await buffer in incoming { received += String(buffer: buffer) }
        defer { received = "" }
        return received
    }

    /// Counts the bytes until the other end closes its output.
    func countToEnd() async -> Int {
        var count = received.utf8.count
        for await buffer in incoming { count += buffer.readableBytes }
        return count
    }
}

/// Passes on incoming bytes until the input closes.
private final class Inbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let incoming: AsyncStream<ByteBuffer>.Continuation

    init(_ incoming: AsyncStream<ByteBuffer>.Continuation) {
        self.incoming = incoming
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        incoming.yield(unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { incoming.finish() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        incoming.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A server that passes each connection to a test's closure.
final class WireServer: Sendable {
    let port: Int
    private let listener: any Channel

    private init(_ listener: any Channel, port: Int) {
        self.listener = listener
        self.port = port
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for any.
    ///   - serve: Handles a connection, whose number is counted from 1.
    /// - Returns: The server.
    /// - Throws: The error if it can't listen.
    static func start(
        host: String = "127.0.0.1", port: Int = 0, serve: @escaping @Sendable (Wire, Int) async throws -> Void
    ) async throws -> WireServer {
        let count = Counter()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                let (incoming, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
                // Ends with its connection, at the latest when the test closes its end.
                Task { try? await serve(Wire(channel, incoming: incoming), count.next()) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Inbox(continuation))
                }
            }
            .bind(host: host, port: port).get()
        return WireServer(listener, port: listener.localAddress?.port ?? 0)
    }

    /// Responds to each request with a text, until the connection closes.
    static func answering(
        _ text: String, host: String = "127.0.0.1", port: Int = 0, seen: Journal = Journal()
    ) async throws -> WireServer {
        try await start(host: host, port: port) { wire, number in
            while true {
                let request = try await wire.readMessage()
                seen.note("\(number) \(request)")
                try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
    }

    func close() async {
        try? await listener.close()
    }
}

import Foundation
import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that sends every request the same response at once.
struct CannedServer {
    let port: Int
    private let channel: any Channel

    /// Starts a server on a free port.
    ///
    /// - Parameters:
    ///   - body: The response's content.
    ///   - headers: The response's header fields, except the content length.
    /// - Returns: The server; close it after use.
    /// - Throws: The system's error, if it can't listen.
    static func start(body: Data, headers: String = "") async throws -> CannedServer {
        let answer = ByteBuffer(
            bytes: Data("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n".utf8) + body)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(CannedAnswer(answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return CannedServer(port: channel.localAddress?.port ?? 0, channel: channel)
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    func close() async {
        try? await channel.close()
    }
}

/// Responds to each request when its headers end; requests have no content.
private final class CannedAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer
    private var unread: [UInt8] = []

    init(answer: ByteBuffer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unread += unwrapInboundIn(data).readableBytesView
        let end = Array("\r\n\r\n".utf8)
        while let range = unread.firstRange(of: end) {
            unread.removeSubrange(..<range.upperBound)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}

import Foundation
import NIOCore

/// Responds to a client that speaks HTTP on the port for HTTPS, and closes the connection.
///
/// It looks at the first byte only: a handshake of TLS begins with 22, and no request does.
final class PlainHTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let handshake: UInt8 = 22

    private let response: String
    private var hasResponded = false

    /// - Parameter origin: The public address of the site, to which the response leads; `nil` if it isn't known.
    init(origin: URL?) {
        let (status, field) =
            origin.map {
                ("308 Permanent Redirect", "Location: \(WebOrigin($0.absoluteString)?.description ?? "")/\r\n")
            }
            ?? ("400 Bad Request", "")
        let text = SiteWords.onlyHTTPS
        response = """
            HTTP/1.1 \(status)\r\n\(field)Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r
            Connection: close\r\n\r\n\(text)
            """
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasResponded { return }
        let buffer = unwrapInboundIn(data)
        guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self), first != Self.handshake else {
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            return
        }
        hasResponded = true
        let (pipeline, channel) = (context, context.channel)
        pipeline.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}

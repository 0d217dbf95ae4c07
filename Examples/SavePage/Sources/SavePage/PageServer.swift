import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves one page on this machine, at any path.
struct PageServer {
    /// The port on 127.0.0.1, which the system chooses.
    let port: Int

    /// Serves the page while the body runs.
    @MainActor
    static func serving<Result>(_ page: String, _ body: (PageServer) async throws -> Result) async throws -> Result {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(PageHandler(page))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(PageServer(port: channel.localAddress?.port ?? 0))
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }
}

/// Responds to each request with the page.
private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let page: String

    init(_ page: String) {
        self.page = page
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8", "Content-Length": "\(page.utf8.count)",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: page)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

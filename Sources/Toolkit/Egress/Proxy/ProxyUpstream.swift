import NIOCore
import NIOHTTP1

/// The connection to a server for forwarded requests, which passes responses to the client's handler.
///
/// Runs on the event loop of the client's connection.
final class ProxyUpstream: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The server's host.
    let host: String
    let port: Int
    /// The client that it serves; `nil` once it's closed.
    weak var client: ProxyClientHandler?
    private var context: ChannelHandlerContext?
    private var isReadPending = false

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    static func install(_ upstream: ProxyUpstream, on channel: any Channel, limits: PinningProxy.Limits) throws {
        let operations = channel.pipeline.syncOperations
        // Keeps the framing fields that the client sent, which have been checked. By default, the encoder removes them
        // from a TRACE request but still writes its body, which the server would read as another request.
        var encoding = HTTPRequestEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try operations.addHandler(HTTPRequestEncoder(configuration: encoding))
        try operations.addHandler(
            ByteToMessageHandler(
                HTTPResponseDecoder(
                    leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop,
                    limitConfiguration: .init(limits)), maximumBufferSize: limits.bufferLimit))
        try operations.addHandler(upstream)
    }

    var isActive: Bool { context?.channel.isActive == true }
    var isWritable: Bool { context?.channel.isWritable == true }

    func write(_ part: HTTPClientRequestPart) {
        guard let context else { return }
        context.write(wrapOutboundOut(part), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    /// Continues to read, now or as soon as the client is writable.
    func resumeReading() {
        guard let context else { return }
        isReadPending = client?.canTakeMore == false
        if !isReadPending { context.read() }
    }

    /// Resumes a delayed read.
    func clientBecameWritable() {
        if isReadPending { resumeReading() }
    }

    func close() {
        client = nil
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let client else {
            context.close(promise: nil)
            return
        }
        client.upstream(self, received: unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client?.upstreamPaused()
        resumeReading()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { client?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The server sends nothing more. If its response is incomplete, the decoder has reported an error.
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client?.upstreamEnded(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        client?.upstreamEnded(self)
        context.close(promise: nil)
    }
}

extension NIOHTTPDecoderLimitConfiguration {
    init(_ limits: PinningProxy.Limits) {
        self.init()
        self.maxHeaderFieldSize = min(limits.headBytes, 80 * 1024)
        self.maxHeaderListSize = limits.headBytes
    }
}

extension PinningProxy.Limits {
    /// The maximum number of bytes that a decoder buffers: a head, plus the rest of one read.
    var bufferLimit: Int { headBytes + 256 * 1024 }
}

import NIOCore
import NIOHTTP1

/// The connection to a server for requests that are sent on; tells the client's side what comes.
///
/// Lives on the event loop of the client's connection.
final class ProxyUpstream: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Where it leads.
    let host: String
    let port: Int
    /// Whom it works for; `nil` once they are done with each other.
    weak var client: ProxyClientHandler?
    private var context: ChannelHandlerContext?
    private var owesRead = false

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    static func install(_ upstream: ProxyUpstream, on channel: any Channel, limits: PinningProxy.Limits) throws {
        let operations = channel.pipeline.syncOperations
        // Where a request ends was checked, and is said as the client has said it: by itself the encoder would take that
        // away from a TRACE, and write its body all the same, as another request.
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

    /// Reads on, if the client takes what comes; otherwise as soon as it does.
    func readOn() {
        guard let context else { return }
        owesRead = client?.canTakeMore == false
        if !owesRead { context.read() }
    }

    /// The client takes more again.
    func clientBecameWritable() {
        if owesRead { readOn() }
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
        readOn()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { client?.readOn() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A server that says no more has answered as far as it ever will; what is incomplete then is an error to the decoder.
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
    /// What a decoder may hold back: a head, and what one read brings besides.
    var bufferLimit: Int { headBytes + 256 * 1024 }
}

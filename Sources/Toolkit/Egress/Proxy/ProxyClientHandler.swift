import NIOCore
import NIOHTTP1

/// Handles the connection of one client, which sends one request at a time.
///
/// Runs on one event loop, together with the connections that it opens.
final class ProxyClientHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The state of the current request.
    enum Phase {
        /// Waiting for the next request.
        case idle
        /// Connecting to the server.
        case opening
        /// Passing on the request and its response.
        case exchanging
        /// Reading the rest of a request that was answered before its end.
        case draining(closes: Bool)
        /// A tunnel, or about to become one.
        case tunnelling
        case closed
    }

    /// A request that is being forwarded.
    struct Exchange {
        var request: ProxyRequest
        var method: HTTPMethod
        /// Whether to close the client's connection after the response.
        var closes: Bool
        /// The parts of the body that arrived before the server was connected.
        var waiting: [ByteBuffer] = []
        var response: ProxyResponse?
        /// Whether the connection to the server was used before, so that the server may have closed it as idle.
        var isReused = false
    }

    let core: ProxyCore
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    var session: ProxySession?
    var exchange: Exchange?
    /// Whether the request has been read completely.
    var isRequestRead = true
    /// Whether the response has been written completely.
    var isAnswered = false
    var upstream: ProxyUpstream?
    private var unauthorizedRequests = 0
    private var drained = 0
    private var headTimer: Scheduled<Void>?

    private init(core: ProxyCore) {
        self.core = core
    }

    static func install(on channel: any Channel, core: ProxyCore) throws {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(IdleStateHandler(allTimeout: TimeAmount(core.limits.idleTime)))
        try operations.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: .init(core.limits)),
                maximumBufferSize: core.limits.bufferLimit))
        try operations.addHandler(ProxyClientHandler(core: core))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        headTimer?.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard core.admit(context.channel) else {
            context.close(promise: nil)
            return
        }
        startHeadTimer()
        context.read()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): received(head)
        case .body(let buffer): received(buffer)
        case .end: receivedEnd()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        upstream?.flush()
        resumeReading()
    }

    /// Continues to read, if there is a destination for what arrives.
    func resumeReading() {
        guard let context else { return }
        switch phase {
        case .idle, .draining: context.read()
        case .exchanging where !isRequestRead && upstream?.isWritable == true: context.read()
        case .exchanging, .opening, .tunnelling, .closed: break
        }
    }

    private func received(_ head: HTTPRequestHead) {
        guard case .idle = phase else {
            // Pipelining isn't supported: the connection closes after the current response, so that the client sends
            // the request again.
            if case .closed = phase { return }
            exchange?.closes = true
            if case .draining = phase { phase = .draining(closes: true) }
            return
        }
        headTimer?.cancel()
        isRequestRead = false
        guard let authorization = head.headers.first(name: "proxy-authorization"),
            head.headers["proxy-authorization"].count == 1, let session = core.session(authorized: authorization),
            self.session == nil || self.session === session
        else {
            unauthorizedRequests += 1
            // Clients often send their credentials only after a first response asks for them.
            answer(.unauthorized(closes: unauthorizedRequests > 3), to: head.method)
            return
        }
        guard let channel = context?.channel, self.session === session || session.admit(channel) else {
            answer(
                ProxyErrorResponse(
                    EgressError(.limitExceeded, "The session has ended, or has too many connections."), closes: true),
                to: head.method)
            return
        }
        self.session = session
        do throws(ProxyRequest.Problem) {
            let request = try ProxyRequest(head)
            open(Exchange(request: request, method: head.method, closes: !head.isKeepAlive))
        } catch {
            answer(ProxyErrorResponse(error), to: head.method)
        }
    }

    private func received(_ buffer: ByteBuffer) {
        switch phase {
        case .opening where !isRequestRead:
            exchange?.waiting.append(buffer)
        case .exchanging where !isRequestRead:
            guard session?.pass(bytes: buffer.readableBytes) == true else { return abort() }
            upstream?.write(.body(.byteBuffer(buffer)))
        case .draining:
            drained += buffer.readableBytes
            if drained > Self.drainLimit { abort() }
        case .idle, .opening, .exchanging, .tunnelling, .closed:
            break
        }
    }

    /// The maximum number of bytes read of a request after its response; a client that sends more ignores the response.
    private static let drainLimit = 1 << 20

    private func receivedEnd() {
        guard !isRequestRead else { return }
        isRequestRead = true
        switch phase {
        case .exchanging:
            upstream?.write(.end(nil))
            upstream?.flush()
            finishIfDone()
        case .draining(let closes):
            finish(closes: closes)
        case .idle, .opening, .tunnelling, .closed:
            break
        }
    }

    // MARK: Responding and closing

    /// Sends a response of the proxy itself.
    func answer(_ answer: ProxyErrorResponse, to method: HTTPMethod) {
        guard let context else { return }
        var answer = answer
        // NIO's parser ignores everything after a CONNECT request: a second one on this connection would never be
        // answered.
        if method == .CONNECT { answer.closes = true }
        var buffer = context.channel.allocator.buffer(capacity: 512)
        answer.write(to: &buffer, isHead: method == .HEAD)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        drain(closes: answer.closes || isClosing)
    }

    private var isClosing: Bool {
        if case .draining(true) = phase { true } else { false }
    }

    /// Reads and discards the rest of a request that has been answered.
    func drain(closes: Bool) {
        exchange = nil
        drained = 0
        phase = .draining(closes: closes)
        if isRequestRead {
            finish(closes: closes)
        } else {
            startHeadTimer()
            resumeReading()
        }
    }

    /// Completes an exchange whose request is read and whose response is written.
    func finish(closes: Bool) {
        exchange = nil
        if closes {
            phase = .closed
            upstream?.close()
            guard let context else { return }
            // Closes only after everything written has been flushed.
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
                context.close(promise: nil)
            }
            return
        }
        phase = .idle
        isRequestRead = true
        // A client without credentials must send its next request soon.
        if session == nil { startHeadTimer() } else { headTimer?.cancel() }
        resumeReading()
    }

    /// Closes the connection when a response is no longer possible.
    func abort() {
        phase = .closed
        context?.close(promise: nil)
        end()
    }

    private func end() {
        phase = .closed
        headTimer?.cancel()
        exchange = nil
        upstream?.close()
        upstream = nil
    }

    private func startHeadTimer() {
        headTimer?.cancel()
        guard let context else { return }
        headTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.headTime)) {
            [weak self] in self?.abort()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { upstream?.clientBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    var canTakeMore: Bool { context?.channel.isWritable == true }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            timedOut()
        } else if case .inputClosed? = event as? ChannelEvent {
            // The client can still receive the response to a complete request.
            switch phase {
            case .opening where isRequestRead, .exchanging where isRequestRead: exchange?.closes = true
            case .idle, .opening, .exchanging, .draining: abort()
            case .tunnelling, .closed: break
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .idle = phase, !(error is IOError) else { return abort() }
        let isTooLarge =
            error is ByteToMessageDecoderError.PayloadTooLargeError || error as? HTTPParserError == .headerOverflow
        headTimer?.cancel()
        isRequestRead = true
        answer(
            ProxyErrorResponse(
                isTooLarge
                    ? .init(status: .requestHeaderFieldsTooLarge, text: "The request's headers are too large.")
                    : .init(status: .badRequest, text: "This isn't an HTTP request.")), to: .GET)
    }
}

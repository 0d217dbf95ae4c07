import Logging
import NIOCore
import NIOHTTPTypes

/// Enforces ``ConnectionLimits`` on one connection.
///
/// It stands behind the HTTP decoder. Before it, the decoder limits the size of heads; behind it, Hummingbird closes connections
/// without a request.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The longest part of a response that is written at once, in bytes: each is progress of a slow reader.
    private static let longestPart = 64 << 10

    private let table: ConnectionTable
    private let logger: Logger
    private var progress: ConnectionProgress
    /// The address under which the connection is counted.
    private var address: String?
    private var isReading = false
    private var check: Scheduled<Void>?

    init(table: ConnectionTable, limits: ConnectionLimits, logger: Logger) {
        self.table = table
        self.logger = logger
        progress = ConnectionProgress(limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard address == nil else { return }
        let client = context.channel.remoteAddress?.ipAddress ?? ""
        guard table.add(.connection, from: client) else {
            logger.debug("a connection is refused: there are too many", metadata: ["client": "\(client)"])
            return context.close(promise: nil)
        }
        address = client
    }

    private func end() {
        check?.cancel()
        check = nil
        if let address { table.remove(.connection, from: address) }
        address = nil
    }
}

// MARK: - Requests

extension ConnectionGuard {
    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: progress.headArrived(at: .now())
        case .body(let buffer): progress.bodyArrived(buffer.readableBytes)
        case .end: progress.requestEnded()
        }
        scheduleCheck(context)
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            progress.shutdown(at: .now())
            scheduleCheck(context)
        }
        context.fireUserInboundEventTriggered(event)
    }
}

// MARK: - Responses

extension ConnectionGuard {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(var buffer) = unwrapOutboundIn(data) else {
            return write(data, bytes: 0, context, promise)
        }
        let bytes = buffer.readableBytes
        guard table.addWaiting(bytes) else {
            logger.warning("a connection is closed: too many bytes wait for readers")
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        while buffer.readableBytes > Self.longestPart, let part = buffer.readSlice(length: Self.longestPart) {
            write(wrapOutboundOut(.body(part)), bytes: part.readableBytes, context, nil)
        }
        write(wrapOutboundOut(.body(buffer)), bytes: buffer.readableBytes, context, promise)
    }

    /// Writes a part, and notes when it is written or has failed.
    private func write(
        _ data: NIOAny, bytes: Int, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        progress.writeBegan(at: .now())
        scheduleCheck(context)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.progress.writeEnded(at: .now())
            self.table.removeWaiting(bytes)
        }
        if let promise { written.futureResult.cascade(to: promise) }
        context.write(data, promise: written)
    }
}

// MARK: - Checks

extension ConnectionGuard {
    private func scheduleCheck(_ context: ChannelHandlerContext) {
        guard check == nil, address != nil, progress.isActive else { return }
        check = context.eventLoop.assumeIsolated().scheduleTask(in: progress.interval) {
            self.check = nil
            if let reason = self.progress.check(at: .now(), isReading: self.isReading) {
                self.logger.debug("a connection is closed", metadata: ["reason": "\(reason.rawValue)"])
                context.close(promise: nil)
            } else {
                self.scheduleCheck(context)
            }
        }
    }
}

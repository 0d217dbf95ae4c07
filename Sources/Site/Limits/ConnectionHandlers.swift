import Foundation
import NIOCore
import NIOHTTPTypes

/// Closes accepted connections that exceed the limits, before their pipeline is set up.
final class AdmissionHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    /// The size of a socket's send buffer: small enough to notice a slow reader's progress in time, and to bound
    /// memory.
    private static let sendBufferBytes: ChannelOptions.Types.SocketOption.Value = 131_072

    private let limiter: ConnectionLimiter
    private let expectsTLS: Bool
    private let origin: URL?

    /// - Parameters:
    ///   - limiter: The limits.
    ///   - expectsTLS: Whether clients must begin with a handshake of TLS.
    ///   - origin: The public address of the site, to which clients are led that don't.
    init(limiter: ConnectionLimiter, expectsTLS: Bool = false, origin: URL? = nil) {
        (self.limiter, self.expectsTLS, self.origin) = (limiter, expectsTLS, origin)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        guard limiter.admit(channel) else {
            channel.close(promise: nil)
            return
        }
        _ = channel.setOption(.socketOption(.so_sndbuf), value: Self.sendBufferBytes)
        // The deadlines of HTTP begin after the handshake.
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limiter.limits.requestTimeout)) { [limiter] in
            if !limiter.hasBegun(channel) { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
        if expectsTLS {
            // Nearer to the network than the handlers of TLS, and before anything is read.
            let added = channel.eventLoop.submit { [origin] in
                try channel.pipeline.syncOperations.addHandler(PlainHTTPHandler(origin: origin), position: .first)
            }
            added.whenFailure { _ in channel.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }
}

/// Closes a connection whose client is too slow, and reports its activity to the limiter.
final class DeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Bodies are written in parts of this size, because a write only reports progress when it completes.
    static let partBytes = 65_536

    private let limiter: ConnectionLimiter
    private var deadlines: ConnectionDeadlines
    private var isOpen = false
    /// Whether the limiter counts this connection or stream as busy.
    private var isBusy = false
    private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?

    init(limiter: ConnectionLimiter) {
        self.limiter = limiter
        deadlines = ConnectionDeadlines(limits: limiter.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop(context)
    }

    func read(context: ChannelHandlerContext) {
        update(context) { $0.readBegan(at: $1) }
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        update(context) { $0.readEnded(at: $1) }
        context.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: update(context) { $0.receivedHead(at: $1) }
        case .body(let buffer): update(context) { $0.receivedBody(bytes: buffer.readableBytes, at: $1) }
        case .end: update(context) { $0.receivedEnd(at: $1) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            context.write(data, promise: promise)
        case .body(let buffer):
            write(buffer, promise: promise, context: context)
        case .end:
            update(context) { $0.responseEnded(at: $1) }
            context.write(data, promise: promise)
        }
    }

    private func write(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>?, context: ChannelHandlerContext) {
        var buffer = buffer
        repeat {
            let bytes = min(buffer.readableBytes, Self.partBytes)
            guard let part = buffer.readSlice(length: bytes) else { return }
            update(context) { $0.writeBegan(bytes: bytes, at: $1) }
            limiter.buffered(bytes, on: context.channel)
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { [self] _ in
                limiter.wrote(bytes, on: context.channel)
                update(context) { $0.wrote(bytes: bytes, at: $1) }
            }
            if buffer.readableBytes == 0, let promise { written.futureResult.cascade(to: promise) }
            context.write(wrapOutboundOut(.body(part)), promise: written)
        } while buffer.readableBytes > 0
    }
}

extension DeadlineHandler {
    private func open(_ context: ChannelHandlerContext) {
        guard !isOpen else { return }
        isOpen = true
        limiter.began(context.channel)
        update(context) { $0.opened(at: $1) }
    }

    private func stop(_ context: ChannelHandlerContext) {
        // A stream may end while it is busy, without the connection.
        if isBusy { limiter.setIdle(context.channel, true) }
        isBusy = false
        isOpen = false
        timer?.task.cancel()
        timer = nil
    }

    /// Applies an event to the state machine, then updates the limiter and the timer.
    private func update(_ context: ChannelHandlerContext, _ event: (inout ConnectionDeadlines, NIODeadline) -> Void) {
        event(&deadlines, context.eventLoop.now)
        guard isOpen else { return }
        if isBusy == deadlines.isIdle {
            isBusy.toggle()
            limiter.setIdle(context.channel, !isBusy)
        }
        schedule(context)
    }

    /// Ensures that a timer fires no later than the deadline; a timer that fires early reschedules itself.
    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline = deadlines.deadline else { return }
        if let timer, timer.deadline <= deadline { return }
        timer?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            guard isOpen, let deadline = deadlines.deadline else { return }
            if deadline <= context.eventLoop.now {
                context.close(promise: nil)
            } else {
                schedule(context)
            }
        }
        timer = (deadline, task)
    }
}

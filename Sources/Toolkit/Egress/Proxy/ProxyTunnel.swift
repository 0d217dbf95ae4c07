import NIOCore

/// One end of a tunnel, which forwards what it reads to the other end with backpressure.
///
/// Runs on the same event loop as its partner.
final class ProxyTunnel: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let session: ProxySession
    private var partner: ProxyTunnel?
    private var context: ChannelHandlerContext?
    /// Whether a read is delayed until the partner is writable.
    private var isReadPending = false
    private var isInputClosed = false

    private init(session: ProxySession) {
        self.session = session
    }

    /// Creates both ends.
    static func pair(session: ProxySession) -> (ProxyTunnel, ProxyTunnel) {
        let (one, other) = (ProxyTunnel(session: session), ProxyTunnel(session: session))
        one.partner = other
        other.partner = one
        return (one, other)
    }

    /// Starts reading, once both ends are installed.
    func begin() {
        // The bytes that the decoder held back have been written to the other end but not flushed.
        context?.flush()
        context?.read()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        partner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard session.pass(bytes: buffer.readableBytes), let other = partner?.context else {
            close()
            return
        }
        other.write(NIOAny(buffer), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        partner?.context?.flush()
        resumeReading()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let partner, partner.isReadPending { partner.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    private func resumeReading() {
        guard let context, let other = partner?.context, !isInputClosed else { return }
        isReadPending = !other.channel.isWritable
        if !isReadPending { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            close()
        } else if case .inputClosed? = event as? ChannelEvent {
            isInputClosed = true
            if partner?.isInputClosed ?? true {
                partner?.finishOutput(andClose: true)
                finishOutput(andClose: true)
            } else {
                partner?.finishOutput(andClose: false)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Flushes what was written, then closes the output or the whole channel.
    private func finishOutput(andClose: Bool) {
        guard let context else { return }
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            channel.close(mode: andClose ? .all : .output, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A disconnected client receives nothing more, but the server's last bytes are still delivered.
        partner?.finishOutput(andClose: true)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    private func close() {
        partner?.context?.close(promise: nil)
        context?.close(promise: nil)
    }
}

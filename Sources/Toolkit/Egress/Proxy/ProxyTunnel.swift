import NIOCore

/// One end of a tunnel: what comes here goes out at the other end, as fast as that takes it.
///
/// Lives on one event loop with its partner.
final class ProxyTunnel: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let session: ProxySession
    private var partner: ProxyTunnel?
    private var context: ChannelHandlerContext?
    /// Whether a read waits until the partner has got rid of what it has.
    private var owesRead = false
    private var isInputClosed = false

    private init(session: ProxySession) {
        self.session = session
    }

    /// Makes both ends.
    static func pair(session: ProxySession) -> (ProxyTunnel, ProxyTunnel) {
        let (one, other) = (ProxyTunnel(session: session), ProxyTunnel(session: session))
        one.partner = other
        other.partner = one
        return (one, other)
    }

    /// Begins to read, once both ends are in place.
    func begin() {
        // What the decoder held back has been written to the other end already.
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
        readOn()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let partner, partner.owesRead { partner.readOn() }
        context.fireChannelWritabilityChanged()
    }

    private func readOn() {
        guard let context, let other = partner?.context, !isInputClosed else { return }
        owesRead = !other.channel.isWritable
        if !owesRead { context.read() }
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

    /// Ends one direction, or all of it, after what has been written.
    private func finishOutput(andClose: Bool) {
        guard let context else { return }
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            channel.close(mode: andClose ? .all : .output, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A client that has gone wants nothing more; a server's last words still go out.
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

import NIOCore
import NIOHTTP1

// The client handler's connections to servers.

extension ProxyClientHandler {
    /// Starts an exchange on the last server connection, if it's to the same server and active, or on a new one.
    func open(_ new: Exchange) {
        exchange = new
        // If the server has closed the idle connection, the request is sent again.
        if case .forward = new.request.kind, let upstream, upstream.host == new.request.host,
            upstream.port == new.request.port, upstream.isActive, new.request.isRepeatable
        {
            exchange?.isReused = true
            begin(on: upstream)
            return
        }
        dial()
    }

    private func dial() {
        upstream?.close()
        upstream = nil
        guard let context, let session, let exchange else { return }
        phase = .opening
        let request = exchange.request
        let dialer = ProxyDialer(session: session, core: core)
        let isTunnel = request.kind == .tunnel
        let limits = core.limits
        let opening = dialer.connect(to: request.host, port: request.port, on: context.eventLoop) { channel in
            // A tunnel's handlers are added when both connections exist.
            if isTunnel { return }
            let upstream = ProxyUpstream(host: request.host, port: request.port)
            try ProxyUpstream.install(upstream, on: channel, limits: limits)
        }
        opening.assumeIsolated().whenComplete { [weak self] result in
            guard let self, case .opening = self.phase else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            switch result {
            case .success(let channel): self.opened(channel, isTunnel: isTunnel)
            case .failure(let error):
                self.failed(error as? EgressError ?? EgressError(.connectionFailed, "\(error)", cause: error))
            }
        }
    }

    private func opened(_ channel: any Channel, isTunnel: Bool) {
        if isTunnel {
            tunnel(to: channel)
        } else if let upstream = try? channel.pipeline.syncOperations.handler(type: ProxyUpstream.self) {
            self.upstream = upstream
            begin(on: upstream)
        } else {
            // The channel was closed right after it was opened.
            channel.close(promise: nil)
            failed(connectionLost())
        }
    }

    /// Answers with the error, and records it in the session.
    private func failed(_ error: EgressError) {
        guard let exchange else { return }
        session?.failed(error, host: exchange.request.host, port: exchange.request.port)
        answer(ProxyErrorResponse(error, closes: exchange.closes), to: exchange.method)
    }

    private func connectionLost() -> EgressError {
        EgressError(
            .connectionFailed,
            "\(exchange?.request.host ?? "The server") closed the connection without a response. Try again.")
    }

    // MARK: Forwarded requests

    private func begin(on upstream: ProxyUpstream) {
        guard let exchange, case .forward(let head) = exchange.request.kind else { return }
        phase = .exchanging
        upstream.client = self
        upstream.write(.head(head))
        for buffer in exchange.waiting {
            guard session?.pass(bytes: buffer.readableBytes) == true else { return abort() }
            upstream.write(.body(.byteBuffer(buffer)))
        }
        self.exchange?.waiting = []
        if isRequestRead { upstream.write(.end(nil)) }
        upstream.flush()
        upstream.resumeReading()
        resumeReading()
    }

    /// Handles a part of the response.
    func upstream(_ upstream: ProxyUpstream, received part: HTTPClientResponsePart) {
        guard case .exchanging = phase, upstream === self.upstream, let exchange, let context else {
            // No request is waiting for this part.
            upstream.close()
            return
        }
        var buffer = context.channel.allocator.buffer(capacity: 512)
        switch part {
        case .head(let head):
            guard exchange.response == nil,
                let response = ProxyResponse(head, to: exchange.method, closes: exchange.closes)
            else {
                self.upstream = nil
                upstream.close()
                return failed(
                    EgressError(.invalidResponse, "\(exchange.request.host) sent an invalid HTTP response."))
            }
            self.exchange?.response = response
            response.writeHead(to: &buffer)
            context.write(wrapOutboundOut(buffer), promise: nil)
        case .body(let body):
            guard session?.pass(bytes: body.readableBytes) == true else { return abort() }
            switch exchange.response?.framing {
            case .counted:
                context.write(wrapOutboundOut(body), promise: nil)
            case .chunked where body.readableBytes > 0:
                buffer.writeString(String(body.readableBytes, radix: 16) + "\r\n")
                context.write(wrapOutboundOut(buffer), promise: nil)
                context.write(wrapOutboundOut(body), promise: nil)
                context.write(wrapOutboundOut(ByteBuffer(string: "\r\n")), promise: nil)
            case .chunked, .some(.none), nil:
                break
            }
        case .end:
            if exchange.response?.framing == .chunked {
                buffer.writeString("0\r\n\r\n")
                context.write(wrapOutboundOut(buffer), promise: nil)
            }
            context.flush()
            if exchange.response?.isUpstreamReusable != true {
                self.upstream = nil
                upstream.close()
            }
            isAnswered = true
            finishIfDone()
        }
    }

    /// Flushes what has arrived so far.
    func upstreamPaused() {
        context?.flush()
    }

    /// Completes the exchange once the request is read and the response is written.
    func finishIfDone() {
        guard isAnswered, let exchange else { return }
        isAnswered = false
        if !isRequestRead {
            // The server responded before it had read the whole request. `drain` reads the rest from the client and
            // discards it, because another request may follow.
            upstream?.close()
            upstream = nil
        }
        drain(closes: exchange.closes)
    }

    /// Handles the end of the server's connection.
    func upstreamEnded(_ ended: ProxyUpstream) {
        guard ended === upstream else { return }
        upstream = nil
        guard case .exchanging = phase, let exchange else { return }
        if exchange.response != nil {
            // The client detects the incomplete response by the closed connection.
            context?.flush()
            abort()
        } else if exchange.isReused {
            self.exchange?.isReused = false
            dial()
        } else {
            failed(connectionLost())
        }
    }

    /// Handles an idle timeout.
    func timedOut() {
        guard case .exchanging = phase, let exchange, exchange.response == nil else { return abort() }
        upstream?.close()
        upstream = nil
        self.exchange?.closes = true
        failed(EgressError(.timedOut, "\(exchange.request.host) took too long to respond. Try again later."))
    }

    // MARK: Tunnels

    private func tunnel(to channel: any Channel) {
        guard let context, let session else { return }
        phase = .tunnelling
        exchange = nil
        let client = context.channel
        let (near, far) = ProxyTunnel.pair(session: session)
        do {
            try client.pipeline.syncOperations.addHandler(near)
            // Closes the connection to an idle server even after the client has disconnected.
            try channel.pipeline.syncOperations.addHandler(
                IdleStateHandler(allTimeout: TimeAmount(core.limits.idleTime)))
            try channel.pipeline.syncOperations.addHandler(far)
            context.writeAndFlush(
                wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")), promise: nil)
            let decoder = try client.pipeline.syncOperations.context(
                handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let operations = client.pipeline.syncOperations
            // The bytes that the decoder holds back belong to the tunnel, so this handler is removed first.
            operations.removeHandler(context: context).assumeIsolated().flatMap {
                operations.removeHandler(context: decoder)
            }.whenComplete { _ in
                near.begin()
                far.begin()
            }
        } catch {
            channel.close(promise: nil)
            abort()
        }
    }
}

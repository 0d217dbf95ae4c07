import Foundation
import Futures
import NIOCore
import NIOPosix

/// Connects to a host at one of its checked addresses.
struct ProxyDialer {
    let session: ProxySession
    let core: ProxyCore

    /// Resolves a host, checks its addresses and connects to one of them.
    ///
    /// - Returns: The channel with its handlers; it reads nothing until it's asked to.
    func connect(
        to host: String, port: Int, on eventLoop: any EventLoop,
        handlers: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let limit = core.limits.connectTime
        let deadline = NIODeadline.now() + TimeAmount(limit)
        return eventLoop.makeFutureWithTask { [session] in
            // A resolver may have a longer time limit, or none.
            try await Future<[IPAddress], any Error>(cancelsWhenUnwanted: true) {
                try await session.checker.addresses(of: host, port: port)
            }.timeout(after: limit, error: ChannelError.connectTimeout(TimeAmount(limit))).value
        }.flatMap { (addresses: [IPAddress]) -> EventLoopFuture<any Channel> in
            connect(to: addresses, port: port, on: eventLoop, until: deadline, handlers: handlers)
        }.flatMap { [session] (channel: any Channel) -> EventLoopFuture<any Channel> in
            guard let address = channel.remoteAddress.flatMap(IPAddress.init) else {
                channel.close(promise: nil)
                return eventLoop.makeFailedFuture(
                    EgressError(.connectionFailed, "\(host) closed the connection. Try again."))
            }
            // Two concurrent connections may have reached different addresses.
            let first = session.pin(address, for: host)
            if first == address { return eventLoop.makeSucceededFuture(channel) }
            channel.close(promise: nil)
            return connect(to: [first], port: port, on: eventLoop, until: deadline, handlers: handlers)
        }.flatMapThrowing { [session] channel in
            guard session.opened(channel) else {
                channel.close(promise: nil)
                throw EgressError(.closed, "The session has ended.")
            }
            return channel
        }.flatMapErrorThrowing { error in
            throw Self.egressError(for: error, host: host, port: port)
        }
    }

    private func connect(
        to addresses: [IPAddress], port: Int, on eventLoop: any EventLoop, until deadline: NIODeadline,
        handlers: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        // The bootstrap asks this resolver, which knows only the checked addresses, so that the name isn't resolved
        // again.
        ClientBootstrap(group: eventLoop)
            .resolver(CheckedAddresses(addresses, port: port, on: eventLoop))
            .connectTimeout(max(deadline - .now(), .milliseconds(1)))
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try handlers(channel) }
            }
            .connect(host: "checked.invalid", port: port)
    }

    private static func egressError(for error: any Error, host: String, port: Int) -> EgressError {
        if let error = error as? EgressError { return error }
        var errors: [any Error] = [error]
        if let error = error as? NIOConnectionError { errors = error.connectionErrors.map(\.error) }
        if errors.contains(where: { $0 is ChannelError }) || errors.isEmpty {
            return EgressError(
                .timedOut, "\(host) took too long to respond on port \(port). Try again later.", cause: error)
        }
        if errors.allSatisfy({ ($0 as? IOError)?.errnoCode == ECONNREFUSED }) {
            return EgressError(
                .connectionRefused,
                "\(host) refused the connection on port \(port). Check the address, and that the server is running.",
                cause: error)
        }
        return EgressError(
            .unreachable,
            "\(host) can't be reached on port \(port). Check this computer's network, then try again.",
            cause: error)
    }
}

/// Passes known addresses to a bootstrap, which tries them by Happy Eyeballs.
private struct CheckedAddresses: Resolver, Sendable {
    private let addresses: [IPAddress]
    private let port: Int
    private let eventLoop: any EventLoop

    init(_ addresses: [IPAddress], port: Int, on eventLoop: any EventLoop) {
        self.addresses = addresses
        self.port = port
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(socketAddresses(isIPv4: true))
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(socketAddresses(isIPv4: false))
    }

    func cancelQueries() {}

    private func socketAddresses(isIPv4: Bool) -> [SocketAddress] {
        addresses.filter { $0.isIPv4 == isIPv4 }.compactMap {
            try? SocketAddress(packedIPAddress: ByteBuffer(bytes: $0.bytes), port: port)
        }
    }
}

extension IPAddress {
    /// The remote address of a connection.
    fileprivate init?(_ socketAddress: SocketAddress) {
        let address = socketAddress.withSockAddr { pointer, _ in IPAddress(pointer) }
        guard let address else { return nil }
        self = address
    }
}

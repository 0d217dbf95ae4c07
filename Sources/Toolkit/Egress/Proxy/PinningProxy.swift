import Futures
import NIOCore
import NIOHTTP1
import NIOPosix

/// A proxy on this machine's loopback address that connects only to addresses that a policy allows.
///
/// It's for programs that can't be told which addresses to use, such as a browser. HTTP requests use absolute URLs;
/// everything else (HTTPS, WebSocket) uses CONNECT. The proxy resolves each host once per session, checks all its
/// addresses and connects to one of them. The first address that accepts a connection stays the host's only one until
/// the session ends, so that a host can't switch addresses. Each redirect arrives as a separate request and is checked
/// like any other.
///
/// Only clients with a ``Session``'s credentials can use the proxy; other programs on this machine can't. No traffic is
/// logged or stored. Can be used from any thread.
///
/// Implements HTTP/1.1 as defined by RFC 9110 and RFC 9112. It doesn't add `Via`, because some servers don't compress
/// responses to requests with that field.
public final class PinningProxy: Sendable {
    /// Size and time limits.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of client connections in all sessions together.
        public var connections: Int = 1024
        /// The maximum number of client connections in one session.
        ///
        /// Chromium opens up to 32 to one proxy, plus up to 255 for WebSockets.
        public var connectionsPerSession: Int = 320
        /// The maximum number of bytes of bodies and tunnels in one session, both directions together.
        public var bytesPerSession: Int = 4 << 30
        /// The maximum number of bytes of a message's first line and header.
        public var headBytes: Int = 128 << 10
        /// The maximum time for a client to send a request's head with its credentials.
        public var headTime: Duration = .seconds(15)
        /// The maximum time to resolve a host's name and to connect to it, all its addresses together.
        public var connectTime: Duration = .seconds(30)
        /// The maximum time without traffic on a connection.
        public var idleTime: Duration = .seconds(180)
        /// The number of recent failures that a session stores.
        public var failures: Int = 256

        /// Creates the default limits and applies changes to them.
        public init(_ change: (inout Limits) -> Void = { _ in }) { change(&self) }
    }

    private let core: ProxyCore
    private let listener: any Channel
    /// The port on 127.0.0.1 that the proxy listens on.
    public let port: Int

    private init(core: ProxyCore, listener: any Channel, port: Int) {
        self.core = core
        self.listener = listener
        self.port = port
    }

    deinit {
        core.close(port: port)
        listener.close(promise: nil)
    }
}

extension PinningProxy {
    /// Starts a proxy on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - limits: The size and time limits.
    ///   - resolver: Resolves names.
    ///   - ownPorts: The other ports that this program listens on, which no session can connect to. The proxy adds its
    ///     own port.
    /// - Returns: The proxy. Clients need a session to use it.
    /// - Throws: ``EgressError`` with the code `cannotListen`.
    public static func start(
        limits: Limits = Limits(), resolver: any NameResolver = SystemNameResolver(), ownPorts: OwnPorts = OwnPorts()
    ) async throws(EgressError) -> PinningProxy {
        let core = ProxyCore(limits: limits, resolver: resolver, ownPorts: ownPorts)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try ProxyClientHandler.install(on: channel, core: core) }
            }
        do {
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            guard let port = listener.localAddress?.port else {
                listener.close(promise: nil)
                throw EgressError(.cannotListen, "The proxy couldn't get a port.")
            }
            ownPorts.insert(port)
            return PinningProxy(core: core, listener: listener, port: port)
        } catch let error as EgressError {
            throw error
        } catch {
            throw EgressError(
                .cannotListen, "The proxy can't listen on 127.0.0.1: \(error)", cause: error)
        }
    }

    /// Starts a session, whose credentials let a client connect to the addresses that the policy allows.
    ///
    /// It ends with ``Session/end()``, when its last reference is released, or with the proxy.
    public func session(policy: AddressPolicy = .publicOnly) -> Session {
        Session(core.session(policy: policy), core: core)
    }

    /// The number of open sessions.
    public var openSessions: Int { core.sessionCount }

    /// Ends all sessions and connections, stops listening, and waits until everything is closed.
    ///
    /// Ignores cancellation.
    public func close() async {
        let channels = core.close(port: port)
        listener.close(promise: nil)
        for channel in channels + [listener] { _ = try? await channel.closeFuture.get() }
    }
}

extension PinningProxy {
    /// The access of one client to the proxy, isolated from other sessions.
    public final class Session: Sendable {
        /// A failed attempt to connect to a server, or a connection that failed before the server responded.
        public struct Failure: Sendable {
            /// The requested host.
            public var host: String
            /// The port.
            public var port: Int
            /// The reason for the failure.
            public var error: EgressError
        }

        private let state: ProxySession
        private let core: ProxyCore

        init(_ state: ProxySession, core: ProxyCore) {
            self.state = state
            self.core = core
        }

        deinit {
            core.end(state)
        }
    }
}

extension PinningProxy.Session {
    /// The user name of the `Basic` credentials.
    public var userName: String { state.userName }

    /// The password of the `Basic` credentials.
    public var password: String { state.password }

    /// The policy that the session's connections are checked against.
    public var policy: AddressPolicy { state.checker.policy }

    /// The most recent failures, newest last; at most ``PinningProxy/Limits/failures``.
    public var failures: [Failure] { state.failures }

    /// The connections that the policy refused, without duplicates.
    public var refusals: [EgressRefusal] {
        var seen: Set<EgressRefusal> = []
        return state.failures.compactMap(\.error.refusal).filter { seen.insert($0).inserted }
    }

    /// The number of bytes of bodies and tunnels so far, both directions together.
    public var bytes: Int { state.bytes }

    /// The number of the client's open connections.
    public var openConnections: Int { state.channels.count }

    /// The number of open connections to servers, including those that are being closed.
    public var openServerConnections: Int { state.upstreams.count }

    /// The most recent failure of a host, given in lower case; `nil` if none is stored.
    public func failure(of host: String, port: Int) -> EgressError? {
        state.failures.last { $0.port == port && $0.host == host }?.error
    }

    /// The address at which the proxy reaches a host, given as in a URL; `nil` if it hasn't connected to it.
    package func address(of host: String) -> IPAddress? { state.address(of: host) }

    /// Ends the session and waits until its connections are closed.
    ///
    /// Ignores cancellation.
    public func end() async {
        for channel in core.end(state) { _ = try? await channel.closeFuture.get() }
    }
}

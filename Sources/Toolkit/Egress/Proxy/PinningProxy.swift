import Futures
import NIOCore
import NIOHTTP1
import NIOPosix

/// A proxy on this machine's loopback address that connects only where a policy allows.
///
/// For a program that cannot be told which addresses to use, such as a browser: HTTP by absolute addresses, everything else
/// (HTTPS, WebSocket) by CONNECT. A host is resolved here, once a session; every address that it leads to is checked, and
/// the connection goes to one of them. The address that answers first stays the host's only one until the session ends, so
/// that a host with two addresses cannot change sides. Every redirect comes as a request of its own, and is checked as one.
///
/// Only clients with the credentials of a ``Session`` can use it; other programs of this machine can't.
/// Nothing that passes is logged or kept. May be used from any thread.
///
/// HTTP/1.1 as of RFC 9110 and RFC 9112. It adds no `Via`: some servers compress nothing for requests that have it.
public final class PinningProxy: Sendable {
    /// How much may pass, and how long it may take.
    public struct Limits: Hashable, Sendable {
        /// Connections of clients at a time, in all sessions together.
        public var connections: Int = 1024
        /// Connections of clients at a time in one session.
        ///
        /// Chromium opens 32 to one proxy, and 255 for WebSockets besides.
        public var connectionsPerSession: Int = 320
        /// Bytes of bodies and tunnels in one session, both ways together.
        public var bytesPerSession: Int = 4 << 30
        /// Bytes of one message's first line and header.
        public var headBytes: Int = 128 << 10
        /// How long a client may take to say what it wants and who it is.
        public var headTime: Duration = .seconds(15)
        /// How long it may take to connect to a host, all its addresses together.
        public var connectTime: Duration = .seconds(30)
        /// How long nothing may pass on a connection.
        public var idleTime: Duration = .seconds(180)
        /// How many failures a session remembers, the newest.
        public var failures: Int = 256

        /// Creates the usual limits, and changes some.
        public init(_ change: (inout Limits) -> Void = { _ in }) { change(&self) }
    }

    private let core: ProxyCore
    private let listener: any Channel
    private let ownPorts: OwnPorts
    /// The port on 127.0.0.1 that it listens on.
    public let port: Int

    private init(core: ProxyCore, listener: any Channel, ownPorts: OwnPorts, port: Int) {
        self.core = core
        self.listener = listener
        self.ownPorts = ownPorts
        self.port = port
        ownPorts.insert(port)
    }

    deinit {
        ownPorts.remove(port)
        core.close()
        listener.close(promise: nil)
    }
}

extension PinningProxy {
    /// Starts a proxy on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - limits: How much may pass.
    ///   - resolver: What knows the addresses of names.
    ///   - ownPorts: Where this program listens besides, which no session reaches; the proxy's own port is added.
    /// - Returns: The proxy; no client can use it before it has a session.
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
                throw EgressError(.cannotListen, "The proxy was given no port.")
            }
            return PinningProxy(core: core, listener: listener, ownPorts: ownPorts, port: port)
        } catch let error as EgressError {
            throw error
        } catch {
            throw EgressError(
                .cannotListen, "This machine gives the proxy no port on 127.0.0.1: \(error)", cause: error)
        }
    }

    /// Begins a session: a client with its credentials may connect where the policy allows.
    ///
    /// It ends with ``Session/end()``, with its last reference, or with the proxy.
    public func session(policy: AddressPolicy = .publicOnly) -> Session {
        Session(core.session(policy: policy), core: core)
    }

    /// How many sessions there are.
    public var openSessions: Int { core.sessionCount }

    /// Ends every session and connection, and listens no more; returns when that is done.
    ///
    /// Not cut short by cancellation.
    public func close() async {
        // The port may be another's from now on.
        defer { ownPorts.remove(port) }
        listener.close(promise: nil)
        let channels = core.close()
        for channel in channels + [listener] { _ = try? await channel.closeFuture.get() }
    }
}

extension PinningProxy {
    /// One user of the proxy, who knows nothing of the others.
    public final class Session: Sendable {
        /// A connection that could not be made, or broke before there was an answer.
        public struct Failure: Sendable {
            /// The host as it was asked for.
            public var host: String
            /// The port.
            public var port: Int
            /// Why.
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
    /// The name of the `Basic` credentials.
    public var userName: String { state.userName }

    /// The secret of the `Basic` credentials.
    public var password: String { state.password }

    /// What may be connected to.
    public var policy: AddressPolicy { state.checker.policy }

    /// What could not be connected to, the newest last; at most as many as ``PinningProxy/Limits/failures``.
    public var failures: [Failure] { state.failures }

    /// What the policy refused, each once.
    public var refusals: [EgressRefusal] {
        var seen: Set<EgressRefusal> = []
        return state.failures.compactMap(\.error.refusal).filter { seen.insert($0).inserted }
    }

    /// The bytes of bodies and tunnels so far, both ways together.
    public var bytes: Int { state.bytes }

    /// The connections of its client that are open.
    public var openConnections: Int { state.channels.count }

    /// The connections to servers that are open; those that are about to be closed too.
    public var openServerConnections: Int { state.upstreams.count }

    /// The newest reason why a host, in lower case, was not connected to; `nil` if there is none, or none any more.
    public func failure(of host: String, port: Int) -> EgressError? {
        state.failures.last { $0.port == port && $0.host == host }?.error
    }

    /// Ends the session with its connections; returns when they are closed.
    ///
    /// Not cut short by cancellation.
    public func end() async {
        for channel in core.end(state) { _ = try? await channel.closeFuture.get() }
    }
}

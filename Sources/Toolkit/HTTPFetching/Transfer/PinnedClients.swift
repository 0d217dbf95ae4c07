import AsyncHTTPClient
import Egress
import Foundation
import Futures
import Loading
import NIOCore
import NIOHTTPCompression
import NIOSSL

/// One HTTP client for each pair of a host and one of its checked addresses.
///
/// async-http-client resolves names itself for each connection, so it might connect to another address than the one
/// that was checked. Its `dnsOverride` sets the address, and keeps the host's name for TLS and the `Host` field. The
/// override is part of a client's configuration, and clients are cheap, so each pair gets its own client. The clients
/// share their threads.
/// The address of each new connection is verified before anything is sent on it.
final class PinnedClients: Sendable {
    struct Target: Hashable, Sendable {
        /// The host as in the URL, without the brackets of an IPv6 address.
        var host: String
        var address: IPAddress
    }

    private struct State: Sendable {
        var clients: LRUCache<Target, PinnedClient>
        var isClosed = false
    }

    private let state: Lock<State>
    private let settings: FetcherSettings
    private let limits: FetchLimits

    init(settings: FetcherSettings, limits: FetchLimits) {
        self.settings = settings
        self.limits = limits
        self.state = Lock(State(clients: LRUCache(limit: settings.hosts)))
    }

    /// Returns the client for a host and address.
    ///
    /// A client stays usable for as long as the caller retains it.
    func client(for target: Target) throws(FetchError) -> PinnedClient {
        if let client = state.withLock({ $0.clients.use(target) }) { return client }
        let client = PinnedClient(target, settings: settings, limits: limits)
        let (shared, released) = state.withLock { state -> (PinnedClient?, [PinnedClient]) in
            if state.isClosed { return (nil, [client]) }
            if let earlier = state.clients.use(target) { return (earlier, [client]) }
            return (client, state.clients.set(client, for: target))
        }
        // Unused and evicted clients are released here, outside the lock, because that closes their connections.
        _ = released
        guard let shared else { throw .closed }
        return shared
    }

    /// Releases all clients; the connections in use are closed when their users release them.
    func close() {
        let released = state.withLock { state in
            state.isClosed = true
            return state.clients.removeAll()
        }
        _ = released
    }
}

/// A client that connects to one address only.
final class PinnedClient: Sendable {
    let client: HTTPClient

    init(_ target: PinnedClients.Target, settings: FetcherSettings, limits: FetchLimits) {
        let address = target.address
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limits.connecting), read: nil),
            connectionPool: .init(
                idleTimeout: TimeAmount(settings.idleConnections),
                concurrentHTTP1ConnectionsPerHostSoftLimit: settings.connectionsPerHost),
            decompression: .enabled(limit: .size(limits.bytes)))
        // The fetcher tries the next address itself, and throws the first error.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = [target.host: "\(address)"]
        let check: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            guard let text = channel.remoteAddress?.ipAddress, IPAddress(text) == address else {
                return channel.eventLoop.makeFailedFuture(WrongAddress(found: channel.remoteAddress?.ipAddress))
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = check
        configuration.http2ConnectionDebugInitializer = check
        if let path = settings.trustedCertificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(path)]
            configuration.tlsConfiguration = tls
        }
        self.client = HTTPClient(configuration: configuration)
    }

    deinit {
        // The client retains itself until its connections are closed.
        _ = client.shutdown()
    }
}

/// The error of a connection to an address that wasn't checked.
struct WrongAddress: Error, CustomStringConvertible {
    var found: String?

    var description: String { "connected to \(found ?? "an unknown address"), which was not checked" }
}

extension TimeAmount {
    /// - Parameter duration: Durations over 292 years are clamped.
    init(_ duration: Duration) {
        let nanoseconds = duration / .nanoseconds(1)
        self = .nanoseconds(nanoseconds < 9e18 ? Int64(nanoseconds) : .max)
    }
}

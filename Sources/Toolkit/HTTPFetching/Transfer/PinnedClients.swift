import AsyncHTTPClient
import Egress
import Foundation
import Futures
import Loading
import NIOCore
import NIOHTTPCompression
import NIOSSL

/// An HTTP client for each pair of a host and one of its checked addresses.
///
/// async-http-client looks names up itself when it connects, and again for each connection: what was checked would not be
/// what is connected to. Its `dnsOverride` names the address and leaves the host's name to TLS and to the `Host` field; it is
/// a part of a client's configuration, and a client is little more than its connections: so there is one for each. They share
/// the threads. Each connection that is made is looked at once more before anything is sent on it.
final class PinnedClients: Sendable {
    struct Target: Hashable, Sendable {
        /// The host as it stands in the address.
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

    /// The client for a host at an address.
    ///
    /// It stays what it is for as long as it is held.
    func client(for target: Target) throws(FetchError) -> PinnedClient {
        if let client = state.withLock({ $0.clients.use(target) }) { return client }
        let client = PinnedClient(target, settings: settings, limits: limits)
        let (other, gone) = state.withLock { state -> (PinnedClient?, [PinnedClient]) in
            if state.isClosed { return (nil, [client]) }
            if let other = state.clients.use(target) { return (other, [client]) }
            return (client, state.clients.set(client, for: target))
        }
        // Unused clients are released here, outside the lock: their end closes connections.
        _ = gone
        guard let other else { throw .closed }
        return other
    }

    /// Lets go of all connections; those in use end with what uses them.
    func close() {
        let gone = state.withLock { state in
            state.isClosed = true
            return state.clients.removeAll()
        }
        _ = gone
    }
}

/// A client that connects to one address, and to no other.
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
        // It keeps itself until its connections are closed.
        _ = client.shutdown()
    }
}

/// A connection leads to another address than the one that was checked.
struct WrongAddress: Error, CustomStringConvertible {
    var found: String?

    var description: String { "connected to \(found ?? "an unknown address"), which was not checked" }
}

extension TimeAmount {
    /// - Parameter duration: Longer ones than 292 years are cut.
    init(_ duration: Duration) {
        let nanoseconds = duration / .nanoseconds(1)
        self = .nanoseconds(nanoseconds < 9e18 ? Int64(nanoseconds) : .max)
    }
}

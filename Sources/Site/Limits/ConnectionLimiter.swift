import Accounts
import Futures
import HTTPTypes
import NIOCore
import PrometheusMetrics

/// Tracks the server's connections and enforces their limits; see ``SiteLimits``.
final class ConnectionLimiter: Sendable {
    private struct Contents: Sendable {
        var admission: ConnectionAdmission<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The connections that speak HTTP, after the handshake of TLS, with the number of their busy streams.
        var busyStreams: [ObjectIdentifier: Int] = [:]
        var isClosed = false

        /// The connection of a channel, which may be a stream of HTTP/2; `nil` if it has been closed.
        func key(of channel: any Channel) -> ObjectIdentifier? {
            let key = ObjectIdentifier(channel)
            if channels[key] != nil { return key }
            return channel.parent.map { ObjectIdentifier($0) }.flatMap { channels[$0] != nil ? $0 : nil }
        }
    }

    let limits: SiteLimits
    private let proxies: TrustedProxies?
    private let isServer: @Sendable (_ address: String) -> Bool
    private let contents: Lock<Contents>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - isPerAddress: Whether to enforce the limits per address; `false` behind a proxy that isn't trusted.
    ///   - proxies: The trusted proxies, whose connections aren't limited per address.
    ///   - isServer: Whether an address is that of another server of the site, whose connections aren't limited either.
    init(
        limits: SiteLimits, isPerAddress: Bool, proxies: TrustedProxies? = nil,
        isServer: @escaping @Sendable (_ address: String) -> Bool = { _ in false }
    ) {
        self.limits = limits
        self.proxies = proxies
        self.isServer = isServer
        contents = Lock(Contents(admission: ConnectionAdmission(limits: limits, isPerAddress: isPerAddress)))
    }
}

extension ConnectionLimiter {
    /// The number of connections that are open or closing.
    var count: Int { contents.withLock { $0.channels.count } }

    /// Adds the numbers of connections and of event streams to metrics.
    func addMetrics(to metrics: PrometheusMetrics) {
        metrics.addSource { [weak self] in
            guard let self else { return [] }
            let (count, streamCount) = contents.withLock { ($0.channels.count, $0.admission.streamCount) }
            return [
                PrometheusSample("meanwhile_connections", "Open connections.", Double(count)),
                PrometheusSample("meanwhile_event_streams", "Pages that are kept up to date.", Double(streamCount)),
            ]
        }
    }

    /// Decides on an accepted connection; returns `false` if the caller must close it.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let peer = channel.remoteAddress?.ipAddress ?? ""
        let address = ClientNetwork.name(of: peer)
        let isLimited = proxies?.contains(peer) != true && !isServer(peer)
        let (isAdmitted, replaced): (Bool, (any Channel)?) = contents.withLock { contents in
            guard !contents.isClosed else { return (false, nil) }
            let admission = contents.admission.admit(key, from: address, isLimited: isLimited)
            if admission == .refuse { return (false, nil) }
            contents.channels[key] = channel
            return if case .replace(let other) = admission { (true, contents.channels[other]) } else { (true, nil) }
        }
        replaced?.close(promise: nil)
        if isAdmitted { channel.closeFuture.whenComplete { [self] _ in remove(key) } }
        return isAdmitted
    }

    private func remove(_ key: ObjectIdentifier) {
        contents.withLock { contents in
            contents.admission.remove(key)
            contents.channels[key] = nil
            contents.busyStreams[key] = nil
        }
    }

    /// Records that a connection, or a stream of it, speaks HTTP.
    func began(_ channel: any Channel) {
        contents.withLock { contents in
            guard let key = contents.key(of: channel) else { return }
            contents.busyStreams[key] = contents.busyStreams[key] ?? 0
        }
    }

    /// Whether a connection has spoken HTTP.
    func hasBegun(_ channel: any Channel) -> Bool {
        contents.withLock { $0.busyStreams[ObjectIdentifier(channel)] != nil }
    }

    /// Records that a connection, or a stream of it, has become idle or busy; a connection is idle if all its streams are.
    func setIdle(_ channel: any Channel, _ isIdle: Bool) {
        contents.withLock { contents in
            guard let key = contents.key(of: channel) else { return }
            let count = max(0, (contents.busyStreams[key] ?? 0) + (isIdle ? -1 : 1))
            contents.busyStreams[key] = count
            contents.admission.setIdle(key, count == 0)
        }
    }

    /// Records bytes of a response that wait for the client, and closes the slowest connection if there are too many.
    func buffered(_ bytes: Int, on channel: any Channel) {
        let slowest = contents.withLock { contents in
            contents.key(of: channel).flatMap { contents.admission.buffered(bytes, on: $0) }
                .flatMap { contents.channels[$0] }
        }
        slowest?.close(promise: nil)
    }

    func wrote(_ bytes: Int, on channel: any Channel) {
        contents.withLock { contents in
            if let key = contents.key(of: channel) { contents.admission.wrote(bytes, on: key) }
        }
    }

    /// Closes all connections, even those with pending responses, and refuses new ones.
    func closeAll() {
        let channels = contents.withLock { contents in
            contents.isClosed = true
            return Array(contents.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}

extension ConnectionLimiter {
    /// The slot of an event stream, which is released when the lease is deallocated.
    final class StreamLease: Sendable {
        private let address: String
        private let limiter: ConnectionLimiter

        fileprivate init(address: String, limiter: ConnectionLimiter) {
            self.address = address
            self.limiter = limiter
        }

        deinit {
            limiter.contents.withLock { $0.admission.closeStream(from: address) }
        }
    }

    /// Counts an event stream until its lease is deallocated.
    ///
    /// - Returns: The lease.
    /// - Throws: A ``Problem`` of status 429 or 503 if there are too many event streams.
    func openStream(from client: String) throws(Problem) -> StreamLease {
        let address = ClientNetwork.name(of: client)
        switch contents.withLock({ $0.admission.openStream(from: address) }) {
        case .admit:
            return StreamLease(address: address, limiter: self)
        case .tooManyOfAddress:
            throw Problem(
                .tooManyRequests, title: SiteWords.tooManyPages,
                detail: SiteWords.pagesOpenOn(client),
                headers: [.retryAfter: "30"])
        case .tooMany:
            throw Problem(
                .serviceUnavailable, title: SiteWords.tooManyPages,
                detail: SiteWords.tooManyPagesDetail,
                headers: [.retryAfter: "30"])
        }
    }
}

import Futures
import HTTPTypes
import NIOCore

/// Tracks the server's connections and enforces their limits; see ``SiteLimits``.
final class ConnectionLimiter: Sendable {
    private struct Contents: Sendable {
        var admission: ConnectionAdmission<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    let limits: SiteLimits
    private let contents: Lock<Contents>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - isPerAddress: Whether to enforce the limits per address; `false` behind a proxy.
    init(limits: SiteLimits, isPerAddress: Bool) {
        self.limits = limits
        contents = Lock(Contents(admission: ConnectionAdmission(limits: limits, isPerAddress: isPerAddress)))
    }
}

extension ConnectionLimiter {
    /// The number of connections that are open or closing.
    var count: Int { contents.withLock { $0.channels.count } }

    /// Decides on an accepted connection; returns `false` if the caller must close it.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let address = channel.remoteAddress?.ipAddress ?? ""
        let (isAdmitted, replaced): (Bool, (any Channel)?) = contents.withLock { contents in
            guard !contents.isClosed else { return (false, nil) }
            let admission = contents.admission.admit(key, from: address)
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
        }
    }

    func setIdle(_ channel: any Channel, _ isIdle: Bool) {
        contents.withLock { $0.admission.setIdle(ObjectIdentifier(channel), isIdle) }
    }

    /// Records bytes of a response that wait for the client, and closes the slowest connection if there are too many.
    func buffered(_ bytes: Int, on channel: any Channel) {
        let slowest = contents.withLock { contents in
            contents.admission.buffered(bytes, on: ObjectIdentifier(channel)).flatMap { contents.channels[$0] }
        }
        slowest?.close(promise: nil)
    }

    func wrote(_ bytes: Int, on channel: any Channel) {
        contents.withLock { $0.admission.wrote(bytes, on: ObjectIdentifier(channel)) }
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
    func openStream(from address: String) throws(Problem) -> StreamLease {
        switch contents.withLock({ $0.admission.openStream(from: address) }) {
        case .admit:
            return StreamLease(address: address, limiter: self)
        case .tooManyOfAddress:
            throw Problem(
                .tooManyRequests, title: SiteWords.tooManyPages,
                detail: SiteWords.pagesOpenOn(address),
                headers: [.retryAfter: "30"])
        case .tooMany:
            throw Problem(
                .serviceUnavailable, title: SiteWords.tooManyPages,
                detail: SiteWords.tooManyPagesDetail,
                headers: [.retryAfter: "30"])
        }
    }
}

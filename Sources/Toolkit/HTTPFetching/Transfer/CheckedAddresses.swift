import Egress
import Futures
import Loading

/// A cache of recently resolved addresses, which are checked again at each use.
///
/// An outdated entry is harmless, because connections go only to addresses that were checked. They are checked again
/// because an interface of this machine may have been assigned one of them since.
final class CheckedAddresses: Sendable {
    private struct Host: Hashable, Sendable {
        var name: String
        var port: Int
    }

    private struct Entry: Sendable {
        var addresses: [IPAddress]
        var expiry: Duration
    }

    private static let limit = 512

    private let entries = Lock(LRUCache<Host, Entry>(limit: limit))
    private let checker: AddressChecker
    private let lifetime: Duration
    private let now: @Sendable () -> Duration

    init<C: Clock>(checker: AddressChecker, lifetime: Duration, clock: C) where C.Duration == Duration {
        let start = clock.now
        self.checker = checker
        self.lifetime = lifetime
        self.now = { start.duration(to: clock.now) }
    }

    /// Returns the addresses of a host that may be connected to now.
    func addresses(of name: String, port: Int) async throws(EgressError) -> [IPAddress] {
        let host = Host(name: name, port: port)
        if lifetime > .zero, let entry = entries.withLock({ $0.use(host) }), entry.expiry > now() {
            try checker.check(entry.addresses, of: name, port: port)
            return entry.addresses
        }
        let addresses = try await checker.addresses(of: name, port: port)
        if lifetime > .zero {
            let entry = Entry(addresses: addresses, expiry: now() + lifetime)
            _ = entries.withLock { $0.set(entry, for: host) }
        }
        return addresses
    }

    /// Removes a host whose addresses all failed, so that it's resolved again.
    func forget(_ name: String, port: Int) {
        _ = entries.withLock { $0.remove(Host(name: name, port: port)) }
    }
}

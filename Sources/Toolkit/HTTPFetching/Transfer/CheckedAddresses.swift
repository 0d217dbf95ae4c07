import Egress
import Futures
import Loading

/// The addresses of hosts that were looked up a moment ago, checked again each time.
///
/// A name that has other addresses by now does no harm: what is connected to is an address that was checked. But a network
/// interface may have got one of them meanwhile.
final class CheckedAddresses: Sendable {
    private struct Host: Hashable, Sendable {
        var name: String
        var port: Int
    }

    private struct Known: Sendable {
        var addresses: [IPAddress]
        var end: Duration
    }

    private static let limit = 512

    private let known = Lock(LRUCache<Host, Known>(limit: limit))
    private let checker: AddressChecker
    private let lifetime: Duration
    private let now: @Sendable () -> Duration

    init<C: Clock>(checker: AddressChecker, lifetime: Duration, clock: C) where C.Duration == Duration {
        let start = clock.now
        self.checker = checker
        self.lifetime = lifetime
        self.now = { start.duration(to: clock.now) }
    }

    /// The addresses that may be connected to now.
    func addresses(of name: String, port: Int) async throws(EgressError) -> [IPAddress] {
        let host = Host(name: name, port: port)
        if lifetime > .zero, let known = known.withLock({ $0.use(host) }), known.end > now() {
            try checker.check(known.addresses, of: name, port: port)
            return known.addresses
        }
        let addresses = try await checker.addresses(of: name, port: port)
        if lifetime > .zero {
            let known = Known(addresses: addresses, end: now() + lifetime)
            _ = self.known.withLock { $0.set(known, for: host) }
        }
        return addresses
    }

    /// Looks a host up again the next time: none of its addresses answers.
    func forget(_ name: String, port: Int) {
        _ = known.withLock { $0.remove(Host(name: name, port: port)) }
    }
}

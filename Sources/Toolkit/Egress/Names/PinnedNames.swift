import Futures

/// Names whose addresses stay what they were at the first look-up, and which keep the address that answered first.
///
/// A name that could change its address between two connections would make its page one with what is at the other address.
final class PinnedNames: NameResolver {
    /// More names than any page asks for; a page that asks for more is refused the rest, for these could change.
    static let limit = 4096

    private let resolver: any NameResolver
    private let known = Lock<[String: [IPAddress]]>([:])

    init(_ resolver: any NameResolver) {
        self.resolver = resolver
    }

    func addresses(of host: String) async throws -> [IPAddress] {
        if let addresses = known.withLock({ $0[host] }) { return addresses }
        let addresses = try await resolver.addresses(of: host)
        return try known.withLock { known in
            // Of look-ups that ran at the same time, the first to end counts for all.
            if let first = known[host] { return first }
            guard known.count < Self.limit else {
                throw EgressError(
                    .limitExceeded, "Can't connect to \(host): the page asks for more than \(Self.limit) hosts.")
            }
            known[host] = addresses
            return addresses
        }
    }

    /// Makes an address that has answered the only one of a name; returns another one if that has answered before.
    func pin(_ address: IPAddress, for host: String) -> IPAddress {
        known.withLock { known in
            // Several addresses: none has answered before.
            if let addresses = known[host], addresses.count == 1 { return addresses[0] }
            known[host] = [address]
            return address
        }
    }
}

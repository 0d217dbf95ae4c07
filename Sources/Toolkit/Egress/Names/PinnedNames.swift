import Futures

/// Caches the first resolution of each name, and reduces it to the first address that accepts a connection.
///
/// This prevents DNS rebinding: a name whose address changes between two connections would give its page access to the
/// content of the other address.
final class PinnedNames: NameResolver {
    /// The maximum number of names, more than any page needs.
    ///
    /// Further names are refused, because they couldn't be pinned.
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
            // Of concurrent look-ups, the first to finish determines the addresses for all.
            if let first = known[host] { return first }
            guard known.count < Self.limit else {
                throw EgressError(
                    .limitExceeded, "Can't connect to \(host): the page asks for more than \(Self.limit) hosts.")
            }
            known[host] = addresses
            return addresses
        }
    }

    /// The only address of a name; `nil` before a connection was made.
    func address(of host: String) -> IPAddress? {
        known.withLock { known in known[host].flatMap { $0.count == 1 ? $0[0] : nil } }
    }

    /// Makes a connected address the only one of a name; returns the pinned address, which differs if another was
    /// pinned before.
    func pin(_ address: IPAddress, for host: String) -> IPAddress {
        known.withLock { known in
            // More than one address means that none has been pinned yet.
            if let addresses = known[host], addresses.count == 1 { return addresses[0] }
            known[host] = [address]
            return address
        }
    }
}

/// Resolves hosts and checks their addresses against a policy.
///
/// Connect to the returned addresses and not to the name, which may resolve to other addresses the next time.
public struct AddressChecker: Sendable {
    /// The policy that addresses are checked against.
    public let policy: AddressPolicy
    private let resolver: any NameResolver
    private let ownPorts: OwnPorts
    private let network: @Sendable () throws(EgressError) -> LocalNetwork

    /// Creates a checker.
    ///
    /// - Parameters:
    ///   - policy: The addresses that may be connected to.
    ///   - resolver: Resolves names.
    ///   - ownPorts: The ports that this program listens on. They are refused even if the policy allows them.
    ///   - network: Reads the interfaces of this machine; called for each check.
    public init(
        policy: AddressPolicy = .publicOnly, resolver: any NameResolver = SystemNameResolver(),
        ownPorts: OwnPorts = OwnPorts(),
        network: @escaping @Sendable () throws(EgressError) -> LocalNetwork = LocalNetwork.current
    ) {
        self.policy = policy
        self.resolver = resolver
        self.ownPorts = ownPorts
        self.network = network
    }

    /// Resolves a host once and checks each of its addresses.
    ///
    /// One forbidden address refuses the whole host. A name with both public and private addresses is a
    /// misconfiguration or an attack that relies on clients trying the next address after a refusal, and neither should
    /// go unnoticed.
    ///
    /// - Parameters:
    ///   - host: A name or address as it stands in a URL, with or without brackets. All forms of addresses that
    ///     browsers accept (`0x7f.1`, `2130706433`) are addresses here too.
    ///   - port: The port.
    /// - Returns: The addresses in the order in which to try them; at least one.
    /// - Throws: ``EgressError`` with the code `refused`, `invalidHost`, `nameNotFound`, `resolutionFailed`,
    ///   `interfacesUnknown`, or, when the task is cancelled, `cancelled`.
    public func addresses(of host: String, port: Int) async throws(EgressError) -> [IPAddress] {
        let addresses: [IPAddress]
        switch EgressHost(host) {
        case .address(let address): addresses = [address]
        case .name(let name): addresses = try await resolved(name)
        case nil:
            let shown = host.count <= 120 ? host : "\(host.prefix(120))…"
            throw EgressError(.invalidHost, "\(shown) is neither a host's name nor an address. Check the address.")
        }
        try check(addresses, of: host, port: port)
        return addresses
    }

    /// Checks addresses that a host resolved to earlier, before connecting to them again.
    ///
    /// Throws ``EgressError`` with the code `refused` or `interfacesUnknown`.
    public func check(_ addresses: [IPAddress], of host: String, port: Int) throws(EgressError) {
        let network = try network()
        for address in addresses {
            do throws(EgressRefusal) {
                // Checked first, because a policy's refusal suggests a rule, and no rule can allow these ports.
                if ownPorts.contains(port), network.isThisMachine(address) {
                    throw EgressRefusal(ownPort: port, host: host, address: address)
                }
                try policy.check(address, host: host, port: port, on: network)
            } catch {
                throw EgressError(error)
            }
        }
    }

    private func resolved(_ name: String) async throws(EgressError) -> [IPAddress] {
        let addresses: [IPAddress]
        do {
            addresses = try await resolver.addresses(of: name)
        } catch let error as EgressError {
            throw error
        } catch is CancellationError {
            throw EgressError(.cancelled, "The search for the addresses of \(name) was cancelled.")
        } catch {
            throw EgressError(
                .resolutionFailed, "Can't look up \(name): \(error)", cause: error)
        }
        guard !addresses.isEmpty else {
            throw EgressError(.nameNotFound, "\(name) has no IP address. Check the name.")
        }
        return addresses
    }
}

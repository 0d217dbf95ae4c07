/// Finds the addresses of a host that may be connected to.
///
/// Connect to one of these very addresses: the name may lead elsewhere when it is looked up again.
public struct AddressChecker: Sendable {
    /// What may be connected to.
    public let policy: AddressPolicy
    private let resolver: any NameResolver
    private let ownPorts: OwnPorts
    private let network: @Sendable () throws(EgressError) -> LocalNetwork

    /// Creates a checker; `network` reads the interfaces of this machine anew for each check.
    ///
    /// The own ports are refused whatever the policy allows.
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

    /// Resolves a host, once, and checks every address that it leads to.
    ///
    /// One forbidden address among several refuses the host as a whole. A name with public and private addresses is an
    /// attempt to get in (who is refused at the first goes on to the next) or a mistake, and either should be seen.
    ///
    /// - Parameters:
    ///   - host: A name or an address as it stands in a URL, with brackets or without. What browsers take for an address
    ///     (`0x7f.1`, `2130706433`) is that address.
    ///   - port: The port.
    /// - Returns: The addresses in the order in which they are to be tried; at least one.
    /// - Throws: ``EgressError``: `refused`, `invalidHost`, `nameNotFound`, `resolutionFailed`, `interfacesUnknown`, or
    ///   `cancelled` when the task is.
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

    /// Checks addresses that a host led to a while ago, before they are connected to again.
    ///
    /// Throws ``EgressError``: `refused` or `interfacesUnknown`.
    public func check(_ addresses: [IPAddress], of host: String, port: Int) throws(EgressError) {
        let network = try network()
        for address in addresses {
            do throws(EgressRefusal) {
                // First: what nothing allows is not to be offered with the words that allow it.
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
                .resolutionFailed, "The addresses of \(name) could not be found: \(error)", cause: error)
        }
        guard !addresses.isEmpty else {
            throw EgressError(.nameNotFound, "\(name) has no address. Check the address.")
        }
        return addresses
    }
}

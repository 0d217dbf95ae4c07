/// The addresses that the program may connect to: public ones, and those that rules allow.
///
/// A pure value that neither resolves names nor connects; ``AddressChecker`` resolves names and checks each address
/// with it.
public struct AddressPolicy: Hashable, Sendable {
    /// The rules that allow addresses that aren't public.
    public var rules: [AllowRule]

    /// Allows public addresses only.
    public static let publicOnly = AddressPolicy()

    /// Creates a policy.
    public init(allowing rules: [AllowRule] = []) {
        self.rules = rules
    }

    /// Throws if the policy doesn't allow a connection to an address that the host resolved to.
    ///
    /// An IPv6 address with an embedded IPv4 address (`::ffff:…`, NAT64) is checked as that IPv4 address. The addresses
    /// of this machine's interfaces, and of machines on the same link, count as private. Ports that browsers block are
    /// allowed only by a rule that gives the port.
    public func check(
        _ address: IPAddress, host: String, port: Int, on network: LocalNetwork = LocalNetwork()
    ) throws(EgressRefusal) {
        let embedded = address.embeddedIPv4
        let range = AddressRange.containing(embedded ?? address)
        let parsed = EgressHost(host)
        let isAddressAllowed = rules.contains {
            $0.allows([address, embedded].compactMap(\.self), host: parsed, port: port, isMetadata: range?.isMetadata)
        }
        if !isAddressAllowed, let rule = range?.rule ?? network.rule(for: address, embedding: embedded) {
            throw refusal(
                .addressNotPublic, of: address, embedding: embedded, host: parsed, text: host, port: port, rule: rule,
                isMetadata: range?.isMetadata == true)
        }
        let isPortNamed = rules.contains {
            $0.port == port
                && $0.allows([address, embedded].compactMap(\.self), host: parsed, port: port, isMetadata: nil)
        }
        if PortNumber.blocked.contains(port) || !(1...65535).contains(port), !isPortNamed {
            throw refusal(
                .portBlocked, of: address, embedding: nil, host: parsed, text: host, port: port,
                rule: .init(
                    name: "a port for another protocol, which browsers block too", range: "port \(port)",
                    source: "https://fetch.spec.whatwg.org/#port-blocking"), isMetadata: false)
        }
    }

    private func refusal(
        _ code: EgressRefusal.Code, of address: IPAddress, embedding embedded: IPAddress?, host: EgressHost?,
        text: String, port: Int, rule: EgressRefusal.Rule, isMetadata: Bool
    ) -> EgressRefusal {
        let allowed =
            switch host {
            case .name(let name) where !isMetadata: name
            case .name, .address, nil: (embedded ?? address).bracketed
            }
        return EgressRefusal(
            code: code, host: host?.description ?? text, address: address, embeddedAddress: embedded, port: port,
            rule: rule, allowRule: "\(allowed):\(port)")
    }
}

/// A connection that the policy refused.
///
/// ``description`` tells users what was refused, by which rule, and which option allows it.
public struct EgressRefusal: Error, Hashable, Sendable {
    /// The kind of refusal.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The address isn't public.
        public static let addressNotPublic = Code(description: "addressNotPublic")
        /// The port is reserved for another protocol.
        public static let portBlocked = Code(description: "portBlocked")
        /// This program listens on that port; no rule can allow it.
        public static let ownPort = Code(description: "ownPort")
    }

    /// The built-in rule that refused a connection.
    public struct Rule: Hashable, Sendable {
        /// A description of the address or port, such as `a private address`.
        public var name: String
        /// The range that contains it, such as `192.168.0.0/16` or `port 25`.
        public var range: String
        /// The rule's source: `RFC 1918`, or a URL.
        public var source: String
    }

    /// The kind of refusal.
    public var code: Code
    /// The requested host: a name or an address.
    public var host: String
    /// The address that the host resolved to.
    public var address: IPAddress
    /// The IPv4 address embedded in an IPv6 address, if that one was checked.
    public var embeddedAddress: IPAddress?
    /// The port.
    public var port: Int
    /// The rule that refused.
    public var rule: Rule
    /// The text of an ``AllowRule`` that allows exactly this connection; `nil` if no rule can.
    public var allowRule: String?
}

extension EgressRefusal {
    /// The command-line option that allows the connection, such as `--allow nas.example:5000`; `nil` if no option can.
    public var allowOption: String? { allowRule.map { "--allow \($0)" } }

    /// What was refused and why, without a remedy.
    public var reason: String {
        if code == .portBlocked {
            return "Can't connect to \(host) on port \(port): it is \(rule.name)."
        }
        if code == .ownPort {
            return "\(host) on port \(port) is \(rule.name), which pages can't connect to."
        }
        let subject = host == "\(address)" ? "\(address) is" : "\(host) resolves to \(address), which is"
        let embedded = embeddedAddress.map { " that stands for \($0), \(rule.name)" }
        let kind = embedded.map { "an address\($0)" } ?? rule.name
        return "\(subject) \(kind) (\(rule.range)). For safety, only public addresses are allowed."
    }

    /// What was refused, by which rule, and which option allows it.
    public var message: String {
        allowOption.map { "\(reason) To allow this one, use: \($0)" } ?? reason
    }
}

extension EgressRefusal {
    /// Creates the refusal of a port that this program listens on.
    init(ownPort port: Int, host: String, address: IPAddress) {
        self.init(
            code: .ownPort, host: EgressHost(host)?.description ?? host, address: address,
            embeddedAddress: address.embeddedIPv4, port: port,
            rule: Rule(name: "this program's own port", range: "port \(port)", source: "OwnPorts"), allowRule: nil)
    }
}

extension EgressRefusal: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

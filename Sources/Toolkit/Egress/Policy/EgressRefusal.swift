/// A connection that the policy does not allow.
///
/// ``description`` is made for people: what was refused, by which rule, and the exact words that allow it.
public struct EgressRefusal: Error, Hashable, Sendable {
    /// The kind of refusal.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The address is not a public one.
        public static let addressNotPublic = Code(description: "addressNotPublic")
        /// The port belongs to another protocol.
        public static let portBlocked = Code(description: "portBlocked")
        /// The program itself listens there; no rule allows it.
        public static let ownPort = Code(description: "ownPort")
    }

    /// The rule that refused.
    public struct Rule: Hashable, Sendable {
        /// What the address or port is: `a private address`.
        public var name: String
        /// The range that it is in: `192.168.0.0/16`, or `port 25`.
        public var range: String
        /// Where that is written: `RFC 1918`, or an address of the web.
        public var source: String
    }

    /// The kind of refusal.
    public var code: Code
    /// The host as it was asked for: a name or an address.
    public var host: String
    /// The address that it led to.
    public var address: IPAddress
    /// The IPv4 address that it stands for, if that was what decided.
    public var embeddedAddress: IPAddress?
    /// The port.
    public var port: Int
    /// The rule that refused.
    public var rule: Rule
    /// What allows exactly this: the text of an ``AllowRule``; `nil` if nothing does.
    public var allowRule: String?
}

extension EgressRefusal {
    /// The exact words for the command line: `--allow nas.example:5000`; `nil` if nothing allows it.
    public var allowance: String? { allowRule.map { "--allow \($0)" } }

    /// What was refused, and why, in one sentence without what to do.
    public var reason: String {
        if code == .portBlocked {
            return "\(host) was not connected to on port \(port), which is \(rule.name)."
        }
        if code == .ownPort {
            return "\(host) on port \(port) is \(rule.name), which pages must not reach."
        }
        let subject = host == "\(address)" ? "\(address) is" : "\(host) leads to \(address), which is"
        let embedded = embeddedAddress.map { " that stands for \($0), \(rule.name)" }
        let what = embedded.map { "an address\($0)" } ?? rule.name
        return "\(subject) \(what) (\(rule.range)); only public addresses are connected to."
    }

    /// What was refused, by which rule, and the exact words that allow it.
    public var message: String {
        allowance.map { "\(reason) If it is meant to be reached, allow it with: \($0)" } ?? reason
    }
}

extension EgressRefusal {
    /// A connection to a port at which this program itself listens.
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

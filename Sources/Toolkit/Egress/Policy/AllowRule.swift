/// A rule that allows connections to addresses that aren't public: `HOST`, `ADDRESS` or `CIDR`, with an optional port.
///
/// A name allows that name only, whatever it resolves to. An address or block allows all names that resolve to it.
/// Addresses that serve cloud credentials are allowed only by a rule for that exact address.
public struct AllowRule: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        /// The host with this name, in lower case.
        case name(String)
        case block(AddressBlock)
    }

    let subject: Subject
    /// The only allowed port; `nil` for all ports that aren't blocked.
    let port: Int?

    /// Parses a rule.
    ///
    /// - Parameter text: `nas.example`, `nas.example:5000`, `192.168.1.5`, `192.168.1.0/24`, `10.0.0.0/8:8080`,
    ///   `fd00::1`, `[fd00::1]:8080`, `[fd00::/8]:8080`.
    /// - Throws: ``EgressError`` with the code `invalidRule`, whose message says what is wrong and suggests a
    ///   correction.
    public init(_ text: String) throws(EgressError) {
        func invalid(_ reason: String) -> EgressError {
            EgressError(.invalidRule, "\(Self.shown(text)) can't be allowed: \(reason)")
        }
        if let scheme = text.firstRange(of: "://") {
            let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
            throw invalid("give only the host, with or without a port: \(Self.shown(String(authority)))")
        }
        guard let (host, port) = Self.hostAndPort(text) else {
            throw invalid(
                "it isn't HOST or CIDR, with or without a port from 1 to 65535, such as nas.example:5000 or 192.168.1.0/24."
            )
        }
        self.port = port
        if host.contains("/") {
            if let block = AddressBlock(host) {
                self.subject = .block(block)
                return
            }
            let parts = host.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let address = IPAddress(String(parts[0])),
                let length = PortNumber.decimal(parts[1], upTo: address.isIPv4 ? 32 : 128)
            else { throw invalid("it isn't a block of addresses such as 192.168.1.0/24 or fd00::/8.") }
            let block = AddressBlock(around: address, prefixLength: length)
            throw invalid("the block starts at another address. Did you mean \(block)?")
        }
        switch EgressHost(host) {
        case .name(let name): self.subject = .name(name)
        case .address(let address):
            self.subject = .block(AddressBlock(address))
        case nil:
            throw invalid(
                "it isn't a host's name or address. Names have letters, digits and hyphens; write others in their xn-- form."
            )
        }
    }

    /// Parses a list of rules, separated by commas or white space, as in an environment variable.
    ///
    /// - Throws: ``EgressError`` with the code `invalidRule` for the first invalid rule.
    public static func list(_ text: String) throws(EgressError) -> [AllowRule] {
        var rules: [AllowRule] = []
        for part in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            rules.append(try AllowRule(String(part)))
        }
        return rules
    }

    /// Returns `nil` if the port is invalid or the brackets don't match.
    private static func hostAndPort(_ text: String) -> (host: String, port: Int?)? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let inside = String(text[text.index(after: text.startIndex)..<end])
            var rest = text[text.index(after: end)...]
            var host = inside
            // `[fd00::]/8` is accepted too; it's as clear as `[fd00::/8]`.
            if rest.first == "/" {
                let length = rest.prefix { $0 != ":" }
                host += length
                rest = rest.dropFirst(length.count)
            }
            guard inside.contains(":") else { return nil }
            if rest.isEmpty { return (host, nil) }
            guard rest.first == ":", let port = PortNumber.port(rest.dropFirst()) else { return nil }
            return (host, port)
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1, let colon = text.firstIndex(of: ":") else { return text.isEmpty ? nil : (text, nil) }
        guard colon > text.startIndex, let port = PortNumber.port(text[text.index(after: colon)...]) else { return nil }
        return (String(text[..<colon]), port)
    }

    private static func shown(_ text: String) -> String {
        text.isEmpty ? "Nothing" : text.count <= 120 ? text : "\(text.prefix(120))…"
    }
}

extension AllowRule {
    /// Whether the rule allows a connection to one of these: an address, and the IPv4 address that it embeds.
    ///
    /// If they are metadata addresses, only a rule for that exact address allows it. `isMetadata` is `nil` if the
    /// address is in no special range, or if only the port is checked.
    func allows(_ addresses: [IPAddress], host: EgressHost?, port: Int, isMetadata: Bool?) -> Bool {
        if let own = self.port, own != port { return false }
        switch subject {
        case .name(let name): return isMetadata != true && host == .name(name)
        case .block(let block):
            return (isMetadata != true || block.isSingle) && addresses.contains { block.contains($0) }
        }
    }
}

extension AllowRule: CustomStringConvertible {
    /// The rule in its textual form.
    public var description: String {
        let suffix = port.map { ":\($0)" } ?? ""
        switch subject {
        case .name(let name): return name + suffix
        case .block(let block) where block.isSingle:
            return port == nil ? "\(block.first)" : block.first.bracketed + suffix
        case .block(let block):
            return block.first.isIPv4 || port == nil ? "\(block)\(suffix)" : "[\(block)]\(suffix)"
        }
    }
}

/// A range of special-purpose addresses, and how the policy treats them.
struct AddressRange: Sendable {
    /// How the policy treats an address in the range.
    enum Verdict: Sendable {
        /// The address is refused.
        case refused
        /// The address embeds an IPv4 address in its last four bytes, which is checked instead.
        case embedsIPv4
        /// The address is public.
        case isPublic
    }

    let block: AddressBlock
    /// A description of such an address, with its article: `a private address`.
    let name: String
    /// The document that defines the range.
    let source: String
    var verdict = Verdict.refused
    /// Whether only a rule for this exact address allows it; a name or a larger block doesn't.
    var isMetadata = false

    private init?(
        _ block: String, _ name: String, _ source: String, _ verdict: Verdict = .refused, isMetadata: Bool = false
    ) {
        guard let block = AddressBlock(block) else { return nil }
        self.block = block
        self.name = name
        self.source = source
        self.verdict = verdict
        self.isMetadata = isMetadata
    }
}

extension AddressRange {
    /// The rule that refuses an address in the range; `nil` if it is not refused.
    var rule: EgressRefusal.Rule? {
        guard case .refused = verdict else { return nil }
        return EgressRefusal.Rule(name: name, range: "\(block)", source: source)
    }

    /// The range of an address.
    ///
    /// Ranges are searched in order, so each stands before the ranges that contain it.
    static func containing(_ address: IPAddress) -> AddressRange? {
        (address.isIPv4 ? ipv4 : ipv6).first { $0.block.contains(address) }
    }

    /// The addresses that serve cloud credentials, and the documents that define them.
    private static let metadata: [AddressRange] = [
        ("169.254.169.254/32", amazon + "AWSEC2/latest/UserGuide/instancedata-data-retrieval.html"),
        ("169.254.170.2/32", amazon + "AmazonECS/latest/developerguide/task-iam-roles.html"),
        ("169.254.170.23/32", amazon + "eks/latest/userguide/pod-id-how-it-works.html"),
        ("100.100.100.200/32", "https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata"),
        ("168.63.129.16/32", "https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16"),
        ("192.0.0.192/32", "Oracle Cloud Infrastructure Classic"),
        ("fd00:ec2::254/128", amazon + "AWSEC2/latest/UserGuide/instancedata-data-retrieval.html"),
        ("fd00:ec2::23/128", amazon + "eks/latest/userguide/pod-id-how-it-works.html"),
        ("fd20:ce::254/128", "https://cloud.google.com/compute/docs/metadata/querying-metadata"),
    ].compactMap { AddressRange($0, "a cloud's metadata address", $1, isMetadata: true) }

    private static let amazon = "https://docs.aws.amazon.com/"

    /// The ranges of https://www.iana.org/assignments/iana-ipv4-special-registry.
    ///
    /// Ranges that the registry calls globally reachable (AS112, AMT) are left out, except the anycast addresses in
    /// 192.0.0.0/24, which serve no pages.
    static let ipv4: [AddressRange] =
        metadata.filter(\.block.first.isIPv4)
        + [
            AddressRange("0.0.0.0/32", "the unspecified address, which leads to this computer", "RFC 1122"),
            AddressRange("0.0.0.0/8", "an address of this network, which leads to this computer", "RFC 791"),
            AddressRange("10.0.0.0/8", "a private address", "RFC 1918"),
            AddressRange("100.64.0.0/10", "an address of a provider's own network", "RFC 6598"),
            AddressRange("127.0.0.0/8", "an address of this computer", "RFC 1122"),
            AddressRange("169.254.0.0/16", "a link-local address", "RFC 3927"),
            AddressRange("172.16.0.0/12", "a private address", "RFC 1918"),
            AddressRange("192.0.0.0/24", "an address reserved for protocols", "RFC 6890"),
            AddressRange("192.0.2.0/24", "an address for documentation", "RFC 5737"),
            AddressRange("192.88.99.0/24", "a 6to4 relay's address", "RFC 7526"),
            AddressRange("192.168.0.0/16", "a private address", "RFC 1918"),
            AddressRange("198.18.0.0/15", "an address for benchmarks", "RFC 2544"),
            AddressRange("198.51.100.0/24", "an address for documentation", "RFC 5737"),
            AddressRange("203.0.113.0/24", "an address for documentation", "RFC 5737"),
            AddressRange("224.0.0.0/4", "a multicast address", "RFC 5771"),
            AddressRange("255.255.255.255/32", "the broadcast address", "RFC 8190"),
            AddressRange("240.0.0.0/4", "a reserved address", "RFC 1112"),
        ].compactMap(\.self)

    /// The ranges of https://www.iana.org/assignments/iana-ipv6-special-registry.
    ///
    /// Followed by the ranges of https://www.iana.org/assignments/ipv6-address-space, in which only 2000::/3 is
    /// assigned to machines.
    static let ipv6: [AddressRange] =
        metadata.filter { !$0.block.first.isIPv4 }
        + [
            AddressRange("::/128", "the unspecified address, which leads to this computer", "RFC 4291"),
            AddressRange("::1/128", "an address of this computer", "RFC 4291"),
            AddressRange("::ffff:0:0/96", "an IPv4-mapped address", "RFC 4291", .embedsIPv4),
            AddressRange("::/96", "an IPv4-compatible address", "RFC 4291"),
            AddressRange("::ffff:0:0:0/96", "an IPv4-translated address", "RFC 2765"),
            // DNS64 maps public addresses to these; on a network without IPv4, they are the only way to most of the
            // web.
            AddressRange("64:ff9b::/96", "a NAT64 address", "RFC 6052", .embedsIPv4),
            AddressRange("64:ff9b:1::/48", "an address of a local NAT64", "RFC 8215"),
            AddressRange("100::/64", "a discard-only address", "RFC 6666"),
            AddressRange("100:0:0:1::/64", "a dummy address", "RFC 9780"),
            AddressRange("2001::/32", "a Teredo address", "RFC 4380"),
            AddressRange("2001:2::/48", "an address for benchmarks", "RFC 5180"),
            AddressRange("2001:10::/28", "an ORCHID, which isn't a computer's address", "RFC 4843"),
            AddressRange("2001:20::/28", "an ORCHID, which isn't a computer's address", "RFC 7343"),
            AddressRange("2001::/23", "an address reserved for protocols", "RFC 2928"),
            AddressRange("2001:db8::/32", "an address for documentation", "RFC 3849"),
            AddressRange("2002::/16", "a 6to4 address", "RFC 3056"),
            AddressRange("3fff::/20", "an address for documentation", "RFC 9637"),
            AddressRange("2000::/3", "a public address", "RFC 4291", .isPublic),
            AddressRange("5f00::/16", "a segment-routing (SRv6) identifier", "RFC 9602"),
            AddressRange("fc00::/7", "a private address", "RFC 4193"),
            AddressRange("fe80::/10", "a link-local address", "RFC 4291"),
            AddressRange("fec0::/10", "a site-local address", "RFC 3879"),
            AddressRange("ff00::/8", "a multicast address", "RFC 4291"),
            AddressRange("::/0", "an unassigned address", "RFC 4291"),
        ].compactMap(\.self)
}

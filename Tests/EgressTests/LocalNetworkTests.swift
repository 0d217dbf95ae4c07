import Futures
import Testing

@testable import Egress

@Suite struct LocalNetworkTests {
    private static func interface(
        _ name: String, _ address: String, _ prefixLength: Int, peer: String? = nil
    ) throws -> LocalNetwork.Interface {
        LocalNetwork.Interface(
            name: name, address: try #require(IPAddress(address)), prefixLength: prefixLength,
            peer: try peer.map { try #require(IPAddress($0)) })
    }

    /// A machine with public addresses of both families, a tunnel to the Internet, a point-to-point link, and DHCPv6.
    private static func network() throws -> LocalNetwork {
        LocalNetwork(interfaces: [
            try interface("lo", "127.0.0.1", 8), try interface("eth0", "11.22.33.44", 24),
            try interface("eth0", "2600:aaaa:bbbb:cccc::1", 64), try interface("eth1", "2600:dddd::7", 128),
            try interface("tun0", "55.1.2.3", 1), try interface("tun0", "2600:eeee::1", 0),
            try interface("ppp0", "66.1.2.3", 32, peer: "77.1.2.3"),
            try interface("tun1", "88.1.2.3", 0, peer: "99.1.2.3"), try interface("eth2", "44.0.0.1", 8),
        ])
    }

    @Test(arguments: [
        ("11.22.33.44", "11.22.33.44/32"), ("11.22.33.1", "11.22.33.0/24"), ("11.22.33.255", "11.22.33.0/24"),
        ("2600:aaaa:bbbb:cccc::1", "2600:aaaa:bbbb:cccc::1/128"),
        ("2600:aaaa:bbbb:cccc:ffff::2", "2600:aaaa:bbbb:cccc::/64"), ("2600:dddd::7", "2600:dddd::7/128"),
        ("2600:dddd::8", "2600:dddd::/64"), ("55.1.2.3", "55.1.2.3/32"), ("2600:eeee::1", "2600:eeee::1/128"),
        ("66.1.2.3", "66.1.2.3/32"), ("77.1.2.3", "77.1.2.3/32"), ("99.1.2.3", "99.1.2.3/32"),
        ("44.200.1.1", "44.0.0.0/8"), ("::ffff:11.22.33.44", "11.22.33.44/32"),
        ("::ffff:11.22.33.1", "11.22.33.0/24"), ("64:ff9b::11.22.33.1", "11.22.33.0/24"),
    ])
    func addressesOfThisMachineAndItsLinksAreRefused(address: String, range: String) throws {
        let address = try #require(IPAddress(address))
        let network = try Self.network()
        let refusal = #expect(throws: EgressRefusal.self) {
            try AddressPolicy.publicOnly.check(address, host: "name.example", port: 80, on: network)
        }
        #expect(refusal?.code == .addressNotPublic && refusal?.rule.range == range)
        #expect(refusal?.message.hasSuffix("--allow name.example:80") == true, "\(refusal?.message ?? "")")
        let rule = try AllowRule(#require(refusal?.allowRule))
        try AddressPolicy(allowing: [rule]).check(address, host: "name.example", port: 80, on: network)
        // Without the interfaces, the address looks public.
        try AddressPolicy.publicOnly.check(address, host: "name.example", port: 80)
    }

    @Test(arguments: [
        "11.22.34.1", "11.22.32.255", "2600:aaaa:bbbb:cccd::1", "2600:dddd:0:1::7", "55.1.2.4", "1.1.1.1", "8.8.8.8",
        "2600:eeee::2", "2606:4700:4700::1111", "66.1.2.4", "77.1.2.4", "88.1.2.4", "45.0.0.1", "64:ff9b::8.8.8.8",
    ])
    func tunnelToTheInternetMakesNoAddressPrivate(address: String) throws {
        let address = try #require(IPAddress(address))
        try AddressPolicy.publicOnly.check(address, host: "name.example", port: 80, on: Self.network())
    }

    /// The link of a NAT64 gateway has the prefix that embeds all of IPv4.
    @Test func nat64GatewayMakesNoPublicAddressPrivate() throws {
        let network = LocalNetwork(interfaces: [try Self.interface("nat64", "64:ff9b::1", 96)])
        let address = try #require(IPAddress("64:ff9b::8.8.8.8"))
        try AddressPolicy.publicOnly.check(address, host: "name.example", port: 80, on: network)
    }

    @Test func refusalNamesARegisteredRangeRatherThanAnInterface() throws {
        let address = try #require(IPAddress("127.0.0.1"))
        let refusal = #expect(throws: EgressRefusal.self) {
            try AddressPolicy.publicOnly.check(address, host: "127.0.0.1", port: 80, on: Self.network())
        }
        #expect(refusal?.rule.source == "RFC 1122")
    }

    @Test func theInterfacesAreReadForEachCheck() async throws {
        let current = Lock(LocalNetwork())
        let checker = AddressChecker(resolver: FixedResolver(["11.22.33.99"])) { () throws(EgressError) in
            current.withLock { $0 }
        }
        let addresses = try await checker.addresses(of: "name.example", port: 80)
        let network = try Self.network()
        current.withLock { $0 = network }
        await #expect(throws: EgressError.self) { try await checker.addresses(of: "name.example", port: 80) }
        #expect(throws: EgressError.self) { try checker.check(addresses, of: "name.example", port: 80) }
    }

    @Test func everyAddressIsRefusedWhileTheInterfacesAreUnknown() async {
        let checker = AddressChecker(resolver: FixedResolver(["8.8.8.8"])) { () throws(EgressError) in
            throw EgressError(.interfacesUnknown, "The kernel does not answer.")
        }
        let error = await #expect(throws: EgressError.self) {
            try await checker.addresses(of: "name.example", port: 80)
        }
        #expect(error?.code == .interfacesUnknown)
    }

    @Test func theSystemsInterfacesAreRead() throws {
        let interfaces = try LocalNetwork.current().interfaces
        let loopback = try #require(interfaces.first { $0.address.description == "127.0.0.1" })
        #expect(loopback.prefixLength == 8)
        for interface in interfaces where !interface.address.isIPv4 {
            #expect((1...128).contains(interface.prefixLength), "\(interface)")
        }
    }

    // MARK: The program's own ports

    @Test(arguments: [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "::1", "::", "::ffff:127.0.0.1", "11.22.33.44",
        "::ffff:11.22.33.44", "2600:aaaa:bbbb:cccc::1",
    ])
    func ownPortIsRefusedDespiteAllowRules(address: String) async throws {
        let policy = AddressPolicy(allowing: try ["0.0.0.0/0", "::/0", "name.example"].map { try AllowRule($0) })
        let (ports, network) = (OwnPorts([8080]), try Self.network())
        let checker = AddressChecker(policy: policy, resolver: FixedResolver([address]), ownPorts: ports) { network }
        let error = await #expect(throws: EgressError.self) {
            try await checker.addresses(of: "name.example", port: 8080)
        }
        #expect(error?.refusal?.code == .ownPort && error?.refusal?.allowOption == nil)
        #expect(
            error?.message == "name.example on port 8080 is this program's own port, which pages can't connect to.")
        _ = try await checker.addresses(of: "name.example", port: 8081)
        ports.remove(8080)
        _ = try await checker.addresses(of: "name.example", port: 8080)
    }

    @Test func ownPortNumberOfAnotherMachineIsAllowed() async throws {
        let network = try Self.network()
        for address in ["8.8.8.8", "2606:4700:4700::1111"] {
            let checker = AddressChecker(resolver: FixedResolver([address]), ownPorts: OwnPorts([8080])) { network }
            _ = try await checker.addresses(of: "name.example", port: 8080)
        }
    }
}

import Foundation

/// A snapshot of the addresses of this machine's network interfaces, and of the networks that they connect to.
///
/// A public address of this machine, or of a machine on the same link, is as private as 192.168.1.5: a page could reach
/// services there that the Internet can't. ``AddressPolicy/check(_:host:port:on:)`` refuses both.
public struct LocalNetwork: Hashable, Sendable {
    /// One address of a network interface.
    public struct Interface: Hashable, Sendable {
        /// The interface's name: `eth0`.
        public var name: String
        /// The address.
        public var address: IPAddress
        /// The number of leading bits that all addresses on the link share.
        public var prefixLength: Int
        /// The address at the other end of a point-to-point link; on other links, possibly the broadcast address.
        public var peer: IPAddress?

        /// Creates an interface's address.
        public init(name: String, address: IPAddress, prefixLength: Int, peer: IPAddress? = nil) {
            self.name = name
            self.address = address
            self.prefixLength = prefixLength
            self.peer = peer
        }
    }

    /// The addresses of all interfaces, including those that are down, because they may come up before the connection
    /// is made.
    public var interfaces: [Interface]

    /// Creates a network; pass no interfaces if they are unknown.
    public init(interfaces: [Interface] = []) {
        self.interfaces = interfaces
    }
}

// MARK: - Checking addresses

extension LocalNetwork {
    /// Whether connections to an address reach this machine.
    func isThisMachine(_ address: IPAddress) -> Bool {
        let effective = address.embeddedIPv4 ?? address
        // 0.0.0.0 and :: also reach this machine, like its loopback addresses.
        let isLoopback = effective.isIPv4 ? [0, 127].contains(effective.bytes[0]) : effective.number <= 1
        return isLoopback || interfaces.contains { $0.address == address || $0.address == effective }
    }

    /// The rule that refuses an address of this machine or of a machine on the same link; `nil` for other addresses.
    func rule(for address: IPAddress, embedding embedded: IPAddress?) -> EgressRefusal.Rule? {
        let effective = embedded ?? address
        if let own = interfaces.first(where: { $0.address == address || $0.address == effective }) {
            return own.rule("an address of this computer", AddressBlock(own.address))
        }
        for interface in interfaces {
            // An address with an embedded IPv4 address isn't checked itself, because the link of a NAT64 gateway
            // contains one for each IPv4 address.
            if let block = interface.links.first(where: { $0.contains(effective) }) {
                return interface.rule("an address of this computer's network", block)
            }
        }
        return nil
    }
}

extension LocalNetwork.Interface {
    /// The shortest prefix of a real network.
    ///
    /// The registries have assigned no larger block, of IPv4 or of IPv6. An interface with a shorter prefix
    /// (`0.0.0.0/1`) is a tunnel to the Internet, and not a link with other machines.
    private static func shortestPrefix(isIPv4: Bool) -> Int { isIPv4 ? 8 : 32 }

    /// The prefix length of an IPv6 network.
    ///
    /// DHCPv6 assigns addresses with a prefix length of 128, although their neighbours are in the same /64
    /// (https://www.rfc-editor.org/rfc/rfc4291#section-2.5.1).
    private static let subnetPrefix = 64

    /// The blocks of addresses that are on the interface's link.
    fileprivate var links: [AddressBlock] {
        let width = address.isIPv4 ? 32 : 128
        guard (Self.shortestPrefix(isIPv4: address.isIPv4)...width).contains(prefixLength) else {
            return peer.map { [AddressBlock($0)] } ?? []
        }
        let length = address.isIPv4 ? prefixLength : min(prefixLength, Self.subnetPrefix)
        return [address, peer].compactMap(\.self).map { AddressBlock(around: $0, prefixLength: length) }
    }

    fileprivate func rule(_ name: String, _ block: AddressBlock) -> EgressRefusal.Rule {
        EgressRefusal.Rule(name: name, range: "\(block)", source: "network interface \(self.name)")
    }
}

// MARK: - Reading the system's interfaces

extension LocalNetwork {
    /// Reads the interfaces of this machine; throws ``EgressError`` with the code `interfacesUnknown`.
    ///
    /// Takes about 50 microseconds. Interfaces change while a program runs, so read them for each check.
    public static func current() throws(EgressError) -> LocalNetwork {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else {
            throw EgressError(
                .interfacesUnknown,
                "Can't connect to anything: the addresses of this computer's network interfaces can't be read "
                    + "(\(String(cString: strerror(errno)))), so private addresses can't be told from public ones.")
        }
        defer { if let list { freeifaddrs(list) } }
        var interfaces: [Interface] = []
        var entry = list
        while let current = entry?.pointee {
            entry = current.ifa_next
            guard let address = current.ifa_addr.flatMap({ IPAddress($0) }) else { continue }
            let mask = current.ifa_netmask.flatMap { IPAddress($0) }
            #if canImport(Darwin)
                let peer = current.ifa_dstaddr
            #else
                let peer = current.ifa_ifu.ifu_dstaddr
            #endif
            interfaces.append(
                Interface(
                    name: String(cString: current.ifa_name), address: address,
                    // Without a netmask, the address is alone on its link.
                    prefixLength: mask?.leadingOnes ?? address.bytes.count * 8,
                    peer: peer.flatMap { IPAddress($0) }))
        }
        return LocalNetwork(interfaces: interfaces)
    }
}

extension IPAddress {
    /// The number of leading one bits.
    fileprivate var leadingOnes: Int {
        isIPv4 ? UInt32(truncatingIfNeeded: ~number).leadingZeroBitCount : (~number).leadingZeroBitCount
    }
}

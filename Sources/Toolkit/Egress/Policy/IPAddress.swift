import Foundation

/// The address of a machine: four bytes (IPv4) or sixteen (IPv6).
///
/// Two are equal if their bytes are: `127.0.0.1` and `::ffff:127.0.0.1` are not, though they lead to the same place;
/// ``AddressPolicy`` knows that.
public struct IPAddress: Hashable, Sendable {
    /// The address as one number, the first byte the most significant.
    let number: UInt128
    /// Whether it has four bytes.
    let isIPv4: Bool

    init(number: UInt128, isIPv4: Bool) {
        self.number = number
        self.isIPv4 = isIPv4
    }

    /// Creates an address from its bytes.
    ///
    /// - Parameter bytes: Four or sixteen, in the network's order. Makes `nil` of any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.init(number: bytes.reduce(0) { $0 << 8 | UInt128($1) }, isIPv4: bytes.count == 4)
    }

    /// Reads an address in its usual form: `192.0.2.1`, `2001:db8::1`.
    ///
    /// What browsers and C libraries take besides (`0x7f.1`, `2130706433`, `0177.0.0.1`, zones) is none here;
    /// ``AddressChecker`` reads it as they do.
    ///
    /// - Parameter text: The address, without brackets or spaces. Makes `nil` of anything else.
    public init?(_ text: String) {
        // A C string ends at NUL, and what stands behind it would go unread.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(number: UInt128(UInt32(bigEndian: four.s_addr)), isIPv4: true)
            return
        }
        var sixteen = in6_addr()
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        let number = withUnsafeBytes(of: sixteen) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
        self.init(number: number, isIPv4: false)
    }

    /// Reads the address of a socket; makes `nil` of one that is of another family than IPv4 and IPv6.
    init?(_ socketAddress: UnsafePointer<sockaddr>) {
        let address = UnsafeRawPointer(socketAddress)
        switch CInt(socketAddress.pointee.sa_family) {
        case AF_INET:
            let four = address.loadUnaligned(as: sockaddr_in.self)
            self.init(number: UInt128(UInt32(bigEndian: four.sin_addr.s_addr)), isIPv4: true)
        case AF_INET6:
            let six = address.loadUnaligned(as: sockaddr_in6.self)
            let number = withUnsafeBytes(of: six.sin6_addr) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
            self.init(number: number, isIPv4: false)
        default:
            return nil
        }
    }

    /// The bytes in the network's order, four or sixteen.
    public var bytes: [UInt8] {
        let count = isIPv4 ? 4 : 16
        return (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// The IPv4 address that an IPv6 address stands for (`::ffff:…`, NAT64), which decides in its place.
    var embeddedIPv4: IPAddress? {
        guard case .standsForLastFourBytes? = AddressRange.around(self)?.verdict else { return nil }
        return IPAddress(number: number & 0xffff_ffff, isIPv4: true)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its usual form, that of RFC 5952 for IPv6.
    public var description: String {
        if isIPv4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: bytes) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                let text = inet_ntop(AF_INET6, &address, base, socklen_t(buffer.count))
            else { return "::" }
            return String(cString: text)
        }
    }

    /// The address as it stands in an authority: IPv6 in brackets.
    var bracketed: String { isIPv4 ? description : "[\(description)]" }
}

import Foundation

/// An IP address: four bytes for IPv4, sixteen for IPv6.
///
/// Addresses are equal if their bytes are. `127.0.0.1` and `::ffff:127.0.0.1` aren't equal, although both reach the
/// same machine; ``AddressPolicy`` takes that into account.
public struct IPAddress: Hashable, Sendable {
    /// The address as a number in network byte order: the first byte is the most significant.
    let number: UInt128
    /// Whether the address has four bytes.
    let isIPv4: Bool

    init(number: UInt128, isIPv4: Bool) {
        self.number = number
        self.isIPv4 = isIPv4
    }

    /// Creates an address from its bytes.
    ///
    /// - Parameter bytes: Four or sixteen bytes in network order. Returns `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.init(number: bytes.reduce(0) { $0 << 8 | UInt128($1) }, isIPv4: bytes.count == 4)
    }

    /// Parses an address in its usual form: `192.0.2.1`, `2001:db8::1`.
    ///
    /// Rejects the other forms that browsers and C libraries accept (`0x7f.1`, `2130706433`, `0177.0.0.1`, zones).
    /// ``AddressChecker`` accepts the forms that browsers accept.
    ///
    /// - Parameter text: The address, without brackets or spaces. Returns `nil` for anything else.
    public init?(_ text: String) {
        // `inet_pton` would ignore the text after a NUL.
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

    /// Reads the address of a socket; returns `nil` for families other than IPv4 and IPv6.
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

    /// The four or sixteen bytes, in network order.
    public var bytes: [UInt8] {
        let count = isIPv4 ? 4 : 16
        return (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// The IPv4 address embedded in this IPv6 address (`::ffff:…`, NAT64), which is checked instead; `nil` if none is.
    var embeddedIPv4: IPAddress? {
        guard case .standsForLastFourBytes? = AddressRange.around(self)?.verdict else { return nil }
        return IPAddress(number: number & 0xffff_ffff, isIPv4: true)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its usual form; for IPv6, the form of RFC 5952.
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

    /// The address as URLs write it: IPv6 in brackets.
    var bracketed: String { isIPv4 ? description : "[\(description)]" }
}

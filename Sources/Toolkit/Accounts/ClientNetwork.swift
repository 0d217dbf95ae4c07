import Foundation

/// The part of a client's address by which clients are counted.
public enum ClientNetwork {
    /// The whole address for IPv4; the first 64 bits for IPv6, because a client may choose the others freely.
    ///
    /// - Parameter address: An address such as `192.0.2.1` or `2001:db8::1`.
    /// - Returns: The name of the network; the text itself if it isn't an address.
    public static func name(of address: String) -> String {
        // `inet_pton` would ignore the text after a NUL. A zone is the interface's name, such as `%eth0`.
        let text = String(address.prefix { $0 != "%" && $0 != "\0" })
        var six = in6_addr()
        guard text.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, text, &six) == 1 else { return address }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        if isMapped { return bytes.suffix(4).map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}

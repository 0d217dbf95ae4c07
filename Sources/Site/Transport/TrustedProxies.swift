import Egress
import HTTPTypes
import Hummingbird

/// The proxies in front of the site, whose word about their clients' addresses counts.
///
/// Each proxy appends the address that has connected to it. So the client is the last one, from the right, that isn't a
/// proxy itself; everything to its left may be invented by the client.
public struct TrustedProxies: Sendable {
    /// The largest number of addresses that are looked at.
    private static let maximumHops = 20

    /// A block of addresses with a common prefix; the prefix of a single address is the whole of it.
    private struct Block {
        let first: [UInt8]
        let prefixLength: Int

        init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let bytes = IPAddress(String(parts[0]))?.bytes, parts.count <= 2 else { return nil }
            let length = parts.count == 2 ? Int(parts[1]) : 8 * bytes.count
            guard let length, (0...8 * bytes.count).contains(length) else { return nil }
            (first, prefixLength) = (bytes, length)
        }

        func contains(_ address: IPAddress) -> Bool {
            let bytes = address.bytes
            return bytes.count == first.count
                && bytes.indices.allSatisfy { index in
                    let bits = min(8, max(0, prefixLength - 8 * index))
                    return (bytes[index] ^ first[index]) >> UInt8(8 - bits) == 0
                }
        }
    }

    private let blocks: [Block]

    /// Parses the proxies.
    ///
    /// - Parameter texts: Addresses such as `127.0.0.1`, or blocks such as `10.0.0.0/8`.
    /// - Throws: ``SiteError`` that names an invalid one.
    public init(_ texts: [String]) throws(SiteError) {
        var blocks: [Block] = []
        for text in texts {
            guard let block = Block(text) else {
                throw SiteError(.invalidProxy, SiteWords.invalidProxy(text))
            }
            blocks.append(block)
        }
        self.blocks = blocks
    }

    /// Whether no proxy is trusted.
    public var isEmpty: Bool { blocks.isEmpty }

    /// Whether an address is that of a proxy.
    func contains(_ address: String) -> Bool {
        guard let address = Self.address(address) else { return false }
        return blocks.contains { $0.contains(address) }
    }

    /// The address of the client that has sent a request.
    ///
    /// - Parameters:
    ///   - peer: The address that has connected to this server.
    ///   - fields: The header of the request.
    /// - Returns: The client's address; the last known proxy's if the header is missing, invalid or ambiguous.
    func client(behind peer: String, _ fields: HTTPFields) -> String {
        guard contains(peer) else { return peer }
        let (forwarded, listed) = (fields[values: .forwarded], fields[values: .xForwardedFor])
        // A proxy sets one of them, and passes on the other as the client has sent it.
        guard forwarded.isEmpty || listed.isEmpty else { return peer }
        let hops = (forwarded.isEmpty ? listed : forwarded).flatMap { $0.split(separator: ",") }
        var client = peer
        for hop in hops.suffix(Self.maximumHops).reversed() {
            guard let text = forwarded.isEmpty ? hop[...] : Self.forwardedFor(hop),
                let address = Self.address(Self.withoutPort(text.trimmed))
            else { break }
            client = "\(address)"
            if !contains(client) { break }
        }
        return client
    }

    /// The value of `for` in an element of the header `Forwarded` (RFC 7239), without quotes.
    private static func forwardedFor(_ element: Substring) -> Substring? {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "for" else { continue }
            let value = parts[1].trimmed
            return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                ? value.dropFirst().dropLast() : value
        }
        return nil
    }

    /// An address without its port: `192.0.2.1:80`, `[2001:db8::1]:80`.
    private static func withoutPort(_ text: Substring) -> Substring {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return text.dropFirst()[..<end] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? parts[0] : text
    }

    /// Parses an address; an IPv4 address in an IPv6 one, as of a socket that accepts both, becomes IPv4.
    private static func address(_ text: some StringProtocol) -> IPAddress? {
        guard let address = IPAddress(String(text)) else { return nil }
        let bytes = address.bytes
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [255, 255]
        return isMapped ? IPAddress(bytes: bytes.suffix(4)) : address
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}

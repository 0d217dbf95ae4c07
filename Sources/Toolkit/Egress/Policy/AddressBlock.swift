/// A block of addresses with a common prefix: `10.0.0.0/8`.
struct AddressBlock: Hashable, Sendable {
    let first: IPAddress
    let prefixLength: Int

    /// Parses a block; `nil` if it's invalid, or if its address has bits set after the prefix.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])),
            let length = PortNumber.decimal(parts[1], upTo: address.isIPv4 ? 32 : 128)
        else { return nil }
        self.init(around: address, prefixLength: length)
        guard first == address else { return nil }
    }

    /// Creates the block with that prefix length that contains the address.
    init(around address: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        self.first = IPAddress(
            number: address.number & Self.mask(prefixLength, isIPv4: address.isIPv4), isIPv4: address.isIPv4)
    }

    init(_ address: IPAddress) {
        self.init(around: address, prefixLength: address.isIPv4 ? 32 : 128)
    }

    /// The block's last address.
    var last: IPAddress {
        let width: UInt128 = first.isIPv4 ? 0xffff_ffff : .max
        return IPAddress(
            number: first.number | (width & ~Self.mask(prefixLength, isIPv4: first.isIPv4)), isIPv4: first.isIPv4)
    }

    /// Whether the block contains only one address.
    var isSingle: Bool { prefixLength == (first.isIPv4 ? 32 : 128) }

    func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == first.isIPv4
            && address.number & Self.mask(prefixLength, isIPv4: first.isIPv4) == first.number
    }

    private static func mask(_ prefixLength: Int, isIPv4: Bool) -> UInt128 {
        let width = isIPv4 ? 32 : 128
        // Shifting by the full width gives zero, which is correct.
        return (isIPv4 ? 0xffff_ffff : UInt128.max) & (UInt128.max << (width - prefixLength))
    }
}

extension AddressBlock: CustomStringConvertible {
    var description: String { "\(first)/\(prefixLength)" }
}

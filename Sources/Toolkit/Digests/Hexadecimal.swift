extension Sequence<UInt8> {
    /// The bytes in hexadecimal, two lower-case digits per byte.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            digits.append(Self.digit(byte >> 4))
            digits.append(Self.digit(byte & 0xf))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension StringProtocol {
    /// Whether the text consists of the lower-case digits of this many bytes, as ``Swift/Sequence/hexadecimal`` writes them.
    ///
    /// - Returns: Whether there are two digits per byte, and nothing else.
    package func isHexadecimal(bytes: Int) -> Bool {
        utf8.count == bytes * 2 && utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

extension StringProtocol {
    /// Whether two texts have the same bytes in UTF-8; the time doesn't reveal how many of them match.
    ///
    /// - Parameter other: The other text, such as the secret that this one is compared to.
    /// - Returns: Whether they are equal.
    package func isEqualInConstantTime(to other: some StringProtocol) -> Bool {
        let (one, other) = (Array(utf8), Array(other.utf8))
        return one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension String {
    /// Random bytes in hexadecimal, from the system's cryptographically secure generator: for tokens and passwords.
    ///
    /// - Returns: The digits, in lower case.
    package static func randomHexadecimal(bytes: Int) -> String {
        (0..<bytes).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}

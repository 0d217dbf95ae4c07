extension Sequence<UInt8> {
    /// Two digits a byte, in lower case.
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
    /// Whether these are the digits of so many bytes, in lower case, as ``Swift/Sequence/hexadecimal`` writes them.
    ///
    /// - Returns: Whether there are two digits for each, and nothing else.
    package func isHexadecimal(bytes: Int) -> Bool {
        utf8.count == bytes * 2 && utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

extension String {
    /// Random bytes in hexadecimal, from the system's source of secrets: for tokens and passwords.
    ///
    /// - Returns: The digits, in lower case.
    package static func randomHexadecimal(bytes: Int) -> String {
        (0..<bytes).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}

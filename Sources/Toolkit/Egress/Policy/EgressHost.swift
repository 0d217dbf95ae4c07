/// The host of a URL: a name, or an address in any form that browsers accept.
///
/// Parsed as in the URL standard (https://url.spec.whatwg.org/#host-parsing), so that this program and the one that
/// connects never read a host differently.
enum EgressHost: Hashable, Sendable {
    /// A name in lower case, without a trailing dot.
    case name(String)
    case address(IPAddress)

    /// Returns `nil` if the text is neither a name nor an address.
    init?(_ text: String) {
        guard text.utf8.count <= 1024 else { return nil }
        if text.first == "[" {
            // URLs don't allow a zone (`%eth0`).
            guard text.last == "]", let address = IPAddress(String(text.dropFirst().dropLast())), !address.isIPv4 else {
                return nil
            }
            self = .address(address)
            return
        }
        if text.contains(":") {
            // Some callers pass an IPv6 address without brackets.
            guard let address = IPAddress(text) else { return nil }
            self = .address(address)
            return
        }
        guard var name = Self.percentDecoded(text).map(Self.halfWidth) else { return nil }
        if name.last == "." { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last else { return nil }
        if Self.isNumber(last) {
            guard let address = Self.ipv4Address(labels) else { return nil }
            self = .address(address)
            return
        }
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel) else { return nil }
        self = .name(name)
    }

    private static func percentDecoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            // `UInt8(_:radix:)` accepts a sign before one digit.
            guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Maps full-width letters, digits and dots to ASCII, in lower case.
    ///
    /// Implements the part of https://www.unicode.org/reports/tr46/ that can produce an address. Other non-ASCII
    /// characters stay, and make the name invalid.
    private static func halfWidth(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let narrow: Unicode.Scalar =
                switch scalar.value {
                case 0x3002, 0xff0e, 0xff61: "."
                case 0xff01...0xff5e: Unicode.Scalar(UInt8(scalar.value - 0xff01 + 0x21))
                default: scalar
                }
            result.append(("A"..."Z").contains(narrow) ? Unicode.Scalar(UInt8(narrow.value + 32)) : narrow)
        }
        return String(result)
    }

    /// Whether a host with this last label is an IPv4 address.
    ///
    /// https://url.spec.whatwg.org/#ends-in-a-number-checker
    private static func isNumber(_ label: Substring) -> Bool {
        if !label.isEmpty, label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Parses one to four decimal, octal (`0177`) or hexadecimal (`0x7f`) numbers, the last of which fills the
    /// remaining bytes.
    ///
    /// https://url.spec.whatwg.org/#concept-ipv4-parser
    private static func ipv4Address(_ labels: [Substring]) -> IPAddress? {
        guard labels.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let number = number(label) else { return nil }
            let isLast = index == labels.count - 1
            // The last number fills all bytes that the others leave.
            let bits = isLast ? 8 * (4 - index) : 8
            guard number < UInt64(1) << bits else { return nil }
            address |= number << (isLast ? 0 : 8 * (3 - index))
        }
        return IPAddress(number: UInt128(address), isIPv4: true)
    }

    private static func number(_ label: Substring) -> UInt64? {
        if label.hasPrefix("0x") {
            let digits = label.dropFirst(2)
            guard !digits.isEmpty else { return 0 }
            guard digits.allSatisfy(\.isHexDigit) else { return nil }
            return UInt64(digits, radix: 16)
        }
        // `UInt64(_:radix:)` accepts a sign before the digits, even after the leading zero; the standard doesn't.
        guard label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if label.count > 1, label.first == "0" { return UInt64(label.dropFirst(), radix: 8) }
        return UInt64(label)
    }

    /// Whether a label consists of letters, digits, hyphens and underscores; some real names contain underscores.
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }
}

extension EgressHost: CustomStringConvertible {
    var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): "\(address)"
        }
    }
}

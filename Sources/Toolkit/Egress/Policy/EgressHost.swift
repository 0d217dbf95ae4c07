/// A host as URLs have them: a name, or an address in any of the forms that browsers take.
///
/// Read as the URL standard reads it (https://url.spec.whatwg.org/#host-parsing), so that no host means one thing here and
/// another to the program that connects.
enum EgressHost: Hashable, Sendable {
    /// In lower case, without the dot at its end.
    case name(String)
    case address(IPAddress)

    /// Makes `nil` of what is neither.
    init?(_ text: String) {
        guard text.utf8.count <= 1024 else { return nil }
        if text.first == "[" {
            // A zone (`%eth0`) has no place in a URL.
            guard text.last == "]", let address = IPAddress(String(text.dropFirst().dropLast())), !address.isIPv4 else {
                return nil
            }
            self = .address(address)
            return
        }
        if text.contains(":") {
            // Some hand over an address without its brackets.
            guard let address = IPAddress(text) else { return nil }
            self = .address(address)
            return
        }
        guard var name = Self.percentDecoded(text).map(Self.narrowed) else { return nil }
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

    /// Full-width letters, digits and dots as what they are mapped to, in lower case.
    ///
    /// The part of https://www.unicode.org/reports/tr46/ that can make an address; what else is not ASCII stays, and makes
    /// no name.
    private static func narrowed(_ text: String) -> String {
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

    /// Whether a host that ends so is an address.
    ///
    /// https://url.spec.whatwg.org/#ends-in-a-number-checker
    private static func isNumber(_ label: Substring) -> Bool {
        if !label.isEmpty, label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// One to four numbers, decimal, octal (`0177`) or hexadecimal (`0x7f`), of which the last fills what is left.
    ///
    /// https://url.spec.whatwg.org/#concept-ipv4-parser
    private static func ipv4Address(_ labels: [Substring]) -> IPAddress? {
        guard labels.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let number = number(label) else { return nil }
            let isLast = index == labels.count - 1
            // As many bytes as no other number names.
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
        // Swift takes a sign before the digits, behind the zero too, and the standard takes none.
        guard label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if label.count > 1, label.first == "0" { return UInt64(label.dropFirst(), radix: 8) }
        return UInt64(label)
    }

    /// Letters, digits, hyphens, and the underscore that some have.
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

public import Foundation

/// A value of a sample's metadata.
public enum MetadataValue: Hashable, Sendable, Codable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// Yes or no.
    case flag(Bool)
    /// A time.
    case date(Date)
    /// A number with its unit.
    case quantity(Quantity)
}

/// Metadata as bytes: by hand, because thousands of them are read at a time.
///
/// A version, and then for each entry, in the order of the names: the name, a letter for the kind, and the value. A text has
/// its length before it, in four bytes; a number is eight bytes; the lowest byte comes first.
enum MetadataCoding {
    private static let version: UInt8 = 1

    /// The bytes; `nil` of no metadata.
    static func encode(_ metadata: [String: MetadataValue]) -> Data? {
        if metadata.isEmpty { return nil }
        var bytes: [UInt8] = [version]
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            append(name, to: &bytes)
            switch value {
            case .text(let text):
                bytes.append(UInt8(ascii: "t"))
                append(text, to: &bytes)
            case .number(let number):
                bytes.append(UInt8(ascii: "n"))
                append(number, to: &bytes)
            case .flag(let flag):
                bytes.append(UInt8(ascii: flag ? "y" : "f"))
            case .date(let date):
                bytes.append(UInt8(ascii: "d"))
                append(date.timeIntervalSinceReferenceDate, to: &bytes)
            case .quantity(let quantity):
                bytes.append(UInt8(ascii: "q"))
                append(quantity.value, to: &bytes)
                append(quantity.unit.symbol, to: &bytes)
            }
        }
        return Data(bytes)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let count = UInt32(text.utf8.count)
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes += text.utf8
    }

    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        let bits = number.bitPattern
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }

    /// The metadata of bytes; `nil` if they are none that this program knows.
    static func decode(_ data: Data) -> [String: MetadataValue]? {
        data.withUnsafeBytes { buffer in
            var reader = Reader(rest: buffer[...])
            guard reader.byte() == version else { return nil }
            var metadata: [String: MetadataValue] = [:]
            while !reader.rest.isEmpty {
                guard let name = reader.text(), let value = reader.value() else { return nil }
                metadata[name] = value
            }
            return metadata
        }
    }

    private struct Reader {
        var rest: Slice<UnsafeRawBufferPointer>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func text() -> String? {
            guard rest.count >= 4 else { return nil }
            var count = 0
            for shift in stride(from: 0, to: 32, by: 8) { count |= Int(rest.removeFirst()) << shift }
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }

        mutating func number() -> Double? {
            guard rest.count >= 8 else { return nil }
            var bits: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 8) { bits |= UInt64(rest.removeFirst()) << shift }
            return Double(bitPattern: bits)
        }

        mutating func value() -> MetadataValue? {
            switch byte() {
            case UInt8(ascii: "t"): return text().map { .text($0) }
            case UInt8(ascii: "n"): return number().map { .number($0) }
            case UInt8(ascii: "y"): return .flag(true)
            case UInt8(ascii: "f"): return .flag(false)
            case UInt8(ascii: "d"): return number().map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case UInt8(ascii: "q"):
                guard let value = number(), let unit = text().flatMap(SampleUnit.init(symbol:)) else { return nil }
                return .quantity(Quantity(value, unit))
            default: return nil
            }
        }
    }
}

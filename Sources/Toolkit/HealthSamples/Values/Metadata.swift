public import Foundation

/// A value of a sample's metadata.
public enum MetadataValue: Hashable, Sendable, Codable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// A Boolean.
    case flag(Bool)
    /// A date.
    case date(Date)
    /// A number with its unit.
    case quantity(Quantity)
}

/// A binary coding of metadata, written by hand because a page of changes decodes thousands of entries.
///
/// A version byte, then for each entry, sorted by name: the name, a letter for the kind, and the value. A Boolean is only
/// its letter. A text is preceded by its length in four bytes; a number takes eight bytes. Integers and numbers are
/// little-endian.
enum MetadataCoding {
    private static let version: UInt8 = 1

    /// Encodes metadata; `nil` if there is none.
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
        withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { bytes += $0 }
        bytes += text.utf8
    }

    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
    }

    /// Decodes metadata; `nil` if this program doesn't understand the bytes.
    static func decode(_ data: Data) -> [String: MetadataValue]? {
        data.withUnsafeBytes { buffer in
            var reader = Reader(rest: buffer[...])
            guard reader.rest.popFirst() == version else { return nil }
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

        private mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
            let size = MemoryLayout<Integer>.size
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Integer(littleEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: Integer.self))
        }

        mutating func text() -> String? {
            guard let count = integer(UInt32.self).map(Int.init), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }

        private mutating func number() -> Double? { integer(UInt64.self).map(Double.init(bitPattern:)) }

        mutating func value() -> MetadataValue? {
            switch rest.popFirst() {
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

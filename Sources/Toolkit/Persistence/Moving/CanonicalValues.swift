import Foundation

/// One encoding of rows for all databases, so that equal rows have equal bytes.
///
/// A value is a byte for its type, then: an integer or a real as 8 bytes, the highest first; a text or a BLOB as its
/// length in 8 bytes, then its bytes. SQLite has no negative zero, so it is encoded as zero.
enum CanonicalValues {
    private enum Tag: UInt8 {
        case null, integer, real, text, blob
    }

    /// Appends a value.
    static func append(_ value: SQLValue, to data: inout Data) {
        func append(_ tag: Tag, _ bits: UInt64) {
            data.append(tag.rawValue)
            withUnsafeBytes(of: bits.bigEndian) { data.append(contentsOf: $0) }
        }
        switch value {
        case .null: data.append(Tag.null.rawValue)
        case .integer(let number): append(.integer, UInt64(bitPattern: number))
        case .real(let number): append(.real, number == 0 ? 0 : number.bitPattern)
        case .text(let text):
            append(.text, UInt64(text.utf8.count))
            data.append(contentsOf: text.utf8)
        case .blob(let bytes):
            append(.blob, UInt64(bytes.count))
            data.append(bytes)
        }
    }

    /// Encodes values in their order.
    static func encode(_ values: [SQLValue]) -> Data {
        var data = Data()
        for value in values { append(value, to: &data) }
        return data
    }

    /// Decodes what ``encode(_:)`` has written.
    ///
    /// - Throws: ``StoreError`` with the code `corrupt` if the data is anything else.
    static func decode(_ data: Data) throws(StoreError) -> [SQLValue] {
        let damaged = StoreError(
            .corrupt, "The position of an interrupted move is damaged. Start again with an empty database.")
        var values: [SQLValue] = []
        var rest = data[...]
        func take(_ count: UInt64) throws(StoreError) -> Data {
            guard count <= UInt64(rest.count) else { throw damaged }
            defer { rest = rest.dropFirst(Int(count)) }
            return Data(rest.prefix(Int(count)))
        }
        func bits() throws(StoreError) -> UInt64 { try take(8).reduce(0) { $0 << 8 | UInt64($1) } }
        while let byte = rest.popFirst() {
            switch Tag(rawValue: byte) {
            case .null: values.append(.null)
            case .integer: values.append(.integer(Int64(bitPattern: try bits())))
            case .real: values.append(.real(Double(bitPattern: try bits())))
            case .text:
                guard let text = String(validating: try take(try bits()), as: UTF8.self) else { throw damaged }
                values.append(.text(text))
            case .blob: values.append(.blob(try take(try bits())))
            case nil: throw damaged
            }
        }
        return values
    }
}

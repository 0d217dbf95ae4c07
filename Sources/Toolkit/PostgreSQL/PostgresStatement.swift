/// The SQL of a statement, in the form that PostgreSQL understands.
struct PostgresStatement {
    /// Replaces the placeholders `?` and `?1` by `$1`, outside of quoted texts and names.
    static func translate(_ sql: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(sql.utf8.count + 16)
        var quote: UInt8?
        var number = 0
        var bytes = Array(sql.utf8)[...]
        while let byte = bytes.popFirst() {
            if let open = quote {
                // A doubled quote ends and begins the text again.
                if byte == open { quote = nil }
                result.append(byte)
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
                result.append(byte)
            } else if byte == UInt8(ascii: "?") {
                let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                bytes = bytes.dropFirst(digits.count)
                number += 1
                result += Array("$".utf8)
                result += digits.isEmpty ? Array("\(number)".utf8) : Array(digits)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The form in which PostgreSQL stores texts, which can't contain U+0000.
///
/// U+0000 is stored as U+0001 and `0`, and U+0001 as U+0001 and `1`, so that different texts stay different.
enum PostgresText {
    private static let escape: UInt8 = 1

    /// Appends the stored form of a text.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { utf8 in
            guard utf8.contains(where: { $0 <= escape }) else { return bytes.append(contentsOf: utf8) }
            for byte in utf8 {
                if byte <= escape {
                    bytes.append(escape)
                    bytes.append(byte == 0 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
                } else {
                    bytes.append(byte)
                }
            }
        }
    }

    /// The text of a stored form.
    static func text(_ stored: UnsafeBufferPointer<UInt8>) -> String {
        guard stored.contains(escape) else { return String(decoding: stored, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stored.count)
        var isEscaped = false
        for byte in stored {
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "0") ? 0 : escape)
                isEscaped = false
            } else if byte == escape {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

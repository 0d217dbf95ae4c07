/// Finds tags, attributes and texts in HTML, without building a document.
///
/// Takes time proportional to the size of the file.
struct HTMLScanner {
    /// A tag with the attributes that the scanner looks for.
    struct Tag {
        /// In lower case, with a slash if it is an end tag.
        var name: String
        /// By name in lower case.
        var attributes: [String: String]
    }

    let bytes: [UInt8]
    private var offset = 0
    private let needed: Set<String>

    /// The maximum length of an attribute's value or of a text, in bytes: browsers also write icons as `data:`
    /// addresses.
    private static let longestValue = 40_000

    /// - Parameters:
    ///   - bytes: The HTML in UTF-8.
    ///   - needed: The names of the attributes that are returned, in lower case.
    init(_ bytes: [UInt8], attributes needed: Set<String>) {
        (self.bytes, self.needed) = (bytes, needed)
    }

    /// The next tag; `nil` at the end of the file.
    mutating func nextTag() -> Tag? {
        while let start = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
            offset = start + 1
            guard Self.isStartOfTag(start, in: bytes) else { continue }
            if bytes[offset...].starts(with: Array("!--".utf8)) {
                skip(past: Array("-->".utf8))
                continue
            }
            let name = word { $0 == UInt8(ascii: "/") && $1 == 0 || Self.isLetterOrDigit($0) }
            let attributes = attributes()
            if !name.isEmpty { return Tag(name: name.lowercased(), attributes: attributes) }
        }
        offset = bytes.count
        return nil
    }

    /// The text up to the next tag; a longer one is cut off.
    mutating func text(upTo length: Int = Self.longestValue) -> String {
        let start = offset
        offset = bytes[start...].indices.first { Self.isStartOfTag($0, in: bytes) } ?? bytes.count
        return HTMLText.decoded(bytes[start..<min(offset, start + length)])
    }

    /// Whether a tag or a comment begins at an index; any other `<` is text.
    private static func isStartOfTag(_ index: Int, in bytes: [UInt8]) -> Bool {
        guard bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count else { return false }
        return isLetterOrDigit(bytes[index + 1]) || "/!?".utf8.contains(bytes[index + 1])
    }

    /// The attributes that are needed, up to the end of the tag.
    private mutating func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while offset < bytes.count {
            skipSpace()
            guard offset < bytes.count else { break }
            if bytes[offset] == UInt8(ascii: ">") {
                offset += 1
                break
            }
            let name = word { byte, _ in !Self.isSpace(byte) && byte != UInt8(ascii: "=") && byte != UInt8(ascii: ">") }
            skipSpace()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else { continue }
            offset += 1
            skipSpace()
            let value = value()
            let key = name.lowercased()
            if needed.contains(key), attributes[key] == nil, value.count <= Self.longestValue {
                attributes[key] = HTMLText.decoded(value)
            }
        }
        return attributes
    }

    private mutating func value() -> ArraySlice<UInt8> {
        guard offset < bytes.count else { return [] }
        let quote = bytes[offset]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = offset
            while offset < bytes.count, !Self.isSpace(bytes[offset]), bytes[offset] != UInt8(ascii: ">") { offset += 1 }
            return bytes[start..<offset]
        }
        let start = offset + 1
        let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
        offset = min(end + 1, bytes.count)
        return bytes[start..<end]
    }

    private mutating func word(_ isPart: (UInt8, Int) -> Bool) -> String {
        let start = offset
        while offset < bytes.count, isPart(bytes[offset], offset - start) { offset += 1 }
        return String(decoding: bytes[start..<min(offset, start + 100)], as: UTF8.self)
    }

    private mutating func skip(past mark: [UInt8]) {
        while offset < bytes.count {
            if bytes[offset] == mark[0], bytes[offset...].starts(with: mark) {
                offset += mark.count
                return
            }
            offset += 1
        }
    }

    private mutating func skipSpace() {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0x0C
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

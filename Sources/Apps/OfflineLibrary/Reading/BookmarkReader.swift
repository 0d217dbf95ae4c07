import Foundation
import OfflineLibraryModel

/// Reads bookmarks in HTML, as browsers and Pocket export them.
///
/// The files aren't well-formed HTML: only links, the names of folders and the lists that nest them are read.
/// https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85)
///
/// Takes time proportional to the size of the file.
struct BookmarkReader {
    private let bytes: [UInt8]
    private var offset = 0
    /// The names of the open folders; `nil` for a list without a name.
    private var folders: [String?] = []
    /// The name of the folder whose list comes next.
    private var nextFolder: String?
    private var addresses: [ImportedAddress] = []

    /// The maximum nesting of folders that is recorded.
    private static let depth = 20
    /// The maximum length of a tag's attribute, in bytes: browsers also write icons as `data:` addresses.
    private static let longestValue = 40_000

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether HTML looks like bookmarks.
    static func isBookmarkFile(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(4_096), as: UTF8.self).lowercased()
        return start.contains("netscape-bookmark-file") || start.contains("<title>pocket export")
    }

    mutating func file() throws(LibraryFileError) -> AddressFile {
        var isPocket = false
        while let tag = nextTag() {
            switch tag.name {
            case "a":
                let title = text()
                guard let address = tag.attributes["href"] else { continue }
                guard addresses.count < ImportLimits.addresses else { throw .tooMany }
                if tag.attributes["time_added"] != nil { isPocket = true }
                let time = tag.attributes["add_date"] ?? tag.attributes["time_added"]
                addresses.append(
                    ImportedAddress(
                        place: addresses.count + 1, address: address, title: title,
                        addedAt: time.flatMap { ImportedAddress.time(in: $0) },
                        tags: (tag.attributes["tags"] ?? "").split(separator: ",").map(String.init),
                        folders: folders.compactMap(\.self)))
            case "h3": nextFolder = text()
            case "dl":
                if folders.count < Self.depth { folders.append(nextFolder) } else { skipped += 1 }
                nextFolder = nil
            case "/dl":
                if skipped > 0 { skipped -= 1 } else { _ = folders.popLast() }
            default: break
            }
        }
        return AddressFile(format: isPocket ? .pocket : .bookmarks, addresses: addresses)
    }

    /// The number of open lists that are nested too deeply.
    private var skipped = 0
}

// MARK: - Tags and texts

extension BookmarkReader {
    private struct Tag {
        /// In lower case, with a slash if it is an end tag.
        var name: String
        var attributes: [String: String]
    }

    /// The next tag; `nil` at the end of the file.
    private mutating func nextTag() -> Tag? {
        while let start = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
            offset = start + 1
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
            if name.isEmpty, offset < bytes.count, bytes[offset] != UInt8(ascii: "=") {
                offset += 1
                continue
            }
            skipSpace()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else { continue }
            offset += 1
            skipSpace()
            let value = value()
            let key = name.lowercased()
            if Self.needed.contains(key), attributes[key] == nil, value.count <= Self.longestValue {
                attributes[key] = HTMLText.decoded(value)
            }
        }
        return attributes
    }

    private static let needed: Set = ["href", "add_date", "time_added", "tags"]

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

    /// The text up to the next tag.
    private mutating func text() -> String {
        let start = offset
        offset = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        return HTMLText.decoded(bytes[start..<min(offset, start + Self.longestValue)])
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

/// Text of HTML.
enum HTMLText {
    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]
    /// The maximum length of a reference that is decoded, without `&` and `;`.
    private static let longestReference = 10

    /// Decodes text in UTF-8, with numeric references and those that exports use.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            rest = rest[(start + 1)...]
            guard let end = rest.prefix(longestReference + 1).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
            else {
                result.append(UInt8(ascii: "&"))
                continue
            }
            result += Array(String(Character(scalar)).utf8)
            rest = rest[(end + 1)...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static func scalar(_ reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return names[reference] }
        let digits = reference.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }
}

import Foundation

/// An element of the XML that an S3 service answers with.
///
/// This reads what such answers contain: elements, texts, comments and predefined entities. Document types, which
/// could define entities of any size, are refused. Foundation's parser would make programs depend on libxml2.
struct S3XML: Sendable {
    /// The name without its namespace.
    private(set) var name = ""
    /// The text directly in the element.
    private(set) var text = ""
    private(set) var children: [S3XML] = []

    /// More levels than any answer has, so that a hostile one can't exhaust the stack.
    private static let maximumDepth = 16
    /// More elements than an answer with a thousand objects has.
    private static let maximumElements = 50_000

    /// Reads a document.
    ///
    /// - Returns: The root element; `nil` if the document isn't well-formed or exceeds a limit.
    static func root(of document: Data) -> S3XML? {
        var reader = Reader(bytes: Array(document))
        return reader.root()
    }

    /// The text of the first child with a name.
    subscript(name: String) -> String? { first(name)?.text }

    /// The first child with a name.
    func first(_ name: String) -> S3XML? { children.first { $0.name == name } }

    /// All children with a name.
    func all(_ name: String) -> [S3XML] { children.filter { $0.name == name } }

    /// Escapes a text for the content of an element.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension S3XML {
    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        /// The elements that are open.
        var open: [S3XML] = []
        var count = 0

        mutating func root() -> S3XML? {
            var root: S3XML?
            while position < bytes.count {
                guard bytes[position] == UInt8(ascii: "<") else {
                    guard text(isOutside: open.isEmpty) else { return nil }
                    continue
                }
                if skip("<?", until: "?>") || skip("<!--", until: "-->") { continue }
                if bytes[position...].starts(with: "<![CDATA[".utf8) {
                    guard !open.isEmpty, let content = content(after: "<![CDATA[", until: "]]>") else { return nil }
                    open[open.count - 1].text += content
                } else if bytes[position...].starts(with: "</".utf8) {
                    guard let content = content(after: "</", until: ">"), let element = open.popLast(),
                        Self.localName(content) == element.name
                    else { return nil }
                    guard close(element, &root) else { return nil }
                } else {
                    guard root == nil, let content = content(after: "<", until: ">") else { return nil }
                    let isEmpty = content.hasSuffix("/")
                    guard let name = Self.localName(isEmpty ? String(content.dropLast()) : content) else { return nil }
                    count += 1
                    guard count <= S3XML.maximumElements, open.count < S3XML.maximumDepth else { return nil }
                    let element = S3XML(name: name)
                    if isEmpty {
                        guard close(element, &root) else { return nil }
                    } else {
                        open.append(element)
                    }
                }
            }
            return open.isEmpty ? root : nil
        }

        /// Ends an element; returns `false` if the document has a second root.
        private mutating func close(_ element: S3XML, _ root: inout S3XML?) -> Bool {
            if open.isEmpty {
                guard root == nil else { return false }
                root = element
            } else {
                open[open.count - 1].children.append(element)
            }
            return true
        }

        /// Reads a text up to the next tag.
        private mutating func text(isOutside: Bool) -> Bool {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            guard let text = Self.unescaped(String(decoding: bytes[position..<end], as: UTF8.self)) else {
                return false
            }
            position = end
            guard isOutside else {
                open[open.count - 1].text += text
                return true
            }
            return text.allSatisfy { $0.isWhitespace || $0 == "\u{feff}" }
        }

        private mutating func skip(_ start: String, until end: String) -> Bool {
            guard bytes[position...].starts(with: start.utf8) else { return false }
            // Without its end, the document is all comment, and so has no root.
            if content(after: start, until: end) == nil { position = bytes.count }
            return true
        }

        /// Moves behind the end of what begins here, and returns what is between start and end.
        private mutating func content(after start: String, until end: String) -> String? {
            let first = position + start.utf8.count
            guard first <= bytes.count, let range = bytes[first...].firstRange(of: Array(end.utf8)) else { return nil }
            position = range.upperBound
            return String(decoding: bytes[first..<range.lowerBound], as: UTF8.self)
        }

        /// The name in a tag, without its namespace and attributes; `nil` if it isn't one.
        private static func localName(_ tag: String) -> String? {
            let name = tag.prefix { !$0.isWhitespace }
            let local = name.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let isName =
                !local.isEmpty
                && local.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                }
            return isName ? local : nil
        }

        private static func unescaped(_ text: String) -> String? {
            guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
            var result = ""
            var rest = text[...]
            while let start = rest.firstIndex(of: "&") {
                result += rest[..<start]
                guard let end = rest[start...].firstIndex(of: ";"),
                    let character = character(named: rest[start..<end].dropFirst())
                else { return nil }
                result.unicodeScalars.append(character)
                rest = rest[end...].dropFirst()
            }
            return result + rest
        }

        private static func character(named name: Substring) -> Unicode.Scalar? {
            switch name {
            case "lt": "<"
            case "gt": ">"
            case "amp": "&"
            case "quot": "\""
            case "apos": "'"
            default:
                if name.hasPrefix("#x") {
                    UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
                } else if name.hasPrefix("#") {
                    UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
                } else {
                    nil
                }
            }
        }
    }
}

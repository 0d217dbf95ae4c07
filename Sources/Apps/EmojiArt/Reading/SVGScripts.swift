import EmojiArtModel
import Foundation

/// Detects active content in an SVG image: scripts, event handlers, links to scripts, and constructs that can turn into
/// one of them.
///
/// Where boards show pictures, in `<img>`, browsers run none of it, and a policy forbids it too; this check protects
/// users who open the file after an export. It is a single forward pass, and expands nothing. Text that isn't XML runs
/// nothing, since browsers refuse to draw it.
struct SVGScripts {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The first active content, worded for a sentence such as “It contains a script”; `nil` if there is none.
    ///
    /// - Complexity: O(*n*).
    static func first(in data: Data) -> String? {
        data.withUnsafeBytes { bytes in
            var scripts = SVGScripts(bytes)
            return scripts.first()
        }
    }
}

extension SVGScripts {
    /// Elements that run scripts or embed other documents.
    private static let elements: Set<String> = ["script", "handler", "listener", "iframe", "embed", "object"]

    private mutating func first() -> String? {
        while skip(past: UInt8(ascii: "<")) {
            if scan("!--") {
                guard skip(past: "-->") else { return nil }
            } else if scan("![CDATA[") {
                guard skip(past: "]]>") else { return nil }
            } else if scan("!") {
                if let found = declaration() { return found }
            } else if scan("?") {
                let start = offset
                guard skip(past: "?>") else { return nil }
                if let found = Self.danger(inInstruction: text(start..<offset).lowercased()) { return found }
            } else if scan("/") {
                guard skip(past: ">") else { return nil }
            } else if let found = element() {
                return found
            }
        }
        return nil
    }

    /// Encodings in which each byte below 128 has its ASCII meaning, as this parser assumes.
    private static let encodings = ["utf-8", "utf8", "ascii", "iso-8859-", "windows-125"]

    private static func danger(inInstruction instruction: String) -> String? {
        // A style sheet can be a program that transforms the image into a page.
        if instruction.hasPrefix("xml-stylesheet") {
            // The type can be `text/xsl` or any kind of XML, and can be written with character references.
            let rest = instruction.utf8.dropFirst("xml-stylesheet".utf8.count)
            return ["xsl", "xml", "&"].contains { rest.contains($0.utf8) } ? ArtWords.transformation : nil
        }
        // In another encoding, a browser may see elements that this parser doesn't.
        let isReadable = !instruction.contains("encoding") || encodings.contains(where: instruction.contains)
        return instruction.hasPrefix("xml") && !isReadable ? ArtWords.unusualEncoding : nil
    }

    /// Parses a document type and its declarations; entities that are plain addresses, as Illustrator writes them, are
    /// accepted.
    private mutating func declaration() -> String? {
        // Includes the opening `<!`, by which `danger(in:)` recognizes an entity. A comment can make this parser end a
        // document type too early; the next declaration may then be one of its entities.
        let start = offset - 2
        var depth = 0
        while let byte = next() {
            switch byte {
            // Brackets and quotation marks inside these are text.
            case UInt8(ascii: "<") where scan("!--"): guard skip(past: "-->") else { return Self.unfinished }
            case UInt8(ascii: "<") where scan("?"): guard skip(past: "?>") else { return Self.unfinished }
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = skip(past: byte)
            case UInt8(ascii: ">") where depth <= 0: return Self.danger(in: text(start..<offset))
            default: break
            }
        }
        return Self.unfinished
    }

    private static let unfinished = ArtWords.unfinishedDeclaration

    private static func danger(in declarations: String) -> String? {
        let lowercased = declarations.lowercased()
        if lowercased.utf8.contains("<!attlist".utf8) { return ArtWords.declaredAttributes }
        // With these public identifiers, browsers resolve HTML's references, such as `&colon;`:
        // https://html.spec.whatwg.org/multipage/xhtml.html#parsing-xhtml-documents
        // Any white space stands for a space (https://www.w3.org/TR/xml/#sec-external-ent).
        let unspaced = lowercased.utf8.filter { !isSpace($0) }
        if ["//dtdxhtml", "//dtdmathml"].contains(where: { unspaced.contains($0.utf8) }) {
            return ArtWords.documentType
        }
        // Each entity declaration: its name, and then its quoted value.
        for entity in lowercased.utf8.split(separator: "<!entity".utf8, omittingEmptySubsequences: false).dropFirst() {
            let parts = entity.split(maxSplits: 1, whereSeparator: isSpace)
            guard parts.count == 2, !parts[0].elementsEqual("%".utf8), isAddress(parts[1]) else {
                return ArtWords.ownEntities
            }
        }
        return nil
    }

    /// Whether the text begins with a quoted address without references or markup.
    ///
    /// Compared by byte, as XML parsers do: in a `Character`, `<` and `&` may be combined with other scalars.
    private static func isAddress(_ text: Substring.UTF8View) -> Bool {
        guard let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        let value = text.dropFirst().prefix { $0 != quote }
        return (value.starts(with: "http://".utf8) || value.starts(with: "https://".utf8))
            && !value.contains { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") }
    }

    private mutating func element() -> String? {
        let name = self.name()
        let local = name.split(separator: ":").last.map { $0.lowercased() } ?? ""
        if Self.elements.contains(local) { return local == "script" ? ArtWords.script : ArtWords.element(local) }
        while let byte = peek() {
            if byte == UInt8(ascii: ">") { return nil }
            if Self.isSpace(byte) || byte == UInt8(ascii: "/") {
                offset += 1
                continue
            }
            if let found = attribute() { return found }
        }
        return nil
    }

    private mutating func attribute() -> String? {
        let start = offset
        let name = self.name().lowercased()
        if name.utf8.count > 2, name.hasPrefix("on") { return ArtWords.eventHandler(name.prefix(40)) }
        skipSpace()
        guard peek() == UInt8(ascii: "=") else {
            // Not an attribute; advances anyway, so that the loop terminates.
            if offset == start { offset += 1 }
            return nil
        }
        offset += 1
        skipSpace()
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        offset += 1
        let valueStart = offset
        let valueEnd = skip(past: quote) ? offset - 1 : offset
        return Self.danger(inValue: valueStart..<valueEnd, of: name, bytes)
    }

    private static func danger(inValue range: Range<Int>, of name: String, _ bytes: UnsafeRawBufferPointer) -> String? {
        // Most values are paths, without colons and references.
        guard
            bytes[range].contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "&") })
                || name == "attributename"
        else { return nil }
        let value = plain(bytes[range])
        if name == "attributename" { return value.hasPrefix("on") ? ArtWords.eventAnimation : nil }
        let runs = ["javascript:", "vbscript:"].contains { value.utf8.contains($0.utf8) }
        return runs ? ArtWords.scriptLink : nil
    }

    /// Normalizes a value as browsers do for addresses: resolves numeric references, removes white space, and
    /// lowercases.
    private static func plain(_ value: Slice<UnsafeRawBufferPointer>) -> String {
        let text = String(decoding: value, as: UTF8.self)
        var plain = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            // A number may have any count of leading zeros.
            if scalar == "&", rest.first == "#",
                let end = rest.dropFirst().firstIndex(where: { $0 != "x" && !$0.properties.isASCIIHexDigit }),
                rest[end] == ";"
            {
                let digits = rest[rest.index(after: rest.startIndex)..<end]
                let isHexadecimal = digits.first == "x"
                let number = UInt32(String(isHexadecimal ? digits.dropFirst() : digits), radix: isHexadecimal ? 16 : 10)
                rest = rest[rest.index(after: end)...]
                if let scalar = number.flatMap(Unicode.Scalar.init), scalar.value > 0x20 { plain.append(scalar) }
            } else if scalar.value > 0x20 {
                plain.append(scalar)
            }
        }
        return String(plain).lowercased()
    }
}

// MARK: - Scanning

extension SVGScripts {
    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func next() -> UInt8? {
        guard let byte = peek() else { return nil }
        offset += 1
        return byte
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private mutating func skipSpace() {
        while let byte = peek(), Self.isSpace(byte) { offset += 1 }
    }

    /// Advances past `text` if it is next, and returns whether it was.
    private mutating func scan(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// Advances past the next `byte`, or to the end and returns `false`.
    private mutating func skip(past byte: UInt8) -> Bool {
        while let next = next() {
            if next == byte { return true }
        }
        return false
    }

    private mutating func skip(past text: StaticString) -> Bool {
        while offset < bytes.count {
            if scan(text) { return true }
            offset += 1
        }
        return false
    }

    private mutating func name() -> String {
        let start = offset
        while let byte = peek(), !Self.isSpace(byte), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/"),
            byte != UInt8(ascii: "=")
        { offset += 1 }
        return text(start..<offset)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

import Foundation

/// Looks for what runs in an SVG image: scripts, handlers of events, links to scripts, and what could turn into one of
/// them.
///
/// Where boards show pictures, in `<img>`, a browser runs none of it, and they are served with a policy that forbids
/// it; this is for whoever has the file afterwards, out of an export. Looked through once, from the front; nothing is
/// expanded. What is no XML runs nothing, since browsers refuse to draw it.
struct SVGScripts {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The first that is found, for a sentence such as “It holds a script”; `nil` if there is none.
    ///
    /// It takes O(*n*).
    static func first(in data: Data) -> String? {
        data.withUnsafeBytes { bytes in
            var scripts = SVGScripts(bytes)
            return scripts.first()
        }
    }
}

extension SVGScripts {
    /// Elements that run, or bring a page of their own.
    private static let elements: Set<String> = ["script", "handler", "listener", "iframe", "embed", "object"]

    private mutating func first() -> String? {
        while skip(to: "<") {
            if has("!--") {
                guard skip(past: "-->") else { return nil }
            } else if has("![CDATA[") {
                guard skip(past: "]]>") else { return nil }
            } else if has("!") {
                if let found = declaration() { return found }
            } else if has("?") {
                let start = offset
                guard skip(past: "?>") else { return nil }
                if let found = Self.danger(inInstruction: text(start..<offset).lowercased()) { return found }
            } else if has("/") {
                guard skip(past: ">") else { return nil }
            } else if let found = element() {
                return found
            }
        }
        return nil
    }

    /// Encodings in which each byte below 128 is the character that it is here.
    private static let encodings = ["utf-8", "utf8", "ascii", "iso-8859-", "windows-125"]

    private static func danger(inInstruction instruction: String) -> String? {
        // It can be a program that turns the image into a page.
        if instruction.hasPrefix("xml-stylesheet") {
            // As `text/xsl`, as any kind of XML, or spelled by the numbers of its characters.
            let rest = instruction.utf8.dropFirst("xml-stylesheet".utf8.count)
            return ["xsl", "xml", "&"].contains { rest.contains($0.utf8) } ? "a transformation" : nil
        }
        // In another one a browser may read elements where here are none.
        let isReadable = !instruction.contains("encoding") || encodings.contains(where: instruction.contains)
        return instruction.hasPrefix("xml") && !isReadable ? "text in an unusual encoding" : nil
    }

    /// A document type and what it declares: entities that are mere addresses, as Illustrator writes them, are let
    /// pass.
    private mutating func declaration() -> String? {
        // With its own first characters: a comment may have made another one end too early.
        let start = offset - 2
        var depth = 0
        while let byte = next() {
            switch byte {
            // In these, brackets and quotation marks are text.
            case UInt8(ascii: "<") where has("!--"): guard skip(past: "-->") else { return Self.unended }
            case UInt8(ascii: "<") where has("?"): guard skip(past: "?>") else { return Self.unended }
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = skip(past: byte)
            case UInt8(ascii: ">") where depth <= 0: return Self.danger(in: text(start..<offset))
            default: break
            }
        }
        return Self.unended
    }

    private static let unended = "a declaration that does not end"

    private static func danger(in declarations: String) -> String? {
        let lowercased = declarations.lowercased()
        if lowercased.utf8.contains("<!attlist".utf8) { return "attributes that are declared elsewhere" }
        // Each entity by itself: its name, and then its value in quotation marks.
        for entity in lowercased.utf8.split(separator: "<!entity".utf8, omittingEmptySubsequences: false).dropFirst() {
            let parts = entity.split(maxSplits: 1, whereSeparator: isSpace)
            guard parts.count == 2, !parts[0].elementsEqual("%".utf8), isAddress(parts[1]) else {
                return "entities of its own"
            }
        }
        return nil
    }

    /// Whether a text begins with an address in quotation marks, in which nothing else is named.
    ///
    /// By byte, as XML is read: `<` and `&` can be parts of a character.
    private static func isAddress(_ text: Substring.UTF8View) -> Bool {
        guard let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        let value = text.dropFirst().prefix { $0 != quote }
        return (value.starts(with: "http://".utf8) || value.starts(with: "https://".utf8))
            && !value.contains { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") }
    }

    private mutating func element() -> String? {
        let name = self.name()
        let local = name.split(separator: ":").last.map { $0.lowercased() } ?? ""
        if Self.elements.contains(local) { return local == "script" ? "a script" : "an element “\(local)”" }
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
        if name.utf8.count > 2, name.hasPrefix("on") { return "a handler “\(name.prefix(40))”" }
        skipSpace()
        guard peek() == UInt8(ascii: "=") else {
            // Something that is no attribute; it is passed all the same, so that this ends.
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
        // Most of an image is paths, which name nothing.
        guard
            bytes[range].contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "&") })
                || name == "attributename"
        else { return nil }
        let value = plain(bytes[range])
        if name == "attributename" { return value.hasPrefix("on") ? "an animation of a handler" : nil }
        let runs = ["javascript:", "vbscript:"].contains { value.utf8.contains($0.utf8) }
        return runs ? "a link that runs a script" : nil
    }

    /// A value as a browser reads an address: its numbered characters as characters, without spaces, in lower case.
    private static func plain(_ value: Slice<UnsafeRawBufferPointer>) -> String {
        let text = String(decoding: value, as: UTF8.self)
        var plain = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "&", rest.first == "#", let end = rest.prefix(12).firstIndex(of: ";") {
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

// MARK: - Its letters

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

    /// Goes on behind that text, if it is next.
    private mutating func has(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// Goes on behind the next `<`.
    private mutating func skip(to mark: Unicode.Scalar) -> Bool { skip(past: UInt8(ascii: mark)) }

    private mutating func skip(past byte: UInt8) -> Bool {
        while let next = next() {
            if next == byte { return true }
        }
        return false
    }

    private mutating func skip(past text: StaticString) -> Bool {
        while offset < bytes.count {
            if has(text) { return true }
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

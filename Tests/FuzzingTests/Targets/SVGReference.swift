import Foundation

/// A simple SVG parser that reports one script, handler or link that a browser might run before it finds an error.
///
/// It stops at errors of structure, as a browser does, but ignores others, such as undeclared prefixes. It also stops
/// at a DOCTYPE with internal declarations. The fuzz target compares ``SVGScripts`` with it. Foundation's parser can't
/// be used, because it traps on some malformed documents.
struct SVGReference {
    private static let namespaces = ["http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"]
    private static let dangerousElements: Set<String> = ["script", "handler", "listener", "iframe", "embed", "object"]
    /// The named references that can be part of a link to a script; a browser knows them in XHTML.
    private static let referencesOfHTML = ["colon": ":", "Tab": "\t", "NewLine": "\n"]

    private struct Malformed: Error {}

    private let bytes: [UInt8]
    private var offset = 0
    private var references = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
    /// The open elements: their names, and the namespaces in scope.
    private var open: [(name: String, namespaces: [String: String])] = []
    private(set) var danger: String?

    init(_ text: String) {
        bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        try? read()
    }

    private mutating func read() throws {
        while offset < bytes.count {
            if take("<!--") {
                try skip(past: "-->")
            } else if take("<![CDATA[") {
                try skip(past: "]]>")
            } else if take("<?") {
                try skip(past: "?>")
            } else if take("<!DOCTYPE") {
                guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: ">")),
                    !bytes[offset..<end].contains(UInt8(ascii: "[")), !bytes[offset..<end].contains(UInt8(ascii: "<"))
                else { throw Malformed() }
                let type = String(decoding: bytes[offset..<end], as: UTF8.self)
                if type.contains("-//W3C//DTD XHTML 1") || type.contains("-//W3C//DTD MathML 2.0//EN") {
                    references.merge(Self.referencesOfHTML) { own, _ in own }
                }
                offset = end + 1
            } else if take("</") {
                guard let element = open.popLast(), try name() == element.name else { throw Malformed() }
                skipSpace()
                guard take(">"), !open.isEmpty else { throw Malformed() }
            } else if take("<") {
                try element()
            } else {
                offset += 1
            }
        }
    }

    private mutating func element() throws {
        let name = try name()
        var attributes: [(name: String, value: String)] = []
        var isEmpty = false
        while true {
            let start = offset
            skipSpace()
            if take("/>") {
                isEmpty = true
                break
            }
            if take(">") { break }
            guard offset > start else { throw Malformed() }
            let name = try self.name()
            skipSpace()
            guard take("=") else { throw Malformed() }
            skipSpace()
            attributes.append((name, try value()))
        }
        var namespaces = open.last?.namespaces ?? [:]
        for (name, value) in attributes {
            if name == "xmlns" { namespaces[""] = value }
            if name.hasPrefix("xmlns:") { namespaces[String(name.dropFirst(6))] = value }
        }
        checkForScripts(name, attributes, namespaces)
        if !isEmpty { open.append((name, namespaces)) }
    }

    private mutating func checkForScripts(
        _ name: String, _ attributes: [(name: String, value: String)], _ namespaces: [String: String]
    ) {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let local = parts.last,
            Self.namespaces.contains(namespaces[parts.count == 2 ? String(parts[0]) : ""] ?? "")
        else { return }
        if Self.dangerousElements.contains(String(local)) { danger = "an element \(name)" }
        for (name, value) in attributes {
            if name.hasPrefix("on"), name.utf8.count > 2 { danger = "a handler \(name)" }
            // A URL parser removes control characters and spaces at the start, and all tabs and newlines: see
            // https://url.spec.whatwg.org/#concept-basic-url-parser.
            let address = value.drop { $0.unicodeScalars.allSatisfy { $0.value <= 0x20 } }.unicodeScalars
                .filter { ![0x9, 0xA, 0xD].contains($0.value) }.map(String.init).joined().lowercased()
            if name == "href" || name.hasSuffix(":href"), address.hasPrefix("javascript:") {
                danger = "a link \(value)"
            }
        }
    }

    private mutating func value() throws -> String {
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw Malformed() }
        offset += 1
        var value: [UInt8] = []
        while let byte = peek(), byte != quote {
            offset += 1
            switch byte {
            case UInt8(ascii: "<"):
                throw Malformed()
            case UInt8(ascii: "&"):
                guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: ";")) else { throw Malformed() }
                let reference = String(decoding: bytes[offset..<end], as: UTF8.self)
                value.append(contentsOf: try text(of: reference).utf8)
                offset = end + 1
            default:
                value.append(byte)
            }
        }
        guard peek() == quote else { throw Malformed() }
        offset += 1
        return String(decoding: value, as: UTF8.self)
    }

    private func text(of reference: String) throws -> String {
        if let text = references[reference] { return text }
        guard reference.hasPrefix("#") else { throw Malformed() }
        let isHexadecimal = reference.hasPrefix("#x")
        let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number)
        else { throw Malformed() }
        return String(Character(scalar))
    }

    private mutating func name() throws -> String {
        let start = offset
        while let byte = peek(), byte > 0x20, !"<>/=\"'&!?;,()[]{}".utf8.contains(byte) { offset += 1 }
        guard offset > start else { throw Malformed() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[offset...].starts(with: text.utf8) else { return false }
        offset += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), [0x9, 0xA, 0xD, 0x20].contains(byte) { offset += 1 }
    }

    private mutating func skip(past text: String) throws {
        while offset < bytes.count {
            if take(text) { return }
            offset += 1
        }
        throw Malformed()
    }
}

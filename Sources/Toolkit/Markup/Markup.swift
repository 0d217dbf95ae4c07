/// Escapes text for HTML, for XML and for JSON inside a script element.
///
/// All functions work on Unicode scalars, never on characters: parsers see scalars, and a character such as `<` after
/// U+0600, or `"` before U+0301, doesn't equal the single scalar that must be escaped.
package enum Markup {
    /// Escapes text for the content of an HTML element or for an attribute in quotes of either kind.
    ///
    /// A parser restores the same text, except for U+0000, which HTML can't represent and which becomes U+FFFD. Not for
    /// `<script>` and `<style>`, in which parsers don't resolve references; see ``json(_:)``.
    package static func html(_ text: String) -> String {
        escaped(text.utf8) { byte in
            switch byte {
            case 0: "\u{FFFD}"
            // Parsers convert it to a line feed (https://html.spec.whatwg.org/#preprocessing-the-input-stream).
            case UInt8(ascii: "\r"): "&#13;"
            default: reference(byte)
            }
        }
    }

    /// Escapes text for the content of an XML element or for an attribute in quotes of either kind.
    ///
    /// Scalars that XML 1.0 can't represent (https://www.w3.org/TR/xml/#charsets) are removed.
    package static func xml(_ text: String) -> String {
        var allowed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isXML(scalar) { allowed.append(scalar) }
        return escaped(String(allowed).utf8) { byte in
            switch byte {
            // Parsers normalize attribute values (https://www.w3.org/TR/xml/#AVNormalize), and line ends everywhere.
            case UInt8(ascii: "\t"): "&#9;"
            case UInt8(ascii: "\n"): "&#10;"
            case UInt8(ascii: "\r"): "&#13;"
            default: reference(byte)
            }
        }
    }

    /// Escapes JSON for the content of a script element, in which only `</script` and `<!--` have a meaning.
    ///
    /// - Parameter json: Valid JSON in UTF-8. The escaped characters can only occur inside its strings.
    /// - Returns: The same JSON, without `<`, `>` and `&`.
    package static func json(_ json: some Collection<UInt8>) -> String {
        escaped(json) { byte in
            switch byte {
            case UInt8(ascii: "<"): #"\u003C"#
            case UInt8(ascii: ">"): #"\u003E"#
            case UInt8(ascii: "&"): #"\u0026"#
            default: nil
            }
        }
    }

    /// Replaces ASCII bytes, which in UTF-8 are never part of another scalar.
    private static func escaped(
        _ text: some Collection<UInt8>, _ replacement: (UInt8) -> StaticString?
    ) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for byte in text {
            if byte < 0x80, let replacement = replacement(byte) {
                replacement.withUTF8Buffer { result.append(contentsOf: $0) }
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(_ byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"...: true
        default: false
        }
    }
}

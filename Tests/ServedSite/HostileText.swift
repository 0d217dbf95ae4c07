/// Text that becomes markup if it is escaped by character instead of by scalar.
package enum HostileText {
    /// A name in which `<` forms one character with the U+0600 before it, and `"` with the U+0301 after it.
    package static let name = "\u{600}</script>\u{600}<b id=injected>\u{600}\"\u{301} data-injected='\u{301}"

    /// The parts of ``name`` that are unescaped markup in a page.
    ///
    /// - Parameter html: A page.
    /// - Returns: Each occurrence with its context.
    package static func injections(in html: String) -> [String] {
        let bytes = Array(html.utf8)
        return ["\u{600}</script", "<b id=injected", "\"\u{301} data-injected"].flatMap { text -> [String] in
            let text = Array(text.utf8)
            return bytes.indices.filter { index in
                // In JSON, a backslash escapes the quotation mark.
                bytes[index] == text[0] && bytes[index...].starts(with: text)
                    && (index == 0 || bytes[index - 1] != UInt8(ascii: "\\"))
            }.map { index in
                String(decoding: bytes[max(0, index - 60)..<min(bytes.count, index + 60)], as: UTF8.self)
            }
        }
    }

    /// Whether a page shows ``name`` at all, as text or in JSON.
    ///
    /// - Parameter html: A page.
    /// - Returns: Whether it does.
    package static func isShown(in html: String) -> Bool {
        let bytes = Array(html.utf8)
        return ["&lt;b id=injected", #"\u003Cb id=injected"#].contains { text in
            let text = Array(text.utf8)
            return bytes.indices.contains { bytes[$0] == text[0] && bytes[$0...].starts(with: text) }
        }
    }
}

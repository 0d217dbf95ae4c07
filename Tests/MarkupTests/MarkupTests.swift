import Foundation
import Testing

@testable import Markup

/// Tests escaping by scalar.
///
/// SiteTests render templates with the same texts, and check what a browser reads.
@Suite(.timeLimit(.minutes(10))) struct MarkupTests {
    private static let references: [(text: Unicode.Scalar, reference: String)] = [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;"), ("\r", "&#13;"),
    ]

    @Test(arguments: [
        ("plain", "plain", "plain"), ("", "", ""), ("a & b", "a &amp; b", "a &amp; b"),
        ("&amp;", "&amp;amp;", "&amp;amp;"), ("<b title='\"'>", "&lt;b title=&#39;&quot;&#39;&gt;", nil),
        ("a\r\nb\tc", "a&#13;\nb\tc", "a&#13;&#10;b&#9;c"), ("a\u{0}b\u{1}c", "a\u{FFFD}b\u{1}c", "abc"),
        ("\u{FFFE}☕️", "\u{FFFE}☕️", "☕️"), ("\u{600}<b>", "\u{600}&lt;b&gt;", nil), ("<\u{338}", "&lt;\u{338}", nil),
    ])
    func textIsEscaped(text: String, html: String, xml: String?) {
        // Swift treats canonically equivalent strings as equal.
        #expect(Array(Markup.html(text).utf8) == Array(html.utf8))
        #expect(Array(Markup.xml(text).utf8) == Array((xml ?? html).utf8))
    }

    @Test func adjacentScalarsDoNotPreventEscaping() {
        let scalars = GraphemeScalars.all
        #expect(scalars.count > 2_000)
        #expect(scalars.contains("\u{600}") && scalars.contains("\u{301}") && scalars.contains("\u{200D}"))
        var wrong: [String] = []
        for scalar in scalars {
            let neighbour = String(scalar)
            for (text, reference) in Self.references {
                let written = neighbour + String(text) + neighbour
                for escaped in [Markup.html(written), Markup.xml(written)]
                where Array(escaped.utf8) != Array(neighbour.utf8) + Array(reference.utf8) + Array(neighbour.utf8) {
                    wrong.append("U+\(String(scalar.value, radix: 16)) and \(text.debugDescription): \(escaped)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test func escapedJSONDecodesUnchangedAndContainsNoMarkup() throws {
        let texts = GraphemeScalars.all.map { "\($0)<\($0)>\($0)&\($0)</script>\($0)<!--\($0)" }
        let json = Markup.json(try JSONEncoder().encode(texts))
        #expect(!json.utf8.contains { "<>&".utf8.contains($0) })
        let read = try JSONDecoder().decode([String].self, from: Data(json.utf8))
        #expect(read.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }
}

/// The scalars that form one character with a neighbour.
enum GraphemeScalars {
    static let all: [Unicode.Scalar] = (0x80...0x10FFFF).compactMap { value in
        guard let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
        return ("<" + String(scalar)).count == 1 || (String(scalar) + "<").count == 1 ? scalar : nil
    }
}

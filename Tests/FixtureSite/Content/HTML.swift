/// An HTML page.
enum HTML {
    /// A whole page with a doctype, a language and a title.
    ///
    /// - Parameters:
    ///   - title: The title, which is also the first heading.
    ///   - head: Markup for the end of the head.
    ///   - body: Markup for the body, after the heading.
    /// - Returns: The markup.
    static func page(_ title: String, head: String = "", _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>\(Self.escape(title))</title>
        \(head)
        </head>
        <body>
        <h1>\(Self.escape(title))</h1>
        \(body)
        </body>
        </html>

        """
    }

    /// A page whose script runs once it has loaded.
    static func page(_ title: String, onLoad script: String, _ body: String = "<p>Text.</p>") -> String {
        Self.page(title, head: "<script>addEventListener('load', () => { \(script) });</script>", body)
    }

    /// Escapes text for markup, including attributes.
    static func escape(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }

    /// A paragraph of known text.
    static let paragraph =
        "<p>The quick brown fox jumps over the lazy dog, and does it again in the next line of this paragraph.</p>"
}

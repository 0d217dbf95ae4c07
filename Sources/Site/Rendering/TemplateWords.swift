import Markup

/// Inserts an app's words into its templates, which contain none: `{{word.key}}` becomes the text of that key.
enum TemplateWords {
    /// The patterns, made once, because making one takes longer than searching a text for it.
    private struct Patterns {
        let word = /\{\{word\.(\w+)\}\}/
        let otherWord = /\{\{[^}]*\bword\./
        let tag = /\{\{[^}]*\}\}/
    }

    /// Not sendable only because a pattern could contain a closure, and these don't.
    nonisolated(unsafe) private static let patterns = Patterns()

    /// Returns a template with its words.
    ///
    /// A text may contain tags, such as `{{count}} pages` or `Saved on {{> time}}`; everything else in it is escaped.
    ///
    /// - Parameters:
    ///   - words: The texts by key.
    ///   - source: The template.
    ///   - name: The template's name, for the error.
    /// - Returns: The template's source with the texts.
    /// - Throws: ``WordProblem`` if a text is missing or unused.
    static func inserting(
        _ words: [String: String], into source: String, named name: String
    ) throws(WordProblem) -> String {
        var unused = Set(words.keys)
        var missing: Set<String> = []
        let result = source.replacing(patterns.word) { (tag: Regex<(Substring, Substring)>.Match) -> String in
            let key = String(tag.output.1)
            unused.remove(key)
            guard let text = words[key] else {
                missing.insert(key)
                return ""
            }
            return escaped(text)
        }
        if let key = missing.sorted().first { throw WordProblem("the template \(name) uses the missing word \(key)") }
        if let key = unused.sorted().first { throw WordProblem("the template \(name) doesn't use the word \(key)") }
        if let tag = result.firstMatch(of: patterns.otherWord) {
            throw WordProblem("the template \(name) contains “\(tag.output)”, which isn't of the form {{word.key}}")
        }
        return result
    }

    /// A text as HTML, except for its tags.
    private static func escaped(_ text: String) -> String {
        guard text.contains("{{") else { return Markup.html(text) }
        var html = ""
        var rest = text[...]
        while let tag = rest.firstMatch(of: patterns.tag) {
            html += Markup.html(String(rest[..<tag.range.lowerBound]))
            html += String(tag.output)
            rest = rest[tag.range.upperBound...]
        }
        return html + Markup.html(String(rest))
    }
}

/// A word that is missing, or that nothing uses.
struct WordProblem: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

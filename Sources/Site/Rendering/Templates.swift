import Markup
import Mustache

/// A target's mustache templates, from its embedded resources.
///
/// | in a template | type | allowed in |
/// |---|---|---|
/// | `{{name}}` | any value, as text | the content of an element and quoted attributes |
/// | `{{url(name)}}` | ``Link`` | the beginning of a URL attribute |
/// | `{{{html(name)}}}` | ``HTML`` | the content of an element |
/// | `{{{json(name)}}}` | ``ScriptData`` | a `<script type="application/json">` |
/// | `{{word.key}}` | a text from the table of words, inserted when the template is loaded | everywhere |
///
/// No text is rendered unescaped: a template that inserts a value in any other way is rejected, and a value of any
/// other type renders as nothing.
public struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Parses templates.
    ///
    /// - Parameters:
    ///   - sources: The UTF-8 text of each template, by the name that `{{> name}}` and ``render(_:_:)`` use.
    ///   - words: The texts that replace `{{word.key}}`, by the template's name and the key. A text may contain tags,
    ///     such as `{{count}} pages`.
    /// - Throws: ``UnsafeTemplate``, an error that names a word that is missing or unused, or a parser error.
    public init(_ sources: [String: [UInt8]], words: [String: [String: String]] = [:]) throws {
        ScalarEscaping.register()
        if let name = words.keys.sorted().first(where: { sources[$0] == nil }) {
            throw WordProblem("there are words for \(name), which isn't a template")
        }
        var library = MustacheLibrary()
        for (name, source) in sources {
            let source = try TemplateWords.inserting(
                words[name] ?? [:], into: String(decoding: source, as: UTF8.self), named: name)
            if let problem = TemplateCheck.problem(in: source) { throw UnsafeTemplate(name: name, problem: problem) }
            // Each template sets the content type, because a partial starts with the engine's default escaping, which
            // misses a `<` after U+0600.
            try library.register("{{% CONTENT_TYPE:\(ScalarEscaping.name)}}\(source)", named: name)
        }
        self.library = library
    }

    /// Renders a template.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - view: The values to insert: a value with stored properties of those names, or a dictionary by name.
    /// - Returns: The HTML. If there is no such template, a release build returns an error text, and a debug
    ///   build traps.
    public func render(_ name: String, _ view: Any) -> HTML {
        let text = library.render(RenderedValue.of(view) ?? view, withTemplate: name)
        assert(text != nil, "There is no template \(name).")
        return HTML(markup: text ?? "<p class=\"alert bad\">There is no template \(Markup.html(name)).</p>")
    }
}

/// A template that could render text unescaped.
public struct UnsafeTemplate: Error, Sendable, CustomStringConvertible {
    /// The template's name.
    public let name: String
    /// What is wrong with the template.
    public let problem: String

    /// A readable description of the template and its problem.
    public var description: String { "The template \(name) is unsafe: \(problem)." }
}

/// Escapes template values by Unicode scalar; the engine's own escaping compares characters.
private struct ScalarEscaping: MustacheContentType {
    static let name = "HTML-BY-SCALAR"

    func escapeText(_ text: String) -> String { Markup.html(text) }

    static func register() { MustacheContentTypes.register(Self(), named: name) }
}

import Markup
import Mustache

/// The mustache templates of a target, from its embedded resources.
///
/// | in a template | takes | may stand |
/// |---|---|---|
/// | `{{name}}` | any value, as text | in the content of an element and in quoted attributes |
/// | `{{url(name)}}` | ``Link`` | at the beginning of an attribute that is a URL |
/// | `{{{html(name)}}}` | ``HTML`` | in the content of an element |
/// | `{{{json(name)}}}` | ``ScriptData`` | in a `<script type="application/json">` |
///
/// A value of another type than these take renders as nothing, and a template that asks for a value in any other way is
/// refused, so that no text gets into a page as it is.
public struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Reads templates.
    ///
    /// - Parameter sources: The text of each as UTF-8, under the name that `{{> name}}` and ``render(_:with:)`` use.
    /// - Throws: What is wrong with a template; ``UnsafeTemplate``.
    public init(_ sources: [String: [UInt8]]) throws {
        ScalarEscaping.register()
        var library = MustacheLibrary()
        for (name, source) in sources {
            let source = String(decoding: source, as: UTF8.self)
            if let problem = TemplateCheck.problem(in: source) { throw UnsafeTemplate(name: name, problem: problem) }
            // Each, because a partial begins with the engine's own escaping, which lets `<` after U+0600 through.
            try library.register("{{% CONTENT_TYPE:\(ScalarEscaping.name)}}\(source)", named: name)
        }
        self.library = library
    }

    /// Fills in a template.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - view: A value whose stored properties the template names, or a dictionary of values by their names.
    /// - Returns: The HTML; if there is no template of that name, it says so, and a debug build traps.
    public func render(_ name: String, _ view: Any) -> HTML {
        let text = library.render(view, withTemplate: name)
        assert(text != nil, "There is no template \(name).")
        return HTML(markup: text ?? "<p class=\"alert bad\">There is no template \(Markup.html(name)).</p>")
    }
}

/// A template that could let text into a page as it is.
public struct UnsafeTemplate: Error, Sendable, CustomStringConvertible {
    /// The template's name.
    public let name: String
    /// What is wrong with it.
    public let problem: String

    /// The template and its problem, in words.
    public var description: String { "The template \(name) is unsafe: \(problem)." }
}

/// Escapes what templates refer to, in place of the engine's own escaping, which compares characters.
private struct ScalarEscaping: MustacheContentType {
    static let name = "HTML-BY-SCALAR"

    func escapeText(_ text: String) -> String { Markup.html(text) }

    static func register() { MustacheContentTypes.register(Self(), named: name) }
}

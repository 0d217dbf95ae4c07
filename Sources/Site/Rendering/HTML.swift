import Markup
public import Mustache

/// Finished HTML, in which every text from outside is escaped: what templates are rendered to.
///
/// A template puts it into a page with `{{{html(name)}}}`; a `String` there is nothing.
public struct HTML: Sendable, Equatable {
    /// The HTML as text.
    public let markup: String

    /// Takes text that is HTML already.
    ///
    /// - Parameter markup: HTML that the program made, and nothing else. Text belongs into a template.
    public init(markup: String) {
        self.markup = markup
    }
}

extension HTML: MustacheTransformable {
    /// What the template engine asks for.
    public func transform(_ name: String) -> Any? {
        name == "html" ? markup : nil
    }
}

/// JSON for the page's scripts: `<script type="application/json">{{{json(name)}}}</script>`.
public struct ScriptData: Sendable, MustacheTransformable {
    private let escaped: String

    /// Takes JSON.
    public init(json: some Collection<UInt8>) {
        self.escaped = Markup.json(json)
    }

    /// What the template engine asks for.
    public func transform(_ name: String) -> Any? {
        name == "json" ? escaped : nil
    }
}

import Formats
package import Foundation
import Markup
public import Mustache

/// Finished HTML, such as a rendered template, in which all outside text is escaped.
///
/// A template inserts it with `{{{html(name)}}}`, which renders nothing for a `String`.
public struct HTML: Sendable, Equatable {
    /// The HTML as text.
    public let markup: String

    /// Wraps text that is already HTML.
    ///
    /// - Parameter markup: HTML made by the program itself. Any other text belongs in a template.
    public init(markup: String) {
        self.markup = markup
    }
}

extension HTML {
    /// A date and a time, in the formats of the reader.
    package static func time(_ date: Date) -> HTML {
        let text = Markup.html(ReaderFormats.current.dateAndTime(date))
        return HTML(markup: "<time datetime=\"\(date.formatted(.iso8601))\">\(text)</time>")
    }
}

extension HTML: MustacheTransformable {
    /// Provides the markup to the template engine.
    public func transform(_ name: String) -> Any? {
        name == "html" ? markup : nil
    }
}

/// JSON for the page's scripts: `<script type="application/json">{{{json(name)}}}</script>`.
public struct ScriptData: Sendable, MustacheTransformable {
    private let escaped: String

    /// Escapes JSON for a script element.
    public init(json: some Collection<UInt8>) {
        self.escaped = Markup.json(json)
    }

    /// Provides the JSON to the template engine.
    public func transform(_ name: String) -> Any? {
        name == "json" ? escaped : nil
    }
}

import Mustache

/// The mustache templates of a target, from its embedded resources.
///
/// `{{name}}` is escaped and can stand in text and in quoted attributes; `{{{name}}}` is not, and is for HTML only.
public struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Reads templates.
    ///
    /// - Parameter sources: The text of each as UTF-8, under the name that `{{> name}}` and ``render(_:with:)`` use.
    /// - Throws: What is wrong with a template.
    public init(_ sources: [String: [UInt8]]) throws {
        var library = MustacheLibrary()
        for (name, source) in sources {
            try library.register(String(decoding: source, as: UTF8.self), named: name)
        }
        self.library = library
    }

    /// Fills in a template.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - values: What it refers to: a dictionary, or any value by its properties' names.
    /// - Returns: The text.
    /// - Throws: ``UnknownTemplate``, when there is none of that name.
    public func render(_ name: String, with values: Any) throws(UnknownTemplate) -> String {
        guard let text = library.render(values, withTemplate: name) else { throw UnknownTemplate(name: name) }
        return text
    }
}

/// There is no template of that name.
public struct UnknownTemplate: Error, Sendable {
    /// The name.
    public let name: String
}

/// Checks that a template inserts each value only where the value's escaping is correct.
enum TemplateCheck {
    /// The patterns of the check.
    ///
    /// They are made once, because making one takes as long as searching a template for it.
    private struct Patterns {
        let settings = /\{\{\s*[=%]/
        let escaped = /\{\{\{(html|json)\([\w.]+\)\}\}\}/
        let unescaped = /\{\{\{|\{\{\s*&/
        let unquoted = /\s[\w:.-]+\s*=\s*\{\{[^}]*\}\}/
        let address =
            /\s(?:href|src|srcset|action|formaction|poster|data|xlink:href|manifest|ping)\s*=\s*["'](\{\{[^}]*\}\})/
            .ignoresCase()
        let link = /\{\{url\([\w.]+\)\}\}/
        let element = /<(script|style)\b([^>]*)>(.*?)<\/\1/.dotMatchesNewlines().ignoresCase()
        let json = /\{\{\{json\([\w.]+\)\}\}\}/
        let code = /\s(?:on\w+|style|srcdoc)\s*=\s*["'][^"']*\{\{/.ignoresCase()
    }

    /// Not sendable only because a pattern could contain a closure, and these don't.
    nonisolated(unsafe) private static let patterns = Patterns()

    /// Returns what is wrong with a template, or `nil` if it is safe.
    static func problem(in source: String) -> String? {
        let patterns = patterns
        if source.contains(patterns.settings) { return "it changes the settings of the template engine" }
        if source.replacing(patterns.escaped, with: "").contains(patterns.unescaped) {
            return "it inserts a value without escaping; only {{{html(name)}}} and {{{json(name)}}} may"
        }
        if let tag = source.firstMatch(of: patterns.unquoted) {
            return "the attribute \(tag.output) is not in quotes"
        }
        for attribute in source.matches(of: patterns.address) {
            guard attribute.output.1.wholeMatch(of: patterns.link) != nil else {
                return "\(attribute.output.0) is a URL; write {{url(name)}}, and give it a Link"
            }
        }
        for script in source.matches(of: patterns.element) {
            let content = script.output.3.replacing(patterns.json, with: "")
            if content.contains("{{") { return "a value in <\(script.output.1)> is not {{{json(name)}}}" }
        }
        if source.contains(patterns.code) {
            return "a value is in an attribute that contains a script, a style or a document"
        }
        return nil
    }
}

/// Checks that a template inserts each value only where the value's escaping is correct.
enum TemplateCheck {
    /// Returns what is wrong with a template, or `nil` if it is safe.
    static func problem(in source: String) -> String? {
        if source.contains(/\{\{\s*[=%]/) { return "it changes the settings of the template engine" }
        if source.replacing(/\{\{\{(html|json)\([\w.]+\)\}\}\}/, with: "").contains(/\{\{\{|\{\{\s*&/) {
            return "it inserts a value without escaping; only {{{html(name)}}} and {{{json(name)}}} may"
        }
        if let tag = source.firstMatch(of: /\s[\w:.-]+\s*=\s*\{\{[^}]*\}\}/) {
            return "the attribute \(tag.output) is not in quotes"
        }
        let address =
            /\s(?:href|src|srcset|action|formaction|poster|data|xlink:href|manifest|ping)\s*=\s*["'](\{\{[^}]*\}\})/
        for attribute in source.matches(of: address.ignoresCase()) {
            guard attribute.output.1.wholeMatch(of: /\{\{url\([\w.]+\)\}\}/) != nil else {
                return "\(attribute.output.0) is a URL; write {{url(name)}}, and give it a Link"
            }
        }
        for script in source.matches(of: /<(script|style)\b([^>]*)>(.*?)<\/\1/.dotMatchesNewlines().ignoresCase()) {
            let content = script.output.3.replacing(/\{\{\{json\([\w.]+\)\}\}\}/, with: "")
            if content.contains("{{") { return "a value in <\(script.output.1)> is not {{{json(name)}}}" }
        }
        if source.contains(/\s(?:on\w+|style|srcdoc)\s*=\s*["'][^"']*\{\{/.ignoresCase()) {
            return "a value is in an attribute that contains a script, a style or a document"
        }
        return nil
    }
}

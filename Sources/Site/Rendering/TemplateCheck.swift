/// Whether a template puts each value only where the value's escaping is right.
enum TemplateCheck {
    /// What is wrong with a template, or `nil`.
    static func problem(in source: String) -> String? {
        if source.contains("{{=") || source.contains("{{%") { return "it changes how the engine reads it" }
        for tag in source.matches(of: /\{\{\{(.*?)\}\}\}|\{\{\s*&(.*?)\}\}/) {
            let text = String(tag.output.1 ?? tag.output.2 ?? "")
            guard tag.output.1 != nil, text.wholeMatch(of: /(html|json)\([\w.]+\)/) != nil else {
                return "it takes \(tag.output.0) unescaped; only {{{html(name)}}} and {{{json(name)}}} may be"
            }
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
            return "a value stands in an attribute that is a script, a style or a document"
        }
        return nil
    }
}

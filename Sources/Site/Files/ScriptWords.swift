/// The words of an app's scripts, as a module that they import: `import { undo } from "./words.js";`.
public enum ScriptWords {
    /// Writes the module.
    ///
    /// A text is a constant. A text with tags is a function: `{{count}} pages` is called as `pages({ count })`.
    ///
    /// - Parameter words: The texts by name; each name becomes that of a constant in JavaScript.
    /// - Returns: The module's source, for the file `words.js` of a ``SiteApp``.
    public static func module(_ words: [String: String]) -> [UInt8] {
        var source = ""
        for (name, text) in words.sorted(by: { $0.key < $1.key }) {
            source += "export const \(name) = \(value(of: text));\n"
        }
        return Array(source.utf8)
    }

    /// Writes a module that exports some words as the object `words`, for scripts that look words up by name.
    ///
    /// - Parameter names: The names of words.
    /// - Returns: The module's source, for a file beside `words.js`.
    package static func table(of names: [String]) -> [UInt8] {
        let list = names.joined(separator: ", ")
        return Array("import { \(list) } from \"./words.js\";\nexport const words = { \(list) };\n".utf8)
    }

    private static func value(of text: String) -> String {
        var parts: [String] = []
        var names: Set<String> = []
        var rest = text[...]
        while let tag = rest.firstMatch(of: /\{\{(\w+)\}\}/) {
            let name = String(tag.output.1)
            names.insert(name)
            parts += [literal(rest[..<tag.range.lowerBound]), name]
            rest = rest[tag.range.upperBound...]
        }
        parts.append(literal(rest))
        return names.isEmpty
            ? parts.joined() : "({ \(names.sorted().joined(separator: ", ")) }) => \(parts.joined(separator: " + "))"
    }

    private static func literal(_ text: Substring) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}

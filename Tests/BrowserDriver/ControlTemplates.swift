import Foundation

/// The forms, buttons and summaries of an app's templates: each has to be on a page that a test looks at.
package struct ControlTemplates: Sendable {
    private let folder: String
    private let prefix: String

    /// Some templates of an app.
    ///
    /// - Parameters:
    ///   - app: The app's folder.
    ///   - prefix: How the names of the templates begin.
    package init(of app: String, named prefix: String = "") {
        // This file is two folders below the package's.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        folder = package.appending(path: "Sources/Apps/\(app)/Web/Resources").path()
        self.prefix = prefix
    }

    /// The controls that are on no page that was looked at, in words.
    ///
    /// - Parameter seen: The tags of the controls of those pages.
    /// - Returns: A sentence for each control.
    /// - Throws: Why the templates cannot be read.
    func missing(from seen: Set<String>) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".mustache") }.sorted()
        if names.isEmpty { throw DriverError("\(folder) has no templates \(prefix)*.mustache.") }
        return try names.flatMap { name in
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            return try text.matches(of: /<(?:form|button|summary)\b[^>]*>/).compactMap { match in
                let tag = try Regex(Self.pattern(of: String(match.output)))
                return seen.contains { $0.wholeMatch(of: tag) != nil }
                    ? nil : "No page that was looked at has \(match.output) of \(name)."
            }
        }
    }

    /// A regular expression for what a browser makes of a template's tag.
    private static func pattern(of tag: String) -> String {
        var pattern = ""
        var rest = Substring(tag)
        // What stands in a section may be there or not, and a value may be anything.
        let variable = /\{\{[#^]([^}]*)\}\}.*?\{\{\/\1\}\}|\{\{[^}]*\}\}/
        while let match = rest.firstMatch(of: variable) {
            pattern += literal(rest[..<match.range.lowerBound]) + ".*"
            rest = rest[match.range.upperBound...]
        }
        // Scripts add attributes.
        return pattern + literal(rest.dropLast()) + ".*>"
    }

    /// A browser writes an attribute without a value as one with an empty value.
    private static func literal(_ text: Substring) -> String {
        let escaped = NSRegularExpression.escapedPattern(for: String(text))
        return escaped.replacing(#/ (hidden|data\\?-[a-z\\-]+)(?= |$)/#) { #" \#($0.output.1)(?:="")?"# }
    }
}

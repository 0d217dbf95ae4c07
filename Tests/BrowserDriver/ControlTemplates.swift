import Foundation

/// The forms, buttons and summaries of an app's templates; each must appear on a page that a test inspects.
package struct ControlTemplates: Sendable {
    private let folder: String
    private let prefix: String

    /// Selects templates of an app.
    ///
    /// - Parameters:
    ///   - app: The app's folder.
    ///   - prefix: The prefix of the templates' names.
    package init(of app: String, named prefix: String = "") {
        // This file is two folders below the package's.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        folder = package.appending(path: "Sources/Apps/\(app)/Web/Resources").path()
        self.prefix = prefix
    }

    /// Describes the templates' controls that no inspected page has.
    ///
    /// - Parameter seen: The tags of the controls on the inspected pages.
    /// - Returns: A sentence for each missing control.
    /// - Throws: Why the templates can't be read.
    func missing(from seen: Set<String>) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".mustache") }.sorted()
        if names.isEmpty { throw DriverError("\(folder) has no templates \(prefix)*.mustache.") }
        return try names.flatMap { name in
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            return try text.matches(of: /<(?:form|button|summary)\b[^>]*>/).compactMap { match in
                let tag = try Regex(Self.pattern(of: String(match.output)))
                return seen.contains { $0.wholeMatch(of: tag) != nil }
                    ? nil : "No inspected page has \(match.output) of \(name)."
            }
        }
    }

    /// A regular expression that matches a template's tag as rendered by a browser.
    private static func pattern(of tag: String) -> String {
        var pattern = ""
        var rest = Substring(tag)
        // A section may be absent, and a variable may have any value.
        let variable = /\{\{[#^]([^}]*)\}\}.*?\{\{\/\1\}\}|\{\{[^}]*\}\}/
        while let match = rest.firstMatch(of: variable) {
            pattern += literal(rest[..<match.range.lowerBound]) + ".*"
            rest = rest[match.range.upperBound...]
        }
        // Scripts may add attributes.
        return pattern + literal(rest.dropLast()) + ".*>"
    }

    /// Escapes literal text; browsers serialize an attribute without a value as one with an empty value.
    private static func literal(_ text: Substring) -> String {
        let escaped = NSRegularExpression.escapedPattern(for: String(text))
        return escaped.replacing(#/ (hidden|data\\?-[a-z\\-]+)(?= |$)/#) { #" \#($0.output.1)(?:="")?"# }
    }
}

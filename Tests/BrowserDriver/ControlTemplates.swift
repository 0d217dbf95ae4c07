import Foundation

/// The forms, buttons and summaries of templates; each must appear on a page that a test inspects.
package struct ControlTemplates: Sendable {
    private let folder: String
    private let isSelected: @Sendable (_ name: String) -> Bool

    /// Selects templates of an app.
    ///
    /// - Parameters:
    ///   - app: The app's folder.
    ///   - prefix: The prefix of the templates' names.
    package init(of app: String, named prefix: String = "") {
        self.init(in: "Apps/\(app)/Web/Resources") { $0.hasPrefix(prefix) }
    }

    /// Selects templates in a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder, in `Sources`.
    ///   - isSelected: Whether to select the template with a name, which has no extension.
    package init(in folder: String, where isSelected: @escaping @Sendable (_ name: String) -> Bool) {
        // This file is two folders below the package's.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        self.folder = package.appending(path: "Sources/\(folder)").path()
        self.isSelected = isSelected
    }

    /// Describes the templates' controls that no inspected page has.
    ///
    /// - Parameter seen: The tags of the controls on the inspected pages.
    /// - Returns: A sentence for each missing control.
    /// - Throws: Why the templates can't be read.
    func missing(from seen: Set<String>) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".mustache") && isSelected(String($0.dropLast(".mustache".count))) }.sorted()
        if names.isEmpty { throw DriverError("\(folder) has none of the templates.") }
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
    ///
    /// Scripts may have removed `hidden`.
    private static func literal(_ text: Substring) -> String {
        let escaped = NSRegularExpression.escapedPattern(for: String(text))
        return escaped.replacing(#/ hidden(?= |$)/#) { _ in #"(?: hidden(?:="")?)?"# }
            .replacing(#/ (data\\?-[a-z\\-]+)(?= |$)/#) { #" \#($0.output.1)(?:="")?"# }
    }
}

import Capture
import Foundation
import Loading
import Markup
import OfflineLibraryModel

/// The saved pages as an Atom feed.
///
/// https://www.rfc-editor.org/rfc/rfc4287
struct LibraryFeed: Sendable {
    /// The media type.
    static let mediaType = "application/atom+xml; charset=utf-8"
    /// The path of the feed.
    static let path = "/library/feed.atom"
    /// The number of pages, of which the newest come first.
    private static let length = 50

    /// The site's address, without a slash at its end, such as `https://pages.example.com`.
    var site: String
    /// Identifies the library for good.
    var id: UUID
    /// The pages, the newest first.
    var items: PageList
    /// What changed in new versions of an address.
    var comparisons: [VersionPair: VersionComparison] = [:]

    /// The pages of the feed.
    static func listed(_ items: PageList) -> [LibraryItem] {
        Array(items.lazy.filter { !$0.isDeleted && $0.state.value != nil }.prefix(length))
    }

    /// Writes the feed.
    ///
    /// - Parameter templates: Name the pages, and know where they are shown.
    /// - Returns: The XML.
    func xml(_ templates: LibraryTemplates) -> String {
        let saved = Self.listed(items)
        // Of several older versions, the newest one counts; the items are ordered by time.
        let places = Dictionary(items.ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var changes: [SavedPage.ID: (place: Int, comparison: VersionComparison)] = [:]
        for (pair, comparison) in comparisons {
            let place = places[pair.old] ?? .max
            if place < changes[pair.new]?.place ?? .max { changes[pair.new] = (place, comparison) }
        }
        let updated = saved.compactMap { $0.state.value?.capturedAt }.max() ?? Date(timeIntervalSince1970: 0)
        var xml = """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom">
            <id>urn:uuid:\(id.uuidString.lowercased())</id>
            <title>\(Markup.xml(LibraryWords.name))</title>
            <author><name>\(Markup.xml(LibraryWords.name))</name></author>
            <updated>\(updated.formatted(.iso8601))</updated>
            <link rel="self" type="application/atom+xml" href="\(Markup.xml(site + Self.path))"/>
            <link rel="alternate" type="text/html" href="\(Markup.xml("\(site)/library/"))"/>

            """
        for item in saved {
            if let content = item.state.value {
                xml += entry(of: item, content, changes[item.id]?.comparison, templates)
            }
        }
        return xml + "</feed>\n"
    }

    private func entry(
        of item: LibraryItem, _ content: PageContent, _ change: VersionComparison?, _ templates: LibraryTemplates
    ) -> String {
        let path = LibraryTemplates.path(of: item)
        // A page without a viewer has only its row in the list.
        let shown = templates.viewerPath(of: item) ?? "/library/#page-\(item.id)"
        let completeness = content.isComplete.map { $0 ? LibraryWords.complete : LibraryWords.partial }
        let summary =
            [completeness, change.map { LibraryWords.changed($0.text) }].compactMap(\.self) + content.warnings
        var xml = """
            <entry>
            <id>urn:uuid:\(item.id)</id>
            <title>\(Markup.xml(templates.name(of: item)))</title>
            <updated>\(content.capturedAt.formatted(.iso8601))</updated>
            <published>\(item.requestedAt.formatted(.iso8601))</published>
            <link rel="alternate" type="text/html" href="\(Markup.xml(site + shown))"/>
            <link rel="via" href="\(Markup.xml(content.url.absoluteString))"/>

            """
        for format in PageFormat.allCases {
            guard let size = content.sizes[FileKind(format)] else { continue }
            xml += """
                <link rel="enclosure" type="\(format.mediaType)" length="\(size)" \
                href="\(Markup.xml("\(site)\(path)/page.\(format.rawValue)"))"/>

                """
        }
        if !summary.isEmpty { xml += "<summary>\(Markup.xml(summary.joined(separator: "\n")))</summary>\n" }
        return xml + "</entry>\n"
    }
}

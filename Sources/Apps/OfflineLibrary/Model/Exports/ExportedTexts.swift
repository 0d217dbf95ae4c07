import Formats
import Foundation
import Markup

/// The files of an export that describe its pages, in pieces.
struct ExportedTexts {
    /// The pages, the newest first.
    var pages: [ExportedPage]
    /// When the export began.
    var date: Date
    /// What is wrong, as sentences.
    var problems: [String]
    /// Formats times and sizes.
    var formats: ReaderFormats

    /// The version of `pages.json`, which changes when a field is removed or changes its meaning.
    static let version = 1

    // MARK: JSON

    /// `pages.json`, with a page on each line.
    var json: some Sequence<String> {
        let head = """
            {"format":"\(ExportedLibrary.format)","version":\(Self.version),"exportedAt":"\(date.formatted(.iso8601))","pages":[

            """
        let encoder = JSONEncoder()
        let problems = (try? encoder.encode(problems)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        let count = pages.count
        let lines = pages.enumerated().lazy.map { $1.json + ($0 + 1 < count ? ",\n" : "\n") }
        return Self.joined([head], lines, ["],\"problems\":\(problems)}\n"])
    }

    // MARK: Bookmarks

    /// `bookmarks.html`, which browsers and ``AddressFile`` import.
    ///
    /// https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85)
    var bookmarks: some Sequence<String> {
        let title = Markup.html(LibraryWords.name)
        let head = """
            <!DOCTYPE NETSCAPE-Bookmark-file-1>
            <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
            <TITLE>\(title)</TITLE>
            <H1>\(title)</H1>
            <DL><p>

            """
        return Self.joined([head], pages.lazy.map { Self.bookmark($0) }, ["</DL><p>\n"])
    }

    private static func bookmark(_ page: ExportedPage) -> String {
        let time = Int(page.requestedAt.timeIntervalSince1970.rounded(.down))
        let tags = page.tags.isEmpty ? "" : " TAGS=\"\(Markup.html(page.tags.joined(separator: ",")))\""
        let link = "<A HREF=\"\(Markup.html(page.address))\" ADD_DATE=\"\(time)\"\(tags)>\(Markup.html(page.name))</A>"
        let note = page.note.isEmpty ? "" : "    <DD>\(Markup.html(page.note))\n"
        return "    <DT>\(link)\n\(note)"
    }

    // MARK: The page that lists all others

    /// `index.html`, which opens offline and has no scripts.
    var index: some Sequence<String> {
        let name = Markup.html(LibraryWords.name)
        let summary = Markup.html(LibraryWords.exportSummary(pages.count, on: formats.dateAndTime(date)))
        let head = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(name)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(name)</h1>
            <p>\(summary)</p>
            <p><a href="bookmarks.html">\(LibraryWords.exportedBookmarks)</a>, \
            <a href="pages.json">\(LibraryWords.exportedData)</a></p>
            <ul>

            """
        return Self.joined([head], pages.lazy.map { entry($0) }, ["</ul>\n</body>\n</html>\n"])
    }

    private static let style = """

        body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
        ul { list-style: none; padding: 0; }
        body > ul > li { padding: 1rem 0; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
        h2 { margin: 0; font-size: 1.1rem; }
        h1, h2, p { overflow-wrap: anywhere; }
        li p { margin: 0.25rem 0 0; }
        .note { white-space: pre-wrap; }
        .minor { opacity: 0.75; font-size: 0.9rem; }

        """

    /// The kinds of files, the best to read first.
    private static let kinds: [(name: String, label: String)] = [
        ("html", LibraryWords.singleFile), ("pdf", LibraryWords.pdf), ("png", LibraryWords.picture),
        ("webarchive", LibraryWords.webArchive), ("wacz", LibraryWords.wacz),
    ]

    /// The maximum length of a title in the list, in characters.
    private static let titleLength = 160

    private func entry(_ page: ExportedPage) -> String {
        let files = Self.kinds.compactMap { kind in
            page.files.first { $0.kind == kind.name }.flatMap { file in
                file.path.map { (label: kind.label, link: Self.link($0), bytes: file.bytes ?? 0) }
            }
        }
        let name = page.name
        let title = Markup.html(
            name.count > Self.titleLength ? "\(name.prefix(Self.titleLength))…" : name)
        var html = "<li id=\"\(page.id)\"><h2 dir=\"auto\">"
        html += files.first.map { "<a href=\"\($0.link)\">\(title)</a>" } ?? title
        html += "</h2>\n<p class=\"minor\">\(Self.address(page.finalAddress ?? page.address))</p>\n"
        let time = formats.dateAndTime(page.savedAt ?? page.requestedAt)
        let completeness = page.isComplete.map { $0 ? LibraryWords.complete : LibraryWords.partial }
        let failed = page.state == .failed ? LibraryWords.failed : nil
        let favourite = page.isFavourite ? LibraryWords.exportedFavourite : nil
        let facts = [time, completeness, failed, favourite].compactMap(\.self) + page.tags.map { "#\($0)" }
        html += "<p class=\"minor\">\(Markup.html(facts.joined(separator: " · ")))</p>\n"
        if !page.note.isEmpty { html += "<p class=\"note\" dir=\"auto\">\(Markup.html(page.note))</p>\n" }
        for warning in page.warnings + [page.failure].compactMap(\.self) + page.files.compactMap(\.problem) {
            html += "<p class=\"minor\">\(Markup.html(warning))</p>\n"
        }
        let links = files.map { "<a href=\"\($0.link)\">\($0.label)</a> (\(formats.size($0.bytes)))" }
        if !links.isEmpty { html += "<p>\(links.joined(separator: ", "))</p>\n" }
        return html + "</li>\n"
    }

    /// The address as a link, if it leads to the web.
    private static func address(_ address: String) -> String {
        let text = Markup.html(address)
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { return text }
        return "<a href=\"\(text)\" rel=\"noreferrer\">\(text)</a>"
    }

    /// A path as a relative reference.
    private static func link(_ path: String) -> String {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        return path.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    // MARK: Problems

    /// `errors.txt`.
    var errors: some Sequence<String> { problems.lazy.map { $0 + "\n" } }

    private static func joined(
        _ head: [String], _ body: some Sequence<String>, _ tail: [String]
    ) -> some Sequence<String> {
        [AnySequence(head), AnySequence(body), AnySequence(tail)].lazy.joined()
    }
}

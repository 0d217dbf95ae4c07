import Formats
import Foundation
import OfflineLibraryModel
import Site

/// A search, as the address of its results contains it.
struct LibrarySearchRequest: Sendable {
    /// The maximum number of results before those of a part.
    private static let maximumOffset = 100_000

    /// The words as typed.
    let text: String
    /// The number of results before those of this part.
    let offset: Int
    /// What the pages must have.
    let filter: PageFilter
    /// The days of the filter as in the address, such as `2026-11-27`.
    let days: (first: String, last: String)

    /// What to find.
    var query: LibraryQuery { LibraryQuery(words: SearchWords(text), filter: filter) }

    private struct Form: Decodable {
        var q: String?
        var tag: String?
        var favourite: String?
        var note: String?
        var changed: String?
        var host: String?
        var state: String?
        var reading: String?
        var since: String?
        var until: String?
        var skip: String?
    }

    /// Parses the query of an address; `nil` if it isn't a search.
    ///
    /// Days are those of the reader's time zone. What can't be understood is left out.
    init?(query: String?) {
        // Unlike single parameters, forms have a plus sign for a space.
        guard let form = query.flatMap({ try? FormDecoder.form(Form.self, from: $0) }) else { return nil }
        text = String(String.UnicodeScalarView((form.q ?? "").unicodeScalars.prefix(SearchWords.maximumLength)))
        offset = min(max(form.skip.flatMap { Int($0) } ?? 0, 0), Self.maximumOffset)
        var filter = PageFilter()
        filter.tag = form.tag.flatMap { PageTag($0) }
        filter.isFavourite = form.favourite == "1"
        filter.hasNote = form.note == "1"
        filter.isChanged = form.changed == "1"
        filter.site = form.host.flatMap { PageSite($0) }
        filter.outcome = form.state.flatMap { PageFilter.Outcome(rawValue: $0) }
        filter.reading = form.reading.flatMap { ReadingState(rawValue: $0) }
        let (first, last) = (form.since.flatMap { Self.day($0) }, form.until.flatMap { Self.day($0) })
        filter.since = first
        filter.before = last.flatMap { Self.calendar.date(byAdding: .day, value: 1, to: $0) }
        days = (first.flatMap { _ in form.since } ?? "", last.flatMap { _ in form.until } ?? "")
        self.filter = filter
        if text.isEmpty, filter.isEmpty { return nil }
    }

    /// A search for the pages with a tag.
    init(tag: PageTag) {
        (text, offset, days) = ("", 0, ("", ""))
        var filter = PageFilter()
        filter.tag = tag
        self.filter = filter
    }

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = ReaderFormats.current.zone
        return calendar
    }

    /// The beginning of a day, such as `2026-11-27`; `nil` if the text isn't one.
    private static func day(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/) else { return nil }
        let parts = DateComponents(year: Int(match.1), month: Int(match.2), day: Int(match.3))
        guard parts.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: parts)
    }

    /// The address of the part that begins with a result, encoded as the browser encodes the form.
    func link(from offset: Int) -> Link { Link("/library/?\(query(from: offset))") }

    /// The download of all results.
    var export: Link { Link("\(LibraryPages.exportPath)?\(query(from: 0))") }

    /// The query of that address.
    func query(from offset: Int) -> String {
        let fields = [
            ("q", text), ("favourite", filter.isFavourite ? "1" : ""), ("note", filter.hasNote ? "1" : ""),
            ("changed", filter.isChanged ? "1" : ""),
            ("tag", filter.tag?.name ?? ""), ("state", filter.outcome?.rawValue ?? ""),
            ("reading", filter.reading?.rawValue ?? ""), ("host", filter.site?.description ?? ""),
            ("since", days.first), ("until", days.last), ("skip", offset > 0 ? "\(offset)" : ""),
        ]
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
        return fields.filter { !$0.1.isEmpty }.map { name, value in
            let encoded = value.addingPercentEncoding(withAllowedCharacters: allowed)?.replacing(" ", with: "+") ?? ""
            return "\(name)=\(encoded)"
        }.joined(separator: "&")
    }
}

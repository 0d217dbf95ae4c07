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

    /// What to find.
    var query: LibraryQuery { LibraryQuery(words: SearchWords(text)) }

    private struct Form: Decodable {
        var q: String?
        var from: String?
    }

    /// Parses the query of an address; `nil` if it isn't a search.
    init?(query: String?) {
        // Unlike single parameters, forms have a plus sign for a space.
        let form = query.flatMap { try? FormDecoder.form(Form.self, from: $0) }
        guard let form, let text = form.q, !text.isEmpty else { return nil }
        self.text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(SearchWords.maximumLength)))
        offset = min(max(form.from.flatMap { Int($0) } ?? 0, 0), Self.maximumOffset)
    }

    /// The address of the part that begins with a result, encoded as the browser encodes the form.
    func link(from offset: Int) -> Link {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "*-._ "))
        let encoded = text.addingPercentEncoding(withAllowedCharacters: allowed)?.replacing(" ", with: "+") ?? ""
        return Link("/library/?q=\(encoded)\(offset > 0 ? "&from=\(offset)" : "")")
    }
}

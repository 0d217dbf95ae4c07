import Foundation
import FuturesFoundation
import Loading

/// Finds pages of a library by words, off the main actor.
package enum LibrarySearch {
    /// The maximum length of a query, in characters; the rest is ignored.
    package static let maximumLength = 200
    /// The time limit for a search.
    private static let limit = Duration.seconds(30)

    /// Finds the pages whose titles and addresses contain all words of a query, without regard to case and accents.
    ///
    /// - Parameters:
    ///   - query: The words, separated by spaces. Only the first ``maximumLength`` characters count.
    ///   - items: The pages to search.
    /// - Returns: The matching pages that aren't deleted, in the given order; empty if the query has no words.
    /// - Throws: ``LibraryError`` if it takes too long or the task is cancelled.
    package static func pages(
        matching query: String, in items: [LibraryItem]
    ) async throws(LibraryError) -> [LibraryItem] {
        let words = query.prefix(maximumLength).split(whereSeparator: \.isWhitespace).map { folded(String($0)) }
        if words.isEmpty { return [] }
        do throws(WorkError) {
            return try await WorkerThreads.computing.run(LibraryWords.searching, within: limit) {
                token throws(WorkError) in
                try pages(with: words, in: items) { () throws(WorkError) in try token.check() }
            }
        } catch {
            throw .storage(error.message)
        }
    }

    /// Finds the pages that contain all words, which must be folded already.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - items: The pages to search.
    ///   - check: Throws if the result is no longer needed; called for each page.
    /// - Returns: The matching pages.
    /// - Throws: The error of `check`.
    static func pages(
        with words: [String], in items: [LibraryItem], check: () throws(WorkError) -> Void
    ) throws(WorkError) -> [LibraryItem] {
        var found: [LibraryItem] = []
        for item in items {
            try check()
            if item.isDeleted { continue }
            let text = folded(item.searchedText)
            if words.allSatisfy({ text.contains($0) }) { found.append(item) }
        }
        return found
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

extension LibraryItem {
    /// The title and the addresses, each also without percent-encoding, on lines of their own.
    fileprivate var searchedText: String {
        let content = state.value
        let addresses = [request.url.absoluteString, content?.url.absoluteString].compactMap(\.self)
        let plain = addresses.compactMap(\.removingPercentEncoding)
        return ([content?.title ?? ""] + addresses + plain).joined(separator: "\n")
    }
}

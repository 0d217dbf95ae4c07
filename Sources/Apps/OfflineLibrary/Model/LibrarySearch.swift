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
    /// - Returns: The matching pages, in the given order; without deleted ones, and without any if there is no word.
    /// - Throws: ``LibraryError`` if it takes too long or the task is cancelled.
    package static func pages(
        matching query: String, in items: [LibraryItem]
    ) async throws(LibraryError) -> [LibraryItem] {
        let words = query.prefix(maximumLength).split(whereSeparator: \.isWhitespace).map { folded(String($0)) }
        if words.isEmpty { return [] }
        do throws(WorkError) {
            return try await WorkerThreads.computing.run(LibraryWords.searching, within: limit) { _ in
                items.filter { item in
                    guard !item.isDeleted else { return false }
                    let text = folded(item.searchedText)
                    return words.allSatisfy { text.contains($0) }
                }
            }
        } catch {
            throw .storage(error.message)
        }
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

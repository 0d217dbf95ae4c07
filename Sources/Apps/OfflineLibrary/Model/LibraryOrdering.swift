import Foundation
import Futures
import FuturesFoundation
import Loading

/// Orders a library's pages off the main actor.
///
/// The order by title is cached until a title changes.
public final class LibraryOrdering: Sendable {
    private struct Cache {
        var titles: PageList.TitleVersion?
        /// The indexes of the pages, in the order of their titles.
        var sortedIndexes: [Int] = []
        /// The keys of the titles, because making one takes as long as a hundred comparisons.
        var keys: [String: SortingKey] = [:]
    }

    /// The time limit for ordering.
    private static let limit = Duration.seconds(30)

    private let cache = Lock(Cache())

    /// Creates an ordering with an empty cache.
    public init() {}

    /// Orders pages that are given newest first.
    ///
    /// - Returns: The pages in the given order.
    /// - Throws: ``LibraryError`` if it takes too long or the task is cancelled.
    public func ordered(
        _ newest: PageList, by order: LibrarySettings.Order
    ) async throws(LibraryError) -> PageList {
        guard order == .title else { return Self.ordered(newest, by: order) }
        do throws(WorkError) {
            return try await WorkerThreads.computing.run(LibraryWords.ordering, within: Self.limit) {
                [self] token throws(WorkError) in
                newest.reordered(try sortedIndexes(of: newest) { () throws(WorkError) in try token.check() })
            }
        } catch {
            throw .storage(error.message)
        }
    }

    private func sortedIndexes(
        of list: PageList, check: () throws(WorkError) -> Void
    ) throws(WorkError) -> [Int] {
        let cached = cache.withLock { $0 }
        if cached.titles == list.titles { return cached.sortedIndexes }
        var keys: [String: SortingKey] = [:]
        var pages: [SortingKey] = []
        for name in list.sortingNames {
            let key: SortingKey
            if let known = keys[name] ?? cached.keys[name] {
                key = known
            } else {
                try check()
                key = SortingKey(name)
            }
            keys[name] = key
            pages.append(key)
        }
        let sorted = try Self.sortedIndexes(of: pages, check: check)
        cache.withLock { [keys] in $0 = Cache(titles: list.titles, sortedIndexes: sorted, keys: keys) }
        return sorted
    }

    /// The indexes of keys, in the order of the keys; of equal ones, in the given order.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - check: Throws if the result is no longer needed; called for each comparison.
    /// - Returns: The indexes.
    /// - Throws: The error of `check`.
    static func sortedIndexes(
        of keys: [SortingKey], check: () throws(WorkError) -> Void
    ) throws(WorkError) -> [Int] {
        var failure: WorkError?
        let sortedIndexes = keys.indices.sorted { first, second in
            // `sorted` can't throw a `WorkError`. After a failure, the other comparisons take no time.
            if failure != nil { return false }
            do throws(WorkError) {
                try check()
            } catch {
                failure = error
                return false
            }
            return keys[first] < keys[second]
        }
        if let failure { throw failure }
        return sortedIndexes
    }

    /// Orders pages that are given newest first, on the current thread.
    static func ordered(_ newest: PageList, by order: LibrarySettings.Order) -> PageList {
        switch order {
        case .newest: return newest
        case .oldest: return newest.reordered(newest.indices.reversed())
        case .title:
            let keys = newest.sortingNames.map { SortingKey($0) }
            return newest.reordered(keys.indices.sorted { keys[$0] < keys[$1] })
        }
    }
}

/// The place of a name among others, as people expect it: without regard to case, accents, width and punctuation at its
/// start, and with numbers by their value.
struct SortingKey: Comparable, Sendable {
    private let text: String

    init(_ name: String) {
        let whole = name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let words = whole.drop { $0.isPunctuation || $0.isWhitespace }
        let folded = words.isEmpty ? whole : String(words)
        guard folded.utf8.contains(where: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            text = folded
            return
        }
        // A number is preceded by its length, so that 2 comes before 10.
        var key = String.UnicodeScalarView()
        var digits = String.UnicodeScalarView()
        func appendNumber() {
            guard !digits.isEmpty else { return }
            let number = digits.drop { $0 == "0" }
            // Any number stays among the digits, before the letters.
            key.append("0")
            key.append(Unicode.Scalar(UInt8(min(number.count, 100)) + 0x21))
            key.append(contentsOf: number)
            digits = String.UnicodeScalarView()
        }
        for scalar in folded.unicodeScalars {
            if ("0"..."9").contains(scalar) {
                digits.append(scalar)
            } else {
                appendNumber()
                key.append(scalar)
            }
        }
        appendNumber()
        text = String(key)
    }

    static func < (key: SortingKey, other: SortingKey) -> Bool { key.text < other.text }
}

extension PageList {
    /// What each page is sorted by.
    fileprivate var sortingNames: some RandomAccessCollection<String> { entries.lazy.map(\.sortingName) }
}

extension Library.Entry {
    /// What the page is sorted by: the title, or the URL if there is none.
    var sortingName: String {
        let content = machine.state.value
        if let title = content?.title, !title.isEmpty { return title }
        let url = content?.url ?? request.url
        return (url.host() ?? "") + url.path()
    }
}

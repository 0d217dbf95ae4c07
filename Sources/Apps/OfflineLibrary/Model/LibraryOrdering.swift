import Foundation
import Futures
import FuturesFoundation
import Loading

/// Orders a library's pages off the main actor.
///
/// Sorting 10,000 titles in localized order takes two seconds, so the order by title is cached until a title changes.
public final class LibraryOrdering: Sendable {
    private struct Cache {
        var names: [String] = []
        /// The indexes of ``names``, in the order of the names.
        var sortedIndexes: [Int] = []
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
        _ newest: [LibraryItem], by order: LibrarySettings.Order
    ) async throws(LibraryError) -> [LibraryItem] {
        guard order == .title else { return Self.ordered(newest, by: order) }
        do throws(WorkError) {
            return try await WorkerThreads.computing.run(LibraryWords.ordering, within: Self.limit) {
                [self] token throws(WorkError) in
                try sortedIndexes(of: newest) { () throws(WorkError) in try token.check() }.map { newest[$0] }
            }
        } catch {
            throw .storage(error.message)
        }
    }

    private func sortedIndexes(
        of items: [LibraryItem], check: () throws(WorkError) -> Void
    ) throws(WorkError) -> [Int] {
        let names = items.map(\.sortingName)
        let sortedIndexes = cache.withLock { $0.names == names ? $0.sortedIndexes : nil }
        if let sortedIndexes { return sortedIndexes }
        let new = try Self.sortedIndexes(of: names, check: check)
        cache.withLock { $0 = Cache(names: names, sortedIndexes: new) }
        return new
    }

    /// The indexes of names, in the order of the names.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - check: Throws if the result is no longer needed; called for each comparison.
    /// - Returns: The indexes.
    /// - Throws: The error of `check`.
    static func sortedIndexes(of names: [String], check: () throws(WorkError) -> Void) throws(WorkError) -> [Int] {
        var failure: WorkError?
        let sortedIndexes = names.indices.sorted { first, second in
            // `sorted` can't throw a `WorkError`. After a failure, the other comparisons take no time.
            if failure != nil { return false }
            do throws(WorkError) {
                try check()
            } catch {
                failure = error
                return false
            }
            return isBefore(names[first], names[second])
        }
        if let failure { throw failure }
        return sortedIndexes
    }

    private static func isBefore(_ name: String, _ other: String) -> Bool {
        name.localizedStandardCompare(other) == .orderedAscending
    }

    /// Orders pages that are given newest first, on the current thread.
    static func ordered(_ newest: [LibraryItem], by order: LibrarySettings.Order) -> [LibraryItem] {
        switch order {
        case .newest: newest
        case .oldest: newest.reversed()
        case .title:
            newest.map { (name: $0.sortingName, item: $0) }.sorted { isBefore($0.name, $1.name) }.map { $0.item }
        }
    }
}

extension LibraryItem {
    /// The sort key: the title, or the URL if there is none.
    fileprivate var sortingName: String {
        let title = (state.value?.title ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard title.isEmpty else { return title }
        let url = state.value?.url ?? request.url
        return (url.host() ?? "") + url.path()
    }
}

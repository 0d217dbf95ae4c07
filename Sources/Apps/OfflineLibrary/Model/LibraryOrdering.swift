import Foundation
import Futures
import FuturesFoundation
import Loading

/// Orders a library's pages off the main actor.
///
/// Sorting 10,000 titles in localized order takes two seconds, so the order by title is cached until a title changes.
public final class LibraryOrdering: Sendable {
    private struct Known {
        var names: [String] = []
        /// The indexes of ``names``, in the order of the names.
        var places: [Int] = []
    }

    /// The time limit for ordering.
    private static let limit = Duration.seconds(30)

    private let known = Lock(Known())

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
            return try await WorkerThreads.computing.run("Ordering the list", within: Self.limit) { [self] _ in
                places(of: newest).map { newest[$0] }
            }
        } catch {
            throw .storage(error.message)
        }
    }

    private func places(of items: [LibraryItem]) -> [Int] {
        let names = items.map(\.sortingName)
        let places = known.withLock { $0.names == names ? $0.places : nil }
        if let places { return places }
        let new = Self.places(of: names)
        known.withLock { $0 = Known(names: names, places: new) }
        return new
    }

    private static func places(of names: [String]) -> [Int] {
        names.indices.sorted { names[$0].localizedStandardCompare(names[$1]) == .orderedAscending }
    }

    /// Orders pages that are given newest first, on the current thread.
    static func ordered(_ newest: [LibraryItem], by order: LibrarySettings.Order) -> [LibraryItem] {
        switch order {
        case .newest: newest
        case .oldest: newest.reversed()
        case .title: places(of: newest.map(\.sortingName)).map { newest[$0] }
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

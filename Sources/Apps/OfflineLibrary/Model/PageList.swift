package import Foundation
import Loading

/// The pages of a library at one moment, in an order.
///
/// A copy shares the pages' storage, so it takes no time, however many pages there are.
public struct PageList: Sendable {
    /// A page, shared by all lists that contain it.
    final class Page: Sendable {
        let entry: Library.Entry

        init(_ entry: Library.Entry) {
            self.entry = entry
        }
    }

    /// Identifies the titles of a list's pages: lists with the same version have the same titles at the same places.
    struct TitleVersion: Hashable, Sendable {
        private var list = UUID()
        private var change = 0

        mutating func advance() { change += 1 }
    }

    private var pages: [Page] = []
    /// The pages that are deleted and can be restored.
    private var deleted: [SavedPage.ID: Page] = [:]
    /// The pages that are being captured and aren't deleted.
    private var fetching: [SavedPage.ID: Page] = [:]
    private var tagCounts: [PageTag: Int] = [:]
    private(set) var titles = TitleVersion()
    /// The number of pages with content that aren't deleted.
    public private(set) var savedCount = 0

    /// Creates an empty list.
    public init() {}

    /// Creates a list.
    ///
    /// - Parameter pages: The pages, the newest first.
    init(_ pages: [Page]) {
        self.pages = pages
        for page in pages { count(page) }
    }
}

extension PageList: RandomAccessCollection {
    /// The first index.
    public var startIndex: Int { 0 }
    /// The index after the last one.
    public var endIndex: Int { pages.count }
    /// The page at an index.
    public subscript(index: Int) -> LibraryItem { pages[index].entry.item }
}

// MARK: - Parts

extension PageList {
    /// The pages, without making items of them.
    var entries: some RandomAccessCollection<Library.Entry> { pages.lazy.map(\.entry) }

    /// The identifiers of the pages, in their order.
    package var ids: some RandomAccessCollection<SavedPage.ID> { entries.lazy.map(\.id) }

    /// The number of pages that aren't deleted.
    public var countWithoutDeleted: Int { pages.count - deleted.count }

    /// The pages that are deleted and can be restored, the newest first.
    public var deletedItems: [LibraryItem] { Self.sorted(deleted.values) }

    /// The pages of the latest deletion, if that deleted several, the newest first; empty otherwise.
    public var deletedTogether: [LibraryItem] {
        guard let latest = deleted.values.lazy.compactMap(\.entry.deletedAt).max() else { return [] }
        let together = deleted.values.filter { $0.entry.deletedAt == latest }
        return together.count > 1 ? Self.sorted(together) : []
    }

    /// The pages that were deleted at a time.
    package func deleted(at time: Date) -> [SavedPage.ID] {
        deleted.values.filter { $0.entry.deletedAt == time }.map(\.entry.id)
    }

    /// The pages that are being captured and aren't deleted, the newest first.
    public var fetchingItems: [LibraryItem] { Self.sorted(fetching.values) }

    /// The number of pages that are being captured and aren't deleted.
    public var fetchingCount: Int { fetching.count }

    /// The tags of all pages that aren't deleted: the most frequent first, then by name.
    public var tags: [TagCount] {
        tagCounts.map { TagCount(tag: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.tag.key) < ($0.count, $1.tag.key) }
    }

    /// The tags with the names that they have on pages of the list.
    func known(_ tags: [PageTag]) -> [PageTag] {
        tags.map { tag in tagCounts.index(forKey: tag).map { tagCounts.keys[$0] } ?? tag }
    }

    private static func sorted(_ pages: some Sequence<Page>) -> [LibraryItem] {
        pages.map(\.entry).sorted { $0.requestedAt > $1.requestedAt }.map(\.item)
    }
}

// MARK: - Changing

extension PageList {
    /// The same pages in another order.
    ///
    /// - Parameter indexes: The indexes of all pages in this list, in the new order.
    /// - Returns: A list for display; pages of a list that isn't the newest first can't be changed.
    func reordered(_ indexes: some Sequence<Int>) -> PageList {
        var list = self
        list.pages = indexes.map { pages[$0] }
        return list
    }

    /// The index of a page in a list that is the newest first.
    private func index(of page: Page) -> Int? {
        var index = pages.partitioningIndex { $0.entry.requestedAt <= page.entry.requestedAt }
        while index < pages.count, pages[index].entry.requestedAt == page.entry.requestedAt {
            if pages[index] === page { return index }
            index += 1
        }
        return nil
    }

    /// Inserts a page before those that aren't newer.
    mutating func insert(_ page: Page) {
        pages.insert(page, at: pages.partitioningIndex { $0.entry.requestedAt <= page.entry.requestedAt })
        count(page)
        titles.advance()
    }

    /// Adds pages after those that are as old.
    mutating func append(_ new: [Page]) {
        pages += new
        // The pages are sorted except for the new ones, so this takes linear time; the order of equal ones stays.
        pages.sort { $0.entry.requestedAt > $1.entry.requestedAt }
        for page in new { count(page) }
        titles.advance()
    }

    /// Replaces a page by its successor, which was requested at the same time.
    mutating func replace(_ page: Page, by new: Page) {
        guard let index = index(of: page) else { return }
        pages[index] = new
        discount(page)
        count(new)
        if page.entry.sortingName != new.entry.sortingName { titles.advance() }
    }

    /// Removes pages.
    mutating func remove(_ old: some Collection<Page>) {
        guard !old.isEmpty else { return }
        let ids = Set(old.map(\.entry.id))
        pages.removeAll { ids.contains($0.entry.id) }
        for page in old { discount(page) }
        titles.advance()
    }

    private mutating func count(_ page: Page) {
        let entry = page.entry
        if entry.deletedAt != nil {
            deleted[entry.id] = page
            return
        }
        if entry.machine.state.isFetching { fetching[entry.id] = page }
        if entry.machine.state.value != nil { savedCount += 1 }
        for tag in entry.marks.tags { tagCounts[tag, default: 0] += 1 }
    }

    private mutating func discount(_ page: Page) {
        let entry = page.entry
        if entry.deletedAt != nil {
            deleted[entry.id] = nil
            return
        }
        fetching[entry.id] = nil
        if entry.machine.state.value != nil { savedCount -= 1 }
        for tag in entry.marks.tags {
            // A tag without pages is forgotten, so that its next page can give it another name.
            tagCounts[tag] = tagCounts[tag].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element that meets a condition that all elements after it meet, too.
    fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

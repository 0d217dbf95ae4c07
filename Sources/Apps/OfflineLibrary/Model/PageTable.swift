import Foundation
import Loading

/// The pages of a library, found by their identifiers and addresses in constant time.
struct PageTable: Sendable {
    /// The pages, the newest first.
    private(set) var list = PageList()
    private var pages: [SavedPage.ID: PageList.Page] = [:]
    /// The pages with each address, by ``Foundation/URL/pageKey``, the newest first.
    private var addresses: [String: [SavedPage.ID]] = [:]

    /// Creates an empty table.
    init() {}

    /// Creates a table, which takes about a second for a million pages.
    ///
    /// - Parameter entries: The pages, the newest first.
    init(_ entries: some Sequence<Library.Entry>) {
        let pages = entries.map { PageList.Page($0) }
        list = PageList(pages)
        self.pages = Dictionary(pages.lazy.map { ($0.entry.id, $0) }) { first, _ in first }
        addresses.reserveCapacity(pages.count)
        for page in pages {
            for key in page.entry.addressKeys { addresses[key, default: []].append(page.entry.id) }
        }
    }

    /// The page with an identifier.
    subscript(id: SavedPage.ID) -> Library.Entry? { pages[id]?.entry }

    /// The pages that were requested from an address or redirected to it, the newest first.
    private func entries(at key: String) -> some Sequence<Library.Entry> {
        (addresses[key] ?? []).lazy.compactMap { pages[$0]?.entry }
    }

    /// The newest page saved from an address, or redirected to it, that isn't deleted or an error page.
    func saved(at key: String) -> Library.Entry? {
        entries(at: key).first { $0.deletedAt == nil && $0.isSaved }
    }

    /// The newest page with an address that ``saved(at:)`` would find, or that is being saved.
    func savedOrFetching(at key: String) -> SavedPage.ID? {
        entries(at: key).first { entry in
            guard entry.deletedAt == nil else { return false }
            // A page that is saved again doesn't count for the address to which it was redirected before.
            return entry.isSaved || entry.machine.state.isFetching && entry.request.url.pageKey == key
        }?.id
    }

    /// The copies that were saved from an address, the newest first.
    func copies(from key: String) -> [Library.Entry] {
        entries(at: key).filter {
            $0.machine.state.value != nil && $0.deletedAt == nil && $0.request.url.pageKey == key
        }
    }

    /// A page that is being captured from an address.
    func fetching(at key: String) -> Library.Entry? {
        entries(at: key).first {
            $0.deletedAt == nil && $0.request.url.pageKey == key && $0.machine.state.isFetching
        }
    }

    /// A page that is being captured from the same address in the same formats.
    func fetching(_ request: CaptureRequest) -> Library.Entry? {
        entries(at: request.url.pageKey).first {
            $0.deletedAt == nil && $0.request == request && $0.machine.state.isFetching
        }
    }

    /// Adds a page before those that aren't newer.
    mutating func insert(_ entry: Library.Entry) {
        let page = PageList.Page(entry)
        pages[entry.id] = page
        list.insert(page)
        for key in entry.addressKeys { addAddress(key, of: entry) }
    }

    /// Adds pages that are sorted, the newest first.
    mutating func append(_ entries: [Library.Entry]) {
        guard !entries.isEmpty else { return }
        let new = entries.map { PageList.Page($0) }
        for page in new { pages[page.entry.id] = page }
        list.append(new)
        for entry in entries {
            for key in entry.addressKeys { addAddress(key, of: entry) }
        }
    }

    /// Changes a page; returns `nil` if there is none.
    mutating func change<Result>(_ id: SavedPage.ID, _ body: (inout Library.Entry) -> Result) -> Result? {
        guard let page = pages[id] else { return nil }
        var entry = page.entry
        let result = body(&entry)
        let new = PageList.Page(entry)
        pages[id] = new
        list.replace(page, by: new)
        if page.entry.machine.state.value?.url != entry.machine.state.value?.url {
            for key in page.entry.addressKeys { removeAddress(key, of: id) }
            for key in entry.addressKeys { addAddress(key, of: entry) }
        }
        return result
    }

    /// Removes pages.
    mutating func remove(_ ids: some Sequence<SavedPage.ID>) {
        let old = ids.compactMap { pages.removeValue(forKey: $0) }
        list.remove(old)
        for page in old {
            for key in page.entry.addressKeys { removeAddress(key, of: page.entry.id) }
        }
    }

    private mutating func addAddress(_ key: String, of entry: Library.Entry) {
        let same = addresses[key] ?? []
        let place = same.firstIndex { (pages[$0]?.entry.requestedAt ?? .distantPast) <= entry.requestedAt }
        addresses[key, default: []].insert(entry.id, at: place ?? same.count)
    }

    private mutating func removeAddress(_ key: String, of id: SavedPage.ID) {
        addresses[key]?.removeAll { $0 == id }
        if addresses[key]?.isEmpty == true { addresses[key] = nil }
    }
}

extension Library.Entry {
    /// Whether it has content that isn't a site's error page, and isn't being replaced.
    fileprivate var isSaved: Bool {
        guard case .found(let content) = machine.state else { return false }
        return content.errorStatus == nil
    }

    /// The keys of the requested address and of the one to which it was redirected.
    fileprivate var addressKeys: [String] {
        let key = request.url.pageKey
        guard let url = machine.state.value?.url, url != request.url else { return [key] }
        let other = url.pageKey
        return other == key ? [key] : [key, other]
    }
}

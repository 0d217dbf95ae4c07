public import Capture
public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

/// The library in memory.
public actor MemoryLibraryStore {
    private struct Row {
        var owner: OwnerID
        var number: Int
        var page: KeptPage
        var files: [FileKind: Data] = [:]
    }

    private var rows: [KeptPage.ID: Row] = [:]
    /// How many pages have been added.
    private var count = 0

    private let budget: OwnerBudget

    /// Creates an empty store.
    ///
    /// - Parameter budget: What each owner may store in it.
    public init(budget: OwnerBudget = OwnerBudget()) {
        self.budget = budget
    }
}

extension MemoryLibraryStore: LibraryStore {
    /// The pages of an owner, the newest first.
    public func pages(ofOwner owner: OwnerID) -> [KeptPage] {
        rows.values.filter { $0.owner == owner }
            .sorted { ($0.page.requestedAt, $0.number) > ($1.page.requestedAt, $1.number) }.map(\.page)
    }

    /// The owners who have pages whose capture is not done.
    public func ownersOfUnfinishedPages() -> [OwnerID] {
        Set(rows.values.filter { $0.page.state.isFetching && $0.page.deletedAt == nil }.map(\.owner)).sorted {
            $0.rawValue < $1.rawValue
        }
    }

    /// Adds a page that is being fetched.
    public func add(_ page: KeptPage, owner: OwnerID) throws(LibraryError) {
        if let refusal = budget.refusalOfPage(at: rows.values.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        try admitCapture(owner)
        count += 1
        rows[page.id] = Row(owner: owner, number: count, page: page)
    }

    /// Begins a page's capture anew.
    public func beginAgain(_ id: KeptPage.ID, owner: OwnerID) throws(LibraryError) -> Int {
        guard var row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        if !row.page.state.isFetching { try admitCapture(owner) }
        row.page.attempt = row.page.attempt.counted
        row.page.state = .fetching(row.page.request, previous: row.page.state.value)
        rows[id] = row
        return row.page.attempt
    }

    /// Keeps what has been captured, all at once or not at all.
    public func keep(
        _ capture: PageCapture, as id: KeptPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) throws(LibraryError) -> PageContent? {
        guard var row = fetching(id, owner, attempt), row.page.deletedAt == nil else { return nil }
        let content = PageContent(capture, capturedAt: time)
        row.page.state = .found(content)
        row.files = Dictionary(uniqueKeysWithValues: capture.data.map { (FileKind($0.key), $0.value) })
        row.files[.thumbnail] = capture.thumbnail
        try admit(Array(row.files.values), owner)
        rows[id] = row
        return content
    }

    /// Notes that an attempt has failed.
    @discardableResult
    public func fail(_ id: KeptPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure) -> Bool {
        guard let row = fetching(id, owner, attempt) else { return false }
        rows[id]?.page.state = .failed(failure, previous: row.page.state.value)
        return true
    }

    /// Deletes a page; it can be brought back for a while.
    public func delete(_ id: KeptPage.ID, owner: OwnerID, at time: Date) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        rows[id]?.page.deletedAt = time
    }

    /// Brings a deleted page back.
    public func restore(_ id: KeptPage.ID, owner: OwnerID) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt != nil else { throw .tooLate }
        rows[id]?.page.deletedAt = nil
    }

    /// Forgets what an owner has deleted before a time, for good.
    public func purge(owner: OwnerID, deletedBefore time: Date) {
        rows = rows.filter { $0.value.owner != owner || $0.value.page.deletedAt.map { $0 >= time } ?? true }
    }

    /// A file of a page; `nil` if it has none of that kind, or is deleted.
    public func file(_ kind: FileKind, of id: KeptPage.ID, owner: OwnerID) -> KeptFile? {
        guard let row = row(id, owner), row.page.deletedAt == nil, let data = row.files[kind] else { return nil }
        return KeptFile(content: .data(data), byteCount: data.count, digest: "\(id)-\(kind)-\(row.page.attempt)")
    }

    /// Keeps the copy of a page's archive that is shown in a frame.
    public func keepViewer(_ html: Data, of id: KeptPage.ID, owner: OwnerID) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        try admit([html], owner)
        rows[id]?.files[.viewer] = html
        guard case .found(var content) = row.page.state else { return }
        content.sizes[.viewer] = html.count
        rows[id]?.page.state = .found(content)
    }

    private func row(_ id: KeptPage.ID, _ owner: OwnerID) -> Row? {
        rows[id].flatMap { $0.owner == owner ? $0 : nil }
    }

    private func admitCapture(_ owner: OwnerID) throws(LibraryError) {
        let waiting = rows.values.count {
            $0.owner == owner && $0.page.state.isFetching && $0.page.deletedAt == nil
        }
        if let refusal = budget.refusalOfCapture(at: waiting) { throw .overBudget(refusal) }
    }

    /// Refuses files that don't fit; the same content counts once.
    private func admit(_ files: [Data], _ owner: OwnerID) throws(LibraryError) {
        let kept = Set(rows.values.filter { $0.owner == owner }.flatMap { $0.files.values })
        let added = Set(files).subtracting(kept)
        let (used, more) = (kept.reduce(0) { $0 + Int64($1.count) }, added.reduce(0) { $0 + Int64($1.count) })
        if let refusal = budget.refusal(adding: more, to: used) { throw .overBudget(refusal) }
    }

    private func fetching(_ id: KeptPage.ID, _ owner: OwnerID, _ attempt: Int) -> Row? {
        guard let row = row(id, owner), row.page.attempt == attempt, row.page.state.isFetching else { return nil }
        return row
    }
}

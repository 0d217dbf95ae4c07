public import Capture
public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

/// A library store in memory, for tests.
public actor MemoryLibraryStore {
    private struct Row {
        var owner: OwnerID
        var number: Int
        var page: KeptPage
        var files: [FileKind: Data] = [:]
    }

    private var rows: [KeptPage.ID: Row] = [:]
    /// The number of pages added so far.
    private var count = 0

    private let budget: OwnerBudget

    /// Creates an empty store.
    ///
    /// - Parameter budget: The storage limits of each owner.
    public init(budget: OwnerBudget = OwnerBudget()) {
        self.budget = budget
    }
}

extension MemoryLibraryStore: LibraryStore {
    /// Returns an owner's pages, newest first.
    public func pages(ofOwner owner: OwnerID) -> [KeptPage] {
        rows.values.filter { $0.owner == owner }
            .sorted { ($0.page.requestedAt, $0.number) > ($1.page.requestedAt, $1.number) }.map(\.page)
    }

    /// Returns the owners of pages whose capture is unfinished.
    public func ownersOfUnfinishedPages() -> [OwnerID] {
        Set(rows.values.filter { $0.page.state.isFetching && $0.page.deletedAt == nil }.map(\.owner)).sorted {
            $0.rawValue < $1.rawValue
        }
    }

    /// Adds a page that is being captured.
    public func add(_ page: KeptPage, owner: OwnerID) throws(LibraryError) {
        if let refusal = budget.refusalOfPage(at: rows.values.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        try admitCapture(owner)
        count += 1
        rows[page.id] = Row(owner: owner, number: count, page: page)
    }

    /// Restarts a page's capture.
    public func beginAgain(_ id: KeptPage.ID, owner: OwnerID) throws(LibraryError) -> Int {
        guard var row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        if !row.page.state.isFetching { try admitCapture(owner) }
        row.page.attempt = row.page.attempt == .max ? .max : row.page.attempt + 1
        row.page.state = .fetching(row.page.request, previous: row.page.state.value)
        rows[id] = row
        return row.page.attempt
    }

    /// Stores all captured files or none.
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

    /// Records that an attempt has failed.
    @discardableResult
    public func fail(_ id: KeptPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure) -> Bool {
        guard let row = fetching(id, owner, attempt) else { return false }
        rows[id]?.page.state = .failed(failure, previous: row.page.state.value)
        return true
    }

    /// Deletes a page, which can be restored for a while.
    public func delete(_ id: KeptPage.ID, owner: OwnerID, at time: Date) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        rows[id]?.page.deletedAt = time
    }

    /// Restores a deleted page.
    public func restore(_ id: KeptPage.ID, owner: OwnerID) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt != nil else { throw .tooLate }
        rows[id]?.page.deletedAt = nil
    }

    /// Permanently removes pages that an owner deleted before a time.
    public func purge(owner: OwnerID, deletedBefore time: Date) {
        rows = rows.filter { $0.value.owner != owner || $0.value.page.deletedAt.map { $0 >= time } ?? true }
    }

    /// Returns a file of a page, or `nil` if there is no such file or the page is deleted.
    public func file(_ kind: FileKind, of id: KeptPage.ID, owner: OwnerID) -> KeptFile? {
        guard let row = row(id, owner), row.page.deletedAt == nil, let data = row.files[kind] else { return nil }
        return KeptFile(content: .data(data), byteCount: data.count, digest: "\(id)-\(kind)-\(row.page.attempt)")
    }

    /// Stores the viewer copy of a page's archive.
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

    /// Rejects files that exceed the budget; identical content counts once.
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

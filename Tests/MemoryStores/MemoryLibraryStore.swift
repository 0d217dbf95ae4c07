public import Capture
public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

/// A library store in memory, for tests.
public actor MemoryLibraryStore {
    struct Row {
        var owner: OwnerID
        var number: Int
        var page: SavedPage
        var files: [FileKind: Data] = [:]
        /// The page's text; `nil` if it isn't known.
        var text: String?
        /// The kind of the uploaded file.
        var source: PageSource?
        /// When the owner first opened it.
        var openedAt: Date?
        /// The number of captures stored so far.
        var captures = 0

        /// The title, the addresses and the text, as they are searched.
        var searchedText: String {
            let content = page.state.value
            let addresses = [page.request.url.absoluteString, content?.url.absoluteString].compactMap(\.self)
            let texts =
                [content?.title ?? page.givenTitle, text ?? "", page.marks.note] + page.marks.tags.map(\.name)
                + addresses
                + addresses.compactMap(\.removingPercentEncoding)
            return Self.folded(texts.joined(separator: "\n"))
        }

        static func folded(_ text: String) -> String {
            text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        }
    }

    var rows: [SavedPage.ID: Row] = [:]
    var tokens: [OwnerID: (text: String, stored: UploadToken)] = [:]
    /// The imports of each owner, and their entries.
    var imports: [(owner: OwnerID, stored: LibraryImport, entries: [StoredEntry])] = []
    var comparisons: [VersionPair: VersionComparison] = [:]
    var checks: [VersionCheck] = []
    var schedules: [OwnerID: [RecaptureSchedule]] = [:]
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
    public func pages(ofOwner owner: OwnerID) -> [SavedPage] {
        rows.values.filter { $0.owner == owner }
            .sorted { ($0.page.requestedAt, $0.number) > ($1.page.requestedAt, $1.number) }.map(\.page)
    }

    /// Returns the owners of pages whose capture is unfinished, and of deleted pages.
    public func ownersWithWork() -> [OwnerID] {
        Set(rows.values.filter { $0.page.state.isFetching || $0.page.deletedAt != nil }.map(\.owner)).sorted {
            $0.rawValue < $1.rawValue
        }
    }

    /// Adds a page that is being captured.
    public func add(_ page: SavedPage, owner: OwnerID) throws(LibraryError) {
        if let refusal = budget.refusalOfPage(at: rows.values.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        try admitCapture(owner)
        count += 1
        rows[page.id] = Row(owner: owner, number: count, page: page)
    }

    /// Does nothing: there are no jobs.
    public func hasten(_ id: SavedPage.ID, owner: OwnerID) {}

    /// Restarts a page's capture.
    public func beginAgain(_ id: SavedPage.ID, owner: OwnerID) throws(LibraryError) -> Int {
        guard var row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        if !row.page.state.isFetching { try admitCapture(owner) }
        row.page.attempt = row.page.attempt == .max ? .max : row.page.attempt + 1
        row.page.state = .fetching(row.page.request, previous: row.page.state.value)
        rows[id] = row
        return row.page.attempt
    }

    /// Stores all captured files or none.
    public func save(
        _ capture: PageCapture, as id: SavedPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) throws(LibraryError) -> PageContent? {
        guard var row = fetching(id, owner, attempt), row.page.deletedAt == nil else { return nil }
        let content = PageContent(capture, capturedAt: time)
        row.page.state = .found(content)
        row.files = row.files.filter { $0.key == row.source?.kind }
        for (format, data) in capture.data { row.files[FileKind(format)] = data }
        row.files[.thumbnail] = capture.thumbnail
        row.files[.text] = capture.text.map { Data($0.utf8) }
        row.text = capture.text
        comparisons = comparisons.filter { $0.key.old != id && $0.key.new != id }
        row.captures += 1
        try admit(Array(row.files.values), owner)
        rows[id] = row
        return content
    }

    /// Records that an attempt has failed.
    @discardableResult
    public func fail(_ id: SavedPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure) -> Bool {
        guard let row = fetching(id, owner, attempt) else { return false }
        rows[id]?.page.state = .failed(failure, previous: row.page.state.value)
        return true
    }

    /// Deletes a page, which can be restored for a while.
    public func delete(_ id: SavedPage.ID, owner: OwnerID, at time: Date) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt == nil else { throw .notFound }
        rows[id]?.page.deletedAt = time
    }

    /// Restores a deleted page.
    public func restore(_ id: SavedPage.ID, owner: OwnerID) throws(LibraryError) {
        guard let row = row(id, owner), row.page.deletedAt != nil else { throw .tooLate }
        if row.page.state.isFetching { try admitCapture(owner) }
        rows[id]?.page.deletedAt = nil
    }

    /// Permanently removes pages that an owner deleted before a time.
    public func purge(owner: OwnerID, deletedBefore time: Date) {
        rows = rows.filter { $0.value.owner != owner || $0.value.page.deletedAt.map { $0 >= time } ?? true }
    }

    /// Returns a file of a page, or `nil` if there is no such file or the page is deleted.
    public func file(_ kind: FileKind, of id: SavedPage.ID, owner: OwnerID) -> PageFile? {
        guard let row = row(id, owner), row.page.deletedAt == nil, let data = row.files[kind] else { return nil }
        return PageFile(content: .data(data), byteCount: data.count, digest: "\(id)-\(kind)-\(row.captures)")
    }

    /// Stores the viewer copy of a page's archive, unless another archive has replaced that one.
    public func saveViewer(
        _ html: Data, as kind: FileKind, from archive: PageFile, of id: SavedPage.ID, owner: OwnerID
    ) throws(LibraryError) -> Bool {
        guard let row = row(id, owner), let current = file(.webArchive, of: id, owner: owner) else { throw .notFound }
        guard current.digest == archive.digest else { return false }
        try admit([html], owner)
        rows[id]?.files[kind] = html
        guard case .found(var content) = row.page.state else { return true }
        content.sizes[kind] = html.count
        rows[id]?.page.state = .found(content)
        return true
    }

    /// Finds pages whose title, addresses and text contain all words, also within other words; the newest come first.
    public func find(_ query: LibraryQuery, owner: OwnerID, range: Range<Int>) -> FoundPages {
        guard !query.isEmpty else { return FoundPages() }
        let found = rows.values.filter { row in
            guard row.owner == owner, Self.admits(row.page, query.filter), !query.filter.isChanged || isChanged(row)
            else { return false }
            func contains(_ term: SearchWords.Term) -> Bool { row.searchedText.contains(Row.folded(term.text)) }
            return query.words.required.allSatisfy(contains) && !query.words.excluded.contains(where: contains)
        }
        .sorted { ($0.page.requestedAt, $0.number) > ($1.page.requestedAt, $1.number) }
        let shown = found[range.clamped(to: found.indices)]
        return FoundPages(
            pages: shown.map { FoundPages.Page(id: $0.page.id) }, count: found.count { $0.page.deletedAt == nil },
            hasMore: range.upperBound < found.count)
    }

    private static func admits(_ page: SavedPage, _ filter: PageFilter) -> Bool {
        let content = page.state.value
        var isAdmitted = filter.tag.map { page.marks.tags.contains($0) } ?? true
        if filter.isFavourite { isAdmitted = isAdmitted && page.marks.isFavourite }
        if filter.hasNote { isAdmitted = isAdmitted && !page.marks.note.isEmpty }
        if let site = filter.site { isAdmitted = isAdmitted && site.contains(content?.url ?? page.request.url) }
        if let state = filter.reading { isAdmitted = isAdmitted && page.positions.state == state }
        if let since = filter.since { isAdmitted = isAdmitted && page.requestedAt >= since }
        if let before = filter.before { isAdmitted = isAdmitted && page.requestedAt < before }
        return switch (filter.outcome, page.state) {
        case (nil, _): isAdmitted
        case (.complete, .found(let content)): isAdmitted && content.isComplete == true
        case (.partial, .found(let content)): isAdmitted && content.isComplete == false
        case (.failed, .failed): isAdmitted
        default: false
        }
    }

    /// Replaces the marks of pages.
    public func setMarks(_ marks: [SavedPage.ID: PageMarks], owner: OwnerID) {
        for (id, new) in marks {
            if let row = row(id, owner), row.page.deletedAt == nil { rows[id]?.page.marks = new }
        }
    }

    /// Records how far a page has been read, unless a later position is stored.
    public func setPosition(_ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID, owner: OwnerID) {
        guard let row = row(id, owner), row.page.deletedAt == nil,
            row.page.positions[view].map({ $0.changedAt < position.changedAt }) ?? true
        else { return }
        rows[id]?.page.positions[view] = position
    }

    /// Replaces the positions that say whether the owner has marked pages as read or unread.
    public func setReadingMarks(_ marks: [SavedPage.ID: ReadingPosition?], owner: OwnerID) {
        for (id, mark) in marks {
            if let row = row(id, owner), row.page.deletedAt == nil { rows[id]?.page.positions[.marked] = mark }
        }
    }

    /// Returns the next archive without a text.
    public func unreadArchive(after number: Int64) -> UnreadArchive? {
        let unread = rows.values.filter {
            $0.number > number && $0.text == nil && $0.page.deletedAt == nil && $0.files[.webArchive] != nil
        }
        guard let row = unread.min(by: { $0.number < $1.number }),
            let file = file(.webArchive, of: row.page.id, owner: row.owner)
        else { return nil }
        return UnreadArchive(page: row.page.id, owner: row.owner, file: file, number: Int64(row.number))
    }

    /// Stores the text of an archive, unless another text or archive has replaced it.
    public func saveText(_ text: String, of archive: UnreadArchive) {
        guard let current = file(.webArchive, of: archive.page, owner: archive.owner), current == archive.file,
            rows[archive.page]?.text == nil
        else { return }
        rows[archive.page]?.text = text
    }

    func row(_ id: SavedPage.ID, _ owner: OwnerID) -> Row? {
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
        let stored = Set(rows.values.filter { $0.owner == owner }.flatMap { $0.files.values })
        let added = Set(files).subtracting(stored)
        let (used, more) = (stored.reduce(0) { $0 + Int64($1.count) }, added.reduce(0) { $0 + Int64($1.count) })
        if let refusal = budget.refusal(adding: more, to: used) { throw .overBudget(refusal) }
    }

    private func fetching(_ id: SavedPage.ID, _ owner: OwnerID, _ attempt: Int) -> Row? {
        guard let row = row(id, owner), row.page.attempt == attempt, row.page.state.isFetching else { return nil }
        return row
    }
}

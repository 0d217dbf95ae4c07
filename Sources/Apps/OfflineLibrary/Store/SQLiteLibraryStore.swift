public import Capture
public import Foundation
import Futures
import Loading
public import OfflineLibraryModel
public import Persistence

/// A library store in a relational database: each page is a row, and its files are blobs.
public struct SQLiteLibraryStore: Sendable {
    /// The maximum size of a page's rows in bytes, including its warnings; the check of free disk space assumes it.
    private static let rowBytes = 64 << 10

    /// The space that a text takes in the database, with its index: at most about four times its size.
    static func indexedBytes(of bytes: Int) -> Int { 4 * bytes }

    let database: any SQLDatabase
    let blobs: BlobStore
    /// The queue of capture jobs.
    let captures: CaptureJobs?
    /// The longest time of a search.
    var searchLimit = Duration.seconds(5)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: A database opened with ``LibraryMigrations``.
    ///   - blobs: The database's blobs; their undo window determines how long deleted pages can be restored.
    public init(database: AppDatabase, blobs: BlobStore) {
        self.init(in: database, blobs: blobs)
    }

    /// Creates a store that enqueues a capture job in the transaction that adds the page.
    package init(database: AppDatabase, blobs: BlobStore, captures: CaptureJobs?) {
        self.init(in: database, blobs: blobs, captures: captures)
    }

    /// Creates a store in a database of any kind.
    ///
    /// - Parameters:
    ///   - database: A database with the tables of ``LibraryMigrations``.
    ///   - blobs: The database's blobs.
    ///   - captures: The queue of capture jobs; `nil` if the store doesn't enqueue any.
    package init(in database: any SQLDatabase, blobs: BlobStore, captures: CaptureJobs? = nil) {
        self.database = database
        self.blobs = blobs
        self.captures = captures
    }
}

// MARK: - Reading

extension SQLiteLibraryStore: LibraryStore {
    /// The pages of an owner, the newest first; invalid rows are skipped and stay in the database.
    public func pages(ofOwner owner: OwnerID) async throws(LibraryError) -> [SavedPage] {
        try await read { connection in
            let sizes = try Self.sizes(ofOwner: owner, in: connection)
            let tags = try Self.tags(ofOwner: owner, in: connection)
            let positions = try ReadingPosition.positions(ofOwner: owner, in: connection)
            var pages: [SavedPage] = []
            try connection.forEachRow(
                """
                SELECT \(PageRow.columns) FROM library_page WHERE owner = ? ORDER BY requested_at DESC, number DESC
                """, [owner]
            ) { row in
                guard let row = try? PageRow(row: row), let number = row.number,
                    var page = SavedPage(row, sizes[number] ?? [:], tags[number] ?? [])
                else { return true }
                page.positions = positions[number] ?? [:]
                pages.append(page)
                return true
            }
            return pages
        }
    }

    /// The sizes of all files of an owner's pages, by the pages' numbers.
    private static func sizes(
        ofOwner owner: OwnerID, in connection: any SQLConnection
    ) throws -> [Int64: [FileKind: Int]] {
        var sizes: [Int64: [FileKind: Int]] = [:]
        try connection.forEachRow(
            """
            SELECT page, kind, library_file.bytes FROM library_file JOIN library_page ON number = page
            WHERE owner = ? ORDER BY page
            """, [owner]
        ) { row in
            guard let page = try? row.decode(Int64.self, atIndex: 0),
                let kind = (try? row.decode(String.self, atIndex: 1)).flatMap(FileKind.init(rawValue:)),
                let bytes = try? row.decode(Int.self, atIndex: 2)
            else { return true }
            sizes[page, default: [:]][kind] = bytes
            return true
        }
        return sizes
    }

    /// The tags of an owner's pages in their order, by the pages' numbers.
    private static func tags(ofOwner owner: OwnerID, in connection: any SQLConnection) throws -> [Int64: [PageTag]] {
        // Many pages have the same tags, and reading one takes as long as finding ten.
        var known: [String: PageTag?] = [:]
        var tags: [Int64: [PageTag]] = [:]
        try connection.forEachRow(
            """
            SELECT page, name FROM library_tag JOIN library_page ON number = page
            WHERE owner = ? ORDER BY page, position
            """, [owner]
        ) { row in
            guard let page = try? row.decode(Int64.self, atIndex: 0),
                let name = try? row.decode(String.self, atIndex: 1)
            else { return true }
            let tag = known[name] ?? PageTag(name)
            known[name] = tag
            if let tag { tags[page, default: []].append(tag) }
            return true
        }
        return tags
    }

    /// The owners of pages whose capture isn't finished, and of deleted pages.
    public func ownersWithWork() async throws(LibraryError) -> [OwnerID] {
        try await read { connection in
            try connection.values(
                """
                SELECT owner FROM library_page WHERE state = 'fetching' AND deleted_at IS NULL
                UNION SELECT owner FROM library_page WHERE deleted_at IS NOT NULL ORDER BY owner
                """, as: OwnerID.self)
        }
    }
}

// MARK: - Capturing

extension SQLiteLibraryStore {
    /// Adds a page whose capture is starting.
    public func add(_ page: SavedPage, owner: OwnerID) async throws(LibraryError) {
        let texts = PageRow(page, owner: owner).searchedTexts(body: nil)
        let marks = Self.searchedText(of: page.marks)
        try await write(of: owner) { [captures] transaction in
            try admitPage(of: owner, in: transaction)
            try admitCapture(of: owner, in: transaction)
            var row = PageRow(page, owner: owner)
            try row.insert(in: transaction)
            if let number = row.number {
                try texts.store(of: number, in: transaction)
                try Self.storeTags(of: page.marks, text: marks, page: number, in: transaction)
            }
            try captures?.enqueue(row, in: transaction)
        }
    }

    /// Lets the capture of a page begin before those of imports.
    public func hasten(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) {
        _ = try await change(id, of: owner) { [captures] row, transaction -> Void? in
            if row.isWaiting { try captures?.hasten(id, in: transaction) }
            return nil
        }
    }

    /// Adds a page together with its capture, in one transaction: otherwise, a server that starts in between would
    /// capture the page.
    ///
    /// - Parameters:
    ///   - capture: The capture.
    ///   - id: The page's identifier.
    ///   - request: The request to store with the capture.
    ///   - owner: The page's owner.
    ///   - time: When it was requested and captured.
    /// - Throws: ``LibraryError``; nothing was added then.
    package func add(
        _ capture: PageCapture, as id: SavedPage.ID, of request: CaptureRequest, owner: OwnerID, at time: Date
    ) async throws(LibraryError) {
        let content = PageContent(capture, capturedAt: time)
        let page = SavedPage(id: id, request: request, requestedAt: time, state: .found(content))
        var row = PageRow(page, owner: owner)
        row.setContent(content)
        let texts = row.searchedTexts(body: capture.text)
        _ = try await withStaged(Self.files(of: capture)) {
            [row] (staged: [StagedFile]) async throws(LibraryError) -> Bool in
            try await write(of: owner) { transaction in
                _ = try insert(row, texts, staged, in: transaction)
            }
            return true
        }
    }

    /// Inserts a page whose capture is finished, and returns its number.
    @discardableResult
    func insert(
        _ row: PageRow, _ texts: SearchedTexts, _ staged: [StagedFile], in transaction: any SQLConnection
    ) throws -> Int64? {
        try admitPage(of: row.owner, in: transaction)
        try admit(staged.map(\.blob), of: row.owner, in: transaction)
        var row = row
        try row.insert(in: transaction)
        guard let number = row.number else { return nil }
        try texts.store(of: number, in: transaction)
        try insert(staged, of: number, in: transaction)
        return number
    }

    /// Starts a new attempt to capture a page.
    public func beginAgain(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) -> Int {
        let attempt = try await change(id, of: owner) { [captures] row, transaction -> Int? in
            guard row.deletedAt == nil else { return nil }
            if !row.isWaiting { try admitCapture(of: owner, in: transaction) }
            row.state = .fetching
            row.failure = nil
            row.attempt = row.attempt == .max ? .max : row.attempt + 1
            try captures?.remove(id, in: transaction)
            try captures?.enqueue(row, in: transaction)
            return row.attempt
        }
        guard let attempt else { throw .notFound }
        return attempt
    }

    /// Records the failure of an attempt.
    @discardableResult
    public func fail(
        _ id: SavedPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure
    ) async throws(LibraryError) -> Bool {
        try await change(id, of: owner) { [captures] row, transaction -> Void? in
            guard row.isFetching(attempt: attempt) else { return nil }
            try captures?.discard(id, in: transaction)
            row.state = .failed
            row.failure = failure
            return ()
        } != nil
    }

    /// Stores a capture atomically.
    public func save(
        _ capture: PageCapture, as id: SavedPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent? {
        let content = PageContent(capture, capturedAt: time)
        let body = capture.text.map { SearchIndex.form(of: $0) }
        let isStored = try await storeFiles(Self.files(of: capture), for: id, of: owner) {
            [captures, blobs] row, transaction in
            guard row.isFetching(attempt: attempt), row.deletedAt == nil else { return nil }
            if let refusal = blobs.refusal(adding: Self.indexedBytes(of: body?.utf8.count ?? 0)) {
                throw LibraryError.overBudget(refusal)
            }
            try captures?.discard(id, in: transaction)
            row.setContent(content)
            var texts = row.searchedTexts(body: nil)
            texts.body = body
            if let number = row.number {
                try texts.store(of: number, in: transaction)
                try Self.removeComparisons(of: number, in: transaction)
            }
            let source = row.uploaded?.kind.rawValue
            return try row.files(in: transaction).filter { $0.kind != source }
        }
        guard isStored else { return nil }
        var stored = content
        // An uploaded page also keeps its source, which isn't a part of the capture.
        for kind in [FileKind.html, .webArchive] where stored.sizes[kind] == nil {
            stored.sizes[kind] = try await file(kind, of: id, owner: owner)?.byteCount
        }
        return stored
    }

    /// Stores the viewer copy of a page's archive, unless another archive has replaced that one.
    public func saveViewer(
        _ html: Data, as kind: FileKind, from archive: PageFile, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) -> Bool {
        let isStored = try await storeFiles([(kind, html)], for: id, of: owner) { row, transaction in
            guard row.deletedAt == nil else { return nil }
            let files = try row.files(in: transaction)
            let current = files.first { $0.kind == FileKind.webArchive.rawValue }
            guard current?.blob == archive.digest else { return nil }
            return files.filter { $0.kind == kind.rawValue }
        }
        if isStored { return true }
        guard try await file(.webArchive, of: id, owner: owner) != nil else { throw .notFound }
        return false
    }

    /// Stores files and the changed page atomically.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - id: The page of the files.
    ///   - owner: The page's owner.
    ///   - body: Changes the page, and returns the files that the new ones replace; `nil` to discard the new files.
    /// - Returns: Whether the files were stored.
    /// - Throws: ``LibraryError``; nothing has changed then.
    private func storeFiles(
        _ files: [(kind: FileKind, data: Data)], for id: SavedPage.ID, of owner: OwnerID,
        _ body: @escaping @Sendable (inout PageRow, any SQLConnection) throws -> [FileRow]?
    ) async throws(LibraryError) -> Bool {
        try await withStaged(files) { (staged: [StagedFile]) async throws(LibraryError) -> Bool in
            let changed: Void? = try await change(id, of: owner) { [blobs] row, transaction -> Void? in
                try admit(staged.map(\.blob), of: owner, in: transaction)
                guard let number = row.number, let replaced = try body(&row, transaction) else { return nil }
                for file in replaced {
                    try file.delete(in: transaction)
                    if let blob = BlobStore.ID(file.blob) { try blobs.release(blob, in: transaction) }
                }
                try insert(staged, of: number, in: transaction)
                return ()
            }
            return changed != nil
        }
    }

    /// A file that isn't part of the store yet.
    struct StagedFile: Sendable {
        let kind: FileKind
        let blob: StagedBlob
    }

    /// The files of a capture.
    static func files(of capture: PageCapture) -> [(kind: FileKind, data: Data)] {
        var files: [(kind: FileKind, data: Data)] = capture.data.map { (FileKind($0.key), $0.value) }
        if let thumbnail = capture.thumbnail { files.append((.thumbnail, thumbnail)) }
        if let text = capture.text { files.append((.text, Data(text.utf8))) }
        return files
    }

    /// Stages files, and discards them unless they are stored.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - sharesParts: Whether a web archive is stored in pieces; a job's input must be one file.
    ///   - store: Stores the staged files; returns whether it did.
    /// - Returns: Whether the files were stored.
    /// - Throws: ``LibraryError``; the files are discarded then.
    func withStaged(
        _ files: [(kind: FileKind, data: Data)], sharesParts: Bool = true,
        _ store: ([StagedFile]) async throws(LibraryError) -> Bool
    ) async throws(LibraryError) -> Bool {
        var staged: [StagedFile] = []
        var isStored = false
        let outcome: Result<Bool, LibraryError>
        do throws(LibraryError) {
            for file in files {
                let isArchive = sharesParts && file.kind == .webArchive
                staged.append(StagedFile(kind: file.kind, blob: try await stage(file.data, inPieces: isArchive)))
            }
            isStored = try await store(staged)
            outcome = .success(isStored)
        } catch {
            outcome = .failure(error)
        }
        if !isStored { for file in staged { await blobs.discard(file.blob) } }
        return try outcome.get()
    }

    /// Moves staged files into place, as files of a page.
    func insert(_ staged: [StagedFile], of page: Int64, in transaction: any SQLConnection) throws {
        for file in staged {
            try blobs.add(file.blob, in: transaction)
            let row = FileRow(
                page: page, kind: file.kind.rawValue, blob: file.blob.id.description, bytes: file.blob.bytes)
            try row.insert(in: transaction)
        }
    }

    @concurrent
    private func stage(_ data: Data, inPieces: Bool) async throws(LibraryError) -> StagedBlob {
        let ranges = inPieces ? ArchivePieces.ranges(in: data) : []
        return try await rethrowing(LibraryError.init) { () async throws(StoreError) in
            try await blobs.stage(data, sharing: ranges)
        }
    }
}

// MARK: - Changing

extension SQLiteLibraryStore {
    /// Reads, changes and writes a page in one transaction.
    ///
    /// - Returns: The result of the change; `nil`, with nothing written, if that is `nil` or the page doesn't exist.
    @discardableResult
    func change<Value: Sendable>(
        _ id: SavedPage.ID, of owner: OwnerID,
        _ change: @escaping @Sendable (inout PageRow, any SQLConnection) throws -> Value?
    ) async throws(LibraryError) -> Value? {
        try await write(of: owner) { transaction in
            let row = try transaction.row(
                "SELECT \(PageRow.columns) FROM library_page WHERE id = ? AND owner = ?", [id.description, owner])
            guard let row, var page = try? PageRow(row: row), let value = try change(&page, transaction) else {
                return nil
            }
            try page.update(in: transaction)
            return value
        }
    }

    /// Throws ``LibraryError/overBudget(_:)`` if the library is full, or the disk is almost full.
    func admitPage(of owner: OwnerID, in transaction: any SQLConnection) throws {
        let pages = try OwnerUsage.amount(of: .pages, owner: owner, in: transaction)
        if let refusal = blobs.budget.refusalOfPage(at: pages) ?? blobs.refusal(adding: Self.rowBytes) {
            throw LibraryError.overBudget(refusal)
        }
    }

    /// Throws ``LibraryError/overBudget(_:)`` if too many captures are waiting.
    func admitCapture(of owner: OwnerID, in transaction: any SQLConnection) throws {
        let waiting = try OwnerUsage.amount(of: .waitingCaptures, owner: owner, in: transaction)
        if let refusal = blobs.budget.refusalOfCapture(at: waiting) { throw LibraryError.overBudget(refusal) }
    }

    /// Throws ``LibraryError/overBudget(_:)`` if the files don't fit, before any of them is moved into place.
    func admit(_ staged: [StagedBlob], of owner: OwnerID, in transaction: any SQLConnection) throws {
        do {
            try OwnerUsage.admit(staged, owner: owner, budget: blobs.budget, in: transaction)
        } catch let refusal as OverBudget {
            throw LibraryError.overBudget(refusal)
        }
    }

    /// Reads in one transaction.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(LibraryError) -> Value {
        try await rethrowing(LibraryError.init) { () async throws(StoreError) in
            try await database.readRows(body)
        }
    }

    /// Reads and writes an owner's rows in one transaction, while no other transaction writes them.
    @discardableResult
    func write<Value: Sendable>(
        of owner: OwnerID, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(LibraryError) -> Value {
        try await rethrowing(LibraryError.init) { () async throws(StoreError) in
            try await database.writeRows(locking: [SQLLock(part: "library", owner: owner)], body)
        }
    }
}

extension PageRow {
    /// The page's files.
    func files(in connection: any SQLConnection) throws -> [FileRow] {
        try connection.rows("SELECT \(FileRow.columns) FROM library_file WHERE page = ?", [number])
            .map(FileRow.init)
    }

    /// The blobs of the page's files, ordered by file kind.
    func blobs(in connection: any SQLConnection) throws -> [BlobStore.ID] {
        try files(in: connection).compactMap { BlobStore.ID($0.blob) }
    }
}

extension LibraryError {
    /// Converts a storage error; a ``LibraryError`` that ended a transaction is returned unchanged.
    init(_ error: StoreError) {
        self =
            error.cause as? LibraryError ?? error.overBudget.map(LibraryError.overBudget) ?? .storage(error.message)
    }
}

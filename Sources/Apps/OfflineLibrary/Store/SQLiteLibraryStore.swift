public import Capture
public import Foundation
import Futures
import GRDB
public import OfflineLibraryModel
public import Persistence

/// The library in the database: each page a value under its number, and its files blobs.
public struct SQLiteLibraryStore: Sendable {
    private let database: Persistence.Database
    private let blobs: BlobStore
    private let owners: OwnersOfPages
    /// The queue of the pages' captures.
    private let captures: CaptureJobs?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: Opened with ``LibraryMigrations``.
    ///   - blobs: The database's blobs; their undo window is how long deleted pages can be brought back.
    public init(database: Persistence.Database, blobs: BlobStore) {
        self.init(database: database, blobs: blobs, captures: nil)
    }

    /// Creates a store that enqueues each page's capture in the transaction that adds the page.
    package init(database: Persistence.Database, blobs: BlobStore, captures: CaptureJobs?) {
        self.database = database
        self.blobs = blobs
        self.captures = captures
        self.owners = OwnersOfPages(database)
    }
}

// MARK: - Reading

extension SQLiteLibraryStore: LibraryStore {
    /// The pages of an owner, the newest first; without those that cannot be read, which are set aside.
    public func pages(ofOwner owner: String) async throws(LibraryError) -> [KeptPage] {
        var pages: [KeptPage] = []
        for record in try await records(of: owner).sorted(by: PageRecord.isNewer) {
            pages.append(try KeptPage(record))
        }
        return pages
    }

    /// The owners who have pages whose capture is not done.
    public func ownersOfUnfinishedPages() async throws(LibraryError) -> [String] {
        let owners: [String]
        do throws(Persistence.PersistenceError) {
            owners = try await SQLiteStore.owners(ofKeysBeginningWith: PageRecord.prefix, in: database)
        } catch {
            throw LibraryError(error)
        }
        var unfinished: [String] = []
        for owner in owners
        where try await records(of: owner).contains(where: { $0.state == .fetching && $0.deletedAt == nil }) {
            unfinished.append(owner)
        }
        return unfinished
    }

    /// A file of a page; `nil` if it has none of that kind, or is deleted.
    public func file(
        _ kind: FileKind, of id: KeptPage.ID, owner: String
    ) async throws(LibraryError) -> KeptFile? {
        let record: PageRecord?
        do throws(Persistence.PersistenceError) {
            let kept = try await owners[owner].read(PageRecord.key(of: id))
            record = if let kept { try PageRecord.format.value(of: kept.content) } else { nil }
        } catch {
            throw LibraryError(error)
        }
        guard let record, record.deletedAt == nil, let file = record.files[kind.rawValue],
            let blob = BlobStore.ID(file.blob)
        else {
            return nil
        }
        return KeptFile(content: .path(blobs.path(of: blob)), byteCount: file.bytes, digest: file.blob)
    }

    /// The pages of an owner, deleted ones too; what cannot be read is set aside.
    private func records(of owner: String) async throws(LibraryError) -> [PageRecord] {
        let store = owners[owner]
        var records: [PageRecord] = []
        do throws(Persistence.PersistenceError) {
            for (key, kept) in try await store.records(beginningWith: PageRecord.prefix) {
                do throws(Persistence.PersistenceError) {
                    let record = try PageRecord.format.value(of: kept.content)
                    guard KeptPage.ID(record.id) != nil else {
                        throw PersistenceError(.notDecodable, "“\(record.id)” is no page's number.")
                    }
                    records.append(record)
                } catch  where error.code == .notDecodable {
                    if try await store.setAside(key, revision: kept.revision, reason: error.message) != nil {
                        try await database.write { try LibraryUsage.forget(key, owner: owner, in: $0) }
                    }
                }
            }
        } catch {
            throw LibraryError(error)
        }
        return records
    }
}

// MARK: - Fetching

extension SQLiteLibraryStore {
    /// Adds a page that is being fetched.
    public func add(_ page: KeptPage, owner: String) async throws(LibraryError) {
        let (store, usage) = (owners[owner], LibraryUsage(owner: owner, blobs: blobs))
        try await write { [captures] transaction in
            try usage.admitPage(in: transaction)
            let count = try store.read(PageRecord.countKey, in: transaction).map {
                try PageRecord.count.value(of: $0.content)
            }
            let record = PageRecord(page, number: (count ?? 0).counted)
            let counting = StoreWrite(PageRecord.countKey, try PageRecord.count.content(of: record.number))
            _ = try store.commit([try record.write(page.id), counting], in: transaction)
            try usage.note(page.id, from: nil, to: record, in: transaction)
            try captures?.enqueue(record, owner: owner, in: transaction)
        }
    }

    /// Begins a page's capture anew.
    public func beginAgain(
        _ id: KeptPage.ID, owner: String
    ) async throws(LibraryError) -> Int {
        let attempt = try await change(id, of: owner) { [captures] record, transaction -> Int? in
            guard record.deletedAt == nil else { return nil }
            record.state = .fetching
            record.failure = nil
            record.attempt = record.attempt.counted
            try captures?.remove(id, in: transaction)
            try captures?.enqueue(record, owner: owner, in: transaction)
            return record.attempt
        }
        guard let attempt else { throw .notFound }
        return attempt
    }

    /// Notes that an attempt has failed.
    @discardableResult
    public func fail(
        _ id: KeptPage.ID, owner: String, attempt: Int, failure: CaptureFailure
    ) async throws(LibraryError) -> Bool {
        try await change(id, of: owner) { [captures] record, transaction -> Void? in
            guard record.isFetching(attempt: attempt) else { return nil }
            try captures?.settle(id, in: transaction)
            record.state = .failed
            record.failure = PageRecord.Failure(
                code: failure.code, message: failure.message, canRetry: failure.canRetry)
            return ()
        } != nil
    }

    /// Keeps what has been captured, all at once or not at all.
    public func keep(
        _ capture: PageCapture, as id: KeptPage.ID, owner: String, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent? {
        var files: [(kind: FileKind, data: Data)] = capture.data.map { (FileKind($0.key), $0.value) }
        if let thumbnail = capture.thumbnail { files.append((.thumbnail, thumbnail)) }
        let content = PageContent(capture, capturedAt: time)
        let isKept = try await keeping(files, for: id, of: owner) { [blobs, captures] record, staged, transaction in
            guard record.isFetching(attempt: attempt), record.deletedAt == nil else { return false }
            try captures?.settle(id, in: transaction)
            record.state = .found
            record.content = PageRecord.Content(content)
            for blob in record.blobs { try blobs.release(blob, in: transaction) }
            record.files = [:]
            for (kind, blob) in staged { try blobs.keep(blob, as: kind, of: &record, in: transaction) }
            return true
        }
        return isKept ? content : nil
    }

    /// Keeps the copy of a page's archive that is shown in a frame.
    public func keepViewer(_ html: Data, of id: KeptPage.ID, owner: String) async throws(LibraryError) {
        let isKept = try await keeping([(.viewer, html)], for: id, of: owner) { [blobs] record, staged, transaction in
            guard record.deletedAt == nil else { return false }
            for (kind, blob) in staged {
                if let old = record.files[kind.rawValue].flatMap({ BlobStore.ID($0.blob) }) {
                    try blobs.release(old, in: transaction)
                }
                try blobs.keep(blob, as: kind, of: &record, in: transaction)
            }
            return true
        }
        if !isKept { throw .notFound }
    }

    /// Writes files, and then what refers to them, in one transaction: all of it or nothing.
    private func keeping(
        _ files: [(kind: FileKind, data: Data)], for id: KeptPage.ID, of owner: String,
        _ body: @escaping @Sendable (inout PageRecord, [(FileKind, StagedBlob)], GRDB.Database) throws -> Bool
    ) async throws(LibraryError) -> Bool {
        var staged: [(FileKind, StagedBlob)] = []
        do throws(Persistence.PersistenceError) {
            for file in files { staged.append((file.kind, try await blobs.stage(file.data))) }
        } catch {
            for (_, blob) in staged { await blobs.discard(blob) }
            throw LibraryError(error)
        }
        let whole = staged
        let usage = LibraryUsage(owner: owner, blobs: blobs)
        do throws(LibraryError) {
            let isKept =
                try await change(id, of: owner) { record, transaction -> Void? in
                    try usage.admit(whole.map(\.1), in: transaction)
                    return try body(&record, whole, transaction) ? () : nil
                } != nil
            if !isKept { for (_, blob) in whole { await blobs.discard(blob) } }
            return isKept
        } catch {
            for (_, blob) in whole { await blobs.discard(blob) }
            throw error
        }
    }
}

// MARK: - Deleting

extension SQLiteLibraryStore {
    /// Deletes a page; it can be brought back for a while.
    public func delete(_ id: KeptPage.ID, owner: String, at time: Date) async throws(LibraryError) {
        let deleted: Void? = try await change(id, of: owner) { [blobs, captures] record, transaction in
            guard record.deletedAt == nil else { return nil }
            try captures?.remove(id, in: transaction)
            record.deletedAt = time
            for blob in record.blobs { try blobs.release(blob, in: transaction) }
            return ()
        }
        if deleted == nil { throw .notFound }
    }

    /// Brings a deleted page back.
    public func restore(_ id: KeptPage.ID, owner: String) async throws(LibraryError) {
        let restored: Void? = try await change(id, of: owner) { [blobs] record, transaction in
            guard record.deletedAt != nil else { return nil }
            record.deletedAt = nil
            for blob in record.blobs { try blobs.retain(blob, in: transaction) }
            return ()
        }
        if restored == nil { throw .tooLate }
    }

    /// Forgets what an owner has deleted before a time, for good.
    public func purge(owner: String, deletedBefore time: Date) async throws(LibraryError) {
        let (store, usage) = (owners[owner], LibraryUsage(owner: owner, blobs: blobs))
        for record in try await records(of: owner) where record.wasDeleted(before: time) {
            guard let id = KeptPage.ID(record.id) else { continue }
            // It may have been brought back since. Its blobs were released when it was deleted.
            try await write { transaction in
                let key = try PageRecord.key(of: id)
                guard let kept = try store.read(key, in: transaction),
                    try PageRecord.format.value(of: kept.content).wasDeleted(before: time)
                else {
                    return
                }
                _ = try store.commit([StoreWrite(key, nil)], in: transaction)
                try usage.note(id, from: record, to: nil, in: transaction)
            }
        }
        do throws(Persistence.PersistenceError) {
            // Time has gone on: what was deleted after that can still be brought back.
            _ = try await blobs.sweep(releasedBefore: time)
        } catch {
            throw LibraryError(error)
        }
    }
}

// MARK: - Changing

extension SQLiteLibraryStore {
    /// Reads a page, changes it and writes it, in one transaction.
    ///
    /// - Returns: What the change returns; `nil`, and nothing is written, if that is `nil` or there is no such page.
    @discardableResult
    private func change<Value: Sendable>(
        _ id: KeptPage.ID, of owner: String,
        _ change: @escaping @Sendable (inout PageRecord, GRDB.Database) throws -> Value?
    ) async throws(LibraryError) -> Value? {
        let (store, usage) = (owners[owner], LibraryUsage(owner: owner, blobs: blobs))
        return try await write { transaction in
            guard let kept = try store.read(PageRecord.key(of: id), in: transaction) else { return nil }
            let old = try PageRecord.format.value(of: kept.content)
            var record = old
            guard let value = try change(&record, transaction) else { return nil }
            try usage.note(id, from: old, to: record, in: transaction)
            _ = try store.commit([try record.write(id)], in: transaction)
            return value
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (GRDB.Database) throws -> Value
    ) async throws(LibraryError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.write(body)
        } catch {
            throw LibraryError(error)
        }
    }
}

extension BlobStore {
    /// Keeps a file of a page.
    fileprivate func keep(
        _ blob: StagedBlob, as kind: FileKind, of record: inout PageRecord, in transaction: GRDB.Database
    ) throws {
        try keep(blob, in: transaction)
        record.files[kind.rawValue] = PageRecord.File(blob: blob.id.description, bytes: blob.bytes)
    }
}

/// The stores of owners, each made at its first use.
private final class OwnersOfPages: Sendable {
    private let database: Persistence.Database
    private let stores = Lock<[String: SQLiteStore]>([:])

    init(_ database: Persistence.Database) {
        self.database = database
    }

    subscript(owner: String) -> SQLiteStore {
        stores.withLock { stores in
            if let store = stores[owner] { return store }
            let store = SQLiteStore(database: database, owner: owner)
            stores[owner] = store
            return store
        }
    }
}

extension LibraryError {
    /// What went wrong in the database or on the disk; an error of ours that ended a transaction is itself.
    init(_ error: Persistence.PersistenceError) {
        self =
            error.cause as? LibraryError ?? error.overBudget.map(LibraryError.overBudget) ?? .storage(error.message)
    }
}

public import Capture
public import Foundation
import GRDB
public import OfflineLibraryModel
public import Persistence

/// The library in the database and its blobs.
public struct SQLiteLibraryStore: Sendable {
    private let database: Persistence.Database
    private let blobs: BlobStore

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: Opened with ``LibraryMigrations``.
    ///   - blobs: The database's blobs; their undo window is how long deleted pages can be brought back.
    public init(database: Persistence.Database, blobs: BlobStore) {
        self.database = database
        self.blobs = blobs
    }
}

// MARK: - Reading

extension SQLiteLibraryStore: LibraryStore {
    /// The pages of an owner, the newest first.
    public func pages(ofOwner owner: String) async throws(LibraryError) -> [KeptPage] {
        try await read { connection in
            var sizes: [String: [FileKind: Int]] = [:]
            let files = try Row.fetchCursor(
                connection,
                sql: "SELECT page, kind, bytes FROM library_file WHERE owner = ?", arguments: [owner])
            while let file = try files.next() {
                guard let kind = FileKind(rawValue: file[1]) else { continue }
                sizes[file[0], default: [:]][kind] = file[2]
            }
            let rows = try Row.fetchAll(
                connection, sql: "SELECT * FROM library_page WHERE owner = ? ORDER BY requested_at DESC, rowid DESC",
                arguments: [owner])
            return try rows.map { try KeptPage(row: $0, sizes: sizes[$0["id"]] ?? [:]) }
        }
    }

    /// The owners who have pages whose capture is not done.
    public func ownersOfUnfinishedPages() async throws(LibraryError) -> [String] {
        try await read { connection in
            try String.fetchAll(
                connection,
                sql: """
                    SELECT DISTINCT owner FROM library_page WHERE state = 'fetching' AND deleted_at IS NULL ORDER BY owner
                    """)
        }
    }

    /// A file of a page; `nil` if it has none of that kind, or is deleted.
    public func file(_ kind: FileKind, of id: KeptPage.ID) async throws(LibraryError) -> KeptFile? {
        let blobs = blobs
        return try await read { connection in
            let row = try Row.fetchOne(
                connection,
                sql: """
                    SELECT blob, library_file.bytes FROM library_file JOIN library_page ON library_page.id = page
                    WHERE page = ? AND kind = ? AND deleted_at IS NULL
                    """, arguments: [id.description, kind.rawValue])
            guard let row else { return nil }
            let blob: BlobStore.ID = row[0]
            return KeptFile(content: .path(blobs.path(of: blob)), byteCount: row[1], digest: blob.description)
        }
    }
}

// MARK: - Fetching

extension SQLiteLibraryStore {
    /// Adds a page that is being fetched.
    public func add(_ page: KeptPage, owner: String) async throws(LibraryError) {
        try await write { connection in
            try connection.execute(
                sql: """
                    INSERT INTO library_page (id, owner, address, formats, requested_at, state, attempt)
                    VALUES (?, ?, ?, ?, ?, 'fetching', ?)
                    """,
                arguments: [
                    page.id.description, owner, page.request.url.absoluteString, page.request.formats.column,
                    page.requestedAt.timeIntervalSince1970, page.attempt,
                ])
        }
    }

    /// Begins a page's capture anew.
    public func beginAgain(_ id: KeptPage.ID, isInterruption: Bool) async throws(LibraryError) -> Int {
        try await write { connection in
            let attempt = try Int.fetchOne(
                connection,
                sql: """
                    UPDATE library_page SET state = 'fetching', attempt = attempt + 1,
                        interruptions = CASE WHEN ? THEN interruptions + 1 ELSE 0 END,
                        failure_code = NULL, failure_message = NULL, failure_can_retry = NULL
                    WHERE id = ? AND deleted_at IS NULL RETURNING attempt
                    """, arguments: [isInterruption, id.description])
            guard let attempt else { throw LibraryError.notFound }
            return attempt
        }
    }

    /// Notes that the program ends in good order in the middle of an attempt.
    public func pause(_ id: KeptPage.ID, attempt: Int) async throws(LibraryError) {
        try await write { connection in
            try connection.execute(
                sql: """
                    UPDATE library_page SET interruptions = interruptions - 1
                    WHERE id = ? AND attempt = ? AND state = 'fetching'
                    """, arguments: [id.description, attempt])
        }
    }

    /// Notes that an attempt has failed.
    @discardableResult
    public func fail(_ id: KeptPage.ID, attempt: Int, failure: CaptureFailure) async throws(LibraryError) -> Bool {
        try await write { connection in
            try connection.execute(
                sql: """
                    UPDATE library_page
                    SET state = 'failed', failure_code = ?, failure_message = ?, failure_can_retry = ?
                    WHERE id = ? AND attempt = ? AND state = 'fetching'
                    """,
                arguments: [failure.code, failure.message, failure.canRetry, id.description, attempt])
            return connection.changesCount == 1
        }
    }

    /// Keeps what has been captured, all at once or not at all.
    public func keep(
        _ capture: PageCapture, as id: KeptPage.ID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent? {
        var files: [(kind: FileKind, data: Data)] = capture.data.map { (FileKind($0.key), $0.value) }
        if let thumbnail = capture.thumbnail { files.append((.thumbnail, thumbnail)) }
        let content = PageContent(capture, capturedAt: time)
        let warnings = String(decoding: (try? JSONEncoder().encode(content.warnings)) ?? Data("[]".utf8), as: UTF8.self)
        let isKept = try await keeping(files) { connection, staged in
            try connection.execute(
                sql: """
                    UPDATE library_page
                    SET state = 'found', title = ?, url = ?, http_status = ?, captured_at = ?, warnings = ?
                    WHERE id = ? AND attempt = ? AND state = 'fetching' AND deleted_at IS NULL
                    """,
                arguments: [
                    content.title, content.url.absoluteString, content.httpStatus, time.timeIntervalSince1970, warnings,
                    id.description, attempt,
                ])
            guard connection.changesCount == 1 else { return false }
            try removeFiles(of: id, in: connection)
            for (kind, blob) in staged { try add(blob, kind, of: id, in: connection) }
            return true
        }
        return isKept ? content : nil
    }

    /// Keeps the copy of a page's archive that is shown in a frame.
    public func keepViewer(_ html: Data, of id: KeptPage.ID) async throws(LibraryError) {
        let isKept = try await keeping([(.viewer, html)]) { connection, staged in
            let isThere = try Bool.fetchOne(
                connection, sql: "SELECT 1 FROM library_page WHERE id = ? AND deleted_at IS NULL",
                arguments: [id.description])
            guard isThere == true else { return false }
            for (kind, blob) in staged {
                try removeFiles(of: id, kind: kind, in: connection)
                try add(blob, kind, of: id, in: connection)
            }
            return true
        }
        if !isKept { throw .notFound }
    }

    /// Writes files, and then what refers to them, in one transaction: all of it or nothing.
    private func keeping(
        _ files: [(kind: FileKind, data: Data)],
        _ body: @escaping @Sendable (GRDB.Database, [(FileKind, StagedBlob)]) throws -> Bool
    ) async throws(LibraryError) -> Bool {
        var staged: [(FileKind, StagedBlob)] = []
        do throws(Persistence.PersistenceError) {
            for file in files { staged.append((file.kind, try await blobs.stage(file.data))) }
        } catch {
            for (_, blob) in staged { await blobs.discard(blob) }
            throw LibraryError(error)
        }
        let whole = staged
        do throws(LibraryError) {
            let isKept = try await write { try body($0, whole) }
            if !isKept { for (_, blob) in whole { await blobs.discard(blob) } }
            return isKept
        } catch {
            for (_, blob) in whole { await blobs.discard(blob) }
            throw error
        }
    }

    private func add(
        _ blob: StagedBlob, _ kind: FileKind, of id: KeptPage.ID, in connection: GRDB.Database
    ) throws {
        try blobs.keep(blob, in: connection)
        try connection.execute(
            sql: """
                INSERT INTO library_file (page, kind, owner, blob, bytes)
                SELECT id, ?, owner, ?, ? FROM library_page WHERE id = ?
                """, arguments: [kind.rawValue, blob.id, blob.bytes, id.description])
    }

    private func removeFiles(of id: KeptPage.ID, kind: FileKind? = nil, in connection: GRDB.Database) throws {
        let old = try BlobStore.ID.fetchAll(
            connection, sql: "DELETE FROM library_file WHERE page = ?1 AND (?2 IS NULL OR kind = ?2) RETURNING blob",
            arguments: [id.description, kind?.rawValue])
        for blob in old { try blobs.release(blob, in: connection) }
    }
}

// MARK: - Deleting

extension SQLiteLibraryStore {
    /// Deletes a page; it can be brought back for a while.
    public func delete(_ id: KeptPage.ID, at time: Date) async throws(LibraryError) {
        let blobs = blobs
        try await write { connection in
            try connection.execute(
                sql: "UPDATE library_page SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL",
                arguments: [time.timeIntervalSince1970, id.description])
            guard connection.changesCount == 1 else { throw LibraryError.notFound }
            for blob in try Self.blobs(of: id, in: connection) { try blobs.release(blob, in: connection) }
        }
    }

    /// Brings a deleted page back.
    public func restore(_ id: KeptPage.ID) async throws(LibraryError) {
        let blobs = blobs
        try await write { connection in
            try connection.execute(
                sql: "UPDATE library_page SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL",
                arguments: [id.description])
            guard connection.changesCount == 1 else { throw LibraryError.tooLate }
            for blob in try Self.blobs(of: id, in: connection) { try blobs.retain(blob, in: connection) }
        }
    }

    /// Forgets what was deleted before a time, for good.
    public func purge(deletedBefore time: Date) async throws(LibraryError) {
        try await write { connection in
            // Their blobs were released when they were deleted.
            try connection.execute(
                sql: "DELETE FROM library_page WHERE deleted_at < ?", arguments: [time.timeIntervalSince1970])
        }
        do throws(Persistence.PersistenceError) {
            // Time has gone on: what was deleted after that can still be brought back.
            _ = try await blobs.sweep(releasedBefore: time)
        } catch {
            throw LibraryError(error)
        }
    }

    private static func blobs(of id: KeptPage.ID, in connection: GRDB.Database) throws -> [BlobStore.ID] {
        try BlobStore.ID.fetchAll(
            connection, sql: "SELECT blob FROM library_file WHERE page = ?", arguments: [id.description])
    }
}

// MARK: - Errors

extension SQLiteLibraryStore {
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (GRDB.Database) throws -> Value
    ) async throws(LibraryError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.read(body)
        } catch {
            throw LibraryError(error)
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

extension LibraryError {
    /// What went wrong in the database or on the disk; an error of ours that ended a transaction is itself.
    init(_ error: Persistence.PersistenceError) {
        self = error.cause as? LibraryError ?? .storage(error.message)
    }
}

public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

// Uploaded pages, and the tokens for uploads.

extension SQLiteLibraryStore: UploadStore {
    /// Adds an uploaded page with its content, and begins to make its other files.
    public func addUpload(
        _ page: SavedPage, source: PageSource, content: Data, owner: OwnerID
    ) async throws(LibraryError) {
        var row = PageRow(page, owner: owner)
        row.source = source.rawValue
        let texts = row.searchedTexts(body: nil)
        _ = try await withStaged([(source.kind, content)], sharesParts: false) {
            [row] (staged: [StagedFile]) async throws(LibraryError) -> Bool in
            try await write(of: owner) { [captures] transaction in
                try admitPage(of: owner, in: transaction)
                try admitCapture(of: owner, in: transaction)
                try admit(staged.map(\.blob), of: owner, in: transaction)
                var row = row
                try row.insert(in: transaction)
                guard let number = row.number else { return }
                try texts.store(of: number, in: transaction)
                try captures?.lock(in: transaction)
                try insert(staged, of: number, in: transaction)
                try captures?.enqueue(row, in: transaction)
            }
            return true
        }
    }

    /// Adds a page of an export, with its marks, its positions and its files.
    public func addRestored(
        _ page: SavedPage, files: [FileKind: Data], owner: OwnerID
    ) async throws(LibraryError) -> SavedPage? {
        var page = page
        let key = page.request.url.pageKey
        let time = page.state.value?.capturedAt.timeIntervalSinceReferenceDate
        let id = page.id.description
        let known = try await read { connection in
            try connection.value(
                """
                SELECT owner FROM library_page
                WHERE id = ?1
                    OR owner = ?2 AND \(connection.dialect.isEqual("version_key", "?3"))
                        AND captured_at >= CAST(?4 AS DOUBLE PRECISION) - 1
                        AND captured_at < CAST(?4 AS DOUBLE PRECISION) + 1
                ORDER BY owner = ?2 DESC LIMIT 1
                """, [id, owner, key, time], as: OwnerID.self)
        }
        if known == owner { return nil }
        if known != nil { page = page.renamed() }
        var row = PageRow(page, owner: owner)
        if let content = page.state.value {
            row.setContent(content)
            // It isn't a new version to look at.
            row.openedAt = content.capturedAt
        } else if let failure = page.state.failureReason {
            row.state = .failed
            row.failure = failure
        }
        let texts = row.searchedTexts(body: files[.text].map { String(decoding: $0, as: UTF8.self) })
        let marks = Self.searchedText(of: page.marks)
        _ = try await withStaged(files.map { (kind: $0.key, data: $0.value) }) {
            [row, page] (staged: [StagedFile]) async throws(LibraryError) -> Bool in
            try await write(of: owner) { transaction in
                guard let number = try insert(row, texts, staged, in: transaction) else { return }
                try Self.storeTags(of: page.marks, text: marks, page: number, in: transaction)
                for (view, position) in page.positions {
                    try position.insert(in: view, of: number, transaction)
                }
            }
            return true
        }
        return page
    }

    /// The number of pages of each owner that are waiting or being saved.
    package func waitingPages() async throws(LibraryError) -> [OwnerID: Int] {
        try await read { connection in
            let rows = try connection.rows(
                """
                SELECT owner, count(*) AS count FROM library_page
                WHERE state = 'fetching' AND deleted_at IS NULL GROUP BY owner
                """)
            return Dictionary(
                try rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// Replaces an owner's token.
    public func setUploadToken(_ text: String, owner: OwnerID, at time: Date) async throws(LibraryError) {
        let hash = Self.hash(text)
        try await write(of: owner) { transaction in
            try transaction.execute("DELETE FROM library_upload_token WHERE owner = ? OR hash = ?", [owner, hash])
            try transaction.execute(
                "INSERT INTO library_upload_token (owner, hash, created_at) VALUES (?, ?, ?)",
                [owner, hash, time.timeIntervalSinceReferenceDate])
        }
    }

    /// Withdraws an owner's token.
    public func removeUploadToken(owner: OwnerID) async throws(LibraryError) {
        try await write(of: owner) { transaction in
            try transaction.execute("DELETE FROM library_upload_token WHERE owner = ?", [owner])
        }
    }

    /// An owner's token; `nil` if there is none.
    public func uploadToken(owner: OwnerID) async throws(LibraryError) -> UploadToken? {
        try await read { connection in
            try connection.row("SELECT created_at, used_at FROM library_upload_token WHERE owner = ?", [owner]).map {
                row in
                UploadToken(
                    createdAt: Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 0)),
                    usedAt: try row.decode(Double?.self, atIndex: 1).map(Date.init(timeIntervalSinceReferenceDate:)))
            }
        }
    }

    /// The owner of a token, whose use is recorded.
    public func owner(ofUploadToken text: String, at time: Date) async throws(LibraryError) -> OwnerID? {
        let hash = Self.hash(text)
        @Sendable func owner(_ connection: any SQLConnection) throws -> OwnerID? {
            try connection.value("SELECT owner FROM library_upload_token WHERE hash = ?", [hash], as: OwnerID.self)
        }
        // Requests with invalid tokens write nothing.
        guard let known = try await read({ try owner($0) }) else { return nil }
        return try await write(of: known) { transaction in
            try transaction.execute(
                "UPDATE library_upload_token SET used_at = ? WHERE hash = ?",
                [time.timeIntervalSinceReferenceDate, hash])
            return try owner(transaction)
        }
    }

    /// The SHA-256 of a token's text, which is random and long, so that it can't be guessed from its hash.
    private static func hash(_ text: String) -> String { BlobStore.ID(of: Data(text.utf8)).description }
}

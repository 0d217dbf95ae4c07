import DurableFiles
public import Foundation
public import GRDB

// Blobs in pieces. Such a blob has a row without a file of its own, and rows of its pieces, each of which is a range of
// another blob. Each of these rows is a reference to that blob, until a sweep removes the blob in pieces.

/// A range of a file, as a part of a blob's content.
public struct BlobPiece: Hashable, Sendable {
    /// The path of the file, whose content never changes.
    public let path: String
    /// Where the piece begins in the file.
    public let start: Int
    /// The length in bytes.
    public let bytes: Int
}

/// A row of the table `blob_piece`.
struct PieceRow: Hashable, Sendable {
    var piece: BlobStore.ID
    var start: Int
    var bytes: Int
}

// MARK: - Staging

extension BlobStore {
    /// Writes a blob durably to the disk in pieces that other blobs can share; ``add(_:in:)`` then adds it to the store.
    ///
    /// Each range becomes a blob. What remains of the content becomes another blob.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - ranges: The parts to share, as offsets in their order; those that overlap the one before, or are beyond the
    ///     content, are left out. Without any, the blob is stored in one file.
    /// - Returns: The staged blob.
    /// - Throws: ``StoreError``, as ``stage(_:)`` does.
    public func stage(_ data: Data, sharing ranges: [Range<Int>]) async throws(StoreError) -> StagedBlob {
        let staged = try await DiskWork.run { () throws(StoreError) in
            var (rows, rest, end) = ([(shared: Range<Int>?, start: Int, bytes: Int)](), Data(), 0)
            func addRest(until next: Int) {
                guard next > end else { return }
                rows.append((nil, rest.count, next - end))
                rest.append(data.dropFirst(end).prefix(next - end))
            }
            for range in ranges where range.lowerBound >= end && !range.isEmpty && range.upperBound <= data.count {
                addRest(until: range.lowerBound)
                rows.append((range, 0, range.count))
                end = range.upperBound
            }
            addRest(until: data.count)
            guard rows.count > 1 else {
                let file = try self.writeStaged(data, as: ID(of: data))
                return StagedBlob(id: file.id, bytes: data.count, files: [file], pieces: [])
            }
            var (files, pieces) = ([StagedFile](), [PieceRow]())
            do throws(StoreError) {
                var known: Set<ID> = []
                func stage(_ part: Data) throws(StoreError) -> ID {
                    let id = ID(of: part)
                    if known.insert(id).inserted { files.append(try self.writeStaged(part, as: id)) }
                    return id
                }
                let restID = rest.isEmpty ? nil : try stage(rest)
                for row in rows {
                    let shared = try row.shared.map { range throws(StoreError) in
                        try stage(data.dropFirst(range.lowerBound).prefix(range.count))
                    }
                    guard let id = shared ?? restID else { continue }
                    pieces.append(PieceRow(piece: id, start: row.start, bytes: row.bytes))
                }
            } catch {
                Self.remove(files)
                throw error
            }
            return StagedBlob(id: ID(of: data), bytes: data.count, files: files, pieces: pieces)
        }
        try await upload(staged.files)
        return staged
    }
}

// MARK: - Adding and reading

extension BlobStore {
    /// The pieces of a blob in their order; empty if it is stored in one file, or does not exist.
    public func pieces(of id: ID, in connection: Database) throws -> [BlobPiece] {
        try pieces(of: id, in: SQLiteConnection(connection))
    }

    /// The pieces of a blob, as ``pieces(of:in:)`` of SQLite returns them.
    package func pieces(of id: ID, in connection: any SQLConnection) throws -> [BlobPiece] {
        try connection.rows("SELECT piece, start, bytes FROM blob_piece WHERE blob = ? ORDER BY position", [id]).map {
            row in
            BlobPiece(
                path: path(of: try row.decode(ID.self, atIndex: 0)), start: try row.decode(Int.self, atIndex: 1),
                bytes: try row.decode(Int.self, atIndex: 2))
        }
    }

    /// Adds a staged blob in pieces.
    func addPieces(of staged: StagedBlob, in transaction: any SQLConnection) throws {
        try transaction.lock(.blobPieces)
        // The row has no bytes, because those of its pieces are counted.
        let added = try transaction.execute(
            #"INSERT INTO blob (id, bytes, "references") VALUES (?, 0, 1) ON CONFLICT (id) DO NOTHING"#, [staged.id])
        if added == 0 {
            // The same content has the same pieces, unless it is stored in one file or an earlier version cut it.
            try put(try staged.files.filter { try Self.exists($0.id, in: transaction) })
            return try retain(staged.id, in: transaction)
        }
        try put(staged.files)
        try ensureObjects(of: staged.files, in: transaction)
        let uses = Dictionary(grouping: staged.pieces, by: \.piece)
        for file in staged.files {
            try addFile(file, references: uses[file.id]?.count ?? 0, in: transaction)
        }
        for (position, row) in staged.pieces.enumerated() {
            try transaction.execute(
                "INSERT INTO blob_piece (blob, position, piece, start, bytes) VALUES (?, ?, ?, ?, ?)",
                [staged.id, position, row.piece, row.start, row.bytes])
        }
    }

    static func exists(_ id: ID, in connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM blob WHERE id = ?", [id]) != nil
    }

    /// Removes the pieces of a blob whose content is added in one file.
    ///
    /// A piece is therefore always a file, so that reading needs no recursion.
    func removePieces(of id: ID, in transaction: any SQLConnection) throws {
        try removePieces(of: id, releasedAt: now().timeIntervalSince1970, in: transaction)
    }

    /// Removes the pieces of blobs that a sweep removes next, and returns these blobs, which have no files.
    @discardableResult
    func forgetPieces(ofBlobsReleasedBefore limit: Date, in transaction: any SQLConnection) throws -> Set<ID> {
        // Rows of owners may be deleted meanwhile, which changes the uses of the pieces too.
        let lock = transaction.dialect == .postgreSQL ? "FOR NO KEY UPDATE" : ""
        let rows = try transaction.rows(
            """
            SELECT id, released_at FROM blob
            WHERE "references" = 0 AND released_at < ? AND id IN (SELECT blob FROM blob_piece) \(lock)
            """, [limit.timeIntervalSince1970])
        for row in rows {
            try removePieces(
                of: try row.decode(ID.self, atIndex: 0), releasedAt: try row.decode(Double.self, atIndex: 1),
                in: transaction)
        }
        return Set(try rows.map { try $0.decode(ID.self, atIndex: 0) })
    }

    private func removePieces(of id: ID, releasedAt time: Double, in transaction: any SQLConnection) throws {
        try transaction.execute(
            """
            UPDATE blob SET "references" = "references" - used.count,
                released_at = CASE "references" WHEN used.count THEN CAST(?2 AS DOUBLE PRECISION) END
            FROM (SELECT piece, count(*) AS count FROM blob_piece WHERE blob = ?1 GROUP BY piece) AS used
            WHERE id = used.piece
            """, [id, time])
        try transaction.execute("DELETE FROM blob_piece WHERE blob = ?", [id])
    }
}

// MARK: - Tables

extension BlobStore {
    /// The migration that adds pieces, after those of the budgets.
    ///
    /// An owner uses each piece of a blob that the owner uses, once for each row. The blob and its pieces are recorded in
    /// any order: a deleted page still uses a blob that a sweep has removed, until the page is purged. The rows of an
    /// owner's blobs in pieces are those without bytes, which only an empty file has otherwise.
    static let pieceMigration = AppDatabase.Migration("persistence.3") { connection in
        let users = "SELECT owner FROM owner_blob WHERE blob = ROW.blob AND bytes = 0"
        let pieces = "SELECT piece FROM blob_piece WHERE blob = ROW.blob"
        let count = "(SELECT count(*) FROM blob_piece WHERE blob = ROW.blob AND piece = owner_blob.blob)"
        func named(_ sql: String, _ row: String) -> String { sql.replacing("ROW.", with: "\(row).") }
        try connection.execute(
            sql: """
                CREATE TABLE blob_piece (
                    blob TEXT NOT NULL,
                    position INTEGER NOT NULL,
                    piece TEXT NOT NULL CHECK (piece != blob),
                    start INTEGER NOT NULL CHECK (start >= 0),
                    bytes INTEGER NOT NULL CHECK (bytes > 0),
                    PRIMARY KEY (blob, position)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX owner_blob_in_pieces ON owner_blob (blob) WHERE bytes = 0;
                CREATE TRIGGER blob_piece_is_used AFTER INSERT ON blob_piece
                BEGIN
                    INSERT INTO owner_blob (owner, blob, uses, bytes)
                        SELECT user.owner, id, 0, bytes FROM (\(named(users, "NEW"))) AS user JOIN blob
                        WHERE id = NEW.piece AND NOT EXISTS (
                            SELECT 1 FROM owner_blob WHERE owner = user.owner AND blob = NEW.piece);
                    UPDATE owner_blob SET uses = uses + 1
                        WHERE blob = NEW.piece AND owner IN (\(named(users, "NEW")));
                END;
                CREATE TRIGGER blob_piece_was_used AFTER DELETE ON blob_piece
                BEGIN
                    UPDATE owner_blob SET uses = uses - 1
                        WHERE blob = OLD.piece AND owner IN (\(named(users, "OLD")));
                    DELETE FROM owner_blob
                        WHERE blob = OLD.piece AND owner IN (\(named(users, "OLD"))) AND uses <= 0;
                END;
                CREATE TRIGGER owner_blob_in_pieces_is_used AFTER INSERT ON owner_blob WHEN NEW.bytes = 0
                BEGIN
                    INSERT INTO owner_blob (owner, blob, uses, bytes)
                        SELECT NEW.owner, id, 0, bytes FROM blob WHERE id IN (\(named(pieces, "NEW")))
                            AND NOT EXISTS (SELECT 1 FROM owner_blob WHERE owner = NEW.owner AND blob = id);
                    UPDATE owner_blob SET uses = uses + \(named(count, "NEW"))
                        WHERE owner = NEW.owner AND blob IN (\(named(pieces, "NEW")));
                END;
                CREATE TRIGGER owner_blob_in_pieces_was_used AFTER DELETE ON owner_blob WHEN OLD.bytes = 0
                BEGIN
                    UPDATE owner_blob SET uses = uses - \(named(count, "OLD"))
                        WHERE owner = OLD.owner AND blob IN (\(named(pieces, "OLD")));
                    DELETE FROM owner_blob
                        WHERE owner = OLD.owner AND blob IN (\(named(pieces, "OLD"))) AND uses <= 0;
                END;
                """)
        try OwnerUsage.countChangedBytes(in: connection)
    }
}

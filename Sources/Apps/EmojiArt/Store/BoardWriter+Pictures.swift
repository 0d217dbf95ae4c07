import EmojiArtModel
import Foundation
import Persistence

extension BoardWriter {
    func has(_ picture: PictureID, _ row: BoardRow) throws -> Bool {
        try connection.row("SELECT 1 FROM art_picture WHERE board = ? AND blob = ?", [row.number, picture.rawValue])
            != nil
    }

    /// Stores a picture for a board, with one reference to its blob, however often it is stored.
    ///
    /// The picture fetched from the same address before is retained for a while. After an error the transaction must
    /// not be committed.
    func add(_ staged: StagedBlob, _ picture: PictureContent, address: String?, for row: BoardRow) throws {
        let blob = staged.id.description
        let isKnown =
            try connection.row("SELECT 1 FROM art_picture WHERE board = ? AND blob = ?", [row.number, blob]) != nil
        if !isKnown { try admit(staged, for: row) }
        // Even for a known picture: this repairs a missing or damaged file.
        try blobs.add(staged, in: connection)
        if isKnown { try blobs.release(staged.id, in: connection) }
        try connection.execute(
            """
            INSERT INTO art_picture (board, blob, type, needed, width, height) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (board, blob) DO UPDATE
                SET type = ?3, needed = ?4, width = coalesce(CAST(?5 AS BIGINT), art_picture.width),
                    height = coalesce(CAST(?6 AS BIGINT), art_picture.height)
            """,
            [
                row.number, blob, picture.type, now.milliseconds, picture.size?.width, picture.size?.height,
            ])
        guard let address else { return }
        try recordLastUse(of: .address(address), row)
        try connection.execute(
            """
            INSERT INTO art_address (board, address, blob) VALUES (?1, ?2, ?3)
            ON CONFLICT (board, address) DO UPDATE SET blob = ?3
            """, [row.number, Data(address.utf8), blob])
    }

    /// Records that a background was shown until now, so that its picture is retained while the change can be undone.
    func recordLastUse(of background: Background, _ row: BoardRow) throws {
        switch background {
        case .blank: break
        case .picture(let picture):
            try connection.execute(
                "UPDATE art_picture SET needed = ?3 WHERE board = ?1 AND blob = ?2",
                [row.number, picture.rawValue, now.milliseconds])
        case .address(let address):
            try connection.execute(
                """
                UPDATE art_picture SET needed = ?3
                WHERE board = ?1 AND blob = (SELECT blob FROM art_address WHERE board = ?1 AND address = ?2)
                """, [row.number, Data(address.utf8), now.milliseconds])
        }
    }

    func set(_ size: PictureSize, of picture: PictureID, _ row: BoardRow) throws {
        try connection.execute(
            "UPDATE art_picture SET width = ?3, height = ?4 WHERE board = ?1 AND blob = ?2",
            [row.number, picture.rawValue, size.width, size.height])
    }

    /// Stores all pictures of a board for another one too.
    func copyPictures(of row: BoardRow, to copy: BoardRow) throws {
        let storedBlobs = try connection.values(
            "SELECT blob FROM art_picture WHERE board = ?", [row.number], as: String.self)
        for blob in storedBlobs.compactMap({ BlobStore.ID($0) }) { try blobs.retain(blob, in: connection) }
        try connection.execute(
            """
            INSERT INTO art_picture (board, blob, type, needed, width, height)
                SELECT CAST(?2 AS BIGINT), blob, type, CAST(?3 AS BIGINT), width, height FROM art_picture
                WHERE board = ?1
            """, [row.number, copy.number, now.milliseconds])
        try connection.execute(
            """
            INSERT INTO art_address (board, address, blob)
                SELECT CAST(?2 AS BIGINT), address, blob FROM art_address WHERE board = ?1
            """,
            [row.number, copy.number])
    }
}

extension StoredPicture {
    static let columns = "blob, type, width, height"

    /// Decodes ``columns``; the size is `nil` if an earlier version wrote the row, or a number is out of range.
    init?(_ row: SQLRow) throws {
        guard let id = PictureID(try row.decode(String.self, atIndex: 0)) else { return nil }
        let (width, height) = (Int(sqlValue: row.values[2]), Int(sqlValue: row.values[3]))
        self.init(
            id: id, type: try row.decode(atIndex: 1),
            size: width.flatMap { width in height.flatMap { PictureSize(width: width, height: $0) } })
    }
}

extension BoardReader {
    /// A picture of a board; `nil` if it isn't stored for this board.
    func picture(_ picture: PictureID, _ row: BoardRow) throws -> StoredPicture? {
        let found = try connection.row(
            "SELECT \(StoredPicture.columns) FROM art_picture WHERE board = ? AND blob = ?",
            [row.number, picture.rawValue])
        return try found.flatMap { try StoredPicture($0) }
    }

    /// The picture that was fetched from an address for a board.
    func picture(from address: String, _ row: BoardRow) throws -> StoredPicture? {
        let found = try connection.row(
            """
            SELECT \(StoredPicture.columns) FROM art_address JOIN art_picture USING (board, blob)
            WHERE board = ? AND address = ?
            """, [row.number, Data(address.utf8)])
        return try found.flatMap { try StoredPicture($0) }
    }

    /// The pictures that were stored without a size.
    func picturesWithoutSize(limit: Int) throws -> [(owner: OwnerID, board: BoardID, picture: PictureID)] {
        try connection.rows(
            """
            SELECT board.owner, board.id, art_picture.blob
            FROM art_picture JOIN art_board AS board ON board.number = art_picture.board
            WHERE art_picture.width IS NULL AND board.deleted IS NULL AND board.format <= ?1
            ORDER BY art_picture.needed DESC LIMIT ?2
            """, [ArtSnapshot.format, max(limit, 0)]
        ).compactMap { row in
            guard let board = BoardID(try row.decode(String.self, atIndex: 1)),
                let picture = PictureID(try row.decode(String.self, atIndex: 2))
            else { return nil }
            return (try row.decode(atIndex: 0), board, picture)
        }
    }
}

// MARK: - Removing old data

extension BoardWriter {
    /// Removes one board that can no longer be restored, unless a newer program wrote it; returns whether there was
    /// one.
    func purgeBoard() throws -> Bool {
        let row = try connection.row(
            "SELECT number, owner FROM art_board WHERE deleted <= ? AND format <= ? ORDER BY deleted LIMIT 1",
            [(now - policy.deletion).milliseconds, ArtSnapshot.format])
        guard let row else { return false }
        let number: Int64 = try row.decode(atIndex: 0)
        try connection.lock(.boards(of: row.decode(atIndex: 1)))
        // It may have been restored before the lock was taken.
        let isDeleted = try connection.row(
            "SELECT 1 FROM art_board WHERE number = ? AND deleted <= ?",
            [number, (now - policy.deletion).milliseconds])
        if isDeleted != nil { try remove(number) }
        return true
    }

    /// Removes pictures that their board neither shows nor has shown recently; returns whether there may be more.
    func purgePictures() throws -> Bool {
        let limit = 100
        var found = try unneededPictures(limit: limit)
        let mayBeMore = found.count == limit
        if connection.dialect == .postgreSQL, !found.isEmpty {
            // They may be shown again before the locks are taken.
            let owners = Set(found.map(\.owner))
            for owner in owners.sorted(by: { $0.rawValue < $1.rawValue }) { try connection.lock(.boards(of: owner)) }
            found = try unneededPictures(limit: limit).filter { owners.contains($0.owner) }
        }
        for picture in found {
            if let blob = BlobStore.ID(picture.blob) { try blobs.release(blob, in: connection) }
            try connection.execute(
                "DELETE FROM art_picture WHERE board = ? AND blob = ?", [picture.board, picture.blob])
        }
        return mayBeMore
    }

    private func unneededPictures(limit: Int) throws -> [(board: Int64, blob: String, owner: OwnerID)] {
        try connection.rows(
            """
            SELECT art_picture.board, art_picture.blob, board.owner
            FROM art_picture JOIN art_board AS board ON board.number = art_picture.board
            WHERE art_picture.needed <= ?1 AND board.format <= ?2 AND board.picture IS DISTINCT FROM art_picture.blob
                AND NOT EXISTS (
                    SELECT 1 FROM art_address AS source
                    WHERE source.board = art_picture.board AND source.address = board.address
                        AND source.blob = art_picture.blob)
            LIMIT ?3
            """, [(now - policy.pictures).milliseconds, ArtSnapshot.format, limit]
        ).map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1), try $0.decode(atIndex: 2)) }
    }

    /// Removes outcomes of batches that are older than the policy's limit; returns whether there may be more.
    func purgeOutcomes() throws -> Bool {
        let limit = 2_000
        let found = try connection.rows(
            """
            SELECT answer.board, answer.batch
            FROM art_answer AS answer JOIN art_board AS board ON board.number = answer.board
            WHERE answer.time <= ?1 AND board.format <= ?2 LIMIT ?3
            """, [(now - policy.answers).milliseconds, ArtSnapshot.format, limit])
        for row in found {
            try connection.execute(
                "DELETE FROM art_answer WHERE board = ? AND batch = ?",
                [try row.decode(Int64.self, atIndex: 0), try row.decode(String.self, atIndex: 1)])
        }
        return found.count == limit
    }
}

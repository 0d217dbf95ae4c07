import EmojiArtModel
import Foundation
import GRDB
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
        try connection.run(
            """
            INSERT INTO art_picture (board, blob, type, needed, width, height) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (board, blob) DO UPDATE
                SET type = ?3, needed = ?4, width = coalesce(?5, width), height = coalesce(?6, height)
            """,
            [
                row.number, blob, picture.type, now.milliseconds, picture.size?.width, picture.size?.height,
            ])
        guard let address else { return }
        try recordLastUse(of: .address(address), row)
        try connection.run(
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
            try connection.run(
                "UPDATE art_picture SET needed = ?3 WHERE board = ?1 AND blob = ?2",
                [row.number, picture.rawValue, now.milliseconds])
        case .address(let address):
            try connection.run(
                """
                UPDATE art_picture SET needed = ?3
                WHERE board = ?1 AND blob = (SELECT blob FROM art_address WHERE board = ?1 AND address = ?2)
                """, [row.number, Data(address.utf8), now.milliseconds])
        }
    }

    func set(_ size: PictureSize, of picture: PictureID, _ row: BoardRow) throws {
        try connection.run(
            "UPDATE art_picture SET width = ?3, height = ?4 WHERE board = ?1 AND blob = ?2",
            [row.number, picture.rawValue, size.width, size.height])
    }

    /// Stores all pictures of a board for another one too.
    func copyPictures(of row: BoardRow, to copy: BoardRow) throws {
        let storedBlobs = try String.fetchAll(
            connection.cachedStatement(sql: "SELECT blob FROM art_picture WHERE board = ?"), arguments: [row.number])
        for blob in storedBlobs.compactMap({ BlobStore.ID($0) }) { try blobs.retain(blob, in: connection) }
        try connection.run(
            """
            INSERT INTO art_picture (board, blob, type, needed, width, height)
                SELECT ?2, blob, type, ?3, width, height FROM art_picture WHERE board = ?1
            """, [row.number, copy.number, now.milliseconds])
        try connection.run(
            "INSERT INTO art_address (board, address, blob) SELECT ?2, address, blob FROM art_address WHERE board = ?1",
            [row.number, copy.number])
    }
}

extension StoredPicture {
    static let columns = "blob, type, width, height"

    /// Decodes ``columns``; the size is `nil` if an earlier version wrote the row, or a number is out of range.
    init?(_ row: Row) throws {
        guard let id = PictureID(try row.decode(String.self, atIndex: 0)) else { return nil }
        let (width, height) = (Int.fromDatabaseValue(row[2]), Int.fromDatabaseValue(row[3]))
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
        let number = try Int64.fetchOne(
            connection.cachedStatement(
                sql: "SELECT number FROM art_board WHERE deleted <= ? AND format <= ? ORDER BY deleted LIMIT 1"),
            arguments: [(now - policy.deletion).milliseconds, ArtSnapshot.format])
        guard let number else { return false }
        try remove(number)
        return true
    }

    /// Removes pictures that their board neither shows nor has shown recently; returns whether there may be more.
    func purgePictures() throws -> Bool {
        let limit = 100
        let found = try connection.rows(
            """
            SELECT art_picture.board, art_picture.blob
            FROM art_picture JOIN art_board AS board ON board.number = art_picture.board
            WHERE art_picture.needed <= ?1 AND board.format <= ?2 AND board.picture IS NOT art_picture.blob
                AND NOT EXISTS (
                    SELECT 1 FROM art_address AS source
                    WHERE source.board = art_picture.board AND source.address = board.address
                        AND source.blob = art_picture.blob)
            LIMIT ?3
            """, [(now - policy.pictures).milliseconds, ArtSnapshot.format, limit])
        for row in found {
            let (board, text): (Int64, String) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            if let blob = BlobStore.ID(text) { try blobs.release(blob, in: connection) }
            try connection.run("DELETE FROM art_picture WHERE board = ? AND blob = ?", [board, text])
        }
        return found.count == limit
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
            try connection.run(
                "DELETE FROM art_answer WHERE board = ? AND batch = ?",
                [try row.decode(Int64.self, atIndex: 0), try row.decode(String.self, atIndex: 1)])
        }
        return found.count == limit
    }
}

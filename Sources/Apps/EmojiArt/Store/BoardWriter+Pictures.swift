import EmojiArtModel
import Foundation
import GRDB
import Persistence

extension BoardWriter {
    /// Whether a picture is kept for a board.
    func has(_ picture: PictureID, _ row: BoardRow) throws -> Bool {
        try Row.fetchOne(
            connection.cachedStatement(sql: "SELECT 1 FROM art_picture WHERE board = ? AND blob = ?"),
            arguments: [row.number, picture.rawValue]) != nil
    }

    /// Keeps a picture for a board, with one reference to its blob, however often it is kept.
    ///
    /// - Parameters:
    ///   - staged: Its content.
    ///   - picture: What it is, and how large.
    ///   - address: Where it was fetched; what was fetched there before stays for a while.
    ///   - row: The board's.
    /// - Throws: An error of the blobs, or of SQLite. The transaction must not be committed then.
    func keep(_ staged: StagedBlob, _ picture: KeptPicture, address: String?, for row: BoardRow) throws {
        let blob = staged.id.description
        let isKnown =
            try Row.fetchOne(
                connection.cachedStatement(sql: "SELECT 1 FROM art_picture WHERE board = ? AND blob = ?"),
                arguments: [row.number, blob]) != nil
        if !isKnown { try admit(staged, for: row) }
        // In any case: where the file has gone or is damaged, it is whole again.
        try blobs.keep(staged, in: connection)
        if isKnown { try blobs.release(staged.id, in: connection) }
        try connection.cachedStatement(
            sql: """
                INSERT INTO art_picture (board, blob, type, needed, width, height) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (board, blob) DO UPDATE
                    SET type = ?3, needed = ?4, width = coalesce(?5, width), height = coalesce(?6, height)
                """
        ).execute(
            arguments: [
                row.number, blob, picture.type, now.milliseconds, picture.size?.width, picture.size?.height,
            ])
        guard let address else { return }
        try noteNeed(of: .address(address), row)
        try connection.cachedStatement(
            sql: """
                INSERT INTO art_address (board, address, blob) VALUES (?1, ?2, ?3)
                ON CONFLICT (board, address) DO UPDATE SET blob = ?3
                """
        ).execute(arguments: [row.number, Data(address.utf8), blob])
    }

    /// Notes that a background was shown until now, so that its picture stays until nobody can undo that.
    func noteNeed(of background: Background, _ row: BoardRow) throws {
        switch background {
        case .blank: break
        case .picture(let picture):
            try connection.cachedStatement(sql: "UPDATE art_picture SET needed = ?3 WHERE board = ?1 AND blob = ?2")
                .execute(arguments: [row.number, picture.rawValue, now.milliseconds])
        case .address(let address):
            try connection.cachedStatement(
                sql: """
                    UPDATE art_picture SET needed = ?3
                    WHERE board = ?1 AND blob = (SELECT blob FROM art_address WHERE board = ?1 AND address = ?2)
                    """
            ).execute(arguments: [row.number, Data(address.utf8), now.milliseconds])
        }
    }

    /// Stores the size of a picture.
    func set(_ size: PictureSize, of picture: PictureID, _ row: BoardRow) throws {
        try connection.cachedStatement(
            sql: "UPDATE art_picture SET width = ?3, height = ?4 WHERE board = ?1 AND blob = ?2"
        ).execute(arguments: [row.number, picture.rawValue, size.width, size.height])
    }

    /// Keeps all of a board's pictures for another one, too.
    func copyPictures(of row: BoardRow, to copy: BoardRow) throws {
        let kept = try String.fetchAll(
            connection.cachedStatement(sql: "SELECT blob FROM art_picture WHERE board = ?"), arguments: [row.number])
        for blob in kept.compactMap({ BlobStore.ID($0) }) { try blobs.retain(blob, in: connection) }
        try connection.cachedStatement(
            sql: """
                INSERT INTO art_picture (board, blob, type, needed, width, height)
                    SELECT ?2, blob, type, ?3, width, height FROM art_picture WHERE board = ?1
                """
        ).execute(arguments: [row.number, copy.number, now.milliseconds])
        try connection.cachedStatement(
            sql:
                "INSERT INTO art_address (board, address, blob) SELECT ?2, address, blob FROM art_address WHERE board = ?1"
        ).execute(arguments: [row.number, copy.number])
    }
}

/// A picture's row, without the bytes.
struct PictureRow {
    static let columns = "blob, type, width, height"

    let id: PictureID
    let type: String
    /// `nil` if an earlier version wrote the row, or a number is out of range.
    let size: PictureSize?

    /// Reads ``columns``.
    init?(_ row: Row) throws {
        guard let id = PictureID(try row.decode(String.self, atIndex: 0)) else { return nil }
        self.id = id
        type = try row.decode(atIndex: 1)
        if let width = Int.fromDatabaseValue(row[2]), let height = Int.fromDatabaseValue(row[3]) {
            size = PictureSize(width: width, height: height)
        } else {
            size = nil
        }
    }
}

extension BoardReader {
    /// A picture of a board; `nil` where it is not kept for it.
    func picture(_ picture: PictureID, _ row: BoardRow) throws -> PictureRow? {
        let found = try Row.fetchOne(
            connection.cachedStatement(
                sql: "SELECT \(PictureRow.columns) FROM art_picture WHERE board = ? AND blob = ?"),
            arguments: [row.number, picture.rawValue])
        return try found.flatMap { try PictureRow($0) }
    }

    /// The picture that was fetched from an address for a board.
    func picture(from address: String, _ row: BoardRow) throws -> PictureRow? {
        let found = try Row.fetchOne(
            connection.cachedStatement(
                sql: """
                    SELECT \(PictureRow.columns) FROM art_address JOIN art_picture USING (board, blob)
                    WHERE board = ? AND address = ?
                    """), arguments: [row.number, Data(address.utf8)])
        return try found.flatMap { try PictureRow($0) }
    }

    /// Pictures that were stored without their sizes.
    func picturesWithoutSize(limit: Int) throws -> [(owner: String, board: BoardID, picture: PictureID)] {
        try Row.fetchAll(
            connection.cachedStatement(
                sql: """
                    SELECT board.owner, board.id, kept.blob
                    FROM art_picture AS kept JOIN art_board AS board ON board.number = kept.board
                    WHERE kept.width IS NULL AND board.deleted IS NULL AND board.format <= ?1
                    ORDER BY kept.needed DESC LIMIT ?2
                    """), arguments: [ArtSnapshot.format, max(limit, 0)]
        ).compactMap { row in
            guard let board = BoardID(try row.decode(String.self, atIndex: 1)),
                let picture = PictureID(try row.decode(String.self, atIndex: 2))
            else { return nil }
            return (try row.decode(atIndex: 0), board, picture)
        }
    }
}

// MARK: - Tidying up

extension BoardWriter {
    /// Forgets one board that can no longer be had back; those of newer programs are left to them.
    ///
    /// - Returns: Whether there was one.
    func forgetBoard() throws -> Bool {
        let number = try Int64.fetchOne(
            connection.cachedStatement(
                sql: "SELECT number FROM art_board WHERE deleted <= ? AND format <= ? ORDER BY deleted LIMIT 1"),
            arguments: [(now - policy.deletion).milliseconds, ArtSnapshot.format])
        guard let number else { return false }
        try remove(number)
        return true
    }

    /// Forgets pictures that no board shows, nor has shown of late.
    ///
    /// - Returns: Whether there may be more.
    func forgetPictures() throws -> Bool {
        let most = 100
        let found = try Row.fetchAll(
            connection.cachedStatement(
                sql: """
                    SELECT kept.board, kept.blob
                    FROM art_picture AS kept JOIN art_board AS board ON board.number = kept.board
                    WHERE kept.needed <= ?1 AND board.format <= ?2 AND board.picture IS NOT kept.blob
                        AND NOT EXISTS (
                            SELECT 1 FROM art_address AS source
                            WHERE source.board = kept.board AND source.address = board.address
                                AND source.blob = kept.blob)
                    LIMIT ?3
                    """), arguments: [(now - policy.pictures).milliseconds, ArtSnapshot.format, most])
        for row in found {
            let (board, text): (Int64, String) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            if let blob = BlobStore.ID(text) { try blobs.release(blob, in: connection) }
            try connection.cachedStatement(sql: "DELETE FROM art_picture WHERE board = ? AND blob = ?")
                .execute(arguments: [board, text])
        }
        return found.count == most
    }

    /// Forgets answers to batches that nobody sends again.
    ///
    /// - Returns: Whether there may be more.
    func forgetAnswers() throws -> Bool {
        let most = 2_000
        let found = try Row.fetchAll(
            connection.cachedStatement(
                sql: """
                    SELECT answer.board, answer.batch
                    FROM art_answer AS answer JOIN art_board AS board ON board.number = answer.board
                    WHERE answer.time <= ?1 AND board.format <= ?2 LIMIT ?3
                    """), arguments: [(now - policy.answers).milliseconds, ArtSnapshot.format, most])
        for row in found {
            try connection.cachedStatement(sql: "DELETE FROM art_answer WHERE board = ? AND batch = ?")
                .execute(arguments: [try row.decode(Int64.self, atIndex: 0), try row.decode(String.self, atIndex: 1)])
        }
        return found.count == most
    }
}

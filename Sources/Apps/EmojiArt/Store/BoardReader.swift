import Digests
import EmojiArtModel
import Foundation
import Persistence

/// Reads boards within a transaction.
struct BoardReader {
    let connection: any SQLConnection
    let cache: ArtCache

    /// The row of a board, even if it is deleted; `nil` if the owner has no board with this id.
    func row(_ id: BoardID, owner: OwnerID) throws -> BoardRow? {
        let row = try connection.row(
            """
            SELECT \(BoardRow.columns), snapshot.revision, snapshot.logged
            FROM art_board AS board LEFT JOIN art_snapshot AS snapshot ON snapshot.board = board.number
            WHERE board.owner = ? AND board.id = ?
            """, [owner, id.rawValue])
        guard let row, var board = try BoardRow(row, owner: owner) else { return nil }
        if let revision: Int = try row.decode(atIndex: 12) {
            board.snapshot = (revision, try row.decode(atIndex: 13))
        }
        return board
    }

    /// The row of a board; `nil` if there is none or the board is deleted.
    func activeRow(_ id: BoardID, owner: OwnerID) throws -> BoardRow? {
        guard let row = try row(id, owner: owner), row.deleted == nil else { return nil }
        return row
    }

    /// The owner's rows that match a condition, which may be followed by further clauses.
    func rows(_ condition: StaticString, of owner: OwnerID, _ arguments: SQLArguments) throws -> [BoardRow] {
        try connection.rows(
            "SELECT \(BoardRow.columns) FROM art_board AS board WHERE \(condition)", [owner] + arguments
        ).compactMap { try BoardRow($0, owner: owner) }
    }

    func count(of owner: OwnerID) throws -> Int {
        try connection.value(
            "SELECT count(*) FROM art_board WHERE owner = ? AND deleted IS NULL", [owner], as: Int.self) ?? 0
    }

    func board(_ row: BoardRow) throws -> Board {
        let copy = cache.copy(of: row.number, in: connection.instanceID)
        let art = try art(of: row, from: copy)
        if copy?.revision != row.revision {
            cache.insert(
                ArtCache.CachedBoard(revision: row.revision, art: art, instanceID: connection.instanceID),
                of: row.number)
        }
        return Board(summary: row.summary, art: art)
    }

    func changes(of row: BoardRow, since revision: Int) throws -> BoardChanges {
        try row.checkCounters()
        guard (0...row.revision).contains(revision) else { return .whole(try board(row)) }
        guard revision < row.revision else { return .entries([]) }
        // A damaged log isn't needed if the whole board can be read.
        guard let entries = try? entries(of: row, after: revision), entries.last?.revision == row.revision else {
            return .whole(try board(row))
        }
        return .entries(entries)
    }

    /// The contents of a board: the cached ones or the snapshot, with the later log entries applied.
    ///
    /// - Throws: ``BoardStoreError/failed(_:)`` if the stored data is damaged, or an error of SQLite.
    func art(of row: BoardRow, from copy: ArtCache.CachedBoard?) throws -> EmojiArt {
        try row.checkFormat()
        try row.checkCounters()
        var art: EmojiArt
        var revision: Int
        if let copy, copy.revision <= row.revision, copy.revision >= row.snapshot?.revision ?? 0 {
            (art, revision) = (copy.art, copy.revision)
        } else {
            (art, revision) = try snapshot(of: row)
        }
        guard revision < row.revision else { return art }
        for entry in try entries(of: row, after: revision) {
            guard entry.revision == revision + 1, art.apply(entry.batch).refused.isEmpty else {
                throw row.damage(ArtWords.log(at: revision + 1))
            }
            revision = entry.revision
        }
        guard revision == row.revision else { throw row.damage(ArtWords.log(from: revision + 1)) }
        return art
    }

    private func snapshot(of row: BoardRow) throws -> (EmojiArt, Int) {
        let found = try connection.row(
            "SELECT revision, checksum, content FROM art_snapshot WHERE board = ?", [row.number])
        guard let found, let revision = Int(sqlValue: found.values[0]), revision <= row.revision,
            let checksum = Int64(sqlValue: found.values[1]), let content = Data(sqlValue: found.values[2]),
            Self.checksum(ofSnapshot: content, revision: revision, board: row.number) == checksum,
            let art = ArtSnapshot.art(from: content)
        else {
            throw row.damage(ArtWords.snapshot)
        }
        return (art, revision)
    }

    /// The log entries after a revision, up to the first gap.
    func entries(of row: BoardRow, after revision: Int) throws -> [LogEntry] {
        var entries: [LogEntry] = []
        let sql = """
            SELECT revision, batch, author, checksum, content FROM art_entry
            WHERE board = ? AND revision > ? ORDER BY revision
            """
        try connection.forEachRow(sql, [row.number, revision]) { found in
            guard let number = Int(sqlValue: found.values[0]), let id = String(sqlValue: found.values[1]),
                let author = String(sqlValue: found.values[2]), let checksum = Int64(sqlValue: found.values[3]),
                let content = Data(sqlValue: found.values[4]),
                Self.checksum(ofEntry: content, id: id, author: author, revision: number, board: row.number)
                    == checksum,
                let batch = LoggedBatch.read(content)
            else {
                throw row.damage(ArtWords.log(at: revision + entries.count + 1))
            }
            guard number == revision + entries.count + 1 else { return false }
            entries.append(
                LogEntry(
                    revision: number,
                    batch: OperationBatch(id: id, name: batch.name, operations: batch.operations), author: author))
            return true
        }
        return entries
    }

    static func checksum(ofSnapshot content: Data, revision: Int, board: Int64) -> Int64 {
        var hash = XXH64()
        hash.add(Int(board))
        hash.add(revision)
        hash.add(content)
        return Int64(bitPattern: hash.value)
    }

    static func checksum(
        ofEntry content: Data, id: String, author: String, revision: Int, board: Int64
    ) -> Int64 {
        var hash = XXH64()
        hash.add(Int(board))
        hash.add(revision)
        hash.add(id)
        hash.add(author)
        hash.add(content)
        return Int64(bitPattern: hash.value)
    }
}

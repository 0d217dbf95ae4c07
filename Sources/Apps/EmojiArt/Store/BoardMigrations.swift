import EmojiArtModel
import Foundation
import GRDB
public import Persistence

/// The migrations of EmojiArt's tables.
public enum BoardMigrations {
    /// The schema.
    ///
    /// Times are whole milliseconds since 1970. A board's number is never reused, so that a process's cache never
    /// confuses two boards. Addresses are BLOBs because a TEXT ends at its first NUL. Snapshots are stored apart from
    /// the board's row, which is written with each batch. A picture's size is NULL if an earlier version stored it. A
    /// job determines the missing sizes, because the server never parses a picture.
    public static let all = [
        AppDatabase.Migration(
            "art.3", replacing: ["art.1", "art.2", "art.budget-1"], converting: renewChecksums
        ) { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE art_owner (
                        owner TEXT NOT NULL PRIMARY KEY,
                        sequence INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE art_board (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        owner TEXT NOT NULL,
                        id TEXT NOT NULL,
                        name TEXT NOT NULL,
                        created INTEGER NOT NULL,
                        changed INTEGER NOT NULL,
                        deleted INTEGER,
                        format INTEGER NOT NULL,
                        revision INTEGER NOT NULL CHECK (revision >= 0),
                        emojis INTEGER NOT NULL,
                        address BLOB,
                        picture TEXT,
                        logged INTEGER NOT NULL DEFAULT 0,
                        position INTEGER NOT NULL,
                        sequence INTEGER NOT NULL,
                        UNIQUE (owner, id),
                        CHECK (address IS NULL OR picture IS NULL)
                    ) STRICT;
                    CREATE INDEX art_board_by_position ON art_board (owner, position) WHERE deleted IS NULL;
                    CREATE INDEX art_board_by_sequence ON art_board (owner, sequence);
                    CREATE INDEX art_board_deleted ON art_board (deleted) WHERE deleted IS NOT NULL;
                    CREATE TABLE art_snapshot (
                        board INTEGER PRIMARY KEY REFERENCES art_board (number) ON DELETE CASCADE,
                        revision INTEGER NOT NULL,
                        logged INTEGER NOT NULL,
                        checksum INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    CREATE TABLE art_entry (
                        board INTEGER NOT NULL REFERENCES art_board (number) ON DELETE CASCADE,
                        revision INTEGER NOT NULL,
                        logged INTEGER NOT NULL,
                        batch TEXT NOT NULL,
                        author TEXT NOT NULL,
                        checksum INTEGER NOT NULL,
                        content BLOB NOT NULL,
                        PRIMARY KEY (board, revision)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE art_answer (
                        board INTEGER NOT NULL REFERENCES art_board (number) ON DELETE CASCADE,
                        batch TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        revision INTEGER NOT NULL,
                        refused BLOB,
                        PRIMARY KEY (board, batch)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX art_answer_by_time ON art_answer (time);
                    CREATE TABLE art_picture (
                        board INTEGER NOT NULL REFERENCES art_board (number),
                        blob TEXT NOT NULL REFERENCES blob (id),
                        type TEXT NOT NULL,
                        needed INTEGER NOT NULL,
                        width INTEGER,
                        height INTEGER,
                        PRIMARY KEY (board, blob)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX art_picture_by_need ON art_picture (needed);
                    CREATE TABLE art_address (
                        board INTEGER NOT NULL,
                        address BLOB NOT NULL,
                        blob TEXT NOT NULL,
                        PRIMARY KEY (board, address),
                        FOREIGN KEY (board, blob) REFERENCES art_picture (board, blob) ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX art_address_by_picture ON art_address (board, blob);
                    """)
            try OwnerUsage.countRows(.boards, of: "art_board", in: connection)
            // Pictures are removed before their board, so the board's row still names the owner.
            try OwnerUsage.countBlobs(
                of: "art_picture", owner: "(SELECT owner FROM art_board WHERE number = ROW.board)", in: connection)
        }
    ]

    /// Replaces valid checksums of the former kind by current ones; damaged data keeps its mismatching checksum.
    private static func renewChecksums(in connection: Database) throws {
        for row in try Row.fetchAll(connection, sql: "SELECT board, revision, checksum, content FROM art_snapshot") {
            let (board, revision, content): (Int64, Int, Data) = (row[0], row[1], row[3])
            var former = FormerChecksum()
            former.add(Int(board))
            former.add(revision)
            former.add(content)
            guard former.value == row[2] else { continue }
            try connection.execute(
                sql: "UPDATE art_snapshot SET checksum = ? WHERE board = ?",
                arguments: [BoardReader.checksum(ofSnapshot: content, revision: revision, board: board), board])
        }
        let entries = try Row.fetchCursor(
            connection, sql: "SELECT board, revision, checksum, content, batch, author FROM art_entry")
        while let row = try entries.next() {
            let (board, revision, content): (Int64, Int, Data) = (row[0], row[1], row[3])
            let (batch, author): (String, String) = (row[4], row[5])
            var former = FormerChecksum()
            former.add(Int(board))
            former.add(revision)
            former.add(Data(batch.utf8))
            former.add(Data(author.utf8))
            former.add(content)
            guard former.value == row[2] else { continue }
            let checksum = BoardReader.checksum(
                ofEntry: content, id: batch, author: author, revision: revision, board: board)
            try connection.execute(
                sql: "UPDATE art_entry SET checksum = ? WHERE board = ? AND revision = ?",
                arguments: [checksum, board, revision])
        }
    }
}

/// The checksum of earlier versions: like FNV-1a, but over eight bytes at a time.
private struct FormerChecksum {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: Int64 { Int64(bitPattern: state) }

    mutating func add(_ number: Int) {
        state = (state ^ UInt64(bitPattern: Int64(number))) &* 0x0000_0100_0000_01b3
        state ^= state >> 32
    }

    mutating func add(_ data: Data) {
        add(data.count)
        let whole = data.count / 8 * 8
        data.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: whole, by: 8) {
                add(Int(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int.self)))
            }
            for byte in bytes[whole...] { add(Int(byte)) }
        }
    }
}

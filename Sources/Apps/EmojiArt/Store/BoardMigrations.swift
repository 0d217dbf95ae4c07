import GRDB
public import Persistence

/// EmojiArt's part of the database.
public enum BoardMigrations {
    /// Its forms, the oldest first.
    public static let all = [
        // Times are whole milliseconds since 1970. A board's number is never used again, so that what a process has in
        // memory is never another board's. Addresses are BLOBs because a TEXT ends at its first NUL. What is drawn is
        // apart from the board's row, which is written with each batch.
        Database.Migration("art.1") { connection in
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
        },
        // Sizes that a job has found before the picture was stored; NULL where an earlier version has stored it. The server
        // never parses a picture: a job finds what is missing.
        Database.Migration("art.2") { connection in
            try connection.execute(
                sql: """
                    ALTER TABLE art_picture ADD COLUMN width INTEGER;
                    ALTER TABLE art_picture ADD COLUMN height INTEGER;
                    """)
        },
        Database.Migration("art.budget-1") { connection in try BoardUsage.introduce(in: connection) },
    ]
}

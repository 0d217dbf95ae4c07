import GRDB
public import Persistence

/// The library's part of the database.
public enum LibraryMigrations {
    /// Its forms, the oldest first.
    public static let all = [
        Database.Migration("library.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE library_page (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL,
                        address TEXT NOT NULL,
                        formats TEXT NOT NULL,
                        requested_at REAL NOT NULL,
                        state TEXT NOT NULL CHECK (state IN ('fetching', 'found', 'failed')),
                        attempt INTEGER NOT NULL,
                        interruptions INTEGER NOT NULL DEFAULT 0,
                        failure_code TEXT,
                        failure_message TEXT,
                        failure_can_retry INTEGER,
                        title TEXT,
                        url TEXT,
                        http_status INTEGER,
                        captured_at REAL,
                        warnings TEXT,
                        deleted_at REAL,
                        CHECK ((state = 'failed') = (failure_message IS NOT NULL)),
                        CHECK (state != 'found' OR captured_at IS NOT NULL)
                    ) STRICT;
                    CREATE INDEX library_page_of_owner ON library_page (owner, requested_at);
                    CREATE INDEX library_page_unfinished ON library_page (owner) WHERE state = 'fetching';
                    CREATE INDEX library_page_deleted ON library_page (deleted_at) WHERE deleted_at IS NOT NULL;
                    CREATE TABLE library_file (
                        page TEXT NOT NULL REFERENCES library_page (id) ON DELETE CASCADE,
                        kind TEXT NOT NULL,
                        blob TEXT NOT NULL REFERENCES blob (id),
                        bytes INTEGER NOT NULL,
                        PRIMARY KEY (page, kind)
                    ) STRICT, WITHOUT ROWID;
                    """)
        },
        // Each row says whose it is, a file's too.
        Database.Migration("library.2") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE library_owned_file (
                        page TEXT NOT NULL REFERENCES library_page (id) ON DELETE CASCADE,
                        kind TEXT NOT NULL,
                        owner TEXT NOT NULL,
                        blob TEXT NOT NULL REFERENCES blob (id),
                        bytes INTEGER NOT NULL,
                        PRIMARY KEY (page, kind)
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO library_owned_file (page, kind, owner, blob, bytes)
                        SELECT page, kind, owner, blob, bytes FROM library_file
                        JOIN library_page ON library_page.id = page;
                    DROP TABLE library_file;
                    ALTER TABLE library_owned_file RENAME TO library_file;
                    CREATE INDEX library_file_of_owner ON library_file (owner);
                    """)
        },
    ]
}

import Foundation
import GRDB
import OfflineLibraryModel
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
        // Pages are values of a store. What makes no page is left where it was.
        Database.Migration("library.3") { connection in
            for owner in try String.fetchAll(connection, sql: "SELECT DISTINCT owner FROM library_page") {
                var contents: [StoreKey: StoredContent] = [:]
                let rows = try Row.fetchAll(
                    connection, sql: "SELECT * FROM library_page WHERE owner = ? ORDER BY requested_at, rowid",
                    arguments: [owner])
                for row in rows {
                    let number = contents.count + 1
                    guard let record = try PageRecord(row: row, number: number, in: connection),
                        let id = KeptPage.ID(record.id)
                    else {
                        continue
                    }
                    contents[try PageRecord.key(of: id)] = try PageRecord.format.content(of: record)
                    // Foreign keys take nothing along in a migration.
                    try connection.execute(sql: "DELETE FROM library_file WHERE page = ?", arguments: [record.id])
                    try connection.execute(sql: "DELETE FROM library_page WHERE id = ?", arguments: [record.id])
                }
                contents[PageRecord.countKey] = try PageRecord.count.content(of: contents.count)
                try SQLiteStore.add(contents, owner: owner, in: connection)
            }
            if try Int.fetchOne(connection, sql: "SELECT count(*) FROM library_page") == 0 {
                try connection.execute(sql: "DROP TABLE library_file; DROP TABLE library_page;")
            }
        },
        Database.Migration("library.budget-1") { connection in try LibraryUsage.introduce(in: connection) },
    ]
}

import Foundation
import GRDB
import OfflineLibraryModel
public import Persistence

/// The library's tables in the database.
public enum LibraryMigrations {
    /// The schema.
    public static let all = [
        AppDatabase.Migration(
            "library.4", replacing: ["library.1", "library.2", "library.3", "library.budget-1"],
            converting: { connection in
                try createTables(in: connection)
                try SQLiteStore.extract(valuesBeginningWith: "library/page/", in: connection, insert)
                try connection.execute(
                    sql: "DROP TABLE library_usage; DELETE FROM stored_value WHERE key = 'library/count'")
                try createCounters(in: connection)
            },
            migrate: { connection in
                try createTables(in: connection)
                try createCounters(in: connection)
            }),
        AppDatabase.Migration("library.5") { connection in
            try connection.execute(sql: "ALTER TABLE library_page ADD COLUMN is_complete INTEGER")
        },
        search,
        AppDatabase.Migration("library.7") { connection in
            try createMarks(in: connection)
            try addHosts(in: connection)
        },
        AppDatabase.Migration("library.8", migrate: createImports),
        AppDatabase.Migration("library.9") { connection in
            // The kind of file that was uploaded, from which the page's other files are made.
            try connection.execute(
                sql: """
                    ALTER TABLE library_page ADD COLUMN source TEXT;
                    CREATE TABLE library_upload_token (
                        owner TEXT PRIMARY KEY,
                        hash TEXT NOT NULL UNIQUE,
                        created_at REAL NOT NULL,
                        used_at REAL
                    ) STRICT, WITHOUT ROWID;
                    """)
        },
        AppDatabase.Migration("library.10", migrate: createVersions),
        AppDatabase.Migration("library.11") { connection in
            // A paragraph is the number of the first one on the screen, in views that have paragraphs.
            try connection.execute(
                sql: """
                    CREATE TABLE library_position (
                        page INTEGER NOT NULL REFERENCES library_page (number) ON DELETE CASCADE,
                        view TEXT NOT NULL,
                        share REAL NOT NULL,
                        paragraph INTEGER,
                        changed_at REAL NOT NULL,
                        PRIMARY KEY (page, view)
                    ) STRICT, WITHOUT ROWID;
                    """)
        },
        AppDatabase.Migration("library.13") { connection in
            // A note that must still be added to the entry's page is due; one that the page has was removed here.
            try connection.execute(
                sql: """
                    ALTER TABLE library_import_entry ADD COLUMN note TEXT NOT NULL DEFAULT '';
                    ALTER TABLE library_import_entry ADD COLUMN is_note_due INTEGER NOT NULL DEFAULT 0;
                    CREATE INDEX library_import_entry_noted ON library_import_entry (import, is_note_due, number)
                        WHERE note != '';
                    """)
        },
        AppDatabase.Migration("library.14") { connection in
            // An entry's tags are due together with its note.
            try connection.execute(
                sql: """
                    CREATE INDEX library_import_entry_due ON library_import_entry (import, number) WHERE is_note_due = 1;
                    """)
        },
    ]

    /// The texts, from the pages' archives, and their index: 50 KB for each page, so most of a large database.
    private static let search = {
        var migration = AppDatabase.Migration("library.6") { connection in
            try createSearch(in: connection)
            try addSearchedTexts(in: connection)
        }
        migration.derivedTables = ["library_text"]
        for part in ["data", "idx", "docsize", "config"] { migration.derivedTables.insert("library_search_\(part)") }
        return migration
    }()

    /// An entry's page is that which was added for it, or the one that was saved already.
    ///
    /// Tags and folders are JSON lists of texts.
    private static func createImports(in connection: Database) throws {
        try connection.execute(
            sql: """
                CREATE TABLE library_import (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    id TEXT NOT NULL UNIQUE,
                    owner TEXT NOT NULL,
                    name TEXT NOT NULL,
                    format TEXT NOT NULL,
                    formats TEXT NOT NULL,
                    created_at REAL NOT NULL
                ) STRICT;
                CREATE INDEX library_import_by_owner ON library_import (owner, number);
                CREATE TABLE library_import_entry (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    import INTEGER NOT NULL REFERENCES library_import (number) ON DELETE CASCADE,
                    place INTEGER NOT NULL,
                    address TEXT NOT NULL,
                    title TEXT NOT NULL,
                    added_at REAL,
                    tags TEXT NOT NULL,
                    folders TEXT NOT NULL,
                    state TEXT NOT NULL CHECK (state IN ('waiting', 'started', 'known', 'repeated', 'unusable')),
                    reason TEXT,
                    page INTEGER REFERENCES library_page (number) ON DELETE SET NULL,
                    CHECK ((state = 'unusable') = (reason IS NOT NULL))
                ) STRICT;
                CREATE INDEX library_import_entry_by_state ON library_import_entry (import, state, number);
                CREATE INDEX library_import_entry_by_page ON library_import_entry (page) WHERE page IS NOT NULL;
                """)
    }

    /// Versions of an address are its pages; a comparison, with its details as JSON, is that of any two of them.
    private static func createVersions(in connection: Database) throws {
        try connection.execute(
            sql: """
                ALTER TABLE library_page ADD COLUMN version_key TEXT;
                ALTER TABLE library_page ADD COLUMN opened_at REAL;
                CREATE INDEX library_page_by_version ON library_page (owner, version_key, captured_at);
                CREATE TABLE library_comparison (
                    old INTEGER NOT NULL REFERENCES library_page (number) ON DELETE CASCADE,
                    new INTEGER NOT NULL REFERENCES library_page (number) ON DELETE CASCADE,
                    is_unchanged INTEGER NOT NULL,
                    details TEXT NOT NULL,
                    PRIMARY KEY (new, old)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX library_comparison_by_old ON library_comparison (old);
                CREATE TABLE library_check (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    page INTEGER NOT NULL REFERENCES library_page (number) ON DELETE CASCADE,
                    checked_at REAL NOT NULL
                ) STRICT;
                CREATE INDEX library_check_by_page ON library_check (page, number);
                CREATE TABLE library_schedule (
                    owner TEXT NOT NULL,
                    key TEXT NOT NULL,
                    address TEXT NOT NULL,
                    formats TEXT NOT NULL,
                    interval TEXT NOT NULL,
                    started_at REAL NOT NULL,
                    zone TEXT NOT NULL,
                    next_at REAL NOT NULL,
                    running TEXT,
                    ended_at REAL,
                    failure TEXT,
                    PRIMARY KEY (owner, key)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX library_schedule_by_time ON library_schedule (next_at);
                UPDATE library_page SET opened_at = captured_at;
                """)
        let rows = try Row.fetchAll(connection, sql: "SELECT number, address FROM library_page")
        for row in rows {
            let key = URL(string: row["address"])?.pageKey ?? row["address"]
            try connection.execute(
                sql: "UPDATE library_page SET version_key = ? WHERE number = ?",
                arguments: [key, row["number"] as Int64])
        }
    }

    /// The index has no copy of the texts, and follows each change of `library_text` in the same transaction.
    ///
    /// The prefixes make the search for the first letters of a word, and for single Chinese, Japanese and Korean
    /// characters, as fast as that for whole words. A text that isn't known yet is null.
    private static func createSearch(in connection: Database) throws {
        try connection.execute(
            sql: """
                CREATE TABLE library_text (
                    page INTEGER PRIMARY KEY REFERENCES library_page (number) ON DELETE CASCADE,
                    title TEXT NOT NULL,
                    address TEXT NOT NULL,
                    body TEXT,
                    note TEXT NOT NULL DEFAULT ''
                ) STRICT;
                CREATE INDEX library_text_unread ON library_text (page) WHERE body IS NULL;
                CREATE VIRTUAL TABLE library_search USING fts5 (
                    title, address, body, note, content = library_text, content_rowid = page,
                    tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');
                CREATE TRIGGER library_text_added AFTER INSERT ON library_text BEGIN
                    INSERT INTO library_search (rowid, title, address, body, note)
                    VALUES (NEW.page, NEW.title, NEW.address, NEW.body, NEW.note);
                END;
                CREATE TRIGGER library_text_removed AFTER DELETE ON library_text BEGIN
                    INSERT INTO library_search (library_search, rowid, title, address, body, note)
                    VALUES ('delete', OLD.page, OLD.title, OLD.address, OLD.body, OLD.note);
                END;
                CREATE TRIGGER library_text_changed AFTER UPDATE ON library_text BEGIN
                    INSERT INTO library_search (library_search, rowid, title, address, body, note)
                    VALUES ('delete', OLD.page, OLD.title, OLD.address, OLD.body, OLD.note);
                    INSERT INTO library_search (rowid, title, address, body, note)
                    VALUES (NEW.page, NEW.title, NEW.address, NEW.body, NEW.note);
                END;
                """)
    }

    /// Makes the titles and addresses of existing pages searchable; the server reads their texts later.
    private static func addSearchedTexts(in connection: Database) throws {
        let rows = try Row.fetchCursor(connection, sql: "SELECT number, title, address, url FROM library_page")
        while let row = try rows.next() {
            let addresses = [row["address"], row["url"]].compactMap { (text: String?) in text.flatMap(URL.init(string:))
            }
            let texts = SearchedTexts(title: row["title"] ?? "", addresses: addresses, body: nil)
            try texts.store(of: row["number"], in: SQLiteConnection(connection))
        }
    }

    /// The key of a tag is what its names have in common, such as `cafe` for “Café”.
    private static func createMarks(in connection: Database) throws {
        try connection.execute(
            sql: """
                ALTER TABLE library_page ADD COLUMN is_favourite INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE library_page ADD COLUMN note TEXT NOT NULL DEFAULT '';
                ALTER TABLE library_page ADD COLUMN host TEXT;
                CREATE INDEX library_page_favourite ON library_page (owner, requested_at, number) WHERE is_favourite = 1;
                CREATE INDEX library_page_noted ON library_page (owner, requested_at, number) WHERE note != '';
                CREATE INDEX library_page_by_host ON library_page (owner, host, requested_at, number);
                CREATE TABLE library_tag (
                    page INTEGER NOT NULL REFERENCES library_page (number) ON DELETE CASCADE,
                    key TEXT NOT NULL,
                    name TEXT NOT NULL,
                    position INTEGER NOT NULL,
                    PRIMARY KEY (page, key)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX library_tag_by_key ON library_tag (key, page);
                """)
    }

    private static func addHosts(in connection: Database) throws {
        let rows = try Row.fetchAll(connection, sql: "SELECT number, coalesce(url, address) AS url FROM library_page")
        for row in rows {
            let host = (row["url"] as String?).flatMap(URL.init(string:)).flatMap { PageSite(of: $0)?.host }
            try connection.execute(
                sql: "UPDATE library_page SET host = ? WHERE number = ?", arguments: [host, row["number"] as Int64])
        }
    }

    /// Times are seconds since 2001, as in `Date`, so that they are read exactly as written.
    ///
    /// Of two pages requested at the same time, the one with the greater number is newer. A file's blob isn't a foreign key: a
    /// deleted page keeps its rows of files until it is purged, and EmojiArt may sweep their blobs earlier.
    private static func createTables(in connection: Database) throws {
        try connection.execute(
            sql: """
                CREATE TABLE library_page (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    id TEXT NOT NULL UNIQUE,
                    owner TEXT NOT NULL,
                    address TEXT NOT NULL,
                    formats TEXT NOT NULL,
                    requested_at REAL NOT NULL,
                    attempt INTEGER NOT NULL,
                    state TEXT NOT NULL CHECK (state IN ('fetching', 'found', 'failed')),
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
                    CHECK (state != 'found' OR captured_at IS NOT NULL),
                    CHECK ((captured_at IS NULL) = (url IS NULL))
                ) STRICT;
                CREATE INDEX library_page_by_time ON library_page (owner, requested_at, number);
                CREATE INDEX library_page_waiting ON library_page (owner)
                    WHERE state = 'fetching' AND deleted_at IS NULL;
                CREATE INDEX library_page_deleted ON library_page (owner, deleted_at) WHERE deleted_at IS NOT NULL;
                CREATE TABLE library_file (
                    page INTEGER NOT NULL REFERENCES library_page (number),
                    kind TEXT NOT NULL,
                    blob TEXT NOT NULL,
                    bytes INTEGER NOT NULL,
                    PRIMARY KEY (page, kind)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    private static func createCounters(in connection: Database) throws {
        try OwnerUsage.countRows(.pages, of: "library_page", in: connection)
        try OwnerUsage.countRows(
            .waitingCaptures, of: "library_page", where: "ROW.state = 'fetching' AND ROW.deleted_at IS NULL",
            in: connection)
        try OwnerUsage.countBlobs(
            of: "library_file", owner: "(SELECT owner FROM library_page WHERE number = ROW.page)", in: connection)
    }

    /// Converts a page stored as JSON into rows.
    ///
    /// - Returns: Whether the value was a page; any other value stays where it was.
    /// - Throws: An SQLite error.
    private static func insert(_ value: Data, of owner: OwnerID, in connection: Database) throws -> Bool {
        let json = String(decoding: value, as: UTF8.self)
        do {
            try connection.inSavepoint {
                try connection.execute(
                    sql: """
                        INSERT INTO library_page (
                            id, owner, address, formats, requested_at, attempt, state, failure_code, failure_message,
                            failure_can_retry, title, url, http_status, captured_at, warnings, deleted_at)
                        SELECT json ->> 'id', owner, json ->> 'address', json -> 'formats', json ->> 'requestedAt',
                            json ->> 'attempt', json ->> 'state', json ->> '$.failure.code',
                            json ->> '$.failure.message', json ->> '$.failure.canRetry', json ->> '$.content.title',
                            json ->> '$.content.url', json ->> '$.content.httpStatus',
                            json ->> '$.content.capturedAt', json -> '$.content.warnings', json ->> 'deletedAt'
                        FROM (SELECT ?1 AS json, ?2 AS owner)
                        """, arguments: [json, owner])
                try connection.execute(
                    sql: """
                        INSERT INTO library_file (page, kind, blob, bytes)
                        SELECT ?2, key, value ->> 'blob', value ->> 'bytes' FROM json_each(?1, '$.files')
                        """, arguments: [json, connection.lastInsertedRowID])
                return .commit
            }
            return true
        } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) {
            return false
        }
    }
}

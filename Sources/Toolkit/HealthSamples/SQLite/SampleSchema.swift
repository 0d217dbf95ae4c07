import GRDB
public import Persistence

extension SQLiteSampleStore {
    /// The schema of the store's tables, to pass to `AppDatabase.open(in:migrations:)`.
    ///
    /// Each owner has a store with its own sequence of changes. One table has all saved and deleted samples, ordered by type and
    /// sequence number, which is the order in which pages of changes are read. Repeated texts, such as
    /// units and time zones, are stored once and referred to by number. Sample identifiers are unique for each owner. A
    /// deleted sample keeps a row without values.
    public static let migrations = [
        // Drops the table of observers from `samples.1`.
        AppDatabase.Migration(
            "samples.2", replacing: ["samples.1"],
            converting: { try $0.execute(sql: "DROP TABLE health_observer") },
            migrate: { connection in
                try connection.execute(
                    sql: """
                        CREATE TABLE health_store (
                            number INTEGER PRIMARY KEY AUTOINCREMENT,
                            owner TEXT NOT NULL UNIQUE,
                            identity BLOB NOT NULL,
                            sequence INTEGER NOT NULL,
                            purged INTEGER NOT NULL
                        ) STRICT;
                        CREATE TABLE health_epoch (
                            store INTEGER NOT NULL REFERENCES health_store,
                            first INTEGER NOT NULL,
                            name BLOB NOT NULL,
                            PRIMARY KEY (store, first)
                        ) STRICT, WITHOUT ROWID;
                        CREATE TABLE health_text (
                            number INTEGER PRIMARY KEY AUTOINCREMENT,
                            text TEXT NOT NULL UNIQUE
                        ) STRICT;
                        CREATE TABLE health_source (
                            number INTEGER PRIMARY KEY AUTOINCREMENT,
                            store INTEGER NOT NULL REFERENCES health_store,
                            identifier TEXT NOT NULL,
                            name TEXT NOT NULL,
                            UNIQUE (store, identifier)
                        ) STRICT;
                        CREATE TABLE health_series (
                            number INTEGER PRIMARY KEY AUTOINCREMENT,
                            store INTEGER NOT NULL REFERENCES health_store,
                            type TEXT NOT NULL,
                            dimension TEXT NOT NULL,
                            longest REAL NOT NULL,
                            UNIQUE (store, type)
                        ) STRICT;
                        CREATE TABLE health_grant (
                            source INTEGER NOT NULL REFERENCES health_source,
                            series INTEGER NOT NULL REFERENCES health_series,
                            share TEXT,
                            read TEXT,
                            read_since INTEGER NOT NULL,
                            PRIMARY KEY (source, series)
                        ) STRICT, WITHOUT ROWID;
                        CREATE TABLE health_change (
                            series INTEGER NOT NULL,
                            sequence INTEGER NOT NULL,
                            store INTEGER NOT NULL,
                            source INTEGER NOT NULL,
                            id BLOB NOT NULL,
                            start REAL,
                            "end" REAL,
                            value REAL,
                            unit INTEGER,
                            zone INTEGER,
                            metadata BLOB,
                            sync_identifier TEXT,
                            sync_version INTEGER,
                            deleted REAL,
                            PRIMARY KEY (series, sequence)
                        ) STRICT, WITHOUT ROWID;
                        CREATE UNIQUE INDEX health_change_of_id ON health_change (store, id) WHERE deleted IS NULL;
                        CREATE INDEX health_change_of_sync ON health_change (source, sync_identifier)
                            WHERE sync_identifier IS NOT NULL;
                        CREATE INDEX health_change_of_start ON health_change (series, start) WHERE deleted IS NULL;
                        CREATE INDEX health_change_of_deletion ON health_change (store, deleted) WHERE deleted IS NOT NULL;
                        """)
            })
    ]
}

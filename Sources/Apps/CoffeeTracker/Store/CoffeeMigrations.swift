import CoffeeTrackerModel
import GRDB
public import Persistence

/// Coffee Tracker's tables in the database.
public enum CoffeeMigrations {
    /// The schema.
    ///
    /// Times are whole milliseconds since 1970, so that they are read exactly as written. A row with a `sample_key` is
    /// another program's drink.
    public static let all = [
        // Creates the same tables as the two migrations that it replaces. In a database that has these tables already,
        // it deletes the copy of the revision among the stored values.
        AppDatabase.Migration(
            "coffee.2", replacing: ["coffee.1", "coffee.budget-1"],
            converting: { try $0.execute(sql: "DELETE FROM stored_value WHERE key = 'coffee/revision'") },
            migrate: { connection in
                try connection.execute(
                    sql: """
                        CREATE TABLE coffee_drink (
                            owner TEXT NOT NULL,
                            id TEXT NOT NULL,
                            name TEXT NOT NULL,
                            emoji TEXT NOT NULL,
                            milligrams REAL NOT NULL,
                            millilitres REAL,
                            start INTEGER NOT NULL,
                            sipping INTEGER NOT NULL,
                            time_zone TEXT NOT NULL,
                            version INTEGER NOT NULL,
                            told INTEGER NOT NULL,
                            is_deleted INTEGER NOT NULL DEFAULT 0,
                            sample_key TEXT,
                            sample_id TEXT,
                            sample_identifier TEXT,
                            source TEXT,
                            source_name TEXT,
                            PRIMARY KEY (owner, id),
                            CHECK ((sample_key IS NULL) = (sample_id IS NULL)),
                            CHECK ((sample_key IS NULL) = (source IS NULL))
                        ) STRICT, WITHOUT ROWID;
                        CREATE INDEX coffee_drink_by_start ON coffee_drink (owner, start) WHERE NOT is_deleted;
                        CREATE INDEX coffee_drink_untold ON coffee_drink (owner, start) WHERE told < version;
                        CREATE UNIQUE INDEX coffee_drink_of_sample ON coffee_drink (owner, sample_key)
                            WHERE sample_key IS NOT NULL;
                        CREATE INDEX coffee_drink_others_deleted ON coffee_drink (owner)
                            WHERE is_deleted AND sample_key IS NOT NULL;
                        CREATE TABLE coffee_state (
                            owner TEXT NOT NULL PRIMARY KEY,
                            revision INTEGER NOT NULL,
                            anchor TEXT
                        ) STRICT;
                        """)
                try OwnerUsage.countRows(.drinks, of: "coffee_drink", key: "id", in: connection)
            })
    ]
}

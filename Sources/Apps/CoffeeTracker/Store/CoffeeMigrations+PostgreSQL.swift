import CoffeeTrackerModel
package import Persistence

extension CoffeeMigrations {
    /// The same tables in PostgreSQL, after those of the counters.
    package static let postgreSQL = [
        SQLMigration(
            "coffee.1",
            """
            CREATE TABLE coffee_drink (
                owner TEXT COLLATE "C" NOT NULL,
                id TEXT COLLATE "C" NOT NULL,
                name TEXT COLLATE "C" NOT NULL,
                emoji TEXT COLLATE "C" NOT NULL,
                milligrams DOUBLE PRECISION NOT NULL,
                millilitres DOUBLE PRECISION,
                start BIGINT NOT NULL,
                sipping BIGINT NOT NULL,
                time_zone TEXT COLLATE "C" NOT NULL,
                version BIGINT NOT NULL,
                told BIGINT NOT NULL,
                is_deleted BOOLEAN NOT NULL DEFAULT FALSE,
                sample_key TEXT COLLATE "C",
                sample_id TEXT COLLATE "C",
                sample_identifier TEXT COLLATE "C",
                source TEXT COLLATE "C",
                source_name TEXT COLLATE "C",
                PRIMARY KEY (owner, id),
                CHECK ((sample_key IS NULL) = (sample_id IS NULL)),
                CHECK ((sample_key IS NULL) = (source IS NULL))
            );
            CREATE INDEX coffee_drink_by_start ON coffee_drink (owner, start) WHERE NOT is_deleted;
            CREATE INDEX coffee_drink_untold ON coffee_drink (owner, start) WHERE told < version;
            CREATE UNIQUE INDEX coffee_drink_of_sample ON coffee_drink (owner, sample_key)
                WHERE sample_key IS NOT NULL;
            CREATE INDEX coffee_drink_others_deleted ON coffee_drink (owner)
                WHERE is_deleted AND sample_key IS NOT NULL;
            CREATE TABLE coffee_state (
                owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
                revision BIGINT NOT NULL,
                anchor TEXT COLLATE "C"
            );
            \(OwnerUsage.postgreSQLCountingRows(.drinks, of: "coffee_drink"))
            """)
    ]
}

// The tables in PostgreSQL, with the same triggers as in SQLite.
//
// Each statement of a trigger sees what other transactions have committed before it. The triggers lock the row of a
// blob before they look at its pieces or its owners, so that these don't change meanwhile.

extension BlobStore {
    /// The tables of blobs, of their pieces, and of what each owner uses.
    package static let postgreSQLMigrations = [
        SQLMigration(
            "persistence.2",
            """
            CREATE TABLE blob (
                id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(id) = 64),
                bytes BIGINT NOT NULL CHECK (bytes >= 0),
                "references" BIGINT NOT NULL CHECK ("references" >= 0),
                released_at DOUBLE PRECISION,
                CHECK (("references" = 0) = (released_at IS NOT NULL))
            );
            CREATE INDEX blob_released ON blob (released_at) WHERE "references" = 0;
            CREATE TABLE blob_piece (
                blob TEXT COLLATE "C" NOT NULL,
                position BIGINT NOT NULL,
                piece TEXT COLLATE "C" NOT NULL CHECK (piece != blob),
                start BIGINT NOT NULL CHECK (start >= 0),
                bytes BIGINT NOT NULL CHECK (bytes > 0),
                PRIMARY KEY (blob, position)
            );
            CREATE TABLE owner_usage (
                owner TEXT COLLATE "C" NOT NULL,
                item TEXT COLLATE "C" NOT NULL,
                amount BIGINT NOT NULL,
                PRIMARY KEY (owner, item)
            );
            CREATE TABLE owner_blob (
                owner TEXT COLLATE "C" NOT NULL,
                blob TEXT COLLATE "C" NOT NULL,
                uses BIGINT NOT NULL,
                bytes BIGINT NOT NULL,
                PRIMARY KEY (owner, blob)
            );
            CREATE INDEX owner_blob_in_pieces ON owner_blob (blob) WHERE bytes = 0;
            \(OwnerUsage.postgreSQLCountingBytes)
            \(pieceTriggers)
            """),
        SQLMigration(
            "persistence.4",
            "CREATE TABLE blob_claim (id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL)"),
    ]

    private static var pieceTriggers: String {
        let users = "SELECT owner FROM owner_blob WHERE blob = ROW.blob AND bytes = 0"
        let pieces = "SELECT piece FROM blob_piece WHERE blob = ROW.blob"
        let count = "(SELECT count(*) FROM blob_piece WHERE blob = ROW.blob AND piece = owner_blob.blob)"
        let named = OwnerUsage.named
        return OwnerUsage.postgreSQLTrigger(
            "blob_piece_is_used", "AFTER INSERT", on: "blob_piece",
            """
            INSERT INTO owner_blob (owner, blob, uses, bytes)
                SELECT part.owner, id, 0, bytes FROM (\(named(users, "NEW"))) AS part CROSS JOIN blob
                WHERE id = NEW.piece
                ON CONFLICT DO NOTHING;
            UPDATE owner_blob SET uses = uses + 1
                WHERE blob = NEW.piece AND owner IN (\(named(users, "NEW")));
            """)
            + OwnerUsage.postgreSQLTrigger(
                "blob_piece_was_used", "AFTER DELETE", on: "blob_piece",
                """
                UPDATE owner_blob SET uses = uses - 1
                    WHERE blob = OLD.piece AND owner IN (\(named(users, "OLD")));
                DELETE FROM owner_blob
                    WHERE blob = OLD.piece AND owner IN (\(named(users, "OLD"))) AND uses <= 0;
                """)
            + OwnerUsage.postgreSQLTrigger(
                "owner_blob_in_pieces_is_used", "AFTER INSERT", on: "owner_blob", when: "NEW.bytes = 0",
                """
                INSERT INTO owner_blob (owner, blob, uses, bytes)
                    SELECT NEW.owner, id, 0, bytes FROM blob WHERE id IN (\(named(pieces, "NEW")))
                    ON CONFLICT DO NOTHING;
                UPDATE owner_blob SET uses = uses + \(named(count, "NEW"))
                    WHERE owner = NEW.owner AND blob IN (\(named(pieces, "NEW")));
                """)
            + OwnerUsage.postgreSQLTrigger(
                "owner_blob_in_pieces_was_used", "AFTER DELETE", on: "owner_blob", when: "OLD.bytes = 0",
                """
                UPDATE owner_blob SET uses = uses - \(named(count, "OLD"))
                    WHERE owner = OLD.owner AND blob IN (\(named(pieces, "OLD")));
                DELETE FROM owner_blob
                    WHERE owner = OLD.owner AND blob IN (\(named(pieces, "OLD"))) AND uses <= 0;
                """)
    }
}

// MARK: - For migrations

extension OwnerUsage {
    /// The SQL that counts a table's rows in PostgreSQL, as ``countRows(_:of:where:key:in:)`` does in SQLite.
    ///
    /// No key is needed: a row that `ON CONFLICT` updates isn't inserted.
    package static func postgreSQLCountingRows(
        _ item: OwnerBudget.Item, of table: String, where condition: String? = nil
    ) -> String {
        func amount(_ row: String) -> String {
            condition.map { "(CASE WHEN \(named($0, row)) THEN 1 ELSE 0 END)" } ?? "1"
        }
        let triggers =
            postgreSQLCount(item.name, adding: amount("NEW"), for: "NEW.owner", "AFTER INSERT", on: table)
            + postgreSQLCount(item.name, adding: "-\(amount("OLD"))", for: "OLD.owner", "AFTER DELETE", on: table)
        let updates =
            condition == nil
            ? ""
            : postgreSQLCount(
                item.name, adding: "\(amount("NEW")) - \(amount("OLD"))", for: "NEW.owner", "AFTER UPDATE", on: table)
        return triggers + updates + """
            DELETE FROM owner_usage WHERE item = '\(item.name)';
            INSERT INTO owner_usage (owner, item, amount)
                SELECT owner, '\(item.name)', sum(\(amount(table))) FROM \(table) GROUP BY owner;

            """
    }

    /// The SQL that records which blobs an owner uses in PostgreSQL, as ``countBlobs(of:owner:in:)`` does in SQLite.
    package static func postgreSQLCountingBlobs(of table: String, owner: String) -> String {
        let (new, old) = (named(owner, "NEW"), named(owner, "OLD"))
        return postgreSQLTrigger(
            "\(table)_is_used", "AFTER INSERT", on: table,
            """
            PERFORM 1 FROM blob WHERE id = NEW.blob FOR NO KEY UPDATE;
            INSERT INTO owner_blob (owner, blob, uses, bytes) SELECT \(new), id, 0, bytes FROM blob WHERE id = NEW.blob
                ON CONFLICT DO NOTHING;
            UPDATE owner_blob SET uses = uses + 1 WHERE owner = \(new) AND blob = NEW.blob;
            """)
            + postgreSQLTrigger(
                "\(table)_was_used", "AFTER DELETE", on: table,
                """
                PERFORM 1 FROM blob WHERE id = OLD.blob FOR NO KEY UPDATE;
                UPDATE owner_blob SET uses = uses - 1 WHERE owner = \(old) AND blob = OLD.blob;
                DELETE FROM owner_blob WHERE owner = \(old) AND blob = OLD.blob AND uses <= 0;
                """)
    }

    /// Counts the size of an owner's files.
    fileprivate static var postgreSQLCountingBytes: String {
        postgreSQLCount(bytesItem, adding: "NEW.bytes", for: "NEW.owner", "AFTER INSERT", on: "owner_blob")
            + postgreSQLCount(bytesItem, adding: "-OLD.bytes", for: "OLD.owner", "AFTER DELETE", on: "owner_blob")
            + postgreSQLCount(
                bytesItem, adding: "NEW.bytes - OLD.bytes", for: "NEW.owner", "AFTER UPDATE OF bytes",
                on: "owner_blob")
    }

    /// A trigger that updates a counter, which transactions of different parts of the database may do at the same time.
    private static func postgreSQLCount(
        _ item: String, adding amount: String, for owner: String, _ event: String, on table: String
    ) -> String {
        let name = "count_\(table)_\(item)_\(event)".lowercased().map { $0.isLetter || $0 == "_" ? $0 : "_" }
        return postgreSQLTrigger(
            String(name), event, on: table,
            """
            INSERT INTO owner_usage (owner, item, amount) VALUES (\(owner), '\(item)', \(amount))
                ON CONFLICT (owner, item) DO UPDATE SET amount = owner_usage.amount + excluded.amount;
            """)
    }

    /// A trigger for each row, with the function of the same name that runs its statements.
    fileprivate static func postgreSQLTrigger(
        _ name: String, _ event: String, on table: String, when condition: String? = nil, _ statements: String
    ) -> String {
        """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
        \(statements)
        RETURN NULL;
        END
        $$;
        CREATE TRIGGER \(name) \(event) ON \(table) FOR EACH ROW \(condition.map { "WHEN (\($0))" } ?? "")
            EXECUTE FUNCTION \(name)();

        """
    }
}

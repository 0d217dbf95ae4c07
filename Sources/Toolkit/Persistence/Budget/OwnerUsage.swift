public import GRDB

/// What each owner uses of an ``OwnerBudget``: counters that are maintained in the transactions that change what they count.
///
/// Reading one is a look-up by a primary key, however much the owner has.
public enum OwnerUsage {
    /// The item of all bytes of an owner's files.
    static let bytesItem = "bytes"

    static let migrations = [
        Database.Migration("persistence.budget-1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE owner_usage (
                        owner TEXT NOT NULL,
                        item TEXT NOT NULL,
                        amount INTEGER NOT NULL,
                        PRIMARY KEY (owner, item)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE owner_blob (
                        owner TEXT NOT NULL,
                        blob TEXT NOT NULL,
                        uses INTEGER NOT NULL,
                        bytes INTEGER NOT NULL,
                        PRIMARY KEY (owner, blob)
                    ) STRICT, WITHOUT ROWID;
                    """)
            try count("bytes", adding: "NEW.bytes", for: "NEW.owner", after: "INSERT", on: "owner_blob", in: connection)
            try count(
                "bytes", adding: "-OLD.bytes", for: "OLD.owner", after: "DELETE", on: "owner_blob", in: connection)
        }
    ]
}

extension OwnerUsage {
    /// How much of an item an owner uses.
    public static func amount(
        of item: OwnerBudget.Item, owner: String, in connection: GRDB.Database
    ) throws -> Int {
        Int(try amount(item.name, owner, connection))
    }

    /// How many bytes an owner's files take, each counted once.
    public static func bytes(of owner: String, in connection: GRDB.Database) throws -> Int64 {
        try amount(bytesItem, owner, connection)
    }

    /// Refuses files that would exceed the owner's bytes with an ``OverBudget``; those that the owner has already take nothing.
    public static func admit(
        _ staged: [StagedBlob], owner: String, budget: OwnerBudget, in transaction: GRDB.Database
    ) throws {
        var added: [BlobStore.ID: Int64] = [:]
        for blob in staged where try uses(of: blob.id, owner, transaction) == nil { added[blob.id] = Int64(blob.bytes) }
        let sum = added.values.reduce(0, +)
        if let refusal = budget.refusal(adding: sum, to: try bytes(of: owner, in: transaction)) { throw refusal }
    }

    /// Notes that an owner uses a blob once more.
    public static func use(
        _ blob: BlobStore.ID, bytes: Int, owner: String, in transaction: GRDB.Database
    ) throws {
        try transaction.cachedStatement(
            sql: """
                INSERT INTO owner_blob (owner, blob, uses, bytes) VALUES (?, ?, 1, ?)
                ON CONFLICT (owner, blob) DO UPDATE SET uses = uses + 1
                """
        ).execute(arguments: [owner, blob, bytes])
    }

    /// Notes that an owner uses a blob once less.
    public static func endUse(of blob: BlobStore.ID, owner: String, in transaction: GRDB.Database) throws {
        try transaction.cachedStatement(sql: "UPDATE owner_blob SET uses = uses - 1 WHERE owner = ? AND blob = ?")
            .execute(arguments: [owner, blob])
        try transaction.cachedStatement(sql: "DELETE FROM owner_blob WHERE owner = ? AND blob = ? AND uses <= 0")
            .execute(arguments: [owner, blob])
    }

    private static func uses(
        of blob: BlobStore.ID, _ owner: String, _ connection: GRDB.Database
    ) throws -> Int? {
        try Int.fetchOne(
            connection.cachedStatement(sql: "SELECT uses FROM owner_blob WHERE owner = ? AND blob = ?"),
            arguments: [owner, blob])
    }

    private static func amount(_ item: String, _ owner: String, _ connection: GRDB.Database) throws -> Int64 {
        try Int64.fetchOne(
            connection.cachedStatement(sql: "SELECT amount FROM owner_usage WHERE owner = ? AND item = ?"),
            arguments: [owner, item]) ?? 0
    }
}

// MARK: - For migrations

extension OwnerUsage {
    /// Adds a trigger that maintains a counter.
    ///
    /// No `ON CONFLICT` in it: that of the statement which fires a trigger, such as `INSERT OR REPLACE`, would override
    /// it. `amount`, `owner` and `condition` are expressions of `NEW` and `OLD`. A trigger before the event sees the
    /// row that an `INSERT OR REPLACE` replaces.
    public static func count(
        _ item: String, adding amount: String, for owner: String, after event: String, on table: String,
        when condition: String? = nil, isBefore: Bool = false, in connection: GRDB.Database
    ) throws {
        let words = "\(table)_\(item)_\(event)".map { $0.isLetter || $0 == "_" ? $0 : "_" }
        try connection.execute(
            sql: """
                CREATE TRIGGER count_\(String(words)) \(isBefore ? "BEFORE" : "AFTER") \(event) ON \(table)
                \(condition.map { "WHEN \($0)" } ?? "")
                BEGIN
                    INSERT INTO owner_usage (owner, item, amount) SELECT \(owner), '\(item)', 0
                        WHERE NOT EXISTS (SELECT 1 FROM owner_usage WHERE owner = \(owner) AND item = '\(item)');
                    UPDATE owner_usage SET amount = amount + (\(amount)) WHERE owner = \(owner) AND item = '\(item)';
                END
                """)
    }

    /// Counts the rows of a table, by its column `owner`, when a counter is introduced.
    public static func countRows(_ item: String, of table: String, in connection: GRDB.Database) throws {
        try connection.execute(
            sql: "INSERT INTO owner_usage (owner, item, amount) SELECT owner, ?, count(*) FROM \(table) GROUP BY owner",
            arguments: [item])
    }
}

// MARK: - For pages and reports

extension Database {
    /// What an owner uses of the budget's items, in their order, and the bytes of the owner's files.
    public func usage(
        of items: [OwnerBudget.Item], owner: String
    ) async throws(PersistenceError) -> (amounts: [Int], bytes: Int64) {
        try await read { connection in
            (
                try items.map { try OwnerUsage.amount(of: $0, owner: owner, in: connection) },
                try OwnerUsage.bytes(of: owner, in: connection)
            )
        }
    }
}

extension BlobStore {
    /// The budget of each owner of the data folder.
    public var budget: OwnerBudget { database.folder.budget }

    /// The refusal of a write that would leave too little free disk space; `nil` if there is room.
    public func refusal(adding bytes: Int) -> OverBudget? { database.folder.refusal(adding: bytes) }
}

extension DataFolder {
    /// The refusal of a write that would leave too little free disk space; `nil` if there is room.
    public func refusal(adding bytes: Int) -> OverBudget? { budget.freeDisk.refusal(at: path, adding: bytes) }
}

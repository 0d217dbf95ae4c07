public import GRDB

/// Counts what each owner uses of an ``OwnerBudget``.
///
/// Triggers update the counters in the transactions that change the counted rows. Reading a counter is a
/// look-up by primary key, independent of the amount of data.
public enum OwnerUsage {
    /// The counter of the total size of an owner's files.
    static let bytesItem = "bytes"

    static let migrations = [
        AppDatabase.Migration("persistence.budget-1") { connection in
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
            try count(
                bytesItem, adding: "NEW.bytes", for: "NEW.owner", "AFTER INSERT", on: "owner_blob", in: connection)
            try count(
                bytesItem, adding: "-OLD.bytes", for: "OLD.owner", "AFTER DELETE", on: "owner_blob", in: connection)
        }
    ]
}

extension OwnerUsage {
    /// The amount of an item that an owner uses.
    public static func amount(
        of item: OwnerBudget.Item, owner: OwnerID, in connection: Database
    ) throws -> Int {
        try amount(of: item, owner: owner, in: SQLiteConnection(connection))
    }

    /// The amount of an item that an owner uses.
    package static func amount(
        of item: OwnerBudget.Item, owner: OwnerID, in connection: any SQLConnection
    ) throws -> Int {
        Int(try amount(item.name, owner, connection))
    }

    /// The total size of an owner's files in bytes, each counted once.
    public static func bytes(of owner: OwnerID, in connection: Database) throws -> Int64 {
        try bytes(of: owner, in: SQLiteConnection(connection))
    }

    /// The total size of an owner's files in bytes, each counted once.
    package static func bytes(of owner: OwnerID, in connection: any SQLConnection) throws -> Int64 {
        try amount(bytesItem, owner, connection)
    }

    /// Throws an ``OverBudget`` if staged files would exceed the owner's size limit.
    ///
    /// Files that the owner already has are not counted again.
    public static func admit(
        _ staged: [StagedBlob], owner: OwnerID, budget: OwnerBudget, in transaction: Database
    ) throws {
        try admit(staged, owner: owner, budget: budget, in: SQLiteConnection(transaction))
    }

    /// Throws an ``OverBudget`` if staged files would exceed the owner's size limit, as ``admit(_:owner:budget:in:)`` of
    /// SQLite does.
    package static func admit(
        _ staged: [StagedBlob], owner: OwnerID, budget: OwnerBudget, in transaction: any SQLConnection
    ) throws {
        var added: [BlobStore.ID: Int64] = [:]
        for blob in staged {
            // A blob that the owner has in one file isn't stored in pieces. One in pieces may be stored in one file now.
            if try hasFile(of: blob.id, owner, transaction) { continue }
            for file in blob.files where try !hasFile(of: file.id, owner, transaction) {
                added[file.id] = Int64(file.bytes)
            }
        }
        let sum = added.values.reduce(0, +)
        if let refusal = budget.refusal(adding: sum, to: try bytes(of: owner, in: transaction)) { throw refusal }
    }

    /// Whether an owner has a blob in one file; one in pieces has no bytes of its own.
    private static func hasFile(
        of blob: BlobStore.ID, _ owner: OwnerID, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.row("SELECT 1 FROM owner_blob WHERE owner = ? AND blob = ? AND bytes > 0", [owner, blob]) != nil
    }

    private static func amount(_ item: String, _ owner: OwnerID, _ connection: any SQLConnection) throws -> Int64 {
        try connection.value("SELECT amount FROM owner_usage WHERE owner = ? AND item = ?", [owner, item]) ?? 0
    }
}

// MARK: - For migrations

extension OwnerUsage {
    /// Counts a table's rows for the owner in their column `owner`: the existing rows, and all changes from now on.
    ///
    /// - Parameters:
    ///   - item: The item that the rows count as.
    ///   - table: The table.
    ///   - condition: An SQL expression that selects the rows to count, with columns as `ROW.name`; `nil` for all.
    ///   - key: The column that identifies an owner's row, if rows are written with `INSERT OR REPLACE`.
    ///   - connection: The migration's connection.
    /// - Throws: An error of SQLite.
    public static func countRows(
        _ item: OwnerBudget.Item, of table: String, where condition: String? = nil, key: String? = nil,
        in connection: Database
    ) throws {
        func amount(_ row: String) -> String { condition.map { "(\(named($0, row)))" } ?? "1" }
        // A replaced row fires no delete trigger, so it is looked up before the insertion.
        let isNew = key.map { "WHEN NOT EXISTS (SELECT 1 FROM \(table) WHERE owner = NEW.owner AND \($0) = NEW.\($0))" }
        try count(
            item.name, adding: amount("NEW"), for: "NEW.owner", "\(key == nil ? "AFTER" : "BEFORE") INSERT",
            on: table,
            when: isNew, in: connection)
        try count(item.name, adding: "-\(amount("OLD"))", for: "OLD.owner", "AFTER DELETE", on: table, in: connection)
        if condition != nil {
            try count(
                item.name, adding: "\(amount("NEW")) - \(amount("OLD"))", for: "NEW.owner", "AFTER UPDATE", on: table,
                in: connection)
        }
        try connection.execute(sql: "DELETE FROM owner_usage WHERE item = ?", arguments: [item.name])
        try connection.execute(
            sql: """
                INSERT INTO owner_usage (owner, item, amount)
                SELECT owner, ?, sum(\(amount(table))) FROM \(table) GROUP BY owner
                """, arguments: [item.name])
    }

    /// Records from now on which blobs an owner uses: those in the column `blob` of a table's rows.
    ///
    /// A blob must be added before a row refers to it.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - owner: An SQL expression for the owner of a row, with the row's columns as `ROW.name`.
    ///   - connection: The migration's connection.
    /// - Throws: An error of SQLite.
    public static func countBlobs(of table: String, owner: String, in connection: Database) throws {
        let (new, old) = (named(owner, "NEW"), named(owner, "OLD"))
        try connection.execute(
            sql: """
                CREATE TRIGGER \(table)_is_used AFTER INSERT ON \(table)
                BEGIN
                    INSERT INTO owner_blob (owner, blob, uses, bytes) SELECT \(new), id, 0, bytes FROM blob
                        WHERE id = NEW.blob
                            AND NOT EXISTS (SELECT 1 FROM owner_blob WHERE owner = \(new) AND blob = NEW.blob);
                    UPDATE owner_blob SET uses = uses + 1 WHERE owner = \(new) AND blob = NEW.blob;
                END;
                CREATE TRIGGER \(table)_was_used AFTER DELETE ON \(table)
                BEGIN
                    UPDATE owner_blob SET uses = uses - 1 WHERE owner = \(old) AND blob = OLD.blob;
                    DELETE FROM owner_blob WHERE owner = \(old) AND blob = OLD.blob AND uses <= 0;
                END;
                """)
    }

    /// Counts from now on when the size of an owner's blob changes, because it is no longer stored in pieces.
    static func countChangedBytes(in connection: Database) throws {
        try count(
            bytesItem, adding: "NEW.bytes - OLD.bytes", for: "NEW.owner", "AFTER UPDATE OF bytes", on: "owner_blob",
            in: connection)
    }

    /// Replaces the `ROW` of `ROW.name` in an expression by the name of a row, such as `NEW`.
    static func named(_ expression: String, _ row: String) -> String {
        expression.replacing("ROW.", with: "\(row).")
    }

    /// Adds a trigger that updates a counter.
    ///
    /// The trigger must not use `ON CONFLICT`: the conflict clause of the statement that fires it, such as
    /// `INSERT OR REPLACE`, would override that.
    private static func count(
        _ item: String, adding amount: String, for owner: String, _ event: String, on table: String,
        when condition: String? = nil, in connection: Database
    ) throws {
        let name = "count_\(table)_\(item)_\(event)".map { $0.isLetter || $0 == "_" ? $0 : "_" }
        try connection.execute(
            sql: """
                CREATE TRIGGER \(String(name)) \(event) ON \(table) \(condition ?? "")
                BEGIN
                    INSERT INTO owner_usage (owner, item, amount) SELECT \(owner), '\(item)', 0
                        WHERE NOT EXISTS (SELECT 1 FROM owner_usage WHERE owner = \(owner) AND item = '\(item)');
                    UPDATE owner_usage SET amount = amount + (\(amount)) WHERE owner = \(owner) AND item = '\(item)';
                END
                """)
    }
}

// MARK: - For pages and reports

extension AppDatabase {
    /// An owner's amounts of the given items, in their order, and the total size of the owner's files in bytes.
    public func usage(
        of items: [OwnerBudget.Item], owner: OwnerID
    ) async throws(StoreError) -> (amounts: [Int], bytes: Int64) {
        let database: any SQLDatabase = self
        return try await database.usage(of: items, owner: owner)
    }
}

extension SQLDatabase {
    /// An owner's amounts of the given items, in their order, and the total size of the owner's files in bytes.
    package func usage(
        of items: [OwnerBudget.Item], owner: OwnerID
    ) async throws(StoreError) -> (amounts: [Int], bytes: Int64) {
        try await readRows { connection in
            (
                try items.map { try OwnerUsage.amount(of: $0, owner: owner, in: connection) },
                try OwnerUsage.bytes(of: owner, in: connection)
            )
        }
    }
}

extension BlobStore {
    /// The budget of each owner of the data folder.
    public var budget: OwnerBudget { folder.budget }

    /// The refusal of a write that would leave too little free disk space; `nil` if there is room.
    public func refusal(adding bytes: Int) -> OverBudget? { folder.refusal(adding: bytes) }
}

extension DataFolder {
    /// The refusal of a write that would leave too little free disk space; `nil` if there is room.
    public func refusal(adding bytes: Int) -> OverBudget? { budget.freeDisk.refusal(at: path, adding: bytes) }
}

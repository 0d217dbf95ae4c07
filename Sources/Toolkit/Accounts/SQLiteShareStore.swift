public import Foundation
import GRDB
public import Persistence

/// Stores shares in a database that also has accounts.
public struct SQLiteShareStore: ShareStore {
    private let database: any SQLDatabase

    /// Creates a store.
    ///
    /// - Parameter database: The database, opened with the migrations of ``SQLiteAccountStore`` and then with
    ///   ``migrations``.
    public init(database: AppDatabase) {
        self.init(in: database)
    }

    /// Creates a store in a database of any kind.
    package init(in database: any SQLDatabase) {
        self.database = database
    }

    /// The schema.
    ///
    /// Times are seconds since 1970. A removed account shares nothing, and nothing is shared with it.
    public static let migrations = [
        AppDatabase.Migration("shares.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE share (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL,
                        kind TEXT NOT NULL,
                        item TEXT NOT NULL,
                        token_hash TEXT UNIQUE,
                        person TEXT REFERENCES account ON DELETE CASCADE,
                        allows_editing INTEGER NOT NULL,
                        created_at REAL NOT NULL,
                        expires_at REAL,
                        used_at REAL,
                        CHECK ((token_hash IS NULL) <> (person IS NULL))
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX share_by_owner ON share (owner, kind, item);
                    CREATE UNIQUE INDEX share_by_person ON share (person, owner, kind, item) WHERE person IS NOT NULL;
                    CREATE TRIGGER share_of_removed_account AFTER DELETE ON account BEGIN
                        DELETE FROM share WHERE owner = old.owner;
                    END;
                    """)
        }
    ]

    private func run<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(ShareError) -> Value {
        do {
            return try await body()
        } catch {
            throw error.cause as? ShareError ?? .storage(error.message)
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(ShareError) -> Value {
        try await run { () async throws(StoreError) in try await database.readRows(body) }
    }

    /// Writes, and notifies this and other processes.
    @discardableResult
    private func write<Value: Sendable>(
        isReported: Bool = true, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(ShareError) -> Value {
        let value = try await run { () async throws(StoreError) in
            try await database.writeRows(locking: [SQLLock(part: "shares"), SQLLock(part: "accounts").shared], body)
        }
        if isReported { database.changeSignal(of: "shares").send() }
        return value
    }
}

// MARK: - Adding

extension SQLiteShareStore {
    /// Adds a link, of whose token only the hash is stored.
    public func add(_ share: Share, tokenHash: String) async throws(ShareError) {
        try await write { try Self.insert(share, person: nil, tokenHash: tokenHash, in: $0) }
    }

    /// Shares with the person who has a name; a share of the same thing with the same person is changed.
    public func add(_ share: Share, withPersonNamed name: String) async throws(ShareError) {
        guard let name = AccountName(name) else { throw .noSuchPerson }
        try await write { transaction in
            guard
                let person = try transaction.value(
                    "SELECT owner FROM account WHERE name = ?", [name.description], as: OwnerID.self)
            else { throw ShareError.noSuchPerson }
            guard person != share.owner else { throw ShareError.ownAccount }
            let changed = try transaction.execute(
                """
                UPDATE share SET allows_editing = ?, expires_at = ?
                WHERE person = ? AND owner = ? AND kind = ? AND item = ?
                """,
                [
                    share.allowsEditing, share.expiresAt?.timeIntervalSince1970, person, share.owner, share.item.kind,
                    share.item.id,
                ])
            guard changed == 0 else { return }
            try Self.insert(share, person: person, tokenHash: nil, in: transaction)
        }
    }

    private static func insert(
        _ share: Share, person: OwnerID?, tokenHash: String?, in transaction: any SQLConnection
    ) throws {
        // Removing an account removes its shares, so none may be added afterwards. A site without accounts shares, too.
        let isRemoved = try transaction.value(
            "SELECT EXISTS (SELECT 1 FROM account) AND NOT EXISTS (SELECT 1 FROM account WHERE owner = ?)",
            [share.owner], as: Bool.self)
        guard isRemoved != true else { throw ShareError.storage("The account was removed.") }
        try transaction.execute("DELETE FROM share WHERE expires_at <= ?", [share.createdAt.timeIntervalSince1970])
        let count = try transaction.value("SELECT count(*) FROM share WHERE owner = ?", [share.owner], as: Int.self)
        guard count ?? 0 < SharePolicy.maximumCount else { throw ShareError.tooMany }
        try transaction.execute(
            """
            INSERT INTO share (id, owner, kind, item, token_hash, person, allows_editing, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                share.id, share.owner, share.item.kind, share.item.id, tokenHash, person, share.allowsEditing,
                share.createdAt.timeIntervalSince1970, share.expiresAt?.timeIntervalSince1970,
            ])
    }
}

// MARK: - Reading

extension SQLiteShareStore {
    private static let isValid = "(expires_at IS NULL OR expires_at > ?)"

    private static func share(_ row: SQLRow) throws -> Share {
        func date(_ column: String) throws -> Date? {
            (try row.decode(Double?.self, forColumn: column)).map { Date(timeIntervalSince1970: $0) }
        }
        return Share(
            id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
            item: SharedItem(kind: try row.decode(forColumn: "kind"), id: try row.decode(forColumn: "item")),
            person: try row.decode(forColumn: "person"), allowsEditing: try row.decode(forColumn: "allows_editing"),
            createdAt: Date(timeIntervalSince1970: try row.decode(forColumn: "created_at")),
            expiresAt: try date("expires_at"), usedAt: try date("used_at"))
    }

    /// The share of a link; `nil` if there is none, or it has ended.
    public func share(tokenHash: String, at time: Date) async throws(ShareError) -> Share? {
        try await read { connection in
            try connection.row(
                "SELECT * FROM share WHERE token_hash = ? AND \(Self.isValid)", [tokenHash, time.timeIntervalSince1970]
            )
            .map { try Self.share($0) }
        }
    }

    /// A share with a person; `nil` if there is none, or it has ended.
    public func share(_ id: Share.ID, with person: OwnerID, at time: Date) async throws(ShareError) -> Share? {
        try await read { connection in
            try connection.row(
                "SELECT * FROM share WHERE id = ? AND person = ? AND \(Self.isValid)",
                [id, person, time.timeIntervalSince1970]
            )
            .map { try Self.share($0) }
        }
    }

    /// Records that a share was used.
    public func use(_ id: Share.ID, at time: Date) async throws(ShareError) {
        try await write(isReported: false) { transaction in
            try transaction.execute("UPDATE share SET used_at = ? WHERE id = ?", [time.timeIntervalSince1970, id])
        }
    }

    /// Whether a share hasn't ended.
    public func isValid(_ id: Share.ID, at time: Date) async throws(ShareError) -> Bool {
        try await read { connection in
            try connection.value(
                "SELECT EXISTS (SELECT 1 FROM share WHERE id = ? AND \(Self.isValid))",
                [id, time.timeIntervalSince1970], as: Bool.self) ?? false
        }
    }

    /// An owner's shares that haven't ended, the newest first.
    public func shares(of owner: OwnerID, at time: Date) async throws(ShareError) -> [NamedShare] {
        try await shares("share.owner", is: owner, at: time)
    }

    /// What others share with a person, the newest first.
    public func shares(with person: OwnerID, at time: Date) async throws(ShareError) -> [NamedShare] {
        try await shares("share.person", is: person, at: time)
    }

    private func shares(
        _ column: String, is owner: OwnerID, at time: Date
    ) async throws(ShareError) -> [NamedShare] {
        try await read { connection in
            try connection.rows(
                """
                SELECT share.*, giver.name AS owner_name, taker.name AS person_name FROM share
                LEFT JOIN account AS giver ON giver.owner = share.owner
                LEFT JOIN account AS taker ON taker.owner = share.person
                WHERE \(column) = ? AND \(Self.isValid) ORDER BY share.created_at DESC, share.id
                """, [owner, time.timeIntervalSince1970]
            ).map { row in
                NamedShare(
                    share: try Self.share(row), ownerName: try row.decode(forColumn: "owner_name"),
                    personName: try row.decode(forColumn: "person_name"))
            }
        }
    }
}

// MARK: - Ending

extension SQLiteShareStore {
    /// Ends a share of an owner.
    public func revoke(_ id: Share.ID, of owner: OwnerID) async throws(ShareError) {
        try await write { transaction in
            try transaction.execute("DELETE FROM share WHERE id = ? AND owner = ?", [id, owner])
        }
    }

    /// Ends a share with a person, who doesn't want it anymore.
    public func leave(_ id: Share.ID, as person: OwnerID) async throws(ShareError) {
        try await write { transaction in
            try transaction.execute("DELETE FROM share WHERE id = ? AND person = ?", [id, person])
        }
    }

    /// Yields after changes by this or another process, and at an interval, because shares also expire.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (_, watch) = database.changeSignal(of: "shares").watch { continuation.yield() }
        continuation.onTermination = { _ in watch.stop() }
        return stream
    }
}

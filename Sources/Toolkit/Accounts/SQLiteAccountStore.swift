public import Foundation
import GRDB
public import Persistence

/// Stores accounts in a database.
public struct SQLiteAccountStore: Sendable {
    let database: any SQLDatabase

    /// Creates a store.
    ///
    /// - Parameter database: The database, opened with ``migrations``.
    public init(database: AppDatabase) {
        self.init(in: database)
    }

    /// Creates a store in a database of any kind.
    package init(in database: any SQLDatabase) {
        self.database = database
    }

    /// The schema.
    ///
    /// Times are seconds since 1970.
    public static let migrations = [
        AppDatabase.Migration("accounts.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE account (
                        owner TEXT NOT NULL PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        password TEXT NOT NULL,
                        is_administrator INTEGER NOT NULL,
                        created_at REAL NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE account_session (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
                        token_hash TEXT NOT NULL UNIQUE,
                        device TEXT NOT NULL,
                        created_at REAL NOT NULL,
                        used_at REAL NOT NULL,
                        expires_at REAL NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX account_session_by_owner ON account_session (owner, used_at);
                    CREATE TABLE account_invitation (
                        token_hash TEXT NOT NULL PRIMARY KEY,
                        expires_at REAL NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE account_attempt (
                        name TEXT NOT NULL PRIMARY KEY,
                        failures INTEGER NOT NULL,
                        last_at REAL NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX account_attempt_by_time ON account_attempt (last_at);
                    """)
        },
        tokenMigration, identityMigration,
    ]

    private func run<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(AccountError) -> Value {
        do {
            return try await body()
        } catch {
            throw error.cause as? AccountError ?? .storage(error.message)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(AccountError) -> Value {
        try await run { () async throws(StoreError) in try await database.readRows(body) }
    }

    /// Writes, and notifies this and other processes.
    @discardableResult
    func write<Value: Sendable>(
        isReported: Bool = true, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(AccountError) -> Value {
        let value = try await run { () async throws(StoreError) in
            try await database.writeRows(locking: [SQLLock(part: "accounts")], body)
        }
        if isReported { database.changeSignal(of: "accounts").send() }
        return value
    }
}

// MARK: - Accounts

extension SQLiteAccountStore {
    /// Whether there are no accounts.
    public func isEmpty() async throws(AccountError) -> Bool {
        try await read { try Self.hasAccounts($0) == false }
    }

    static func hasAccounts(_ connection: any SQLConnection) throws -> Bool {
        try connection.value("SELECT EXISTS (SELECT 1 FROM account)", as: Bool.self) ?? false
    }

    static func insert(_ account: Account, _ hash: String, in transaction: any SQLConnection) throws {
        let isTaken = try transaction.value(
            "SELECT EXISTS (SELECT 1 FROM account WHERE name = ?)", [account.name.description], as: Bool.self)
        if isTaken == true { throw AccountError.nameTaken }
        try transaction.execute(
            "INSERT INTO account (owner, name, password, is_administrator, created_at) VALUES (?, ?, ?, ?, ?)",
            [
                account.owner, account.name.description, hash, account.isAdministrator,
                account.createdAt.timeIntervalSince1970,
            ])
    }

    static func account(_ row: SQLRow) throws -> Account? {
        guard let name = AccountName(try row.decode(String.self, forColumn: "name")) else { return nil }
        return Account(
            owner: try row.decode(forColumn: "owner"), name: name,
            isAdministrator: try row.decode(forColumn: "is_administrator"),
            createdAt: Date(timeIntervalSince1970: try row.decode(forColumn: "account_created_at")))
    }

    static let accountColumns =
        "account.owner, account.name, account.is_administrator, account.created_at AS account_created_at"
}

extension SQLiteAccountStore: AccountStore {
    /// All accounts, by name.
    public func accounts() async throws(AccountError) -> [Account] {
        try await read { connection in
            try connection.rows("SELECT \(Self.accountColumns) FROM account ORDER BY name")
                .compactMap { try Self.account($0) }
        }
    }

    /// The account with a name; `nil` if there is none.
    public func account(named name: AccountName) async throws(AccountError) -> Account? {
        try await read { connection in
            try connection.row("SELECT \(Self.accountColumns) FROM account WHERE name = ?", [name.description]).flatMap
            { try Self.account($0) }
        }
    }

    /// The hash of an account's password; `nil` if there is no such account.
    public func passwordHash(of owner: OwnerID) async throws(AccountError) -> String? {
        try await read { connection in
            try connection.value("SELECT password FROM account WHERE owner = ?", [owner], as: String.self)
        }
    }

    /// Adds an account; throws ``AccountError/nameTaken`` if another one has its name.
    public func add(_ account: Account, passwordHash: String) async throws(AccountError) {
        try await write { try Self.insert(account, passwordHash, in: $0) }
    }

    /// Replaces the hash of an account's password, and ends its sessions except one.
    public func setPasswordHash(
        _ hash: String, of owner: OwnerID, keeping session: Session.ID?
    ) async throws(AccountError) {
        try await write { transaction in
            let changed = try transaction.execute("UPDATE account SET password = ? WHERE owner = ?", [hash, owner])
            guard changed > 0 else { throw AccountError.notFound }
            try Self.endSessions(of: owner, except: session, in: transaction)
        }
    }

    /// Replaces the hash of the same password; sessions continue.
    public func renewPasswordHash(
        _ hash: String, of owner: OwnerID, replacing old: String
    ) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            try transaction.execute(
                "UPDATE account SET password = ? WHERE owner = ? AND password = ?", [hash, owner, old])
        }
    }

    /// Removes an account with its sessions and tokens; its data remains.
    public func remove(_ owner: OwnerID) async throws(AccountError) {
        try await write { transaction in
            let changed = try transaction.execute("DELETE FROM account WHERE owner = ?", [owner])
            guard changed > 0 else { throw AccountError.notFound }
            try Self.removeTokens(of: owner, in: transaction)
        }
    }
}

// MARK: - Sessions

extension SQLiteAccountStore {
    /// Adds a session, if the account's password still has this hash.
    public func add(
        _ session: Session, tokenHash: String, ifPasswordHashIs hash: String
    ) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            // The password may have been changed, or the account removed, while it was checked.
            let isCurrent = try transaction.value(
                "SELECT EXISTS (SELECT 1 FROM account WHERE owner = ? AND password = ?)", [session.owner, hash],
                as: Bool.self)
            guard isCurrent == true else { throw AccountError.wrongPassword }
            try Self.insert(session, tokenHash, in: transaction)
        }
    }

    /// Adds a session in place of those that have expired, and of the oldest if there are too many.
    static func insert(_ session: Session, _ tokenHash: String, in transaction: any SQLConnection) throws {
        try transaction.execute(
            "DELETE FROM account_session WHERE expires_at <= ?", [session.createdAt.timeIntervalSince1970])
        try transaction.execute(
            """
            DELETE FROM account_session WHERE id IN (
                SELECT id FROM account_session WHERE owner = ? ORDER BY used_at DESC LIMIT \(Int64.max) OFFSET ?
            )
            """, [session.owner, SessionPolicy.maximumCount - 1])
        try transaction.execute(
            """
            INSERT INTO account_session (id, owner, token_hash, device, created_at, used_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                session.id, session.owner, tokenHash, session.device, session.createdAt.timeIntervalSince1970,
                session.usedAt.timeIntervalSince1970, session.expiresAt.timeIntervalSince1970,
            ])
    }

    /// The session with a token and its account, and whether there are accounts at all.
    public func session(
        tokenHash: String?, at time: Date
    ) async throws(AccountError) -> (session: Session?, account: Account?, hasAccounts: Bool) {
        try await read { connection in
            guard let tokenHash else { return (nil, nil, try Self.hasAccounts(connection)) }
            guard
                let row = try connection.row(
                    """
                    SELECT account_session.*, \(Self.accountColumns) FROM account_session JOIN account USING (owner)
                    WHERE token_hash = ? AND expires_at > ?
                    """, [tokenHash, time.timeIntervalSince1970]),
                let account = try Self.account(row)
            else { return (nil, nil, try Self.hasAccounts(connection)) }
            return (try Self.session(row), account, true)
        }
    }

    private static func session(_ row: SQLRow) throws -> Session {
        Session(
            id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
            device: try row.decode(forColumn: "device"),
            createdAt: Date(timeIntervalSince1970: try row.decode(forColumn: "created_at")),
            usedAt: Date(timeIntervalSince1970: try row.decode(forColumn: "used_at")),
            expiresAt: Date(timeIntervalSince1970: try row.decode(forColumn: "expires_at")))
    }

    /// Records that a session was used, which extends it.
    public func use(_ session: Session.ID, at time: Date) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            let seconds = time.timeIntervalSince1970
            try transaction.execute(
                "UPDATE account_session SET used_at = ?, expires_at = ? WHERE id = ? AND used_at < ?",
                [seconds, seconds + SessionPolicy.lifetime, session, seconds])
        }
    }

    /// The sessions of an account, the last used first.
    public func sessions(of owner: OwnerID, at time: Date) async throws(AccountError) -> [Session] {
        try await read { connection in
            try connection.rows(
                "SELECT * FROM account_session WHERE owner = ? AND expires_at > ? ORDER BY used_at DESC, id",
                [owner, time.timeIntervalSince1970]
            ).map { try Self.session($0) }
        }
    }

    /// Ends a session of an account.
    public func endSession(_ id: Session.ID, of owner: OwnerID) async throws(AccountError) {
        try await write { transaction in
            try transaction.execute("DELETE FROM account_session WHERE id = ? AND owner = ?", [id, owner])
        }
    }

    /// Ends all sessions of an account except one.
    public func endSessions(of owner: OwnerID, except id: Session.ID?) async throws(AccountError) {
        try await write { try Self.endSessions(of: owner, except: id, in: $0) }
    }

    private static func endSessions(of owner: OwnerID, except id: Session.ID?, in transaction: any SQLConnection) throws
    {
        try transaction.execute("DELETE FROM account_session WHERE owner = ? AND id IS DISTINCT FROM ?", [owner, id])
    }

    /// Whether a session has neither ended nor expired.
    public func isValid(_ id: Session.ID, at time: Date) async throws(AccountError) -> Bool {
        try await read { connection in
            try connection.value(
                "SELECT EXISTS (SELECT 1 FROM account_session WHERE id = ? AND expires_at > ?)",
                [id, time.timeIntervalSince1970], as: Bool.self) ?? false
        }
    }

    /// Yields after changes by this or another process, and at an interval, because sessions also expire.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (_, watch) = database.changeSignal(of: "accounts").watch { continuation.yield() }
        continuation.onTermination = { _ in watch.stop() }
        return stream
    }
}

// MARK: - Invitations

extension SQLiteAccountStore {
    /// Adds an invitation.
    public func addInvitation(tokenHash: String, at time: Date) async throws(AccountError) {
        try await write { transaction in
            let seconds = time.timeIntervalSince1970
            try transaction.execute("DELETE FROM account_invitation WHERE expires_at <= ?", [seconds])
            try transaction.execute(
                "INSERT INTO account_invitation (token_hash, expires_at) VALUES (?, ?)",
                [tokenHash, seconds + SessionPolicy.invitationLifetime])
        }
    }

    /// Whether an invitation is valid.
    public func isInvitation(tokenHash: String, at time: Date) async throws(AccountError) -> Bool {
        try await read { connection in
            try connection.value(
                "SELECT EXISTS (SELECT 1 FROM account_invitation WHERE token_hash = ? AND expires_at > ?)",
                [tokenHash, time.timeIntervalSince1970], as: Bool.self) ?? false
        }
    }

    /// Adds an account by an invitation, which becomes invalid.
    public func accept(
        invitation tokenHash: String, _ account: Account, passwordHash: String, at time: Date
    ) async throws(AccountError) {
        try await write { transaction in
            let changed = try transaction.execute(
                "DELETE FROM account_invitation WHERE token_hash = ? AND expires_at > ?",
                [tokenHash, time.timeIntervalSince1970])
            guard changed > 0 else { throw AccountError.invalidInvitation }
            try Self.insert(account, passwordHash, in: transaction)
        }
    }
}

// MARK: - Attempts to sign in

extension SQLiteAccountStore {
    /// Counts an attempt as failed until it succeeds; throws ``AccountError/tooManyAttempts(_:)`` if it comes too early.
    public func beginAttempt(_ name: String, at time: Date) async throws(AccountError) {
        let seconds = time.timeIntervalSince1970
        try await write(isReported: false) { transaction in
            let row = try transaction.row("SELECT failures, last_at FROM account_attempt WHERE name = ?", [name])
            var failures = 0
            if let row {
                let last = try row.decode(Double.self, forColumn: "last_at")
                if seconds - last < SignInThrottle.memory { failures = try row.decode(forColumn: "failures") }
                // A clock that was set back must not lock an account for longer.
                let wait = SignInThrottle.wait(after: failures) - max(0, seconds - last)
                if wait > 0 { throw AccountError.tooManyAttempts(wait) }
            }
            try transaction.execute(
                "INSERT INTO account_attempt (name, failures, last_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET failures = excluded.failures, last_at = excluded.last_at",
                [name, failures + 1, seconds])
            try transaction.execute("DELETE FROM account_attempt WHERE last_at <= ?", [seconds - SignInThrottle.memory])
            try transaction.execute(
                """
                DELETE FROM account_attempt WHERE name IN (
                    SELECT name FROM account_attempt WHERE name NOT IN (SELECT name FROM account)
                    ORDER BY last_at DESC LIMIT \(Int64.max) OFFSET ?
                )
                """, [SignInThrottle.maximumNames])
        }
    }

    /// Forgets the failures of a name after a successful attempt.
    public func endAttempts(_ name: String) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            try transaction.execute("DELETE FROM account_attempt WHERE name = ?", [name])
        }
    }
}

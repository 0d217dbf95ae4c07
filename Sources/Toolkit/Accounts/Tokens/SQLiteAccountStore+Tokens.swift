public import Foundation
import GRDB
public import Persistence

// Tokens, and the requests that scripts may repeat.

extension SQLiteAccountStore {
    /// The schema of tokens, whose owner may be one without an account.
    static let tokenMigration = AppDatabase.Migration("accounts.tokens-1") { connection in
        try connection.execute(
            sql: """
                CREATE TABLE account_token (
                    id TEXT NOT NULL PRIMARY KEY,
                    owner TEXT NOT NULL,
                    token_hash TEXT NOT NULL UNIQUE,
                    name TEXT NOT NULL,
                    scopes TEXT NOT NULL,
                    created_at REAL NOT NULL,
                    used_at REAL,
                    expires_at REAL NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX account_token_by_owner ON account_token (owner, created_at);
                CREATE TABLE account_request (
                    owner TEXT NOT NULL,
                    key TEXT NOT NULL,
                    fingerprint TEXT NOT NULL,
                    started_at REAL NOT NULL,
                    status INTEGER,
                    headers BLOB,
                    body BLOB,
                    PRIMARY KEY (owner, key)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX account_request_by_time ON account_request (started_at);
                """)
    }

    /// Removes what belongs to an owner whose account is removed.
    static func removeTokens(of owner: OwnerID, in transaction: any SQLConnection) throws {
        for table in ["account_token", "account_request"] {
            try transaction.execute("DELETE FROM \(table) WHERE owner = ?", [owner])
        }
    }
}

// MARK: - Tokens

extension SQLiteAccountStore: APITokenStore {
    /// Adds a token; throws ``AccountError/tooManyTokens`` if its owner has too many.
    public func add(_ token: APIToken, hash: String) async throws(AccountError) {
        try await write { transaction in
            try transaction.execute(
                "DELETE FROM account_token WHERE expires_at <= ?", [token.createdAt.timeIntervalSince1970])
            let count = try transaction.value(
                "SELECT count(*) FROM account_token WHERE owner = ?", [token.owner], as: Int.self)
            if let count, count >= APITokenPolicy.maximumCount { throw AccountError.tooManyTokens }
            try transaction.execute(
                """
                INSERT INTO account_token (id, owner, token_hash, name, scopes, created_at, used_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, NULL, ?)
                """,
                [
                    token.id, token.owner, hash, token.name,
                    token.scopes.map(\.description).joined(separator: " "), token.createdAt.timeIntervalSince1970,
                    token.expiresAt.timeIntervalSince1970,
                ])
        }
    }

    /// The token with a hash, and whether there are accounts at all.
    public func token(
        hash: String, at time: Date
    ) async throws(AccountError) -> (token: APIToken?, hasAccounts: Bool) {
        try await read { connection in
            let hasAccounts = try Self.hasAccounts(connection)
            guard
                let row = try connection.row(
                    """
                    SELECT account_token.*, account.owner IS NOT NULL AS has_account
                    FROM account_token LEFT JOIN account USING (owner) WHERE token_hash = ? AND expires_at > ?
                    """, [hash, time.timeIntervalSince1970])
            else {
                return (nil, hasAccounts)
            }
            let token = try Self.token(row)
            // A token of the time without accounts must not outlive it.
            let isValid =
                hasAccounts ? try row.decode(Bool.self, forColumn: "has_account") : token.owner == .local
            return (isValid ? token : nil, hasAccounts)
        }
    }

    private static func token(_ row: SQLRow) throws -> APIToken {
        let used: Double? = try row.decode(Double?.self, forColumn: "used_at")
        return APIToken(
            id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
            name: try row.decode(forColumn: "name"),
            scopes: try row.decode(String.self, forColumn: "scopes").split(separator: " ").compactMap {
                APIScope(String($0))
            },
            createdAt: Date(timeIntervalSince1970: try row.decode(forColumn: "created_at")),
            usedAt: used.map { Date(timeIntervalSince1970: $0) },
            expiresAt: Date(timeIntervalSince1970: try row.decode(forColumn: "expires_at")))
    }

    /// Records that a token was used.
    public func useToken(_ id: APIToken.ID, at time: Date) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            let seconds = time.timeIntervalSince1970
            try transaction.execute(
                "UPDATE account_token SET used_at = ? WHERE id = ? AND (used_at IS NULL OR used_at < ?)",
                [seconds, id, seconds])
        }
    }

    /// The tokens of an owner that haven't expired, the newest first.
    public func tokens(of owner: OwnerID, at time: Date) async throws(AccountError) -> [APIToken] {
        try await read { connection in
            try connection.rows(
                "SELECT * FROM account_token WHERE owner = ? AND expires_at > ? ORDER BY created_at DESC, id",
                [owner, time.timeIntervalSince1970]
            ).map { try Self.token($0) }
        }
    }

    /// Removes a token of an owner; returns whether there was one.
    public func removeToken(_ id: APIToken.ID, of owner: OwnerID) async throws(AccountError) -> Bool {
        try await write { transaction in
            let changed = try transaction.execute("DELETE FROM account_token WHERE id = ? AND owner = ?", [id, owner])
            return changed > 0
        }
    }
}

// MARK: - Requests

extension SQLiteAccountStore: APIRequestStore {
    /// Begins a request, unless its key is known.
    public func begin(
        _ key: APIRequestKey, fingerprint: String, at time: Date
    ) async throws(AccountError) -> APIRequestState {
        try await write(isReported: false) { transaction in
            let seconds = time.timeIntervalSince1970
            try transaction.execute(
                "DELETE FROM account_request WHERE started_at <= ?", [seconds - APIRequestKey.lifetime])
            let row = try transaction.row(
                "SELECT * FROM account_request WHERE owner = ? AND key = ?", [key.owner, key.text])
            if let row { return try Self.state(row, of: fingerprint) }
            let count = try transaction.value(
                "SELECT count(*) FROM account_request WHERE owner = ?", [key.owner], as: Int.self)
            if let count, count >= APIRequestKey.maximumCount { throw AccountError.tooManyKeys }
            try transaction.execute(
                "INSERT INTO account_request (owner, key, fingerprint, started_at) VALUES (?, ?, ?, ?)",
                [key.owner, key.text, fingerprint, seconds])
            return .new
        }
    }

    private static func state(_ row: SQLRow, of fingerprint: String) throws -> APIRequestState {
        guard try row.decode(String.self, forColumn: "fingerprint") == fingerprint else { return .different }
        guard let status = try row.decode(Int?.self, forColumn: "status") else { return .unfinished }
        let headers = try JSONDecoder().decode(
            [String: String].self, from: try row.decode(Data.self, forColumn: "headers"))
        return .finished(
            APIStoredResponse(status: status, headers: headers, body: try row.decode(Data.self, forColumn: "body")))
    }

    /// Stores the response to a request that has begun.
    public func finish(_ key: APIRequestKey, _ response: APIStoredResponse) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            try transaction.execute(
                "UPDATE account_request SET status = ?, headers = ?, body = ? WHERE owner = ? AND key = ?",
                [
                    response.status, try JSONEncoder().encode(response.headers), response.body, key.owner, key.text,
                ])
        }
    }

    /// Forgets a request that has changed nothing, so that it can be repeated.
    public func forget(_ key: APIRequestKey) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            try transaction.execute(
                "DELETE FROM account_request WHERE owner = ? AND key = ? AND status IS NULL", [key.owner, key.text])
        }
    }
}

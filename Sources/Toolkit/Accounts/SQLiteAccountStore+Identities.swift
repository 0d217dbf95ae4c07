import Foundation
import GRDB
public import Persistence

// The identities with which people sign in at a provider.

extension SQLiteAccountStore {
    static let identityMigration = AppDatabase.Migration("accounts.identities-1") { connection in
        try connection.execute(
            sql: """
                CREATE TABLE account_identity (
                    issuer TEXT NOT NULL,
                    subject TEXT NOT NULL,
                    owner TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
                    PRIMARY KEY (issuer, subject)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX account_identity_by_owner ON account_identity (owner);
                """)
    }

    private static func owner(of identity: ProviderIdentity, _ connection: any SQLConnection) throws -> OwnerID? {
        try connection.value(
            "SELECT owner FROM account_identity WHERE issuer = ? AND subject = ?", [identity.issuer, identity.subject],
            as: OwnerID.self)
    }

    private static func insert(_ identity: ProviderIdentity, _ owner: OwnerID, in transaction: any SQLConnection) throws
    {
        if let other = try Self.owner(of: identity, transaction) {
            guard other == owner else { throw AccountError.identityTaken }
            return
        }
        try transaction.execute(
            "INSERT INTO account_identity (issuer, subject, owner) VALUES (?, ?, ?)",
            [identity.issuer, identity.subject, owner])
    }

    /// The account of an identity; `nil` if there is none.
    public func account(of identity: ProviderIdentity) async throws(AccountError) -> Account? {
        try await read { connection in
            try connection.row(
                """
                SELECT \(Self.accountColumns) FROM account JOIN account_identity USING (owner)
                WHERE issuer = ? AND subject = ?
                """, [identity.issuer, identity.subject]
            ).flatMap { try Self.account($0) }
        }
    }

    /// The identities with which a person can sign in.
    public func identities(of owner: OwnerID) async throws(AccountError) -> [ProviderIdentity] {
        try await read { connection in
            try connection.rows(
                "SELECT issuer, subject FROM account_identity WHERE owner = ? ORDER BY issuer, subject", [owner]
            ).map {
                ProviderIdentity(
                    issuer: try $0.decode(forColumn: "issuer"), subject: try $0.decode(forColumn: "subject"))
            }
        }
    }

    /// Lets an identity sign in to an account; throws ``AccountError/identityTaken`` if it is that of another one.
    public func add(_ identity: ProviderIdentity, to owner: OwnerID) async throws(AccountError) {
        try await write { transaction in
            // The account may have been removed meanwhile.
            let exists = try transaction.value(
                "SELECT EXISTS (SELECT 1 FROM account WHERE owner = ?)", [owner], as: Bool.self)
            guard exists == true else { throw AccountError.notFound }
            try Self.insert(identity, owner, in: transaction)
        }
    }

    /// Adds an account without a password; throws ``AccountError/nameTaken`` if another one has its name.
    public func add(_ account: Account, of identity: ProviderIdentity) async throws(AccountError) {
        try await write { transaction in
            // No password has this hash.
            try Self.insert(account, "", in: transaction)
            try Self.insert(identity, account.owner, in: transaction)
        }
    }

    /// Removes the identities of an account; throws ``AccountError/lastWayIn`` if it has no password.
    public func removeIdentities(of owner: OwnerID) async throws(AccountError) {
        try await write { transaction in
            let password = try transaction.value(
                "SELECT password FROM account WHERE owner = ?", [owner], as: String.self)
            guard password?.isEmpty == false else { throw AccountError.lastWayIn }
            try transaction.execute("DELETE FROM account_identity WHERE owner = ?", [owner])
        }
    }

    /// Adds a session of the account that an identity has at that moment.
    public func add(
        _ session: Session, tokenHash: String, of identity: ProviderIdentity
    ) async throws(AccountError) {
        try await write(isReported: false) { transaction in
            guard try Self.owner(of: identity, transaction) == session.owner else { throw AccountError.unknownIdentity }
            try Self.insert(session, tokenHash, in: transaction)
        }
    }
}

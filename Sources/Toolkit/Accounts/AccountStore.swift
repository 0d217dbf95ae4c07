public import Foundation
public import Persistence

/// Stores accounts, sessions, invitations, failed attempts to sign in, and tokens of scripts.
///
/// Several processes may use it at the same time. A change is durable when its function returns.
public protocol AccountStore: APITokenStore, APIRequestStore {
    // MARK: Accounts

    /// All accounts, by name.
    func accounts() async throws(AccountError) -> [Account]
    /// The account with a name; `nil` if there is none.
    func account(named name: AccountName) async throws(AccountError) -> Account?
    /// The hash of an account's password; `nil` if there is no such account.
    func passwordHash(of owner: OwnerID) async throws(AccountError) -> String?
    /// Adds an account; throws ``AccountError/nameTaken`` if another one has its name.
    func add(_ account: Account, passwordHash: String) async throws(AccountError)
    /// Replaces the hash of an account's password, and ends its sessions except one.
    func setPasswordHash(_ hash: String, of owner: OwnerID, keeping session: Session.ID?) async throws(AccountError)
    /// Replaces the hash of the same password; sessions continue.
    func renewPasswordHash(_ hash: String, of owner: OwnerID, replacing old: String) async throws(AccountError)
    /// Removes an account with its sessions and tokens; its data remains.
    func remove(_ owner: OwnerID) async throws(AccountError)

    // MARK: Sessions

    /// Adds a session, if the account's password still has this hash.
    func add(_ session: Session, tokenHash: String, ifPasswordHashIs hash: String) async throws(AccountError)
    /// The session with a token and its account, and whether there are accounts at all.
    func session(
        tokenHash: String?, at time: Date
    ) async throws(AccountError) -> (session: Session?, account: Account?, hasAccounts: Bool)
    /// Records that a session was used, which extends it.
    func use(_ session: Session.ID, at time: Date) async throws(AccountError)
    /// The sessions of an account, the last used first.
    func sessions(of owner: OwnerID, at time: Date) async throws(AccountError) -> [Session]
    /// Ends a session of an account.
    func endSession(_ id: Session.ID, of owner: OwnerID) async throws(AccountError)
    /// Ends all sessions of an account except one.
    func endSessions(of owner: OwnerID, except id: Session.ID?) async throws(AccountError)
    /// Whether a session has neither ended nor expired.
    func isValid(_ id: Session.ID, at time: Date) async throws(AccountError) -> Bool
    /// Yields after changes by this or another process, and at an interval, because sessions also expire.
    func changes() -> AsyncStream<Void>

    // MARK: Identities at a provider

    /// The account of an identity; `nil` if there is none.
    func account(of identity: ProviderIdentity) async throws(AccountError) -> Account?
    /// The identities with which a person can sign in.
    func identities(of owner: OwnerID) async throws(AccountError) -> [ProviderIdentity]
    /// Lets an identity sign in to an account; throws ``AccountError/identityTaken`` if it is that of another one.
    func add(_ identity: ProviderIdentity, to owner: OwnerID) async throws(AccountError)
    /// Adds an account without a password; throws ``AccountError/nameTaken`` if another one has its name.
    func add(_ account: Account, of identity: ProviderIdentity) async throws(AccountError)
    /// Removes the identities of an account; throws ``AccountError/lastWayIn`` if it has no password.
    func removeIdentities(of owner: OwnerID) async throws(AccountError)
    /// Adds a session of the account that an identity has at that moment.
    func add(_ session: Session, tokenHash: String, of identity: ProviderIdentity) async throws(AccountError)

    // MARK: Invitations

    /// Adds an invitation.
    func addInvitation(tokenHash: String, at time: Date) async throws(AccountError)
    /// Whether an invitation is valid.
    func isInvitation(tokenHash: String, at time: Date) async throws(AccountError) -> Bool
    /// Adds an account by an invitation, which becomes invalid.
    func accept(
        invitation tokenHash: String, _ account: Account, passwordHash: String, at time: Date
    ) async throws(AccountError)

    // MARK: Attempts to sign in

    /// Counts an attempt as failed until it succeeds; throws ``AccountError/tooManyAttempts(_:)`` if it comes too early.
    func beginAttempt(_ name: String, at time: Date) async throws(AccountError)
    /// Forgets the failures of a name after a successful attempt.
    func endAttempts(_ name: String) async throws(AccountError)
}

public import Foundation
import Persistence

/// Signs people in, and creates their accounts.
public struct SignIn: Sendable {
    /// The accounts.
    public let store: any AccountStore
    /// Hashes passwords.
    public let hasher: PasswordHasher
    /// Returns the current time.
    public let now: @Sendable () -> Date

    /// Creates the sign-in.
    ///
    /// - Parameters:
    ///   - store: The accounts.
    ///   - hasher: Hashes passwords.
    ///   - now: Returns the current time.
    public init(
        store: any AccountStore, hasher: PasswordHasher = PasswordHasher(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.store, self.hasher, self.now) = (store, hasher, now)
    }
}

extension SignIn {
    /// Checks a name and a password, and begins a new session.
    ///
    /// Wrong passwords and unknown names fail with the same error after the same work: one hash is computed.
    ///
    /// - Parameters:
    ///   - name: The name, as typed.
    ///   - password: The password.
    ///   - device: A description of the browser.
    /// - Returns: The session, and the token that the browser must send.
    /// - Throws: ``AccountError``.
    public func signIn(
        _ name: String, _ password: Password, device: String
    ) async throws(AccountError) -> (session: Session, token: RandomToken) {
        let name = AccountName(name.trimmingCharacters(in: .whitespaces))
        // Texts that can't be names share one counter.
        let counter = name?.description ?? "?"
        try await store.beginAttempt(counter, at: now())
        var account: Account?
        if let name { account = try await store.account(named: name) }
        var stored: String?
        if let account { stored = try await store.passwordHash(of: account.owner) }
        let check = try await hasher.check(password, stored)
        guard check.isCorrect, let account, var hash = stored else { throw .wrongPassword }
        if check.isOld, let new = try? await hasher.hash(password) {
            try await store.renewPasswordHash(new, of: account.owner, replacing: hash)
            hash = new
        }
        let outcome = try await begin(of: account.owner, ifPasswordHashIs: hash, device: device)
        try await store.endAttempts(counter)
        return outcome
    }

    private func begin(
        of owner: OwnerID, ifPasswordHashIs hash: String, device: String
    ) async throws(AccountError) -> (session: Session, token: RandomToken) {
        let (session, token) = (session(of: owner, device: device), RandomToken())
        try await store.add(session, tokenHash: token.hash, ifPasswordHashIs: hash)
        return (session, token)
    }

    private func session(of owner: OwnerID, device: String) -> Session {
        let time = now()
        return Session(
            id: UUID().uuidString.lowercased(), owner: owner, device: String(device.prefix(100)), createdAt: time,
            usedAt: time, expiresAt: time + SessionPolicy.lifetime)
    }

    /// Begins a session of a person whom a provider has identified.
    ///
    /// - Parameters:
    ///   - identity: The person, as the provider knows them.
    ///   - newName: Suggests the name of a new account if there is none; `nil` to create none.
    ///   - device: A description of the browser.
    /// - Returns: The session, the token that the browser must send, and the account if it is new.
    /// - Throws: ``AccountError``: `unknownIdentity` if there is no account and none is created.
    public func signIn(
        _ identity: ProviderIdentity, newName: String?, device: String
    ) async throws(AccountError) -> (session: Session, token: RandomToken, newAccount: Account?) {
        var account = try await store.account(of: identity)
        var newAccount: Account?
        if account == nil {
            guard let newName else { throw .unknownIdentity }
            newAccount = try await add(identity, named: newName)
            account = newAccount
        }
        guard let account else { throw .unknownIdentity }
        let (session, token) = (session(of: account.owner, device: device), RandomToken())
        try await store.add(session, tokenHash: token.hash, of: identity)
        return (session, token, newAccount)
    }

    /// Adds an account under a name like a suggested one.
    ///
    /// A name that is taken gets a number: equal names never give an identity an existing account.
    private func add(_ identity: ProviderIdentity, named suggestion: String) async throws(AccountError) -> Account {
        let stem = Self.nameStem(suggestion)
        for number in 1...Self.mostNumbers {
            let suffix = number == 1 ? "" : "-\(number)"
            guard let name = AccountName(stem.prefix(AccountName.maximumLength - suffix.count) + suffix) else { break }
            let account = Account(owner: .random(), name: name, isAdministrator: false, createdAt: now())
            do throws(AccountError) {
                try await store.add(account, of: identity)
                return account
            } catch {
                guard error == .nameTaken else { throw error }
            }
        }
        throw .nameTaken
    }

    private static let mostNumbers = 200

    /// The letters and digits of a name before an @; `user` if nothing is left.
    private static func nameStem(_ text: String) -> String {
        let name = text.prefix(200).prefix { $0 != "@" }
        let plain = name.map { AccountName("a\($0)") == nil ? "-" : String($0) }.joined()
        let trimmed = plain.drop { AccountName(String($0)) == nil }
        return trimmed.isEmpty ? "user" : String(trimmed)
    }

    /// Creates an account.
    ///
    /// - Returns: The account.
    /// - Throws: ``AccountError``.
    @discardableResult
    public func add(
        _ name: AccountName, _ password: Password, isAdministrator: Bool
    ) async throws(AccountError) -> Account {
        let account = Account(owner: .random(), name: name, isAdministrator: isAdministrator, createdAt: now())
        try await store.add(account, passwordHash: try await hasher.hash(password))
        return account
    }

    /// Creates an account by an invitation, and begins its first session.
    ///
    /// - Returns: The session, and the token that the browser must send.
    /// - Throws: ``AccountError``.
    public func accept(
        _ invitation: RandomToken, _ name: AccountName, _ password: Password, device: String
    ) async throws(AccountError) -> (session: Session, token: RandomToken) {
        // Checked first, so that only those who are invited make the server hash a password.
        guard try await store.isInvitation(tokenHash: invitation.hash, at: now()) else { throw .invalidInvitation }
        let hash = try await hasher.hash(password)
        let account = Account(owner: .random(), name: name, isAdministrator: false, createdAt: now())
        try await store.accept(invitation: invitation.hash, account, passwordHash: hash, at: now())
        return try await begin(of: account.owner, ifPasswordHashIs: hash, device: device)
    }

    /// Creates an invitation, which is valid once and for a week.
    ///
    /// - Returns: The secret of its link.
    /// - Throws: ``AccountError``.
    public func invite() async throws(AccountError) -> RandomToken {
        let token = RandomToken()
        try await store.addInvitation(tokenHash: token.hash, at: now())
        return token
    }

    /// Changes the password of a signed-in person, and ends all other sessions.
    ///
    /// - Throws: ``AccountError``: `wrongPassword` if the current password is wrong.
    public func changePassword(
        of account: Account, from current: Password, to new: Password, keeping session: Session.ID
    ) async throws(AccountError) {
        // Otherwise an open browser would let a passer-by guess.
        try await store.beginAttempt(account.name.description, at: now())
        let check = try await hasher.check(current, try await store.passwordHash(of: account.owner))
        guard check.isCorrect else { throw .wrongPassword }
        try await store.endAttempts(account.name.description)
        let hash = try await hasher.hash(new)
        try await store.setPasswordHash(hash, of: account.owner, keeping: session)
    }

    /// Sets a new password, and ends all sessions.
    ///
    /// - Throws: ``AccountError``.
    public func setPassword(of account: Account, to new: Password) async throws(AccountError) {
        let hash = try await hasher.hash(new)
        try await store.setPasswordHash(hash, of: account.owner, keeping: nil)
        try await store.endAttempts(account.name.description)
    }
}

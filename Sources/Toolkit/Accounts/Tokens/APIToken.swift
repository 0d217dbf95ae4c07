public import Foundation
public import Persistence

/// A token with which a script uses the API in the name of a person.
public struct APIToken: Hashable, Sendable, Identifiable {
    /// Identifies the token in lists; it grants nothing.
    public let id: String
    /// The owner of the data that the token opens.
    public let owner: OwnerID
    /// What the token is for, as its owner has described it.
    public var name: String
    /// What the token may do, in the order of their texts.
    public var scopes: [APIScope]
    /// When the token was created.
    public var createdAt: Date
    /// When the token was used last, with an accuracy of ``APITokenPolicy/accuracy``; `nil` if it never was.
    public var usedAt: Date?
    /// When the token ends.
    public var expiresAt: Date

    /// Creates a token.
    public init(
        id: String, owner: OwnerID, name: String, scopes: [APIScope], createdAt: Date, usedAt: Date? = nil,
        expiresAt: Date
    ) {
        (self.id, self.owner, self.name, self.scopes) = (id, owner, name, scopes)
        (self.createdAt, self.usedAt, self.expiresAt) = (createdAt, usedAt, expiresAt)
    }

    /// Whether the token may do what a scope says.
    public func allows(_ scope: APIScope) -> Bool { scopes.contains { $0.includes(scope) } }
}

/// The limits of tokens.
public enum APITokenPolicy {
    /// The largest number of an owner's tokens.
    public static let maximumCount = 50
    /// The longest name, in characters.
    public static let maximumNameLength = 60
    /// The lifetime of a token unless another one is chosen, in days.
    public static let usualDays = 90
    /// The lifetimes that can be chosen, in days: up to ten years.
    public static let days = 1...3_650
    /// The longest time that a use isn't recorded: 5 minutes, in seconds.
    public static let accuracy: TimeInterval = 5 * 60
}

/// The secret of a token: `meanwhile_` and 256 random bits as 64 hexadecimal digits.
///
/// The prefix lets programs that look for leaked secrets recognise it. Only its hash is stored.
public struct APITokenSecret: Sendable {
    /// What every secret begins with.
    public static let prefix = "meanwhile_"
    private let token: RandomToken

    /// Creates a new secret.
    public init() { token = RandomToken() }

    /// Reads a secret.
    ///
    /// - Returns: `nil` if the text can't be one.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let token = RandomToken(String(text.dropFirst(Self.prefix.count))) else {
            return nil
        }
        self.token = token
    }

    /// The text that the script sends.
    public var text: String { Self.prefix + token.text }
    /// The hash, which is stored.
    public var hash: String { token.hash }
}

/// Stores tokens.
///
/// Several processes may use it at the same time. A change is durable when its function returns.
public protocol APITokenStore: Sendable {
    /// Adds a token; throws ``AccountError/tooManyTokens`` if its owner has too many.
    func add(_ token: APIToken, hash: String) async throws(AccountError)
    /// The token with a hash, and whether there are accounts at all.
    ///
    /// A token is valid until it expires, while its owner has an account; one of ``Persistence/OwnerID/local``, while there
    /// are no accounts.
    func token(
        hash: String, at time: Date
    ) async throws(AccountError) -> (token: APIToken?, hasAccounts: Bool)
    /// Records that a token was used.
    func useToken(_ id: APIToken.ID, at time: Date) async throws(AccountError)
    /// The tokens of an owner that haven't expired, the newest first.
    func tokens(of owner: OwnerID, at time: Date) async throws(AccountError) -> [APIToken]
    /// Removes a token of an owner; returns whether there was one.
    func removeToken(_ id: APIToken.ID, of owner: OwnerID) async throws(AccountError) -> Bool
}

extension SignIn {
    /// Creates a token.
    ///
    /// - Parameters:
    ///   - owner: The owner of the data that it opens.
    ///   - name: What it is for.
    ///   - scopes: What it may do.
    ///   - days: How long it is valid, in days.
    /// - Returns: The token, and the secret that the script must send, which can't be read again.
    /// - Throws: ``AccountError``.
    public func addToken(
        of owner: OwnerID, named name: String, scopes: Set<APIScope>, days: Int = APITokenPolicy.usualDays
    ) async throws(AccountError) -> (token: APIToken, secret: APITokenSecret) {
        let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isShown = name.unicodeScalars.allSatisfy {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        guard (1...APITokenPolicy.maximumNameLength).contains(name.count), name.utf8.count <= 1_000, isShown else {
            throw .invalidTokenName
        }
        guard !scopes.isEmpty else { throw .noScope }
        guard APITokenPolicy.days.contains(days) else { throw .invalidLifetime }
        let secret = APITokenSecret()
        let token = APIToken(
            id: UUID().uuidString.lowercased(), owner: owner, name: name,
            scopes: scopes.sorted { $0.description < $1.description }, createdAt: now(),
            expiresAt: now() + Double(days) * 24 * 3_600)
        try await store.add(token, hash: secret.hash)
        return (token, secret)
    }
}

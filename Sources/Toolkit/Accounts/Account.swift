public import Foundation
public import Persistence

/// A person who can sign in.
public struct Account: Hashable, Sendable {
    /// The owner of the person's data: random, and never changed.
    public let owner: OwnerID
    /// The name to sign in with.
    public var name: AccountName
    /// Whether the person may use what belongs to the whole server, such as its backups.
    public var isAdministrator: Bool
    /// When the account was created.
    public var createdAt: Date

    /// Creates an account.
    public init(owner: OwnerID, name: AccountName, isAdministrator: Bool, createdAt: Date) {
        (self.owner, self.name, self.isAdministrator, self.createdAt) = (owner, name, isAdministrator, createdAt)
    }
}

extension OwnerID {
    /// A new random owner.
    public static func random() -> OwnerID { OwnerID(rawValue: UUID().uuidString.lowercased()) }
}

/// The name of an account: 1 to 40 lower-case letters a to z, digits, periods, hyphens and underscores.
///
/// It begins with a letter or a digit. Other letters are excluded, because some look like each other.
public struct AccountName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in characters.
    public static let maximumLength = 40
    /// The name.
    public let description: String

    /// Creates a name; capital letters become lower-case.
    ///
    /// - Returns: `nil` if the text isn't a name.
    public init?(_ text: String) {
        // Not lower-cased by Unicode's rules, by which the Kelvin sign becomes a k.
        let bytes = text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
        guard let first = bytes.first, bytes.count <= Self.maximumLength, Self.isLetterOrDigit(first),
            bytes.allSatisfy({ Self.isLetterOrDigit($0) || ".-_".utf8.contains($0) })
        else { return nil }
        description = String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}

/// A password as a person chose it.
public struct Password: Sendable {
    /// The shortest password that can be chosen, in characters.
    public static let minimumLength = 10
    /// The longest password, in bytes.
    public static let maximumBytes = 1_000

    /// The password in Unicode's form C, because keyboards differ in how they compose letters.
    let bytes: [UInt8]
    private let length: Int

    /// Creates a password.
    ///
    /// - Returns: `nil` if the text is longer than ``maximumBytes``.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let text = text.precomposedStringWithCanonicalMapping
        (bytes, length) = (Array(text.utf8), text.count)
    }

    /// Whether the password is long enough to be chosen.
    public var isLongEnough: Bool { length >= Self.minimumLength }
}

/// A browser in which a person is signed in.
public struct Session: Hashable, Sendable, Identifiable {
    /// Identifies the session in lists; it grants nothing.
    public let id: String
    /// The owner of the person's data.
    public let owner: OwnerID
    /// The browser and the system, such as “Firefox on Linux”.
    public var device: String
    /// When the person signed in.
    public var createdAt: Date
    /// When the session was used last, with an accuracy of ``SessionPolicy/accuracy``.
    public var usedAt: Date
    /// When the session ends unless it is used before.
    public var expiresAt: Date

    /// Creates a session.
    public init(id: String, owner: OwnerID, device: String, createdAt: Date, usedAt: Date, expiresAt: Date) {
        (self.id, self.owner, self.device) = (id, owner, device)
        (self.createdAt, self.usedAt, self.expiresAt) = (createdAt, usedAt, expiresAt)
    }
}

/// A person as a provider of identities knows them.
public struct ProviderIdentity: Hashable, Sendable {
    /// The provider's address.
    public let issuer: String
    /// The person's identifier at the provider.
    public let subject: String

    /// Creates an identity.
    public init(issuer: String, subject: String) {
        (self.issuer, self.subject) = (issuer, subject)
    }
}

/// How long sessions and invitations are valid.
public enum SessionPolicy {
    /// How long a session lasts after its last use: 30 days, in seconds.
    public static let lifetime: TimeInterval = 30 * 24 * 3_600
    /// The longest time that a use isn't recorded: 5 minutes, in seconds.
    public static let accuracy: TimeInterval = 5 * 60
    /// The largest number of sessions of an account; a further one ends the one that was used least recently.
    public static let maximumCount = 50
    /// How long an invitation is valid: a week, in seconds.
    public static let invitationLifetime: TimeInterval = 7 * 24 * 3_600
}

/// Why a request of a person or of the server's owner failed.
public enum AccountError: Error, Hashable, Sendable {
    /// Another account has the name.
    case nameTaken
    /// There is no such account.
    case notFound
    /// The invitation was used, has expired, or never existed.
    case invalidInvitation
    /// The name or the password is wrong.
    case wrongPassword
    /// No account belongs to the identity.
    case unknownIdentity
    /// The identity belongs to another account.
    case identityTaken
    /// The account has no password, so its owner could not sign in without the identity.
    case lastWayIn
    /// Too many attempts failed; the next one is possible after this time, in seconds.
    case tooManyAttempts(TimeInterval)
    /// Too many passwords are being checked.
    case busy
    /// The name of a token is empty, too long, or has characters that can't be seen.
    case invalidTokenName
    /// A token may do nothing.
    case noScope
    /// A token would be valid for too long, or not at all.
    case invalidLifetime
    /// The owner has too many tokens.
    case tooManyTokens
    /// There is no such token.
    case tokenNotFound
    /// The owner has used too many keys of repeatable requests within a day.
    case tooManyKeys
    /// The accounts can't be read or changed.
    case storage(String)
}

extension AccountError: CustomStringConvertible {
    /// What failed, for people.
    public var description: String {
        switch self {
        case .nameTaken: "Another account has this name. Choose another name."
        case .notFound: "There is no such account."
        case .invalidInvitation: "The invitation was used already or has expired. Ask for a new one."
        case .wrongPassword: "The name or the password is wrong."
        case .unknownIdentity:
            """
            No account here belongs to you at the provider. Sign in with your password, and connect the provider on the page \
            Your account.
            """
        case .identityTaken: "You are connected to another account here already."
        case .lastWayIn: "This account has no password, so that you couldn’t sign in anymore."
        case .tooManyAttempts(let seconds): "Too many attempts failed. Try again in \(Self.text(seconds))."
        case .busy: "The server is checking too many passwords. Try again in a moment."
        case .invalidTokenName:
            "Give the token a name of 1 to \(APITokenPolicy.maximumNameLength) characters that says what it is for."
        case .noScope: "Choose at least one thing that the token may do."
        case .invalidLifetime:
            "A token is valid for \(APITokenPolicy.days.lowerBound) to \(APITokenPolicy.days.upperBound) days."
        case .tooManyTokens:
            "There are \(APITokenPolicy.maximumCount) tokens already. Remove one that is no longer used."
        case .tokenNotFound: "There is no such token."
        case .tooManyKeys:
            """
            More than \(APIRequestKey.maximumCount) keys were used within a day. Send requests without Idempotency-Key, or \
            wait.
            """
        case .storage(let message): message
        }
    }

    private static func text(_ seconds: TimeInterval) -> String {
        let seconds = Int(max(1, seconds.rounded(.up)))
        if seconds < 60 { return seconds == 1 ? "1 second" : "\(seconds) seconds" }
        let minutes = (seconds + 59) / 60
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }
}

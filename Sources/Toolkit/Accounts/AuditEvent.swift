public import Foundation
public import Persistence

/// What happened, in an entry of the audit log.
///
/// The raw value is stored, and so never changes.
public enum AuditAction: String, CaseIterable, Sendable {
    // MARK: Signing in

    /// A person signed in.
    case signedIn
    /// A wrong name or password was sent, or too many of them.
    case signInFailed
    /// A person signed out.
    case signedOut
    /// A person ended one of their other sessions.
    case sessionEnded
    /// A person ended all of their other sessions.
    case otherSessionsEnded
    /// A password was changed or set.
    case passwordChanged
    /// A change of the password failed.
    case passwordChangeFailed

    /// A provider's identity was connected to an account.
    case identityConnected
    /// The identities of an account were removed.
    case identityRemoved

    // MARK: Accounts

    /// An account was added.
    case accountAdded
    /// An account was removed.
    case accountRemoved
    /// An invitation was made.
    case invited
    /// The data from the time without accounts was given to a person.
    case dataMoved

    // MARK: Access

    /// A program got access to health data.
    case accessGranted
    /// A program lost access to health data.
    case accessRevoked
    /// A token for programs was made.
    case tokenMade
    /// A token for programs was withdrawn.
    case tokenRevoked
    /// A link or a person got access to a page or a board.
    case shareMade
    /// A link or a person lost access to a page or a board.
    case shareRevoked

    // MARK: Data

    /// Something was deleted.
    case deleted
    /// Something deleted was restored.
    case restored
    /// A file was imported.
    case imported
    /// A backup was started.
    case backupStarted
    /// A backup, or data that was set aside, was downloaded.
    case backupDownloaded

    // MARK: Network

    /// A page or a picture requested an address that isn't public.
    case egressRefused
}

extension AuditAction {
    /// What an action is about, by which the log is filtered.
    public enum Topic: String, CaseIterable, Sendable {
        /// Sign-ins, sessions and passwords.
        case signIn = "sign-ins"
        /// Accounts that were added, removed and invited.
        case accounts
        /// Access of programs and other people.
        case access
        /// Deleted, restored, imported and downloaded data.
        case data
        /// Refused connections.
        case network
    }

    /// What the action is about.
    public var topic: Topic {
        switch self {
        case .signedIn, .signInFailed, .signedOut, .sessionEnded, .otherSessionsEnded, .passwordChanged,
            .passwordChangeFailed, .identityConnected, .identityRemoved:
            .signIn
        case .accountAdded, .accountRemoved, .invited, .dataMoved: .accounts
        case .accessGranted, .accessRevoked, .tokenMade, .tokenRevoked, .shareMade, .shareRevoked: .access
        case .deleted, .restored, .imported, .backupStarted, .backupDownloaded: .data
        case .egressRefused: .network
        }
    }
}

/// Something that happened, to be recorded in an ``AuditLog``.
///
/// It never contains a secret: texts are shortened, and of a URL only the host remains.
public struct AuditEvent: Hashable, Sendable {
    /// The owner of the log's entries that belong to no person: the server's.
    public static let server: OwnerID = ""
    /// The maximum length of a text, in characters.
    static let longestText = 200

    /// Whom the entry is shown to: the person concerned, or the administrators.
    enum Concern: Hashable, Sendable {
        case owner(OwnerID)
        /// The account with this name; the server, if there is none.
        ///
        /// The name itself isn't stored, because people sometimes type a password into the wrong field.
        case account(AccountName)
    }

    let action: AuditAction
    let concern: Concern
    /// What was affected, such as the name of a board.
    let subject: String
    /// The session of the person who did it; empty if there is none.
    let session: String
    /// The browser and the system; empty if unknown.
    let device: String
    /// The address of the client; empty if unknown.
    let address: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - owner: The person whom it concerns; ``server`` for an event that only administrators see.
    ///   - subject: What was affected, such as the name of a board.
    ///   - session: The session in which it happened.
    ///   - device: The browser and the system.
    ///   - address: The address of the client.
    public init(
        _ action: AuditAction, of owner: OwnerID, subject: String = "", session: Session.ID? = nil,
        device: String = "", address: String = ""
    ) {
        self.init(action, .owner(owner), subject, session, device, address)
    }

    /// Creates an event of a person who isn't signed in.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - name: The name that was typed; `nil` if it can't be one. The event is the server's if no account has it.
    ///   - device: The browser and the system.
    ///   - address: The address of the client.
    public init(_ action: AuditAction, ofAccountNamed name: AccountName?, device: String = "", address: String = "") {
        self.init(action, name.map { .account($0) } ?? .owner(Self.server), "", nil, device, address)
    }

    private init(
        _ action: AuditAction, _ concern: Concern, _ subject: String, _ session: Session.ID?, _ device: String,
        _ address: String
    ) {
        (self.action, self.concern) = (action, concern)
        (self.subject, self.session) = (Self.plain(subject), session ?? "")
        (self.device, self.address) = (Self.plain(device), Self.plain(address))
    }

    /// A text without control characters, marks that change its direction, and all of a URL but its host.
    private static func plain(_ text: String) -> String {
        var text = text
        if let scheme = text.range(of: "://") {
            // Not parsed: whatever stands before an @ could be a password, and a path or a query could contain a token.
            let authority = text[scheme.upperBound...].prefix { !"/?#\\ ".contains($0) }
            text = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        }
        let scalars = text.unicodeScalars.prefix(4 * longestText).filter { scalar in
            scalar.properties.generalCategory != .control && !(0x202A...0x202E).contains(scalar.value)
                && !(0x2066...0x2069).contains(scalar.value)
        }
        return String(String(String.UnicodeScalarView(scalars)).prefix(longestText))
    }
}

/// An entry of the audit log: one event, or several alike within an hour.
public struct AuditEntry: Hashable, Sendable, Identifiable {
    /// The number of the entry; later ones are greater.
    public let id: Int64
    /// The person concerned; ``AuditEvent/server`` if none.
    public let owner: OwnerID
    /// What happened; `nil` if a newer version recorded it.
    public let action: AuditAction?
    /// What was affected; empty if nothing is known.
    public let subject: String
    /// The session in which it happened; empty if there was none.
    public let session: String
    /// The browser and the system; empty if unknown.
    public let device: String
    /// The address of the client; empty if unknown, or if there were many.
    public let address: String
    /// When it happened first.
    public let firstAt: Date
    /// When it happened last.
    public let lastAt: Date
    /// How often it happened.
    public let count: Int
}

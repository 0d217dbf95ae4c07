public import Accounts
import Formats

/// All that the page “Activity” and the command `meanwhile user log` say to people.
public enum AuditWords {
    static let activity = "Activity"
    static let filterLabel = "Filter"
    static let everything = "Everything"
    static let mine = "Yours and the server’s"
    static let onlyMine = "Only yours"
    static let onlyServer = "Only the server’s"
    static let unknown = "Recorded by a newer version"
    static let commandLine = "Command line"
    /// The device of events that a command recorded.
    public static var command: String { commandLine }

    /// What happened, for people.
    public static func text(_ action: AuditAction?) -> String {
        switch action {
        case .signedIn: "Signed in"
        case .signInFailed: "A sign-in failed"
        case .signedOut: "Signed out"
        case .sessionEnded: "Signed out another browser"
        case .otherSessionsEnded: "Signed out everywhere else"
        case .passwordChanged: "Password changed"
        case .passwordChangeFailed: "A change of the password failed"
        case .identityConnected: "Sign-in by a provider connected"
        case .identityRemoved: "Sign-in by a provider removed"
        case .accountAdded: "Account added"
        case .accountRemoved: "Account removed"
        case .invited: "Invitation made"
        case .dataMoved: "Data from the time without accounts moved to this account"
        case .accessGranted: "Access to health data granted"
        case .accessRevoked: "Access to health data revoked"
        case .tokenMade: "Token made"
        case .tokenRevoked: "Token withdrawn"
        case .shareMade: "Shared"
        case .shareRevoked: "Sharing ended"
        case .deleted: "Deleted"
        case .restored: "Restored"
        case .imported: "Imported"
        case .backupStarted: "Backup started"
        case .backupDownloaded: "Downloaded"
        case .egressRefused: "An address that isn’t public was requested and blocked"
        case nil: unknown
        }
    }

    static func text(_ topic: AuditAction.Topic) -> String {
        switch topic {
        case .signIn: "Sign-ins and passwords"
        case .accounts: "Accounts"
        case .access: "Access and sharing"
        case .data: "Deletions, imports and backups"
        case .network: "Blocked addresses"
        }
    }

    /// How often something happened.
    static func times(_ count: Int) -> String { "\(ReaderFormats.current.number(count)) times" }

    /// The words of the template.
    static let templates: [String: [String: String]] = [
        "activity": [
            "intro": """
            Sign-ins, changes of access, deletions and imports. Meanwhile keeps them for up to 400 days. If you don’t \
            recognise something, change your password.
            """,
            "topic": "Show",
            "whose": "Whose",
            "here": "Only from this browser",
            "apply": "Apply",
            "thisBrowser": "This browser",
            "server": "Server",
            "since": "{{times}} since {{{html(first)}}}",
            "nothing": "Nothing to show.",
            "older": "Older",
        ]
    ]
}

// What the pages for signing in say.

extension SiteWords {
    static let signIn = "Sign in"
    static let invitation = "You are invited"
    static let account = "Your account"
    static let signInFirst = "Sign in first"
    static let signInFirstDetail = """
        Your session has ended, or you haven't signed in yet, so nothing was changed. Open the home page, sign in and try \
        again.
        """
    static let notSignedInTitle = "You aren’t signed in"
    static let noAccountsTitle = "There are no accounts yet"
    static let noAccounts = """
        Other computers can reach this server, so it needs an account first. Create one on the server’s computer with the \
        command meanwhile user add NAME, then reload this page.
        """
    static let noAccountTitle = "There is no account"
    static let noAccountYet = """
        You needn’t sign in, because there are no accounts. Create one on the server’s computer with the command \
        meanwhile user add NAME.
        """
    static let invitationTitle = "This invitation isn’t valid"
    static let checkName = "Check the name"
    static let checkPassword = "Check the password"
    static let nameRules = """
        Use 1 to 40 letters a to z, digits, periods, hyphens and underscores. Begin with a letter or a digit.
        """
    static let differentPasswords = "The two passwords differ. Type the same one twice."
    static let wrongCurrentPassword = "The current password is wrong. Nothing was changed."
    static let unknownDevice = "Unknown browser"

    /// The names of browsers, after what their header `User-Agent` contains.
    ///
    /// The order matters: Edge also names Chrome, and Chrome also names Safari.
    static let browsers = [
        ("Firefox/", "Firefox"), ("Edg", "Edge"), ("OPR/", "Opera"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"),
        ("FxiOS/", "Firefox"), ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    /// The names of systems, after what the header contains.
    static let systems = [
        ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]

    static func signInAt(_ provider: String) -> String { "Sign in with \(provider)" }
    static func passwordRules(_ length: Int) -> String { "Use at least \(length) characters." }
    static func device(_ browser: String, on system: String) -> String { "\(browser) on \(system)" }

    private static let password = "Password"
    private static let again = "The same password again"
    private static let rules = "At least {{length}} characters. A few words are easier to remember than symbols."

    /// The words of the templates for signing in.
    static let signInTemplates: [String: [String: String]] = [
        "signin": [
            "name": "Name",
            "password": password,
            "signIn": signIn,
            "provider": "Sign in with {{provider}}",
            "hint": "Forgotten your password? The person who runs this server can set a new one.",
        ],
        "continue": [
            "intro": "You are being sent to {{provider}}. It sends you back when you have signed in.",
            "continue": "Continue to {{provider}}",
        ],
        "invitation": [
            "intro": "Choose a name and a password. You need both to sign in.",
            "name": "Name",
            "nameRules": nameRules,
            "password": password,
            "passwordRules": rules,
            "again": again,
            "create": "Create account",
        ],
        "account": [
            "signedIn": "You are signed in as {{name}}.",
            "administrator": "You administer this server.",
            "signOut": "Sign out",
            "signOutHint": """
            Signing out also removes everything that this browser has stored for use without a connection.
            """,
            "sharing": "What you share, and what is shared with you",
            "sessions": "Where you are signed in",
            "current": "This browser",
            "times": "Signed in {{{html(created)}}}, last used {{{html(used)}}}",
            "end": "Sign out",
            "activity": "Show sign-ins and other activity",
            "endOthers": "Sign out everywhere else",
            "scripts": "Scripts",
            "scriptsHint": "Scripts and other programs need no password: you give each of them a token.",
            "tokens": "API tokens",
            "providerHeading": "Sign in with {{.}}",
            "connected": "You can sign in with {{.}}.",
            "notConnected": "Connect your account, and then you can sign in with {{.}}.",
            "connect": "Connect {{.}}",
            "disconnect": "Disconnect {{.}}",
            "changePassword": "Change password",
            "currentPassword": "Current password",
            "newPassword": "New password",
            "passwordRules": rules,
            "again": again,
            "change": "Change password and sign out everywhere else",
        ],
    ]
}

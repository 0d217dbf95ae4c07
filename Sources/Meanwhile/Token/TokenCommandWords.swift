import Accounts
import ArgumentParser

/// All that the commands `meanwhile token …` say to people.
enum TokenCommandWords {
    static let abstract = "Manages the tokens with which scripts use the API."
    static let discussion = """
        A script sends a token in the header “Authorization: Bearer TOKEN”. The page /api of a running server lists what it
        can do. These commands work while the server runs.
        """
    static let add = "Creates a token, and prints it once."
    static let list = "Lists the tokens."
    static let remove = "Removes a token, which ends its use at once."
    static let name: ArgumentHelp = "What the token is for."
    static let scope: ArgumentHelp = """
        What it may do, such as library:read or coffee:write; may be repeated. Writing includes reading.
        """
    static let days: ArgumentHelp = "How long it is valid, in days."
    static let id: ArgumentHelp = "The beginning of the token’s ID in the list."
    static let shownOnce = "Store the token now. It is shown only once."
    static let none = "There are no tokens."

    static func several(_ id: String) -> String { "Several tokens begin with \(id.prefix(40)). Give more of the ID." }
    static func removed(_ name: String) -> String { "The token “\(name)” was removed." }
    static func times(used: String?, expires: String) -> String {
        "\(used.map { "last used \($0)" } ?? "never used"), valid until \(expires)"
    }
}

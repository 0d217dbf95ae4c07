import Accounts
import ArgumentParser

/// All that the commands `meanwhile user …` say to people.
enum UserCommandWords {
    static let abstract = "Manages the people who can sign in."
    static let discussion = """
        Without accounts, everything belongs to one person who needn't sign in, and the server accepts connections from this
        computer only. With the first account, everyone must sign in. All of these commands but `move` work while the server
        runs.
        """
    static let add = "Creates an account. The first one administers the server."
    static let list = "Lists the accounts."
    static let setPassword = "Sets a new password, and signs the person out everywhere."
    static let remove = "Removes an account. Its data remains stored."
    static let invite = "Prints a link with which a person chooses a name and a password."
    static let move = "Gives all data from the time without accounts to a person. Stop the server first."

    static let log = "Lists what was recorded: sign-ins, changes of access, deletions, imports, blocked addresses."
    static let logName: ArgumentHelp = "Only the entries of this person. (default: those of all people and the server)"
    static let logLimit: ArgumentHelp = "The maximum number of entries, the newest first. (default: 100)"
    static let logTopic: ArgumentHelp = "Only one topic: sign-ins, accounts, access, data or network."
    static let nothingRecorded = "Nothing was recorded."
    static let server = "server"
    static let noPerson = "without an account"
    static let removedPerson = "removed account"

    static let name: ArgumentHelp = "The name to sign in with: letters a to z, digits, periods, hyphens, underscores."
    static let administrator: ArgumentHelp = "The person may also download and start backups."
    static let passwordStdin: ArgumentHelp = "Read the password from the first line of standard input."
    static let force: ArgumentHelp = "Don't ask."
    static let origin: ArgumentHelp = "The address of the server in the link. (default: http://127.0.0.1:8080)"
    static let from: ArgumentHelp = "Whose data to move: local, the time without accounts."
    static let to: ArgumentHelp = "The name of the person who gets the data."

    static let password = "Password: "
    static let again = "The same password again: "
    static let differentPasswords = "The two passwords differ. Nothing was changed."
    static let badPassword = """
        A password has at least \(Password.minimumLength) characters and at most \(Password.maximumBytes) bytes. Nothing \
        was changed.
        """
    static let noTerminal = "There is no terminal to ask for the password. Use --password-stdin."
    static let none = "There are no accounts. Everything belongs to one person who needn't sign in."
    static let notConfirmed = "The account wasn't removed."
    static let inviteFirst = "There are no accounts yet. Create your own first: meanwhile user add NAME"
    static let invited = "The link is valid once, for a week. Send it only to the person whom you invite."
    static let onlyLocal = "--from takes only “local”, the data from the time without accounts."
    static let stopFirst = "A server is using this folder. Stop it, move the data, then start it again."

    static func added(_ name: String) -> String { "The account \(name) was created." }
    static func first(_ name: String) -> String {
        """
        From now on, everyone must sign in. Data from before belongs to no account yet; to give it to this one, stop the \
        server and run: meanwhile user move --to \(name)
        """
    }
    static func passwordSet(_ name: String) -> String {
        "The new password of \(name) is set. All browsers of \(name) are signed out."
    }
    static func removal(_ name: String, isLast: Bool) -> String {
        let last =
            isLast
            ? " It is the last account: afterwards, everyone who can reach this computer's port needn't sign in." : ""
        return """
            This removes the account \(name) and signs its browsers out. The pages, boards and drinks of \(name) remain \
            stored, but no account can see them.\(last) Type the name to confirm:
            """
    }
    static func removed(_ name: String, owner: String) -> String {
        "The account \(name) was removed. Its data remains stored for the owner \(owner)."
    }
    static func moved(_ rows: Int, to name: String) -> String {
        rows == 0 ? "There was no data to move." : "All data now belongs to \(name): \(rows) rows were moved."
    }
    static func entry(
        _ time: String, _ person: String, _ what: String, _ details: [String], count: Int, since: String
    ) -> String {
        let times = count > 1 ? ["\(count) times since \(since)"] : []
        return ([time, person, what] + details + times).joined(separator: "\t")
    }
    static func line(_ name: String, isAdministrator: Bool, _ created: String) -> String {
        "\(name)\(isAdministrator ? " (administrator)" : ""), created \(created)"
    }
}

import Accounts
import ArgumentParser
import Foundation
import Persistence

/// `meanwhile user`: manages the people who can sign in.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: UserCommandWords.abstract, discussion: UserCommandWords.discussion,
        subcommands: [
            UserAddCommand.self, UserListCommand.self, UserPasswordCommand.self, UserRemoveCommand.self,
            UserInviteCommand.self, UserMoveCommand.self, UserLogCommand.self,
        ])
}

/// The options of all commands for accounts.
struct UserOptions: ParsableArguments {
    @OptionGroup var folderOptions: DataFolderOptions

    func run(_ body: (Storage, SignIn) async throws -> UserReport) async throws {
        try await folderOptions.run { storage in
            try await body(storage, SignIn(store: SQLiteAccountStore(in: storage.database)))
        } failure: { error in
            (error as? AccountError).map { CommandFailure(code: $0.code, message: "\($0)") }
        }
    }
}

extension AccountError {
    /// The code for scripts.
    var code: String {
        switch self {
        case .nameTaken: "nameTaken"
        case .notFound: "unknownUser"
        case .invalidInvitation: "invalidInvitation"
        case .wrongPassword: "wrongPassword"
        case .unknownIdentity: "unknownIdentity"
        case .identityTaken: "identityTaken"
        case .lastWayIn: "lastWayIn"
        case .tooManyAttempts: "tooManyAttempts"
        case .busy: "busy"
        case .invalidTokenName: "invalidTokenName"
        case .noScope: "noScope"
        case .invalidLifetime: "invalidLifetime"
        case .tooManyTokens: "tooManyTokens"
        case .tokenNotFound: "tokenNotFound"
        case .tooManyKeys: "tooManyKeys"
        case .storage: "storage"
        }
    }
}

/// The name of an account, as an argument.
struct UserName: ExpressibleByArgument {
    let name: AccountName

    init?(argument: String) {
        guard let name = AccountName(argument) else { return nil }
        self.name = name
    }
}

extension SignIn {
    /// The account with a name.
    func known(_ user: UserName) async throws -> Account {
        guard let account = try await store.account(named: user.name) else {
            throw CommandFailure(code: "unknownUser", message: CommandWords.unknownUser(user.name.description))
        }
        return account
    }
}

// MARK: - Passwords

/// Where a command reads a new password.
struct PasswordOptions: ParsableArguments {
    @Flag(help: UserCommandWords.passwordStdin)
    var passwordStdin = false

    /// Reads a password from standard input, or asks for it twice on the terminal.
    func password() throws -> Password {
        let text: String
        if passwordStdin {
            // One byte more than allowed, and a line break.
            let data = try FileHandle.standardInput.read(upToCount: Password.maximumBytes + 3) ?? Data()
            guard let line = String(data: data, encoding: .utf8) else {
                throw CommandFailure(code: "password", message: UserCommandWords.badPassword)
            }
            text = String(line.prefix { !$0.isNewline })
        } else {
            text = try Self.ask(UserCommandWords.password)
            guard try Self.ask(UserCommandWords.again) == text else {
                throw CommandFailure(code: "password", message: UserCommandWords.differentPasswords)
            }
        }
        guard let password = Password(text), password.isLongEnough else {
            throw CommandFailure(code: "password", message: UserCommandWords.badPassword)
        }
        return password
    }

    /// Asks for a line on the terminal, which doesn't show it.
    private static func ask(_ prompt: String) throws -> String {
        // Reads from the terminal even if standard input is a file.
        guard let text = getpass(prompt) else {
            throw CommandFailure(code: "noTerminal", message: UserCommandWords.noTerminal)
        }
        return String(cString: text)
    }
}

// MARK: - The commands

/// `meanwhile user add`: creates an account.
struct UserAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: UserCommandWords.add)

    @Argument(help: UserCommandWords.name)
    var name: UserName

    @Flag(help: UserCommandWords.administrator)
    var administrator = false

    @OptionGroup var passwords: PasswordOptions
    @OptionGroup var options: UserOptions

    func run() async throws {
        try await options.run { storage, signIn in
            let isFirst = try await signIn.store.accounts().isEmpty
            if try await signIn.store.account(named: name.name) != nil { throw AccountError.nameTaken }
            let account = try await signIn.add(
                name.name, try passwords.password(), isAdministrator: administrator || isFirst)
            await AuditLog.recordCommand(
                .accountAdded, of: AuditEvent.server, account.name.description, in: storage)
            var report = UserReport([account])
            report.notes = [UserCommandWords.added(account.name.description)]
            if isFirst { report.notes.append(UserCommandWords.first(account.name.description)) }
            return report
        }
    }
}

/// `meanwhile user list`: lists the accounts.
struct UserListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: UserCommandWords.list)

    @OptionGroup var options: UserOptions

    func run() async throws {
        try await options.run { _, signIn in
            var report = UserReport(try await signIn.store.accounts())
            report.notes = report.users.isEmpty ? [UserCommandWords.none] : report.users.map(\.line)
            return report
        }
    }
}

/// `meanwhile user password`: sets a new password, which ends all sessions.
struct UserPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "password", abstract: UserCommandWords.setPassword)

    @Argument(help: UserCommandWords.name)
    var name: UserName

    @OptionGroup var passwords: PasswordOptions
    @OptionGroup var options: UserOptions

    func run() async throws {
        try await options.run { storage, signIn in
            let account = try await signIn.known(name)
            try await signIn.setPassword(of: account, to: try passwords.password())
            await AuditLog.recordCommand(.passwordChanged, of: account.owner, in: storage)
            var report = UserReport([account])
            report.notes = [UserCommandWords.passwordSet(account.name.description)]
            return report
        }
    }
}

/// `meanwhile user remove`: removes an account; its data remains.
struct UserRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: UserCommandWords.remove)

    @Argument(help: UserCommandWords.name)
    var name: UserName

    @Flag(help: UserCommandWords.force)
    var force = false

    @OptionGroup var options: UserOptions

    func run() async throws {
        try await options.run { storage, signIn in
            let account = try await signIn.known(name)
            let isLast = try await signIn.store.accounts().count == 1
            if !force {
                DataFolderOptions.printError(UserCommandWords.removal(account.name.description, isLast: isLast))
                guard readLine() == account.name.description else {
                    throw CommandFailure(code: "notConfirmed", message: UserCommandWords.notConfirmed)
                }
            }
            try await signIn.store.remove(account.owner)
            await AuditLog.recordCommand(
                .accountRemoved, of: AuditEvent.server, account.name.description, in: storage)
            var report = UserReport([account])
            report.notes = [UserCommandWords.removed(account.name.description, owner: account.owner.rawValue)]
            return report
        }
    }
}

/// `meanwhile user invite`: makes a link with which a person creates an account.
struct UserInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "invite", abstract: UserCommandWords.invite)

    @Option(help: UserCommandWords.origin)
    var origin: String?

    @OptionGroup var options: UserOptions

    func run() async throws {
        try await options.run { storage, signIn in
            if try await signIn.store.accounts().isEmpty {
                throw CommandFailure(code: "noAccounts", message: UserCommandWords.inviteFirst)
            }
            let environment = ProcessInfo.processInfo.environment
            var site = origin ?? environment["MEANWHILE_ORIGIN"] ?? "http://127.0.0.1:8080"
            if site.hasSuffix("/") { site.removeLast() }
            let link = "\(site)/invitation?token=\(try await signIn.invite().text)"
            await AuditLog.recordCommand(.invited, of: AuditEvent.server, in: storage)
            var report = UserReport([])
            report.link = link
            report.notes = [link, UserCommandWords.invited]
            return report
        }
    }
}

/// `meanwhile user move`: gives the data of the time without accounts to a person.
struct UserMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "move", abstract: UserCommandWords.move)

    @Option(help: UserCommandWords.from)
    var from = OwnerID.local.rawValue

    @Option(help: UserCommandWords.to)
    var to: UserName

    @OptionGroup var options: UserOptions

    func validate() throws {
        if from != OwnerID.local.rawValue { throw ValidationError(UserCommandWords.onlyLocal) }
    }

    func run() async throws {
        try await options.run { storage, signIn in
            let account = try await signIn.known(to)
            do throws(StoreError) {
                let rows = try await storage.moveData(from: .local, to: account.owner)
                await AuditLog.recordCommand(.dataMoved, of: account.owner, in: storage)
                var report = UserReport([account])
                report.moved = rows
                report.notes = [UserCommandWords.moved(rows, to: account.name.description)]
                return report
            } catch {
                switch error.code {
                case .conflict: throw CommandFailure(code: "notEmpty", message: error.message)
                // A running server has the old owner's data in memory.
                case .inUse: throw CommandFailure(code: "running", message: UserCommandWords.stopFirst)
                default: throw error
                }
            }
        }
    }
}

// MARK: - The report

/// The output of a command for accounts: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct UserReport: CommandReport {
    struct User: Encodable, Sendable {
        var name: String
        var owner: String
        var isAdministrator: Bool
        var createdAt: Date

        var line: String {
            UserCommandWords.line(name, isAdministrator: isAdministrator, createdAt.formatted(.iso8601))
        }
    }

    private enum CodingKeys: CodingKey {
        case version, users, link, moved, error
    }

    var version = 1
    var users: [User]
    /// The link of an invitation.
    var link: String?
    /// The number of rows that were moved.
    var moved: Int?
    var error: CommandFailure?
    /// The readable lines.
    var notes: [String] = []

    var lines: [String] { notes }

    init(_ accounts: [Account]) {
        users = accounts.map {
            User(
                name: $0.name.description, owner: $0.owner.rawValue, isAdministrator: $0.isAdministrator,
                createdAt: $0.createdAt)
        }
    }

    init(_ failure: CommandFailure) {
        users = []
        error = failure
    }
}

import Accounts
import ArgumentParser
import Foundation
import Persistence

/// `meanwhile token`: manages the tokens with which scripts use the API.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: TokenCommandWords.abstract, discussion: TokenCommandWords.discussion,
        subcommands: [TokenAddCommand.self, TokenListCommand.self, TokenRemoveCommand.self])
}

/// The options of all commands for tokens.
struct TokenOptions: ParsableArguments {
    @OptionGroup var folderOptions: DataFolderOptions

    func run(_ body: (SignIn, OwnerID, Storage) async throws -> TokenReport) async throws {
        try await folderOptions.run { storage in
            try await body(
                SignIn(store: SQLiteAccountStore(in: storage.database)), try await folderOptions.owner(in: storage),
                storage)
        } failure: { error in
            (error as? AccountError).map { CommandFailure(code: $0.code, message: "\($0)") }
        }
    }
}

/// A scope, as an argument.
struct ScopeName: ExpressibleByArgument {
    static let apps = ["library", "art", "coffee"]
    let scope: APIScope

    init?(argument: String) {
        guard let scope = APIScope(argument), Self.apps.contains(scope.app) else { return nil }
        self.scope = scope
    }
}

// MARK: - The commands

/// `meanwhile token add`: creates a token.
struct TokenAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: TokenCommandWords.add)

    @Argument(help: TokenCommandWords.name)
    var name: String

    @Option(name: .long, parsing: .singleValue, help: TokenCommandWords.scope)
    var scope: [ScopeName] = []

    @Option(help: TokenCommandWords.days)
    var days = APITokenPolicy.usualDays

    @OptionGroup var options: TokenOptions

    func run() async throws {
        try await options.run { signIn, owner, storage in
            let (token, secret) = try await signIn.addToken(
                of: owner, named: name, scopes: Set(scope.map(\.scope)), days: days)
            await AuditLog.recordCommand(.tokenMade, of: owner, token.name, in: storage)
            var report = TokenReport([token])
            report.secret = secret.text
            report.lines = [secret.text]
            DataFolderOptions.printError(TokenCommandWords.shownOnce)
            return report
        }
    }
}

/// `meanwhile token list`: lists the tokens.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: TokenCommandWords.list)

    @OptionGroup var options: TokenOptions

    func run() async throws {
        try await options.run { signIn, owner, _ in
            TokenReport(try await signIn.store.tokens(of: owner, at: signIn.now()))
        }
    }
}

/// `meanwhile token remove`: removes a token.
struct TokenRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: TokenCommandWords.remove)

    @Argument(help: TokenCommandWords.id)
    var id: String

    @OptionGroup var options: TokenOptions

    func run() async throws {
        try await options.run { signIn, owner, storage in
            let found = try await signIn.store.tokens(of: owner, at: signIn.now()).filter {
                !id.isEmpty && $0.id.hasPrefix(id.lowercased())
            }
            guard let token = found.first else { throw AccountError.tokenNotFound }
            guard found.count == 1 else {
                throw CommandFailure(code: "ambiguous", message: TokenCommandWords.several(id))
            }
            guard try await signIn.store.removeToken(token.id, of: owner) else { throw AccountError.tokenNotFound }
            await AuditLog.recordCommand(.tokenRevoked, of: owner, token.name, in: storage)
            var report = TokenReport([token])
            report.lines = [TokenCommandWords.removed(token.name)]
            return report
        }
    }
}

// MARK: - The report

/// The output of a command for tokens: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct TokenReport: CommandReport {
    struct Token: Encodable, Sendable {
        var id, name: String
        var scopes: [String]
        var createdAt: Date
        var usedAt: Date?
        var expiresAt: Date

        var line: String {
            [
                String(id.prefix(8)), name, scopes.joined(separator: ","),
                TokenCommandWords.times(used: usedAt?.formatted(.iso8601), expires: expiresAt.formatted(.iso8601)),
            ].joined(separator: "\t")
        }
    }

    private enum CodingKeys: CodingKey {
        case version, tokens, secret, error
    }

    var version = 1
    var tokens: [Token]
    /// The secret of a new token.
    var secret: String?
    var error: CommandFailure?
    var lines: [String]

    init(_ tokens: [APIToken]) {
        self.tokens = tokens.map {
            Token(
                id: $0.id, name: $0.name, scopes: $0.scopes.map(\.description), createdAt: $0.createdAt,
                usedAt: $0.usedAt, expiresAt: $0.expiresAt)
        }
        lines = tokens.isEmpty ? [TokenCommandWords.none] : self.tokens.map(\.line)
    }

    init(_ failure: CommandFailure) {
        (tokens, lines, error) = ([], [], failure)
    }
}

import Accounts
import ArgumentParser
import Foundation
import Persistence
import Site

/// A topic of the audit log, as an argument.
struct TopicName: ExpressibleByArgument {
    let topic: AuditAction.Topic

    init?(argument: String) {
        guard let topic = AuditAction.Topic(rawValue: argument) else { return nil }
        self.topic = topic
    }

    static var allValueStrings: [String] { AuditAction.Topic.allCases.map(\.rawValue) }
}

/// `meanwhile user log`: lists the audit log.
struct UserLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "log", abstract: UserCommandWords.log)

    /// The largest number of entries that can be asked for.
    private static let maximumLimit = 100_000

    @Argument(help: UserCommandWords.logName)
    var name: UserName?

    @Option(help: UserCommandWords.logTopic)
    var topic: TopicName?

    @Option(help: UserCommandWords.logLimit)
    var limit = 100

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        guard (1...Self.maximumLimit).contains(limit) else {
            throw ValidationError(
                CommandWords.wrongValue(
                    of: "--limit", takes: CommandWords.number(from: "1", to: "\(Self.maximumLimit)"),
                    given: "\(limit)"))
        }
    }

    func run() async throws {
        try await folderOptions.run(reading: true) { storage in
            let signIn = SignIn(store: SQLiteAccountStore(in: storage.database))
            let accounts = try await signIn.store.accounts()
            var owners: Set<OwnerID>?
            if let name { owners = [try await signIn.known(name).owner] }
            let filter = AuditLog.Filter(of: owners, topic: topic?.topic)
            let entries = try await AuditLog(in: storage.database).entries(filter, limit: limit)
            return UserLogReport(entries, accounts)
        } failure: { error in
            (error as? AccountError).map { CommandFailure(code: $0.code, message: "\($0)") }
        }
    }
}

/// The output of `meanwhile user log`: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct UserLogReport: CommandReport {
    struct Entry: Encodable, Sendable {
        var person: String
        var action: String
        var subject: String?
        var device: String?
        var address: String?
        var firstAt: Date
        var lastAt: Date
        var count: Int
        /// What happened, for people.
        var text: String

        private enum CodingKeys: CodingKey {
            case person, action, subject, device, address, firstAt, lastAt, count
        }

        var line: String {
            UserCommandWords.entry(
                lastAt.formatted(.iso8601), person, text, [subject, device, address].compactMap { $0 }, count: count,
                since: firstAt.formatted(.iso8601))
        }
    }

    private enum CodingKeys: CodingKey {
        case version, entries, error
    }

    var version = 1
    var entries: [Entry]
    var error: CommandFailure?

    var lines: [String] { entries.isEmpty ? [UserCommandWords.nothingRecorded] : entries.map(\.line) }

    init(_ entries: [AuditEntry], _ accounts: [Account]) {
        let names = Dictionary(accounts.map { ($0.owner, $0.name.description) }) { first, _ in first }
        self.entries = entries.map { entry in
            let person =
                switch entry.owner {
                case AuditEvent.server: UserCommandWords.server
                case .local: UserCommandWords.noPerson
                default: names[entry.owner] ?? UserCommandWords.removedPerson
                }
            return Entry(
                person: person, action: entry.action?.rawValue ?? "unknown", subject: entry.subject.nonEmpty,
                device: entry.device.nonEmpty, address: entry.address.nonEmpty, firstAt: entry.firstAt,
                lastAt: entry.lastAt, count: entry.count, text: AuditWords.text(entry.action))
        }
    }

    init(_ failure: CommandFailure) {
        entries = []
        error = failure
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

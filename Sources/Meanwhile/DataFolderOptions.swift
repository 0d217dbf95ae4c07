import Accounts
import ArgumentParser
import Foundation
import Persistence

/// A command's output: readable lines or one JSON object.
protocol CommandReport: Encodable, Sendable {
    /// The readable lines.
    var lines: [String] { get }

    /// Creates the report of a failed command.
    init(_ failure: CommandFailure)
}

extension CommandReport {
    /// The report as JSON, for scripts.
    var json: String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding can't fail: infinite numbers and NaN were rejected on input.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// The reason why a command failed.
struct CommandFailure: Error, Codable, Sendable {
    var code: String
    var message: String
}

/// The options of all commands that use the data folder, which work while the server runs too.
struct DataFolderOptions: ParsableArguments {
    @Option(help: CommandWords.dataFolder)
    var data: String?

    @OptionGroup var storage: StorageOptions

    @Flag(help: CommandWords.json)
    var json = false

    @Option(help: CommandWords.user)
    var user: String?

    @Option(help: CommandWords.logLevelOrVariable)
    var logLevel: LogLevelName?

    func validate() throws {
        if data?.isEmpty == true { throw ValidationError(CommandWords.noDataFolder) }
    }
}

extension DataFolderOptions {
    /// The owner of the data that the command uses: the person that `--user` names, or else the only owner.
    ///
    /// - Parameter storage: The open database.
    /// - Returns: The owner.
    /// - Throws: ``CommandFailure`` if there is no such account, or if there are accounts and none is named.
    func owner(in storage: Storage) async throws -> OwnerID {
        let accounts = SQLiteAccountStore(in: storage.database)
        guard let user = user ?? environment["MEANWHILE_USER"] else {
            if try await accounts.isEmpty() { return .local }
            throw CommandFailure(code: "noUser", message: CommandWords.nameAUser)
        }
        guard let name = AccountName(user), let account = try await accounts.account(named: name) else {
            throw CommandFailure(code: "unknownUser", message: CommandWords.unknownUser(user))
        }
        return account.owner
    }

    /// Opens the database, runs an operation, and reports its outcome.
    ///
    /// - Parameters:
    ///   - reading: Whether the operation only reads. If so, a damaged database that was set aside is an error; so is a
    ///     folder without a database, and none is created.
    ///   - body: The operation.
    ///   - failure: Converts an error to a failure; returns `nil` for an unexpected error, which is rethrown.
    /// - Returns: The report.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error; an unexpected error as it is.
    @discardableResult
    func run<Report: CommandReport>(
        reading: Bool = false, _ body: (Storage) async throws -> Report, failure: (any Error) -> CommandFailure?
    ) async throws -> Report {
        try await report(
            {
                let path = folderPath()
                let address = try self.storage.address(environment: environment)
                if reading, address.database == nil, !DataFolder.hasDatabase(at: path) {
                    throw CommandFailure(code: "missing", message: CommandWords.noData(in: path))
                }
                let budget = try OwnerBudget(environment: environment)
                var folder = try DataFolder.open(at: path)
                folder.budget = budget
                let storage = try await Storage.open(in: folder, at: address)
                defer { storage.close() }
                if let setAside = storage.setAside {
                    let notice = ServerServices.notice(setAside: setAside)
                    // The new database is empty.
                    if reading { throw CommandFailure(code: "corrupt", message: notice) }
                    Self.printError(CommandWords.warning(notice))
                }
                return try await body(storage)
            }, failure: failure)
    }

    /// Opens the database of the data folder, runs an operation that only such a database has, and reports its outcome.
    ///
    /// A database in PostgreSQL is an error. Everything else is as in ``run(reading:_:failure:)`` with `reading`.
    @discardableResult
    func runInFolder<Report: CommandReport>(
        _ body: (AppDatabase) async throws -> Report, failure: (any Error) -> CommandFailure?
    ) async throws -> Report {
        try await run(reading: true) { storage in
            guard let database = storage.sqlite else {
                throw CommandFailure(code: "postgreSQL", message: CommandWords.onlyInFolder)
            }
            return try await body(database)
        } failure: {
            failure($0)
        }
    }

    /// Runs an operation, and reports its outcome.
    ///
    /// - Parameters:
    ///   - body: The operation.
    ///   - failure: Converts an error to a failure; returns `nil` for an unexpected error, which is rethrown.
    /// - Returns: The report.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error; an unexpected error as it is.
    @discardableResult
    func report<Report: CommandReport>(
        _ body: () async throws -> Report, failure: (any Error) -> CommandFailure?
    ) async throws -> Report {
        try startLog()
        return try await reportOneOfSeveral(body, failure: failure)
    }

    /// Starts the log, once in a process.
    func startLog() throws {
        try LogOutput.start(logLevel, environment: environment)
    }

    /// Runs an operation, and reports its outcome, after the log was started.
    ///
    /// - Parameters:
    ///   - body: The operation.
    ///   - failure: Converts an error to a failure; returns `nil` for an unexpected error, which is rethrown.
    /// - Returns: The report.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error; an unexpected error as it is.
    func reportOneOfSeveral<Report: CommandReport>(
        _ body: () async throws -> Report, failure: (any Error) -> CommandFailure?
    ) async throws -> Report {
        do {
            let report = try await body()
            say(report)
            return report
        } catch {
            guard let failure = Self.known(error) ?? failure(error) else { throw error }
            Self.printError(CommandWords.error(failure.message))
            if json { say(Report(failure)) }
            throw ExitCode(1)
        }
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty } }

    /// The path of the data folder.
    func folderPath() -> String {
        data ?? environment["MEANWHILE_DATA"] ?? DataFolder.default(environment: environment)
    }

    private static func known(_ error: any Error) -> CommandFailure? {
        switch error {
        case let error as CommandFailure: error
        case let error as StoreError: CommandFailure(code: "\(error.code)", message: error.message)
        default: nil
        }
    }

    private func say(_ report: some CommandReport) {
        let lines = json ? [report.json] : report.lines
        // Ignore a closed standard output: the operation has succeeded.
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Writes a line to standard error, so that scripts don't take it for the command's output.
    static func printError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

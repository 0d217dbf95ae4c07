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
        // Encoding can't fail: reports contain no non-finite numbers, which were rejected on input.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// The reason why a command failed.
struct CommandFailure: Error, Codable, Sendable {
    var code: String
    var message: String
}

/// The options of all commands that use the data folder, also while the server runs.
struct KeptDataOptions: ParsableArguments {
    @Option(help: "The folder that all is kept in. (default: meanwhile, in $XDG_DATA_HOME or ~/.local/share)")
    var data: String?

    @Flag(help: "Write one JSON object to standard output, with its version.")
    var json = false

    @Option(help: "trace, debug, info, notice, warning, error or critical; also from MEANWHILE_LOG_LEVEL.")
    var logLevel: LogLevelName?

    func validate() throws {
        if data?.isEmpty == true { throw ValidationError("--data takes a folder's name.") }
    }
}

extension KeptDataOptions {
    /// Opens the database, runs an operation, and reports its outcome.
    ///
    /// - Parameters:
    ///   - reading: Whether the operation only reads; then a folder without a database is an error, and nothing is
    ///     created.
    ///   - body: The operation.
    ///   - failure: Converts an error to a failure; returns `nil` for an unexpected error, which is rethrown.
    /// - Returns: The report.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error; an unexpected error as it is.
    @discardableResult
    func run<Report: CommandReport>(
        reading: Bool = false, _ body: (AppDatabase) async throws -> Report, failure: (any Error) -> CommandFailure?
    ) async throws -> Report {
        try await report(
            {
                let path = folderPath()
                if reading, !DataFolder.hasDatabase(at: path) {
                    throw CommandFailure(
                        code: "missing", message: "Nothing is kept in \(path). Name another folder with --data.")
                }
                let budget = try OwnerBudget(environment: environment)
                var folder = try DataFolder.open(at: path)
                folder.budget = budget
                let database = try await AppDatabase.open(in: folder, migrations: DatabaseForm.migrations)
                defer { database.close() }
                if let setAside = database.setAside {
                    Self.complain("warning: \(ServerServices.notice(setAside: setAside))")
                }
                return try await body(database)
            }, failure: failure)
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
        try LogOutput.start(logLevel, environment: environment)
        do {
            let report = try await body()
            say(report)
            return report
        } catch {
            guard let failure = Self.known(error) ?? failure(error) else { throw error }
            Self.complain("error: \(failure.message)")
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
    static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

import ArgumentParser
import Foundation
import Persistence

/// What a command says: in lines for people, or as one JSON object.
protocol CommandReport: Encodable, Sendable {
    /// For people.
    var lines: [String] { get }

    /// Says why nothing was done.
    init(_ failure: CommandFailure)
}

extension CommandReport {
    /// For scripts.
    var json: String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // There is nothing in a report that JSON does not have: what is not finite was refused long before.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// Why a command could not do what it was asked.
struct CommandFailure: Error, Encodable, Sendable {
    var code: String
    var message: String
}

/// What all commands take that work on what is kept, also while the server runs.
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
    /// Opens what is kept, does something with it, and says what came of it.
    ///
    /// - Parameters:
    ///   - reading: Whether it only reads: a folder without a database is refused then, and nothing is made.
    ///   - body: What to do.
    ///   - failure: Why something that was thrown failed; `nil` for what nobody expected.
    /// - Returns: What was said.
    /// - Throws: `ExitCode`, when it could not be done and that was said.
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

    /// Does something, and says what came of it.
    ///
    /// - Parameters:
    ///   - body: What to do.
    ///   - failure: Why something that was thrown failed; `nil` for what nobody expected.
    /// - Returns: What was said.
    /// - Throws: `ExitCode`, when it could not be done and that was said.
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
        // Nobody may read it any more: what was to be done is done.
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Says something on standard error, where no script takes it for what it asked for.
    static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

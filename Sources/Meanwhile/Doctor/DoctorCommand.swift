import ArgumentParser
import Foundation
import Persistence

/// `meanwhile doctor`: finds out what is missing or wrong on this computer.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: DoctorWords.abstract, discussion: DoctorWords.discussion)

    @Option(help: CommandWords.dataFolder)
    var data: String?

    @Option(help: CommandWords.chromium)
    var chromium: String?

    @Option(help: CommandWords.publicAddress)
    var origin: String?

    @Option(help: CommandWords.listen)
    var listen: String?

    @Flag(help: CommandWords.trustProxy)
    var trustProxy = false

    @Option(help: CommandWords.certificate, completion: .file())
    var certificate: String?

    @Option(help: CommandWords.key, completion: .file())
    var key: String?

    @OptionGroup(title: CommandWords.openID) var openID: OpenIDOptions

    @OptionGroup var storage: StorageOptions

    @Flag(help: CommandWords.json)
    var json = false

    @Option(help: CommandWords.logLevelOrVariable)
    var logLevel: LogLevelName?

    func validate() throws {
        if data?.isEmpty == true { throw ValidationError(CommandWords.noDataFolder) }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        try LogOutput.start(logLevel, environment: environment)
        let checks = DoctorChecks(
            folder: data ?? environment["MEANWHILE_DATA"] ?? DataFolder.default(environment: environment),
            chromium: chromium ?? environment["MEANWHILE_CHROMIUM"], origin: origin ?? environment["MEANWHILE_ORIGIN"],
            host: listen ?? environment["MEANWHILE_LISTEN"] ?? "127.0.0.1",
            trustsProxy: trustProxy || environment["MEANWHILE_TRUST_PROXY"] == "1",
            certificate: certificate ?? environment["MEANWHILE_CERTIFICATE"], key: key ?? environment["MEANWHILE_KEY"],
            openID: openID, address: try storage.address(environment: environment), environment: environment)
        let report = DoctorReport(checks: await checks.run())
        let lines = json ? [report.json] : report.lines
        // Ignore a closed standard output: the exit status tells the outcome.
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        if report.checks.contains(where: { $0.state == .fault }) { throw ExitCode(1) }
        if report.checks.contains(where: { $0.state == .warning }) { throw ExitCode(2) }
    }
}

/// The output of `meanwhile doctor`: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct DoctorReport: CommandReport {
    enum State: String, Codable, Sendable {
        case good, warning, fault
    }

    /// The outcome of one check.
    struct Check: Codable, Sendable {
        /// The name for scripts, such as `chromium`.
        var id: String
        var state: State
        /// What was found.
        var finding: String
        /// A command or a step that mends it; `nil` if nothing is wrong.
        var remedy: String?

        static func good(_ id: String, _ finding: String) -> Check { Check(id: id, state: .good, finding: finding) }
        static func warning(_ id: String, _ finding: String, _ remedy: String) -> Check {
            Check(id: id, state: .warning, finding: finding, remedy: remedy)
        }
        static func fault(_ id: String, _ finding: String, _ remedy: String) -> Check {
            Check(id: id, state: .fault, finding: finding, remedy: remedy)
        }
    }

    private enum CodingKeys: CodingKey {
        case version, checks, error
    }

    var version = 1
    var checks: [Check]
    var error: CommandFailure?

    var lines: [String] {
        checks.flatMap { check in
            [DoctorWords.line(check.state, check.id, check.finding)]
                + (check.remedy.map { [DoctorWords.remedy($0)] } ?? [])
        } + [DoctorWords.summary(checks)]
    }

    init(checks: [Check]) {
        self.checks = checks
    }

    init(_ failure: CommandFailure) {
        checks = []
        error = failure
    }
}

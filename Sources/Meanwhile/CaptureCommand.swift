import ArgumentParser
import Capture
import Foundation

/// `meanwhile capture`: saves web pages as files.
struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: CaptureWords.abstract, discussion: CaptureWords.discussion)

    @Argument(help: CaptureWords.addresses)
    var addresses: [String] = []

    @Option(name: .shortAndLong, help: CaptureWords.format)
    var format: FormatList = .all

    @Option(name: .shortAndLong, help: CaptureWords.output)
    var output: String = "."

    @Option(help: CaptureWords.timeout)
    var timeout: Double = 60

    @Option(help: CaptureWords.paper)
    var paper: PaperName = .page

    @Option(help: CaptureWords.viewport)
    var viewport: ViewportSize = ViewportSize(width: 1280, height: 800)

    @Option(help: CaptureWords.scale)
    var scale: Double = 1

    @Option(help: CaptureWords.jobs)
    var jobs: Int = 2

    @Flag(help: CaptureWords.overwrite)
    var overwrite = false

    @Flag(help: CaptureWords.json)
    var json = false

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: CaptureWords.chromium)
    var chromium: String?

    @OptionGroup var remote: RemoteOptions

    @Option(help: CommandWords.logLevelOrVariable)
    var logLevel: LogLevelName?

    func validate() throws {
        guard timeout > 0, timeout <= CaptureOptions.longestTimeout else {
            throw ValidationError(CaptureWords.wrongTimeout)
        }
        guard scale > 0, scale <= 8 else { throw ValidationError(CaptureWords.wrongScale) }
        guard (1...32).contains(jobs) else { throw ValidationError(CaptureWords.wrongJobs) }
        if output == "-" {
            guard format.formats.count == 1 else { throw ValidationError(CaptureWords.oneFormat) }
            guard !json else { throw ValidationError(CaptureWords.twoOutputs) }
            guard addresses.count <= 1 else { throw ValidationError(CaptureWords.oneAddress) }
        }
        if output.isEmpty { throw ValidationError(CaptureWords.noFolder) }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try LogOutput.start(logLevel, environment: environment)
        if let target = try remoteTarget() { return try await capture(with: target) }
        let policy = try allowed.policy(environment: environment)
        let addresses = try await readAddresses()
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy = policy
        configuration.chromium = chromium ?? environment["MEANWHILE_CHROMIUM"].flatMap { $0.isEmpty ? nil : $0 }
        configuration.simultaneousCaptures = jobs
        configuration.keepsSparePage = addresses.count > 1
        let run = CaptureRun(
            addresses: addresses, formats: format.formats, options: options, jobs: jobs,
            destination: output == "-" ? .standardOutput : .folder(OutputFolder(path: output, overwrite: overwrite)),
            reporter: Reporter(style: reporterStyle, total: addresses.count),
            capturer: PageCapturer(configuration: configuration))
        let code = await run.runUntilInterrupted()
        if code != 0 { throw ExitCode(code) }
    }

    private func remoteTarget() throws -> RemoteServer.Target? {
        do {
            return try remote.target()
        } catch let error as CommandFailure {
            throw Refusal(error.message)
        }
    }

    /// Lets a server capture the pages.
    private func capture(with target: RemoteServer.Target) async throws {
        let isUsual = paper == .page && viewport.width == 1280 && viewport.height == 800 && scale == 1
        guard isUsual, chromium == nil, allowed.texts.isEmpty else {
            throw ValidationError(RemoteWords.onlyLocalOptions)
        }
        let addresses = try await readAddresses()
        let run = RemoteCapture(
            addresses: addresses, formats: format.formats, timeout: timeout,
            destination: output == "-" ? .standardOutput : .folder(OutputFolder(path: output, overwrite: overwrite)),
            reporter: Reporter(style: reporterStyle, total: addresses.count))
        let code: Int32
        do {
            code = try await RemoteServer.use(target) { try await run.run(with: $0) }
        } catch let error as OutputError {
            throw Refusal("\(error)")
        }
        if code != 0 { throw ExitCode(code) }
    }

    private var options: CaptureOptions {
        var options = CaptureOptions()
        options.timeout = .milliseconds(Int64(timeout * 1000))
        options.viewport = .init(width: viewport.width, height: viewport.height, scale: scale)
        options.paper = paper.paper
        return options
    }

    private var reporterStyle: Reporter.Style {
        if output == "-" { return .quiet }
        return json ? .json : .lines
    }

    private func readAddresses() async throws -> [String] {
        if !addresses.isEmpty { return addresses }
        if isatty(STDIN_FILENO) != 0 { throw ValidationError(CaptureWords.noArguments) }
        var lines: [String] = []
        while let line = readLine() {
            let address = line.trimmingCharacters(in: .whitespaces)
            if !address.isEmpty, !address.hasPrefix("#") { lines.append(address) }
        }
        guard !lines.isEmpty else { throw ValidationError(CaptureWords.noInput) }
        if output == "-", lines.count > 1 { throw ValidationError(CaptureWords.oneAddress) }
        return lines
    }
}

import ArgumentParser
import Capture
import Foundation

/// `meanwhile capture`: saves web pages as files.
struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Saves web pages as PNG, PDF and web archive.",
        discussion: """
            Each page is loaded once, in a separate tab of Chromium, and saved in every format.

              meanwhile capture https://example.org/ -o pages
              meanwhile capture https://example.org/ --format png -o - > page.png
              meanwhile capture --json < addresses.txt
              meanwhile capture http://nas.local:5000/ --allow nas.local:5000

            Pages and their resources are loaded from public addresses only. To load from your own network, allow
            addresses with --allow. The message about a blocked address shows the option that allows it.

            Exit codes: 0 all pages saved, 1 none saved, 2 some saved, 64 wrong usage, 130 interrupted.
            """)

    @Argument(help: "The addresses of the pages. Without any, they are read from standard input, one per line.")
    var addresses: [String] = []

    @Option(name: .shortAndLong, help: "The formats, separated by commas: png, pdf, webarchive.")
    var format: FormatList = .all

    @Option(
        name: .shortAndLong,
        help: "The folder for the files, created if it is missing; - writes one file to standard output.")
    var output: String = "."

    @Option(help: "The time limit for each page, in seconds.")
    var timeout: Double = 60

    @Option(help: "The paper size of a PDF: page (one page, as tall as the content), a4 or letter.")
    var paper: PaperName = .page

    @Option(help: "The width and height of the browser window, in pixels.")
    var viewport: ViewportSize = ViewportSize(width: 1280, height: 800)

    @Option(help: "The scale of pictures; 2 makes them sharper, with twice the width and height.")
    var scale: Double = 1

    @Option(help: "The number of pages to capture at the same time.")
    var jobs: Int = 2

    @Flag(help: "Replace files of the same name. Without this option, new files get a number.")
    var overwrite = false

    @Flag(help: "Write one JSON object per page to standard output, with a version number.")
    var json = false

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: "The path of Chromium's program; also from MEANWHILE_CHROMIUM.")
    var chromium: String?

    @Option(
        help: "The log level: trace, debug, info, notice, warning, error or critical; also from MEANWHILE_LOG_LEVEL.")
    var logLevel: LogLevelName?

    func validate() throws {
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout takes a number of seconds above 0, up to 86400 (one day).")
        }
        guard scale > 0, scale <= 8 else { throw ValidationError("--scale takes a number above 0, up to 8.") }
        guard (1...32).contains(jobs) else { throw ValidationError("--jobs takes a whole number from 1 to 32.") }
        if output == "-" {
            guard format.formats.count == 1 else {
                throw ValidationError("-o - writes one file: choose its format, for example with --format pdf.")
            }
            guard !json else { throw ValidationError("-o - and --json both write to standard output: choose one.") }
            guard addresses.count <= 1 else { throw ValidationError("-o - writes one file: give one address.") }
        }
        if output.isEmpty { throw ValidationError("-o takes a folder's name.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        try LogOutput.start(logLevel, environment: environment)
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
        if isatty(STDIN_FILENO) != 0 {
            throw ValidationError("Give the address of a page, for example: meanwhile capture https://example.org/")
        }
        var lines: [String] = []
        while let line = readLine() {
            let address = line.trimmingCharacters(in: .whitespaces)
            if !address.isEmpty, !address.hasPrefix("#") { lines.append(address) }
        }
        guard !lines.isEmpty else {
            throw ValidationError(
                "Standard input contains no addresses. Write one per line, or give them as arguments.")
        }
        if output == "-", lines.count > 1 { throw ValidationError("-o - writes one file: give one address.") }
        return lines
    }
}

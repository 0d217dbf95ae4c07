import ArgumentParser
import Figures
import Foundation

/// Prints the figures of captures in docs/figures.md as Markdown, and its progress to standard error.
///
/// The contestants take turns within each round, so that a temporary load on the machine affects all of them. The
/// ratios are what counts.
@main
struct CaptureFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture-figures", abstract: "Measures captures of web pages, for docs/figures.md.")

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case speed, throughput, memory, pages, cold
    }

    @Option(help: "How often each contestant is measured.")
    var rounds = 9

    @Option(help: "The number of captures after which memory is measured; it is also measured after a tenth of them.")
    var captures = 200

    @Option(help: "Measure this part only.")
    var only: Part?

    @Option(help: "A folder of web pages; by default the Python manual of Debian's package python3-doc.")
    var documents = "/usr/share/doc/python3-doc/html"

    @Option(help: "A long page in the folder.")
    var page = "library/asyncio-task.html"

    @Option(help: "A short page in the folder.")
    var shortPage = "library/ipc.html"

    @Option(help: "The folder of the pages that sample_pages.py generates.")
    var samples = ".build/sample-pages"

    @Option(help: "An earlier build of this program; the part throughput then compares both builds.")
    var base: String?

    @Option(help: "The program `meanwhile`; by default the one beside this program.")
    var meanwhile: String?

    @Option(
        help: "A Python interpreter with Playwright and Pillow; by default $MEANWHILE_BENCH_PYTHON, or else python3.")
    var python = ProcessInfo.processInfo.environment["MEANWHILE_BENCH_PYTHON"] ?? "python3"

    @Option(help: "The folder of the Python scripts that this program starts.")
    var scripts = "Benchmarks"

    @Option(help: "The path of Chromium, for contestants that don't search for it.")
    var chromium = "/usr/lib/chromium/chromium"

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds takes a number of at least 1.") }
        guard captures > 1 else { throw ValidationError("--captures takes a number of at least 2.") }
        for page in [page, shortPage] where !FileManager.default.fileExists(atPath: "\(documents)/\(page)") {
            throw ValidationError("There is no \(documents)/\(page). On Debian: apt-get install python3-doc")
        }
        if includes(.pages) || includes(.cold) {
            for path in SamplePages.paths + [SamplePages.shortPath] {
                let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
                let file = "\(folders[parts[0]] ?? "")/\(parts[1])"
                guard FileManager.default.fileExists(atPath: file) else {
                    throw ValidationError("There is no \(file). script/bench installs or generates it.")
                }
            }
        }
    }

    func run() async throws {
        var reports = [Machine.description]
        try await DocumentServer.serving(
            documents, others: folders, script: "\(scripts)/document_server.py"
        ) { address in
            func url(_ path: String) throws -> URL {
                guard let url = URL(string: address + path) else {
                    throw MeasurementError("“\(address)\(path)” isn't a URL.")
                }
                return url
            }
            let page = try url(page)
            let shortPage = try url(shortPage)
            if includes(.speed) {
                let figures = SpeedFigures(
                    page: page, rounds: rounds, chromium: chromium, python: python,
                    peerScript: "\(scripts)/playwright_peer.py")
                reports.append(try await figures.report())
            }
            if includes(.pages) {
                let figures = PageFigures(
                    pages: try [page] + SamplePages.paths.map(url), rounds: rounds, chromium: chromium, python: python,
                    scripts: scripts)
                reports.append(try await figures.report())
            }
            if includes(.cold) {
                let figures = ColdFigures(
                    page: try url(SamplePages.shortPath), rounds: rounds, chromium: chromium, meanwhile: program)
                reports.append(try await figures.report())
            }
            if includes(.throughput), let base {
                let arguments = [
                    "--documents", documents, "--page", self.page, "--short-page", self.shortPage, "--scripts", scripts,
                ]
                reports.append(
                    try await ThroughputComparison(base: base, arguments: arguments, rounds: rounds).report())
            } else if includes(.throughput) {
                reports.append(try await ThroughputFigures(pages: [page, shortPage], rounds: rounds).report())
            }
            if includes(.memory) {
                reports.append(try await MemoryFigures(page: shortPage, captures: captures).report())
            }
        }
        print(reports.joined(separator: "\n"))
    }

    /// The folders that are served besides the Python manual, by name.
    private var folders: [String: String] {
        SamplePages.debian.merging([SamplePages.generated: samples]) { _, generated in generated }
    }

    private var program: String {
        meanwhile ?? Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "meanwhile").path
            ?? "meanwhile"
    }

    private func includes(_ part: Part) -> Bool {
        only == nil || only == part
    }
}

/// Prints a measurement to standard error.
func note(_ part: String, _ what: String, _ value: String) {
    FileHandle.standardError.write(Data("\(part): \(what) \(value)\n".utf8))
}

/// A line that says whether a goal is reached.
func verdict(_ ratio: Double, _ what: String, atMost limit: Double) -> String {
    verdict(ratio, what, "at most", limit, holds: ratio <= limit)
}

/// A line that says whether a goal is reached.
func verdict(_ ratio: Double, _ what: String, atLeast limit: Double) -> String {
    verdict(ratio, what, "at least", limit, holds: ratio >= limit)
}

private func verdict(_ ratio: Double, _ what: String, _ side: String, _ limit: Double, holds: Bool) -> String {
    "- \(ratio.digits(2)) × \(what); the goal is \(side) \(limit.digits(1)): **\(holds ? "holds" : "missed")**"
}

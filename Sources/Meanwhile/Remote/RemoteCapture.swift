import Capture
import Foundation
import Futures

/// One run of `meanwhile capture` that lets a server capture the pages, and downloads the files.
struct RemoteCapture: Sendable {
    private struct NewPage: Encodable {
        var url: String
        var formats: [String]
        var again = true
    }

    /// A page, as the API describes it.
    private struct Page: Decodable, Sendable {
        struct Failure: Decodable {
            var code, message: String
        }

        var id: String
        var state: String
        var title: String?
        var finalURL: String?
        var httpStatus: Int?
        var isComplete: Bool?
        var warnings: [String]?
        var failure: Failure?
    }

    /// The pause between two looks at a page that is being saved.
    private static let pause = Duration.milliseconds(500)

    let addresses: [String]
    let formats: [PageFormat]
    let timeout: Double
    let destination: CaptureRun.Destination
    let reporter: Reporter

    /// Captures the pages, one after another.
    ///
    /// - Returns: The exit code.
    /// - Throws: ``CommandFailure`` if the folder can't be used.
    func run(with server: RemoteServer) async throws -> Int32 {
        var made: [String] = []
        if case .folder(let folder) = destination { made = try folder.prepare() }
        var count = 0
        for (index, address) in addresses.enumerated() {
            let page = Reporter.Page(index: index, address: address)
            do {
                try await save(page, with: server)
                count += 1
            } catch let error as CommandFailure {
                reporter.failed(page, code: error.code, error.message)
                // Further pages would fail in the same way.
                if ["unreachable", "wrongToken", "forbidden", "otherVersion", "redirected"].contains(error.code) {
                    break
                }
            } catch let error as OutputError {
                reporter.failed(page, code: "outputFailed", "\(error)")
            }
        }
        if count == 0 { OutputFolder.removeIfEmpty(made) }
        return count == addresses.count ? 0 : count == 0 ? 1 : 2
    }

    private func save(_ page: Reporter.Page, with server: RemoteServer) async throws {
        let new = NewPage(url: page.address, formats: formats.map(\.rawValue))
        var saved = try await server.send("POST", "library/pages", new, as: Page.self)
        let clock = ContinuousClock()
        // The server has its own time limit, and other captures may be before this one.
        let end = clock.now + .seconds(timeout)
        while saved.state == "saving" {
            guard clock.now < end else {
                throw CommandFailure(code: "timeout", message: RemoteWords.stillSaving)
            }
            try await Stopwatch(clock).sleep(until: Self.pause)
            saved = try await server.send("GET", "library/pages/\(saved.id)")
        }
        if let failure = saved.failure { throw CommandFailure(code: failure.code, message: failure.message) }
        var files: [(PageFormat, Data)] = []
        for format in formats {
            files.append((format, try await server.file("library/pages/\(saved.id)/files/\(format.rawValue)")))
        }
        var written: [(PageFormat, String, Int)] = []
        switch destination {
        case .folder(let folder):
            let url = saved.finalURL.flatMap { URL(string: $0) } ?? server.target.address
            let paths = try folder.write(files, stem: OutputFolder.stem(for: url))
            let sizes = Dictionary(files.map { ($0, $1.count) }) { first, _ in first }
            written = paths.map { ($0, $1, sizes[$0] ?? 0) }
        case .standardOutput:
            for (_, data) in files {
                do {
                    try FileHandle.standardOutput.write(contentsOf: data)
                } catch {
                    throw OutputError(description: CaptureWords.notWritten(toStandardOutput: "\(error)"))
                }
            }
        }
        var report = CaptureReport(page, code: "", message: "")
        (report.outcome, report.error) = ("kept", nil)
        (report.url, report.title, report.httpStatus) = (saved.finalURL, saved.title, saved.httpStatus)
        report.complete = saved.isComplete
        report.files = written.map { CaptureReport.File(format: $0, path: $1, bytes: $2) }
        reporter.saved(page, warnings: saved.warnings ?? [], report, files: written)
    }
}

import Foundation
import Subprocess
import SystemPackage

/// Playwright with a warm browser of its own; see `playwright_peer.py`.
final class PlaywrightPeer {
    /// What it is asked to make of one load of a page.
    enum Job: String {
        case png
        case pngAndPDF = "png+pdf"
    }

    /// Its version.
    let version: String
    private let input: StandardInputWriter
    private var lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator

    private init(
        input: StandardInputWriter, lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator
    ) async throws {
        var lines = lines
        let said = try await lines.next()?.split(separator: " ") ?? []
        guard said.count == 2, said[0] == "ready" else {
            throw Unfit("Playwright did not start; what it said is above. script/bench installs it.")
        }
        self.version = String(said[1])
        self.input = input
        self.lines = lines
    }

    /// Runs it for as long as something needs it.
    ///
    /// - Parameters:
    ///   - python: The interpreter that has Playwright.
    ///   - script: Where `playwright_peer.py` is.
    ///   - chromium: The browser's own program.
    ///   - body: What needs it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why Playwright does not run.
    static func running<Value: Sendable>(
        python: String, script: String, chromium: String, _ body: (PlaywrightPeer) async throws -> Value
    ) async throws -> Value {
        let account = try UnprivilegedAccount()
        defer { account.remove() }
        return try await run(
            account.command(python, [script, chromium]), input: .inputWriter, output: .sequence,
            error: .currentStandardError
        ) { child in
            let peer = try await PlaywrightPeer(
                input: child.standardInputWriter, lines: child.standardOutput.strings().makeAsyncIterator())
            let result = try await body(peer)
            // It ends with its input.
            try await child.standardInputWriter.finish()
            return result
        }.closureResult
    }

    /// Does a job; the time is its own, without ours to ask for it.
    ///
    /// - Returns: Milliseconds.
    func time(_ job: Job, of url: URL) async throws -> Double {
        _ = try await input.write("\(job.rawValue) \(url.absoluteString)\n")
        let said = try await lines.next() ?? "nothing"
        let words = said.split(separator: " ")
        guard words.count == 3, words[0] == "ok", let milliseconds = Double(words[1]) else {
            throw Unfit("Playwright failed: \(said)")
        }
        return milliseconds
    }
}

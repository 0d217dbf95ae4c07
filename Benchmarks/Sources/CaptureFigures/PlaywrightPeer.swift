import Foundation
import Subprocess
import SystemPackage

/// Playwright with a warm browser of its own; see `playwright_peer.py`.
final class PlaywrightPeer {
    /// The outputs to produce from one load of a page.
    enum Job: String {
        case png
        case pngAndPDF = "png+pdf"
    }

    /// Playwright's version.
    let version: String
    private let folder: FilePath
    private let input: StandardInputWriter
    private var lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator

    private init(
        folder: FilePath, input: StandardInputWriter,
        lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator
    ) async throws {
        var lines = lines
        let words = try await lines.next()?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "ready" else {
            throw MeasurementError("Playwright did not start; its output is above. script/bench installs it.")
        }
        self.version = String(words[1])
        self.folder = folder
        self.input = input
        self.lines = lines
    }

    /// Runs Playwright while `body` runs.
    ///
    /// - Parameters:
    ///   - python: The interpreter with Playwright.
    ///   - script: The path of `playwright_peer.py`.
    ///   - chromium: The browser's executable.
    ///   - body: Receives the running peer.
    /// - Returns: The body's result.
    /// - Throws: The body's error, or an error if Playwright doesn't start.
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
                folder: account.folder, input: child.standardInputWriter,
                lines: child.standardOutput.strings().makeAsyncIterator())
            let result = try await body(peer)
            // The process exits when its standard input is closed.
            try await child.standardInputWriter.finish()
            return result
        }.closureResult
    }

    /// Runs a job; the peer measures the time itself, without the communication.
    ///
    /// - Returns: The duration in milliseconds.
    func time(_ job: Job, of url: URL) async throws -> Double {
        try await time("\(job.rawValue) \(url.absoluteString)")
    }

    /// Takes a full-page picture.
    ///
    /// - Returns: The path of the file, which the next picture replaces.
    func picture(of url: URL) async throws -> String {
        let file = folder.appending("picture.png").string
        _ = try await time("\(Job.png.rawValue) \(url.absoluteString) \(file)")
        return file
    }

    private func time(_ line: String) async throws -> Double {
        _ = try await input.write(line + "\n")
        let answer = try await lines.next() ?? "nothing"
        let words = answer.split(separator: " ")
        guard words.count == 3, words[0] == "ok", let milliseconds = Double(words[1]) else {
            throw MeasurementError("Playwright failed: \(answer)")
        }
        return milliseconds
    }
}

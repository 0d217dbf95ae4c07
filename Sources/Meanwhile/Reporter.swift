import Capture
import Foundation
import Synchronization

/// Reports the outcome of each page to the user or the script.
///
/// Lines about files and JSON objects go to standard output, errors and warnings to standard error. If standard error
/// is a terminal, its last line shows the current progress.
final class Reporter: Sendable {
    /// What is written in addition to errors and warnings.
    enum Style: Sendable {
        /// One line per file.
        case lines
        /// One JSON object per page.
        case json
        /// Nothing, because the file itself goes to standard output.
        case quiet
    }

    /// One of the addresses given to the program.
    struct Page: Hashable, Sendable {
        var index: Int
        var address: String
        /// The address as shown to users.
        var shownAddress: String { WebAddress.shortened(address) }
    }

    private struct State {
        var running: [Page: String] = [:]
        var done = 0
        var status: StatusLine
    }

    private let style: Style
    private let total: Int
    /// Locked while a line is written, so that lines of concurrent captures don't interleave.
    private let state: Mutex<State>

    init(style: Style, total: Int, standardErrorIsTerminal: Bool = isatty(STDERR_FILENO) != 0) {
        self.style = style
        self.total = total
        self.state = Mutex(State(status: StatusLine(isTerminal: standardErrorIsTerminal)))
    }

    /// Reports the progress of a page.
    func progressed(_ page: Page, _ progress: CaptureProgress) {
        state.withLock { state in
            state.running[page] = Self.text(progress)
            if state.status.isDue() { showStatus(&state) }
        }
    }

    /// Reports that a page's files were written.
    func saved(_ page: Page, _ capture: PageCapture, files: [(PageFormat, String, Int)]) {
        state.withLock { state in
            finish(page, &state)
            for warning in capture.warnings {
                // A message can have one line for each missing part, but each warning is written as one line.
                let message = warning.message.replacing("\n", with: " ")
                writeError(CaptureWords.warning(message, about: page.shownAddress))
            }
            switch style {
            case .lines:
                for (_, path, count) in files {
                    writeOutput("\(path)\t\(CaptureWords.size(count))\t\(page.shownAddress)")
                }
            case .json: writeJSON(CaptureReport(page, capture, files: files))
            case .quiet: break
            }
            showStatus(&state)
        }
    }

    /// Reports that a page's files, which a server has made, were written.
    func saved(_ page: Page, warnings: [String], _ report: CaptureReport, files: [(PageFormat, String, Int)]) {
        state.withLock { state in
            finish(page, &state)
            for warning in warnings {
                writeError(CaptureWords.warning(warning.replacing("\n", with: " "), about: page.shownAddress))
            }
            switch style {
            case .lines:
                for (_, path, count) in files {
                    writeOutput("\(path)\t\(CaptureWords.size(count))\t\(page.shownAddress)")
                }
            case .json: writeJSON(report)
            case .quiet: break
            }
        }
    }

    /// Reports that a page could not be captured.
    func failed(_ page: Page, code: String, _ message: String) {
        state.withLock { state in
            finish(page, &state)
            writeError(CaptureWords.error(message))
            if style == .json { writeJSON(CaptureReport(page, code: code, message: message)) }
            showStatus(&state)
        }
    }

    /// Reports an error that prevented all captures.
    func failedBeforeStart(_ message: String) {
        state.withLock { _ in writeError(CaptureWords.error(message)) }
    }

    /// Ends the output.
    func end(interrupted: Bool) {
        state.withLock { state in
            state.status.clear()
            if interrupted { writeError(CaptureWords.interrupted(done: state.done, total: total)) }
        }
    }

    // MARK: Writing

    private func finish(_ page: Page, _ state: inout State) {
        state.status.clear()
        state.running[page] = nil
        state.done += 1
    }

    private static func text(_ progress: CaptureProgress) -> String {
        switch progress {
        case .starting: CaptureWords.waiting
        case .loading(let finished, let started, let bytes):
            CaptureWords.loading(finished: finished, started: started, bytes: bytes)
        case .settling: CaptureWords.waitingForPage
        case .rendering(let format): CaptureWords.making(format.rawValue)
        }
    }

    private func showStatus(_ state: inout State) {
        guard let (page, text) = state.running.min(by: { $0.key.index < $1.key.index }) else { return }
        state.status.show(
            CaptureWords.status(
                text, of: String(page.shownAddress.suffix(60)), done: state.done, total: total,
                others: state.running.count - 1))
    }

    private func writeOutput(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    private func writeError(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    private func writeJSON(_ report: CaptureReport) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(report) else { return }
        writeOutput(String(decoding: json, as: UTF8.self))
    }

    private func write(_ text: String, to file: FileHandle) {
        // Ignore a closed stream: the files matter more than the report.
        try? file.write(contentsOf: Data(text.utf8))
    }
}

import Capture
import Foundation
import Synchronization

/// Tells the person or the script what becomes of each page.
///
/// Lines about files go to standard output, everything else to standard error. On a terminal the last line there shows what
/// is going on at the moment.
final class Reporter: Sendable {
    /// How it is told.
    enum Style: Sendable {
        /// A line a file.
        case lines
        /// A JSON object a page.
        case json
        /// Nothing but errors and warnings: standard output is the file.
        case quiet
    }

    /// One of the addresses that the program was given.
    struct Page: Hashable, Sendable {
        var index: Int
        var address: String
        /// The address as it is shown to people.
        var shownAddress: String { WebAddress.shortened(address) }
    }

    private struct State {
        var running: [Page: String] = [:]
        var done = 0
        var status: StatusLine
    }

    private let style: Style
    private let total: Int
    /// Held while a line is written, so that lines of pages that are captured at the same time stay whole.
    private let state: Mutex<State>

    init(style: Style, total: Int, standardErrorIsTerminal: Bool = isatty(STDERR_FILENO) != 0) {
        self.style = style
        self.total = total
        self.state = Mutex(State(status: StatusLine(isTerminal: standardErrorIsTerminal)))
    }

    /// A page is so far.
    func progressed(_ page: Page, _ progress: CaptureProgress) {
        state.withLock { state in
            state.running[page] = Self.text(progress)
            if state.status.isDue() { showStatus(&state) }
        }
    }

    /// A page's files are written.
    func kept(_ page: Page, _ capture: PageCapture, files: [(PageFormat, String, Int)]) {
        state.withLock { state in
            finish(page, &state)
            for warning in capture.warnings { writeError("warning: \(page.shownAddress): \(warning.message)") }
            switch style {
            case .lines:
                for (_, path, count) in files {
                    let size = Int64(count).formatted(.byteCount(style: .file))
                    writeOutput("\(path)\t\(size)\t\(page.shownAddress)")
                }
            case .json: writeJSON(CaptureReport(page, capture, files: files))
            case .quiet: break
            }
            showStatus(&state)
        }
    }

    /// A page could not be kept.
    func failed(_ page: Page, code: String, _ message: String) {
        state.withLock { state in
            finish(page, &state)
            writeError("error: \(message)")
            if style == .json { writeJSON(CaptureReport(page, code: code, message: message)) }
            showStatus(&state)
        }
    }

    /// No page could even be begun.
    func failedBeforeStart(_ message: String) {
        state.withLock { _ in writeError("error: \(message)") }
    }

    /// All is over.
    func end(interrupted: Bool) {
        state.withLock { state in
            state.status.clear()
            if interrupted { writeError("Interrupted. \(state.done) of \(total) pages were done.") }
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
        case .starting: "waiting"
        case .loading(let finished, let started, let bytes):
            "loading \(finished) of \(started), \(Int64(bytes).formatted(.byteCount(style: .file)))"
        case .settling: "settling"
        case .rendering(let format): "making \(format.rawValue)"
        }
    }

    private func showStatus(_ state: inout State) {
        guard let (page, text) = state.running.min(by: { $0.key.index < $1.key.index }) else { return }
        let others = state.running.count - 1
        let more = others > 0 ? " (and \(others) more)" : ""
        state.status.show("[\(state.done)/\(total)] \(page.shownAddress.suffix(60)): \(text)\(more)")
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
        // Nobody reads it any more: the files are what matters.
        try? file.write(contentsOf: Data(text.utf8))
    }
}

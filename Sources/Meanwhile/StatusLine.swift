import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The last line of a terminal, which shows the current progress; does nothing if standard error isn't a terminal.
struct StatusLine {
    let isTerminal: Bool
    private var isShown = false
    private var last: ContinuousClock.Instant?

    init(isTerminal: Bool = isatty(STDERR_FILENO) != 0) {
        self.isTerminal = isTerminal
    }

    /// Returns whether to update the line: at most once every 80 ms, which looks live and costs little.
    mutating func isDue() -> Bool {
        guard isTerminal else { return false }
        let now = ContinuousClock.now
        if let last, now - last < .milliseconds(80) { return false }
        last = now
        return true
    }

    /// Shows a line in place of the previous one.
    mutating func show(_ line: String) {
        guard isTerminal else { return }
        // Carriage return, clear the line, and disable wrapping at the edge of a narrow terminal.
        Self.write("\r\u{1B}[2K\u{1B}[?7l\(line)\u{1B}[?7h")
        isShown = true
    }

    /// Clears the line, so that a permanent one can be written.
    mutating func clear() {
        guard isShown else { return }
        Self.write("\r\u{1B}[2K")
        isShown = false
    }

    private static func write(_ text: String) {
        // Ignore a closed standard error.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

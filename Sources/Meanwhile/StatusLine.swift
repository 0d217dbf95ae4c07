import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The last line of a terminal, which shows what is going on at the moment; nothing where standard error is no terminal.
struct StatusLine {
    let isTerminal: Bool
    private var isShown = false
    private var last: ContinuousClock.Instant?

    init(isTerminal: Bool = isatty(STDERR_FILENO) != 0) {
        self.isTerminal = isTerminal
    }

    /// Whether it is time to show something else: often enough to look alive, seldom enough to cost nothing.
    mutating func isDue() -> Bool {
        guard isTerminal else { return false }
        let now = ContinuousClock.now
        if let last, now - last < .milliseconds(80) { return false }
        last = now
        return true
    }

    /// Shows a line in place of the one before.
    mutating func show(_ line: String) {
        guard isTerminal else { return }
        // Carriage return, clear the line, and no wrapping at the edge of a narrow terminal.
        Self.write("\r\u{1B}[2K\u{1B}[?7l\(line)\u{1B}[?7h")
        isShown = true
    }

    /// Makes room for a line that stays.
    mutating func clear() {
        guard isShown else { return }
        Self.write("\r\u{1B}[2K")
        isShown = false
    }

    private static func write(_ text: String) {
        // Nobody may read it any more.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

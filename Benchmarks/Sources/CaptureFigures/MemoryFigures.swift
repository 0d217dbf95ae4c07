import Capture
import Figures
import Foundation

/// Measures the memory in use after some captures and after many.
struct MemoryFigures {
    var page: URL
    /// The number of captures; memory is also measured after a tenth of them.
    var captures: Int

    /// Measures, and returns the report.
    func report() async throws -> String {
        let tenth = max(captures / 10, 1)
        let (early, late) = try await withPageCapturer(.forThisMachine) { capturer in
            let early = try await use(after: 1...tenth, capturer)
            return (early, try await use(after: (tenth + 1)...max(captures, tenth + 1), capturer))
        }
        var table = MarkdownTable(columns: ["MB (PSS)", "Chromium", "its processes", "this process", "together"])
        for (count, use) in [(tenth, early), (captures, late)] {
            table.add([
                "after \(count) captures", use.browser.digits(1), "\(use.processes)", use.own.digits(1),
                use.total.digits(1),
            ])
        }
        return """
            ### Memory

            The whole tree of processes, at rest, after captures of `\(page.path().dropFirst())` in all three formats.

            \(table)
            \(verdict(late.total / early.total, "the memory after \(tenth) captures", atMost: 1.1))
            """
    }

    private func use(after numbers: ClosedRange<Int>, _ capturer: PageCapturer) async throws -> MemoryUse {
        for number in numbers {
            _ = try await capturer.capture(page)
            if number.isMultiple(of: 10) { note("memory", "\(number)/\(captures) captures", "") }
        }
        let use = try await MemoryUse.atRest()
        note("memory", "\(numbers.upperBound) captures", "\(use.total.digits(1)) MB")
        return use
    }
}

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
        let some = max(captures / 10, 1)
        let (early, late) = try await withPageCapturer(.forThisMachine) { capturer in
            let early = try await use(after: 1...some, capturer)
            return (early, try await use(after: (some + 1)...max(captures, some + 1), capturer))
        }
        var table = MarkdownTable(columns: ["MB (PSS)", "Chromium", "its processes", "this process", "together"])
        for (count, use) in [(some, early), (captures, late)] {
            table.add([
                "after \(count) captures", use.browser.digits(1), "\(use.processes)", use.own.digits(1),
                use.total.digits(1),
            ])
        }
        return """
            ### Memory

            The whole tree of processes, at rest, after captures of `\(page.path().dropFirst())` in all three formats.

            \(table)
            \(verdict(late.total / early.total, "the memory after \(some) captures", atMost: 1.1))
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

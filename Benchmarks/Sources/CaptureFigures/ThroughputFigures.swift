import Capture
import Figures
import Foundation

/// Measures captures of all formats per minute, by the number of concurrent captures.
struct ThroughputFigures {
    private static let levels = [1, 2, 4]
    /// The number of captures timed together; a multiple of every level.
    private static let batch = 8

    var pages: [URL]
    var rounds: Int

    /// Measures, and returns the report.
    func report() async throws -> String {
        var configuration = PageCapturer.Configuration.forThisMachine
        configuration.simultaneousCaptures = Self.levels.max() ?? 1
        let capturer = PageCapturer(configuration: configuration)
        var series = pages.map { _ in Self.levels.map { _ in Series() } }
        for page in pages { _ = try await capturer.capture(page) }
        for round in 1...rounds {
            for (index, page) in pages.enumerated() {
                for (column, level) in Self.levels.enumerated() {
                    let rate = try await capturesPerMinute(of: page, atOnce: level, with: capturer)
                    note("throughput \(round)/\(rounds)", "\(page.lastPathComponent), \(level) at once", rate.digits(0))
                    series[index][column].add(rate)
                }
            }
        }
        await capturer.close()
        var table = MarkdownTable(columns: ["page"] + Self.levels.map { "\($0) at once" })
        for (page, series) in zip(pages, series) {
            table.add(["`\(page.path().dropFirst())`"] + series.map { $0.median.digits(1) })
        }
        return """
            ### Captures a minute

            All three formats; medians of \(rounds) rounds of \(Self.batch) captures.

            \(table)
            """
    }

    private func capturesPerMinute(
        of page: URL, atOnce level: Int, with capturer: PageCapturer
    ) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<level {
                group.addTask {
                    for _ in 0..<(Self.batch / level) { _ = try await capturer.capture(page) }
                }
            }
            try await group.waitForAll()
        }
        return Double(Self.batch) / ((ContinuousClock.now - start) / .seconds(60))
    }
}

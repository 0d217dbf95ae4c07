import Figures
import Foundation
import HealthSamples
import Persistence

/// How long a page of changes takes, however much there is.
enum PageFigures {
    private static let limit = 10_000

    static func print(millions: Int) async throws {
        try await SamplesFigures.withFolder { path in
            let (database, store) = try await SamplesFigures.store(in: path)
            defer { database.close() }
            let filling = try await time {
                for batch in 0..<millions * 20 {
                    try await store.save(
                        SamplesFigures.samples(50_000, from: batch * 50_000), as: SamplesFigures.source)
                }
            }
            var pages: [Double] = []
            var anchor: Anchor?
            var count = 0
            while true {
                var page: SampleChanges?
                let duration = try await time {
                    page = try await store.changes(
                        SamplesFigures.query, since: anchor, limit: limit, as: SamplesFigures.source)
                }
                guard let page else { break }
                pages.append(duration.milliseconds)
                count += page.added.count
                anchor = page.anchor
                if !page.hasMore { break }
            }
            precondition(count == millions * 1_000_000, "\(count) samples were told")
            var table = MarkdownTable(columns: [
                "a page of 10,000 changes, ms", "all, median", "first tenth", "last tenth", "slowest",
            ])
            table.add([
                "out of \(millions) million", median(pages), median(pages.prefix(pages.count / 10)),
                median(pages.suffix(pages.count / 10)), (pages.max() ?? .nan).digits(1),
            ])
            Swift.print(table)
            Swift.print(
                "Saved in \((filling / .seconds(1)).digits(0)) s, by 50,000 at a time; read page by page to the end.\n")
        }
    }

    private static func median(_ durations: some Sequence<Double>) -> String {
        var series = Series()
        for duration in durations { series.add(duration) }
        return series.median.digits(1)
    }
}

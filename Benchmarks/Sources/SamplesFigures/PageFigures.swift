import Figures
import Foundation
import HealthSamples
import Persistence

/// Measures reading pages of changes out of a large store.
enum PageFigures {
    private static let limit = 10_000
    /// The number of samples per transaction.
    ///
    /// It is large because each transaction rewrites most pages of the indexes of identifiers, which are random.
    private static let batch = 500_000

    static func print(millions: Int) async throws {
        try await SamplesFigures.withFolder { path in
            let (database, store) = try await SamplesFigures.store(in: path)
            defer { database.close() }
            let filling = try await time {
                for start in stride(from: 0, to: millions * 1_000_000, by: batch) {
                    try await store.save(SamplesFigures.samples(batch, from: start), by: SamplesFigures.source)
                }
            }
            var pages: [Double] = []
            var anchor: Anchor?
            var count = 0
            while true {
                var page: SampleChanges?
                let duration = try await time {
                    page = try await store.changes(
                        SamplesFigures.query, since: anchor, limit: limit, by: SamplesFigures.source)
                }
                guard let page else { break }
                pages.append(duration.milliseconds)
                count += page.added.count
                anchor = page.anchor
                if !page.hasMore { break }
            }
            precondition(count == millions * 1_000_000, "\(count) samples were read")
            var table = MarkdownTable(columns: [
                "a page of 10,000 changes, ms", "all, median", "first tenth", "last tenth", "slowest",
            ])
            table.add([
                "out of \(millions) million", median(pages), median(pages.prefix(pages.count / 10)),
                median(pages.suffix(pages.count / 10)), (pages.max() ?? .nan).digits(1),
            ])
            Swift.print(table)
            Swift.print(
                "Saved in \((filling / .seconds(1)).digits(0)) s, 500,000 at a time; read page by page to the end.\n"
            )
        }
    }

    private static func median(_ durations: some Sequence<Double>) -> String {
        var series = Series()
        for duration in durations { series.add(duration) }
        return series.median.digits(1)
    }
}

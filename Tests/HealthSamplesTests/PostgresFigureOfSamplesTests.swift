import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import HealthSamples

/// Measures a page of changes as the table of samples grows; `script/bench postgres` prints it.
@Suite(
    .serialized, .timeLimit(.minutes(60)), .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_FIGURES"] == "1"))
struct PostgresFigureOfSamplesTests {
    private static let pageLength = 100

    /// Copies the first sample until there are this many.
    private static func fill(_ database: any SQLDatabase, to count: Int) async throws {
        let step = 50_000
        while true {
            let last = try await database.writeRows(locking: []) { connection in
                let last = try connection.value("SELECT sequence FROM health_store", as: Int.self) ?? 0
                let end = min(count, last + step)
                let added = try connection.execute(
                    """
                    INSERT INTO health_change (series, sequence, store, source, id, start, "end", value, unit, zone, metadata)
                    SELECT series, number, store, source, decode(md5(CAST(number AS TEXT)), 'hex'), start + number,
                        "end" + number, value, unit, zone, metadata
                    FROM health_change CROSS JOIN generate_series(CAST(? AS BIGINT), CAST(? AS BIGINT)) AS number
                    WHERE sequence = (SELECT min(sequence) FROM health_change)
                    """, [last + 1, end])
                #expect(added == max(0, end - last))
                try connection.execute("UPDATE health_store SET sequence = ?", [max(last, end)])
                return end
            }
            if last >= count { return }
        }
    }

    @Test func pageOfChangesTakesAsLongInALargeTable() async throws {
        let folder = try TemporaryFolder()
        let database = try await DatabaseKind.postgreSQL.open(
            in: folder.path, [], SQLiteSampleStore.postgreSQLMigrations)
        defer { database.close() }
        let store = try await SQLiteSampleStore.open(owner: "ann", inAny: database)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        try await store.save([Sample.caffeine(sync: nil)], by: .app)
        for count in [10_000, 100_000, 1_000_000, 10_000_000] {
            try await Self.fill(database, to: count - Self.pageLength)
            try await database.writeRows(locking: []) { _ = try $0.execute("ANALYZE health_change") }
            let anchor = try await store.latestAnchor(.caffeine, by: .app)
            try await Self.fill(database, to: count)
            var times: [Duration] = []
            for _ in 0..<500 {
                let stopwatch = Stopwatch(ContinuousClock())
                let page = try await store.changes(.caffeine, since: anchor, limit: Self.pageLength, by: .app)
                times.append(stopwatch.elapsed)
                #expect(page.added.count == Self.pageLength && !page.hasMore)
            }
            let bytes = try await database.readRows {
                try $0.value("SELECT pg_total_relation_size('health_change')", as: Int.self) ?? 0
            }
            print(
                "\(count) samples, \(bytes >> 20) MiB: a page of \(Self.pageLength) changes after an anchor takes",
                times.sorted()[250] / .microseconds(1), "µs (median of 500)")
        }
    }
}

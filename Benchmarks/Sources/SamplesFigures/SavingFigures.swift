import Figures
import Foundation
import GRDB
import HealthSamples
import Persistence

/// Measures samples saved per second, one by one and in batches.
enum SavingFigures {
    static func print(rounds: Int) async throws {
        var table = MarkdownTable(columns: ["samples saved a second", "SQLiteSampleStore", "bare GRDB", "ratio"])
        for (name, batches, size) in [("one by one", 2_000, 1), ("1,000 at a time", 50, 1_000)] {
            var rates: [Series] = [Series(), Series()]
            var ratio = Series()
            for round in 0..<rounds {
                let all = (0..<batches).map { SamplesFigures.samples(size, from: $0 * size) }
                var durations = [0.0, 0.0]
                // Alternates which of the two is measured first.
                for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                    durations[index] = try await SamplesFigures.withFolder { path in
                        try await (index == 0 ? store(path, all) : bare(path, all)) / .seconds(1)
                    }
                }
                for index in rates.indices { rates[index].add(Double(batches * size) / durations[index]) }
                ratio.add(durations[1] / durations[0])
            }
            table.add([name, rates[0].median.digits(0), rates[1].median.digits(0), ratio.median.digits(2)])
        }
        Swift.print(table)
        Swift.print(
            "Medians of \(rounds) alternating rounds; each ratio is the median of the rounds' ratios. Both have the "
                + "same tables and indexes, a write-ahead log, and synchronous=FULL.\n")
    }

    private static func store(_ path: String, _ batches: [[Sample]]) async throws -> Duration {
        let (database, store) = try await SamplesFigures.store(in: path)
        defer { database.close() }
        return try await time {
            for batch in batches { try await store.save(batch, by: SamplesFigures.source) }
        }
    }

    /// The minimal GRDB code that stores the same rows in the same table.
    private static func bare(_ path: String, _ batches: [[Sample]]) async throws -> Duration {
        let pool = try DatabasePool(path: "\(path)/bare.sqlite")
        defer { try? pool.close() }
        // Set afterwards: opening a pool sets NORMAL, which isn't durable.
        try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try await pool.write { connection in
            for migration in SQLiteSampleStore.migrations { try migration.migrate(connection) }
        }
        return try await time {
            var sequence = 0
            for batch in batches {
                let first = sequence
                try await pool.write { connection in
                    let statement = try connection.cachedStatement(
                        sql: """
                            INSERT INTO health_change (series, sequence, store, source, id, start, "end", value, unit, zone,
                                metadata, sync_identifier, sync_version)
                            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                            """)
                    for (number, sample) in batch.enumerated() {
                        try statement.execute(arguments: [
                            1, first + number, 1, 1, sample.id, sample.start.timeIntervalSinceReferenceDate,
                            sample.end.timeIntervalSinceReferenceDate, sample.quantity.value, 1, 2, nil,
                            sample.sync?.identifier, sample.sync?.version,
                        ])
                    }
                }
                sequence += batch.count
            }
        }
    }
}

import Figures
import Foundation
import Persistence

/// Measures the time to open a store with many values, to list and read them, and to load one through `Stored`.
enum StartingFigures {
    private static let count = 10_000

    private static let format = StoredFormat<[Int]>("numbers")

    static func print(rounds: Int) async throws {
        var table = MarkdownTable(
            columns: ["cold start with \(count) names, ms", "open", "list them", "read all", "the first value"])
        try await PersistenceFigures.withFolder { path in
            try await fill(folder(path))
            try await add("FolderStore", to: &table, rounds: rounds) { try await folder(path) }
        }
        try await PersistenceFigures.withFolder { path in
            try await fill(sqlite(path))
            try await add("SQLiteStore", to: &table, rounds: rounds) { try await sqlite(path) }
        }
        Swift.print(table)
        Swift.print("Medians of \(rounds) rounds, each with a store of its own; the files are in the system's cache.\n")
    }

    private static func folder(_ path: String) async throws -> any Store {
        try await FolderStore.open(at: path)
    }

    private static func sqlite(_ path: String) async throws -> any Store {
        let database = try await AppDatabase.open(in: DataFolder.open(at: path), migrations: [])
        return SQLiteStore(database: database, owner: "ann")
    }

    private static func fill(_ store: any Store) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let writes = try (start..<start + 500).map { number in
                StoreWrite(try StoreKey("key\(number)"), try format.content(of: [number]))
            }
            _ = try await store.commit(writes)
        }
    }

    private static func add(
        _ name: String, to table: inout MarkdownTable, rounds: Int, _ open: () async throws -> any Store
    ) async throws {
        var series = [Series(), Series(), Series(), Series()]
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            var start = clock.now
            let store = try await open()
            series[0].add(start.duration(to: clock.now).milliseconds)
            start = clock.now
            let keys = try await store.keys(beginningWith: "")
            precondition(keys.count == count)
            series[1].add(start.duration(to: clock.now).milliseconds)
            start = clock.now
            for key in keys {
                guard let record = try await store.read(key) else { continue }
                _ = try format.value(of: record.content)
            }
            series[2].add(start.duration(to: clock.now).milliseconds)
            start = clock.now
            let another = try await open()
            let stored = await Stored("key7", in: another, format: format, default: []).load()
            let value = await stored.value
            precondition(value == [7])
            series[3].add(start.duration(to: clock.now).milliseconds)
        }
        table.add([name] + series.map { $0.median.digits(1) })
    }
}

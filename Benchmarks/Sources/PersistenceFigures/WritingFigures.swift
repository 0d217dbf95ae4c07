import Figures
import Foundation
import GRDB
import Persistence
import SystemPackage

/// Measures sequential durable writes per second.
enum WritingFigures {
    private static let writes = 1_000
    private static let sizes = [100, 1_000, 10_000]

    static func print(rounds: Int) async throws {
        var table = MarkdownTable(
            columns: [
                "durable writes a second", "SQLiteStore", "bare GRDB", "ratio", "FolderStore",
                "bare temporary file, sync, rename, sync", "ratio",
            ])
        for size in sizes {
            // JSON, as a `Stored` value writes it; distinct, because SQLite skips writes of unchanged data.
            let payloads = (0..<writes).map { number in
                Data(("\"" + "\(number)".padding(toLength: size - 2, withPad: "x", startingAt: 0) + "\"").utf8)
            }
            var rates: [Series] = [Series(), Series(), Series(), Series()]
            var pairs: [Series] = [Series(), Series()]
            for _ in 0..<rounds {
                var round: [Double] = []
                for measure in [sqliteStore, bareGRDB, folderStore, bareFiles] {
                    let duration = try await PersistenceFigures.withFolder { try await measure($0, payloads) }
                    round.append(Double(writes) / (duration / .seconds(1)))
                }
                for index in rates.indices { rates[index].add(round[index]) }
                pairs[0].add(round[0] / round[1])
                pairs[1].add(round[2] / round[3])
            }
            table.add([
                "\(size) bytes", rates[0].median.digits(0), rates[1].median.digits(0), pairs[0].median.digits(2),
                rates[2].median.digits(0), rates[3].median.digits(0), pairs[1].median.digits(2),
            ])
        }
        Swift.print(table)
        Swift.print(
            "Medians of \(rounds) alternating rounds, \(writes) writes each over 100 names; each ratio is the median "
                + "of the rounds' ratios. Both databases have a write-ahead log, and synchronous=FULL.\n")
    }

    private static func key(_ number: Int) -> String { "key\(number % 100)" }

    private static func write(_ store: some Store, _ payloads: [Data]) async throws -> Duration {
        try await time {
            for number in 0..<writes {
                let content = StoredContent(format: "text", version: 1, payload: payloads[number])
                _ = try await store.commit([StoreWrite(StoreKey(key(number)), content)])
            }
        }
    }

    private static func sqliteStore(_ path: String, _ payloads: [Data]) async throws -> Duration {
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: path), migrations: [])
        defer { database.close() }
        return try await write(SQLiteStore(database: database, owner: "ann"), payloads)
    }

    private static func folderStore(_ path: String, _ payloads: [Data]) async throws -> Duration {
        try await write(FolderStore.open(at: path), payloads)
    }

    /// The minimal GRDB code that stores the same bytes under the same keys.
    private static func bareGRDB(_ path: String, _ payloads: [Data]) async throws -> Duration {
        let pool = try DatabasePool(path: "\(path)/bare.sqlite")
        defer { try? pool.close() }
        // Set afterwards: opening a pool sets NORMAL, which isn't durable.
        try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try await pool.write { connection in
            try connection.execute(sql: "CREATE TABLE stored (key TEXT PRIMARY KEY, payload BLOB NOT NULL)")
        }
        return try await time {
            for number in 0..<writes {
                try await pool.write { connection in
                    try connection.cachedStatement(sql: "INSERT OR REPLACE INTO stored VALUES (?, ?)").execute(
                        arguments: [key(number), payloads[number]])
                }
            }
        }
    }

    /// The minimal code that stores the same bytes durably in files.
    private static func bareFiles(_ path: String, _ payloads: [Data]) async throws -> Duration {
        let folder = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? folder.close() }
        return try await time {
            for number in 0..<writes {
                let temporary = "\(path)/temporary"
                let file = try FileDescriptor.open(
                    FilePath(temporary), .writeOnly, options: [.create, .exclusiveCreate],
                    permissions: [.ownerReadWrite])
                try file.writeAll(payloads[number])
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
                try file.close()
                guard rename(temporary, "\(path)/\(key(number))") == 0, fsync(folder.rawValue) == 0 else {
                    throw Errno(rawValue: errno)
                }
            }
        }
    }
}

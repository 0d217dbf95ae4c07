import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// Measures PostgreSQL; `script/bench postgres` prints it.
///
/// The server is on the same computer and waits for its disk; SQLite waits for the same disk.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_FIGURES"] == "1"))
struct PostgresFigureTests {
    /// The statements with which ``SQLiteStore`` writes a value.
    private static func write(_ number: Int, _ connection: BareConnection, owner: String = "bare") {
        connection.run("BEGIN")
        connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", ["values/\(owner)"])
        connection.run(
            """
            SELECT slot, sequence, revision, format, version, payload IS NULL,
                (SELECT max(sequence) FROM stored_value WHERE owner = $1)
            FROM stored_value WHERE owner = $1 AND key = $2 ORDER BY sequence DESC LIMIT 1
            """, [owner, "key\(number % 100)"])
        let change = connection.run("SELECT nextval('stored_value_change')") ?? ""
        connection.run(
            """
            INSERT INTO stored_value (owner, key, slot, sequence, revision, format, version, checksum, payload)
            VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)
            ON CONFLICT (owner, key, slot) DO UPDATE SET
                sequence = $4, revision = $4, format = $5, version = $6, checksum = $7, payload = $8
            """, [owner, "key\(number % 100)", "\(number / 100 % 2)", change, "text", "1", "check", text])
        connection.run("COMMIT")
    }

    private static func read(_ number: Int, _ connection: BareConnection, owner: String = "bare") {
        connection.run(
            """
            SELECT slot, sequence, revision, format, version, checksum, payload FROM stored_value
            WHERE owner = $1 AND key = $2 AND slot = (
                SELECT slot FROM stored_value WHERE owner = $1 AND key = $2 ORDER BY sequence DESC LIMIT 1)
            """, [owner, "key\(number % 100)"])
    }

    private static let text = String(repeating: "a", count: 1_000)

    private static func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

    private static func time(_ body: () async throws -> Void) async rethrows -> Duration {
        let stopwatch = Stopwatch(ContinuousClock())
        try await body()
        return stopwatch.elapsed
    }

    private static func microseconds(_ time: Duration) -> Int { Int(time / .microseconds(1)) }

    /// Alternates between the three, so that the load of the computer concerns all.
    @Test func valuesAreAsFastAsWithoutTheStore() async throws {
        let address = try await ServedPostgreSQL.newSchema()
        let database = try await PostgresDatabase.open(address, migrations: SQLiteStore.postgreSQLMigrations)
        let folder = try TemporaryFolder()
        let sqlite = try await AppDatabase.open(in: DataFolder.open(at: folder.path), migrations: [])
        let stores = [SQLiteStore(in: database, owner: "ann"), SQLiteStore(in: sqlite, owner: "ann")]
        let bare = BareConnection(address)
        let content = StoredContent(format: "text", version: 1, payload: Data(Self.text.utf8))
        var (writes, reads): ([[Duration]], [[Duration]]) = ([[], [], []], [[], [], []])
        for number in 0..<2_000 {
            let key = try StoreKey("key\(number % 100)")
            writes[0].append(await Self.time { Self.write(number, bare) })
            reads[0].append(await Self.time { Self.read(number, bare) })
            for (index, store) in stores.enumerated() {
                writes[index + 1].append(
                    try await Self.time { _ = try await store.commit([StoreWrite(key, content)]) })
                reads[index + 1].append(try await Self.time { _ = try await store.read(key) })
            }
        }
        print("| medians of 2,000, values of 1 kB | libpq alone | the store | ratio | the store in SQLite |")
        print("|---|---:|---:|---:|---:|")
        for (name, times) in [("write", writes), ("read", reads)] {
            let medians = times.map(Self.median)
            let ratio = medians[0] / medians[1]
            print(
                "| \(name) | \(Self.microseconds(medians[0])) µs | \(Self.microseconds(medians[1])) µs "
                    + "| \((ratio * 100).rounded() / 100) | \(Self.microseconds(medians[2])) µs |")
            #expect(ratio > 0.1)
        }
    }

    /// Runs work on several threads at the same time, and waits for all.
    private static func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            work(index)
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    /// How many values are written or read in a second by several callers at the same time.
    @Test func valuesOfSeveralCallersAreAsFastAsWithoutTheStore() async throws {
        let (callers, count) = (8, 1_000)
        let address = try await ServedPostgreSQL.newSchema()
        let database = try await PostgresDatabase.open(address, migrations: SQLiteStore.postgreSQLMigrations)
        defer { database.close() }
        // Callers of one owner would wait for each other, in both contestants.
        let stores = (0..<callers).map { SQLiteStore(in: database, owner: OwnerID("owner\($0)")) }
        let content = StoredContent(format: "text", version: 1, payload: Data(Self.text.utf8))
        var times: [[[Duration]]] = [[[], []], [[], []]]
        for _ in 0..<5 {
            for (kind, isWriting) in [true, false].enumerated() {
                times[kind][0].append(
                    await Self.time {
                        await Self.onThreads(callers) { caller in
                            // It takes a hundredth of the time to connect.
                            let connection = BareConnection(address)
                            for number in 0..<count {
                                if isWriting {
                                    Self.write(number, connection, owner: "bare\(caller)")
                                } else {
                                    Self.read(number, connection, owner: "bare\(caller)")
                                }
                            }
                        }
                    })
                times[kind][1].append(
                    try await Self.time {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for store in stores {
                                group.addTask {
                                    for number in 0..<count {
                                        let key = try StoreKey("key\(number % 100)")
                                        if isWriting {
                                            _ = try await store.commit([StoreWrite(key, content)])
                                        } else {
                                            _ = try await store.read(key)
                                        }
                                    }
                                }
                            }
                            try await group.waitForAll()
                        }
                    })
            }
        }
        print("| \(callers) callers at the same time, a second | libpq alone | the store | ratio |")
        print("|---|---:|---:|---:|")
        for (name, times) in zip(["writes", "reads"], times) {
            let rates = times.map { Double(callers * count) / (Self.median($0) / .seconds(1)) }
            let ratio = rates[1] / rates[0]
            print("| \(name) | \(Int(rates[0])) | \(Int(rates[1])) | \((ratio * 100).rounded() / 100) |")
            #expect(ratio > 0.1)
        }
    }

    @Test func notificationsArriveSoon() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let first = try await PostgresDatabase.open(schema, migrations: [])
        let second = try await PostgresDatabase.open(schema, migrations: [])
        let (arrivals, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = second.changeSignal(of: "a").watch { arrival.yield() }.watch
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()
        var times: [Duration] = []
        for _ in 0..<2_000 {
            let stopwatch = Stopwatch(ContinuousClock())
            first.changeSignal(of: "a").send()
            await iterator.next()
            times.append(stopwatch.elapsed)
        }
        watch.stop()
        times.sort()
        print(
            "a signal to another program, of 2,000: median \(Self.microseconds(times[1_000])) µs, "
                + "p99 \(Self.microseconds(times[1_980])) µs")
        #expect(times[1_000] < .seconds(1))
    }
}

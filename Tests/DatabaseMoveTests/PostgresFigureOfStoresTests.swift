import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// Measures each store in PostgreSQL; `script/bench postgres` prints it.
///
/// libpq alone runs the statements that the store has run in a database with the same content.
@Suite(
    .serialized, .timeLimit(.minutes(20)), .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_FIGURES"] == "1"))
struct PostgresFigureOfStoresTests {
    private static let rounds = 7

    /// What is measured, in an order in which each part finds what it needs.
    private static let parts: [(name: String, work: @Sendable (Stores) async throws -> Void)] = [
        ("values, writes", { try await $0.fillValues() }),
        ("boards, writes", { try await $0.fillBoards() }),
        ("drinks and samples, writes", { try await $0.fillDrinks() }),
        ("saved pages, writes with their files", { try await $0.fillLibrary() }),
        ("jobs, writes", { try await $0.fillJobs() }),
        ("accounts, writes with their hashes", { try await $0.fillAccounts() }),
        ("all stores, reads with all files", { _ = try await $0.contents() }),
    ]

    @Test func storesAreAsFastAsWithoutThem() async throws {
        var times = Self.parts.map { _ in [[Duration](), [], []] }
        for _ in 0..<Self.rounds {
            let recorded = try await Self.recorded()
            let address = try await ServedPostgreSQL.newSchema()
            try await PostgresDatabase.open(address, migrations: Schema.postgreSQL).close()
            let bare = BareConnection(address)
            let places = [try await Place(.postgreSQL), try await Place(.sqlite)]
            var stores: [Stores] = []
            for place in places { stores.append(try await Stores(place.database, place.folder)) }
            Self.replay(recorded.opening, bare)
            for (index, part) in Self.parts.enumerated() {
                let stopwatch = Stopwatch(ContinuousClock())
                Self.replay(recorded.parts[index], bare)
                times[index][0].append(stopwatch.elapsed)
                for (contestant, stores) in stores.enumerated() {
                    let start = stopwatch.elapsed
                    try await part.work(stores)
                    times[index][contestant + 1].append(stopwatch.elapsed - start)
                }
            }
            #expect(bare.failure == nil)
            withExtendedLifetime(places) {}
        }
        print("| medians of \(Self.rounds) | libpq alone | the store | ratio | the store in SQLite |")
        print("|---|---:|---:|---:|---:|")
        for (part, times) in zip(Self.parts, times) {
            let medians = times.map { $0.sorted()[$0.count / 2] / .milliseconds(1) }
            func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
            print(
                "| \(part.name) | \(rounded(medians[0])) ms | \(rounded(medians[1])) ms "
                    + "| \(rounded(medians[0] / medians[1])) | \(rounded(medians[2])) ms |")
        }
    }

    /// The transactions of opening the stores, and of each part.
    private static func recorded() async throws -> (
        opening: [RecordingDatabase.Transaction], parts: [[RecordingDatabase.Transaction]]
    ) {
        let place = try await Place(.postgreSQL)
        let database = RecordingDatabase(place.database)
        let stores = try await Stores(database, place.folder)
        let opening = database.take()
        var transactions: [[RecordingDatabase.Transaction]] = []
        for part in parts {
            try await part.work(stores)
            transactions.append(database.take())
        }
        return (opening, transactions)
    }

    private static func replay(_ transactions: [RecordingDatabase.Transaction], _ connection: BareConnection) {
        for transaction in transactions {
            let isAlone = !transaction.isWriting && transaction.statements.count == 1
            if !isAlone {
                connection.run(transaction.isWriting ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            }
            for statement in transaction.statements {
                connection.run(PostgresStatement.translate(statement.sql), statement.arguments.map(text))
            }
            if !isAlone { connection.run("COMMIT") }
        }
    }

    private static func text(_ value: SQLValue) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let data): "\\x" + data.map { String(format: "%02x", $0) }.joined()
        }
    }
}

import EmojiArtModel
import Foundation
import GRDB
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

/// Measures the store's overhead over writing the same rows directly: `script/bench art`.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["ART_FIGURES"] == "1"), .serialized, .timeLimit(.minutes(15)))
struct BoardFigureTests {
    private static let rounds = 5

    @Test func measuresBatchesPerSecondAgainstBareGRDB() async throws {
        print("| batches a second | `SQLiteBoardStore.apply` | bare GRDB | ratio |\n|---|---:|---:|---:|")
        for (title, size, count) in [("1 move a batch", 1, 1_000), ("500 moves a batch", 500, 100)] {
            let steps = try FigureSteps(size: size, count: count)
            var rates: (store: [Double], bare: [Double], ratio: [Double]) = ([], [], [])
            // The first round is a warm-up.
            for round in 0...Self.rounds {
                // The two take turns: each is measured first in half of the rounds.
                let isStoreFirst = round.isMultiple(of: 2)
                var outcomes: [Outcome] = []
                for isStore in [isStoreFirst, !isStoreFirst] {
                    outcomes.append(try await isStore ? byStore(steps) : byBareGRDB(steps))
                }
                let (store, bare) = isStoreFirst ? (outcomes[0], outcomes[1]) : (outcomes[1], outcomes[0])
                // Compared outside of `#expect`, which would print megabytes.
                let isSame = store.rows == bare.rows
                #expect(isSame, "Both must store the same rows.")
                guard round > 0 else { continue }
                rates.store.append(Double(count) / store.seconds)
                rates.bare.append(Double(count) / bare.seconds)
                rates.ratio.append(bare.seconds / store.seconds)
            }
            let cells = [digits(median(rates.store), 0), digits(median(rates.bare), 0), digits(median(rates.ratio), 2)]
            print("| \(title) | \(cells.joined(separator: " | ")) |")
        }
        print(
            "\nMedians of \(Self.rounds) alternating rounds, on a board of \(FigureSteps.emojis) emoji; each ratio is "
                + "the median of the rounds' ratios. Both store the same rows, with a write-ahead log and "
                + "synchronous=FULL.")
    }

    /// The duration, and the rows stored at the end.
    private struct Outcome {
        let seconds: Double
        let rows: [String]
    }

    private func byStore(_ steps: FigureSteps) async throws -> Outcome {
        let fixture = try await SQLiteFixture(policy: FigureSteps.policy)
        defer { fixture.database.close() }
        try await fixture.store.create("board", art: steps.start)
        let seconds = try await time {
            for step in steps.all {
                _ = try await fixture.store.apply(step.batch, to: "board", owner: "ann", author: FigureSteps.author)
            }
        }
        return Outcome(seconds: seconds, rows: try await fixture.database.readRows { try allRows($0.sqlite) })
    }

    private func byBareGRDB(_ steps: FigureSteps) async throws -> Outcome {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let board = try BareBoard(in: folder.path, steps)
        defer { try? board.pool.close() }
        let seconds = try await time {
            for step in steps.all { try await board.add(step) }
        }
        let rows = try await board.pool.read { try allRows($0) }
        return withExtendedLifetime(folder) { Outcome(seconds: seconds, rows: rows) }
    }

    private func time(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func digits(_ value: Double, _ count: Int) -> String {
        value.formatted(.number.precision(.fractionLength(count)).locale(Locale(identifier: "en")))
    }
}

/// Batches of moves, with the rows to write for each.
private struct FigureSteps {
    static let emojis = 500
    static let author = String(repeating: "a", count: 16)
    static let policy = BoardPolicy()

    struct Step {
        let batch: OperationBatch
        let revision: Int
        /// The total bytes of log entries including this one.
        let logged: Int
        let content: Data
        let checksum: Int64
        /// The snapshot, if one is due at this step.
        let snapshot: Snapshot?
    }

    struct Snapshot {
        let content: Data
        let checksum: Int64

        init(of art: EmojiArt, revision: Int) {
            content = ArtSnapshot.bytes(of: art)
            checksum = BoardReader.checksum(ofSnapshot: content, revision: revision, board: 1)
        }
    }

    let start: EmojiArt
    let all: [Step]

    /// Creates `count` batches of `size` moves; too few for the log to be truncated.
    init(size: Int, count: Int) throws {
        start = try .test(Self.emojis)
        let ids = start.emojis.map(\.id)
        var art = start
        var logged = 0
        var last = (revision: 0, logged: 0)
        all = (1...count).map { revision in
            // Each move goes to a new position.
            let operations = (0..<size).map { number in
                ArtOperation.move(
                    ids[(revision + number) % ids.count], x: Double(number) + 0.5, y: Double(revision) + 0.25)
            }
            let name = size == 1 ? "Move 🐶" : "Move \(size) emoji"
            let batch = OperationBatch(id: "batch-\(revision)", name: name, operations: operations)
            let content = LoggedBatch.bytes(name: name, operations: art.apply(batch).applied)
            logged += content.count
            var snapshot: Snapshot?
            if revision - last.revision >= Self.policy.snapshotEntries
                || logged - last.logged >= Self.policy.snapshotBytes
            {
                snapshot = Snapshot(of: art, revision: revision)
                last = (revision, logged)
            }
            return Step(
                batch: batch, revision: revision, logged: logged, content: content,
                checksum: BoardReader.checksum(
                    ofEntry: content, id: batch.id, author: Self.author, revision: revision, board: 1),
                snapshot: snapshot)
        }
    }
}

/// The minimal GRDB code that writes the same rows to the same tables, without checks.
private struct BareBoard {
    let pool: DatabasePool
    private let now = Moment(ManualDate.board.now).milliseconds

    init(in path: String, _ steps: FigureSteps) throws {
        pool = try DatabasePool(path: "\(path)/bare.sqlite")
        // Set afterwards: opening a pool sets NORMAL, which isn't durable.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { [now] connection in
            for migration in BoardMigrations.all { try migration.migrate(connection) }
            let snapshot = FigureSteps.Snapshot(of: steps.start, revision: 0)
            try connection.execute(sql: "INSERT INTO art_owner (owner, sequence) VALUES ('ann', 1)")
            try connection.execute(
                sql: """
                    INSERT INTO art_board (
                        owner, id, name, created, changed, format, revision, emojis, position, sequence)
                    VALUES ('ann', 'board', 'A board', ?1, ?1, ?2, 0, ?3, 1, 1)
                    """, arguments: [now, ArtSnapshot.format, steps.start.emojis.count])
            try connection.execute(
                sql: "INSERT INTO art_snapshot (board, revision, logged, checksum, content) VALUES (1, 0, 0, ?, ?)",
                arguments: [snapshot.checksum, snapshot.content])
        }
    }

    func add(_ step: FigureSteps.Step) async throws {
        try await pool.write { [now] connection in
            try connection.cachedStatement(
                sql: """
                    INSERT INTO art_entry (board, revision, logged, batch, author, checksum, content)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                1, step.revision, step.logged, step.batch.id, FigureSteps.author, step.checksum, step.content,
            ])
            if let snapshot = step.snapshot {
                try connection.cachedStatement(
                    sql: """
                        INSERT INTO art_snapshot (board, revision, logged, checksum, content)
                        VALUES (?1, ?2, ?3, ?4, ?5)
                        ON CONFLICT (board) DO UPDATE SET revision = ?2, logged = ?3, checksum = ?4, content = ?5
                        """
                ).execute(arguments: [1, step.revision, step.logged, snapshot.checksum, snapshot.content])
            }
            let sequence = try Int64.fetchOne(
                connection.cachedStatement(
                    sql: """
                        INSERT INTO art_owner (owner, sequence) VALUES (?, 1)
                        ON CONFLICT (owner) DO UPDATE SET sequence = sequence + 1 RETURNING sequence
                        """), arguments: ["ann"])
            try connection.cachedStatement(
                sql: """
                    UPDATE art_board SET changed = ?2, revision = ?3, emojis = ?4, address = ?5, picture = ?6,
                        logged = ?7, position = ?8, sequence = ?8
                    WHERE number = ?1
                    """
            ).execute(arguments: [1, now, step.revision, FigureSteps.emojis, nil, nil, step.logged, sequence])
            try connection.cachedStatement(
                sql: "INSERT INTO art_answer (board, batch, time, revision, refused) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [1, step.batch.id, now, step.revision, nil])
        }
    }
}

/// All rows of the boards' tables, as SQL literals.
private func allRows(_ connection: Database) throws -> [String] {
    try ["art_owner", "art_board", "art_snapshot", "art_entry", "art_answer"].flatMap { table -> [String] in
        let columns = try String.fetchAll(connection, sql: "SELECT name FROM pragma_table_info('\(table)')")
        let values = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
        return try String.fetchAll(connection, sql: "SELECT \(values) FROM \(table) ORDER BY 1")
    }
}

import Foundation
import Futures
import OfflineLibraryModel
import OfflineLibraryStore
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Persistence

/// The directions of a move.
private enum Direction: CaseIterable, Sendable {
    case toPostgreSQL, toSQLite

    var kinds: (DatabaseKind, DatabaseKind) {
        switch self {
        case .toPostgreSQL: (.sqlite, .postgreSQL)
        case .toSQLite: (.postgreSQL, .sqlite)
        }
    }
}

/// Counts batches.
private final class Counter: Sendable {
    private let lock = Lock(0)
    var count: Int { lock.withLock { $0 } }
    func next() -> Int {
        lock.withLock { count in
            count += 1
            return count
        }
    }
}

/// Tests moves that fail, and what other programs can do meanwhile.
@Suite(.timeLimit(.minutes(10))) struct MoveFailureTests {
    private func places(_ direction: Direction, fill: Bool = true) async throws -> (old: Place, new: Place) {
        let places = (try await Place(direction.kinds.0), try await Place(direction.kinds.1))
        if fill { try await Stores(places.0.database, places.0.folder).fill() }
        return places
    }

    /// Changes a row, as another program would.
    private func write(_ database: any SQLDatabase, _ sql: String) async throws {
        try await database.writeRows(locking: []) { _ = try $0.execute(sql) }
    }

    private static let insertion = "INSERT INTO account_attempt (name, failures, last_at) VALUES ('x', 1, 0)"
    private static let interruption = StoreError(.cancelled, "interrupted")

    /// Runs a move, unless it has more batches.
    private func isInterrupted(_ move: DatabaseMove, afterBatch last: Int) async throws -> Bool {
        let batches = Counter()
        var move = move
        move.afterBatch = { () throws(StoreError) in if batches.next() == last { throw Self.interruption } }
        do {
            _ = try await move.run()
            return false
        } catch {
            if error.message == "interrupted" { return true }
            throw error
        }
    }

    @Test(arguments: Direction.allCases)
    fileprivate func moveContinuesAfterInterruptionAtEachBatch(_ direction: Direction) async throws {
        let (old, new) = try await places(direction)
        let contents = try await Stores(old.database, old.folder).contents()
        var attempts = 1
        while try await isInterrupted(DatabaseMove.test(old, new, 30), afterBatch: 2) {
            attempts += 1
            // The source can be changed again.
            try await write(old.database, "DELETE FROM account_attempt")
            await #expect(throws: StoreError.self) { try await new.another() }
        }
        #expect(attempts > 10)
        #expect(try await Stores(new.database, old.folder).contents() == contents)
        _ = try await new.another()
    }

    @Test(arguments: Direction.allCases)
    fileprivate func changesBetweenTwoAttemptsAreMoved(_ direction: Direction) async throws {
        for last in [3, 20, 45] {
            let (old, new) = try await places(direction)
            #expect(try await isInterrupted(DatabaseMove.test(old, new), afterBatch: last))
            let stores = try await Stores(old.database, old.folder)
            let page = try #require(try await stores.library.pages(ofOwner: "ann").first)
            try await stores.library.delete(page.id, owner: "ann", at: .start)
            try await write(old.database, "UPDATE account SET created_at = 7")
            try await write(old.database, "DELETE FROM coffee_drink WHERE milligrams > 0 AND millilitres > 0")
            try await write(old.database, "UPDATE library_page SET note = 'changed' WHERE state = 'found'")
            try await write(old.database, Self.insertion)
            _ = try await DatabaseMove.test(old, new).run()
            let contents = try await Stores(old.database, old.folder).contents()
            #expect(try await Stores(new.database, old.folder).contents() == contents)
        }
    }

    @Test(arguments: Direction.allCases)
    fileprivate func differenceIsFoundAndSourceStaysInUse(_ direction: Direction) async throws {
        let (old, new) = try await places(direction)
        let hasChanged = Counter()
        var move = DatabaseMove.test(old, new)
        move.afterBatch = { () throws(StoreError) in
            guard hasChanged.count == 0 else { return }
            let count = try await new.database.writeRows(locking: []) { connection in
                try connection.execute("UPDATE account SET password = 'changed' WHERE name = 'anna'")
            }
            if count > 0 { _ = hasChanged.next() }
        }
        let error = await #expect(throws: StoreError.self) { try await move.run() }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("The table account in") == true, "\(String(describing: error))")
        try await write(old.database, Self.insertion)
        // The next attempt copies the table again.
        _ = try await DatabaseMove.test(old, new).run()
        await #expect(throws: StoreError.self) { try await write(old.database, "DELETE FROM account_attempt") }
    }

    @Test(arguments: Direction.allCases)
    fileprivate func targetWithDataIsRefused(_ direction: Direction) async throws {
        let (old, new) = try await places(direction)
        try await write(new.database, Self.insertion)
        let error = await #expect(throws: StoreError.self) { try await DatabaseMove.test(old, new).run() }
        #expect(error?.code == .conflict && error?.message.contains("account_attempt") == true)
        try await write(old.database, Self.insertion)
        try await write(new.database, "DELETE FROM account_attempt")
        _ = try await new.another()
        _ = try await DatabaseMove.test(old, new).run()
    }

    @Test(arguments: DatabaseKind.allCases)
    func databaseIsNotMovedToItself(_ kind: DatabaseKind) async throws {
        let place = try await Place(kind)
        let error = await #expect(throws: StoreError.self) {
            try await DatabaseMove.test(place.database, try await place.another()).run()
        }
        #expect(error?.message.contains("the same database") == true)
        try await write(place.database, Self.insertion)
    }

    @Test(arguments: Direction.allCases)
    fileprivate func sourceIsReadAndNotChangedMeanwhile(_ direction: Direction) async throws {
        let (old, new) = try await places(direction)
        let server = try await old.another()
        let stores = try await Stores(server, old.folder)
        let contents = try await stores.contents()
        let checked = Counter()
        var move = DatabaseMove.test(old, new)
        move.afterBatch = { () throws(StoreError) in
            guard checked.next() == 5 else { return }
            #expect(await (try? stores.contents()) == contents)
            for statement in [
                Self.insertion, "UPDATE job SET priority = 3", "DELETE FROM library_page", "DELETE FROM stored_value",
            ] {
                let error = await #expect(throws: StoreError.self) { try await write(server, statement) }
                #expect(error?.code == .notWritable)
                #expect(error?.message.hasPrefix("The data is being moved to \(new.database.name)") == true)
            }
            await #expect(throws: StoreError.self) { try await new.another() }
        }
        _ = try await move.run()
        #expect(checked.count > 5)
        // Programs that have it open, and those that open it by mistake.
        for database in [server, try await old.another()] {
            let error = await #expect(throws: StoreError.self) { try await write(database, Self.insertion) }
            #expect(error?.code == .notWritable)
            #expect(error?.message.hasPrefix("The data was moved to \(new.database.name)") == true)
            #expect(try await Stores(database, old.folder).contents() == contents)
        }
        let other = try await Place(direction.kinds.1)
        let error = await #expect(throws: StoreError.self) { try await DatabaseMove.test(old, other).run() }
        #expect(error?.message.hasPrefix("The data was moved to \(new.database.name)") == true)
        // The user decides otherwise.
        #expect(try await DatabaseMove.allowChanges(in: old.database))
        try await write(server, Self.insertion)
        #expect(try await !DatabaseMove.allowChanges(in: old.database))
    }

    @Test(arguments: Direction.allCases)
    fileprivate func latestAttemptWins(_ direction: Direction) async throws {
        let (old, new) = try await places(direction)
        let batches = Counter()
        var move = DatabaseMove.test(old, new)
        move.afterBatch = { () throws(StoreError) in
            if batches.next() == 10 { _ = try await DatabaseMove.test(old, new).run() }
        }
        let error = await #expect(throws: StoreError.self) { try await move.run() }
        #expect(error?.code == .inUse)
        let refused = await #expect(throws: StoreError.self) { try await write(old.database, Self.insertion) }
        #expect(refused?.message.hasPrefix("The data was moved") == true)
        _ = try await new.another()
    }

    @Test(arguments: Direction.allCases)
    fileprivate func unknownTableIsRefused(_ direction: Direction) async throws {
        let (old, new) = try await places(direction, fill: false)
        try await write(old.database, "CREATE TABLE novelty (id BIGINT PRIMARY KEY)")
        let error = await #expect(throws: StoreError.self) { try await DatabaseMove.test(old, new).run() }
        #expect(error?.code == .migrationFailed && error?.message.contains("novelty") == true)
        try await write(old.database, "DROP TABLE novelty")
        try await write(old.database, "ALTER TABLE account ADD COLUMN novelty INTEGER")
        let other = await #expect(throws: StoreError.self) { try await DatabaseMove.test(old, new).run() }
        #expect(other?.message.contains("novelty") == true)
    }

    @Test(arguments: Direction.allCases)
    fileprivate func databaseOfNewerProgramIsNotOpened(_ direction: Direction) async throws {
        let (old, _) = try await places(direction, fill: false)
        let table = direction == .toPostgreSQL ? "grdb_migrations" : "schema_migration"
        try await write(old.database, "INSERT INTO \(table) (identifier) VALUES ('library.99')")
        let error = await #expect(throws: StoreError.self) { try await old.another(opensUnfinishedMove: true) }
        #expect(error?.code == .newerVersion)
    }

    @Test func missingAndDamagedFilesAreReported() async throws {
        let old = try await Place(.sqlite)
        try await Stores(old.database, old.folder).fill()
        let blobs = BlobStore(in: old.database, folder: old.folder)
        let ids = try await old.database.readRows { connection in
            try connection.values(
                "SELECT id FROM blob WHERE id NOT IN (SELECT blob FROM blob_piece) ORDER BY id", as: BlobStore.ID.self)
        }
        try FileManager.default.removeItem(atPath: blobs.path(of: ids[0]))
        let path = blobs.path(of: ids[1])
        let size = try Data(contentsOf: URL(filePath: path)).count
        try Data(repeating: 1, count: size).write(to: URL(filePath: path))
        let target = try DataFolder.open(at: "\(old.folder.path)-copy")
        let summary = try await BlobFileMove(from: old.folder, to: target).run(in: old.database) { _ in }
        #expect(summary.missing == [ids[0], ids[1]] && summary.files == ids.count - 2)
        let check = try await BlobFileMove(from: target).run(in: old.database) { _ in }
        #expect(check.missing == summary.missing && check.bytes == summary.bytes)
    }
}

import Dispatch
import Foundation
import Futures
import GRDB
import StoreTesting
import Testing

@testable import Persistence

@Suite(.timeLimit(.minutes(20))) struct AppDatabaseTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    struct Refusal: Error {}

    @Test func writtenRowIsReadAfterReopening() async throws {
        let database = try await folder.database()
        #expect(database.setAside == nil)
        try await database.add(note: "coffee")
        #expect(try await database.notes == ["coffee"])
        database.close()
        let again = try await folder.database()
        #expect(try await again.notes == ["coffee"])
        #expect(again.setAside == nil)
    }

    @Test func databaseUsesWALFullSyncAndForeignKeys() async throws {
        let database = try await folder.database()
        let pragmas = try await database.write { connection in
            try ["journal_mode", "synchronous", "foreign_keys"].map { name in
                try String.fetchOne(connection, sql: "PRAGMA \(name)")
            }
        }
        #expect(pragmas == ["wal", "2", "1"])
    }

    @Test func writeIsRolledBackWhenItsBodyThrows() async throws {
        let database = try await folder.database()
        let error = await error {
            try await database.write { connection in
                try connection.execute(sql: "INSERT INTO note (text) VALUES ('lost')")
                throw Refusal()
            }
        }
        #expect(error?.code == .abandoned)
        #expect(error?.cause is Refusal)
        #expect(try await database.notes == [])
    }

    @Test func readsAndWritesAreReportedToAnObserver() async throws {
        let database = try await folder.database()
        try await database.add(note: "before")
        let accesses = Lock<[DatabaseAccess]>([])
        database.observe { access in accesses.withLock { $0.append(access) } }
        try await database.add(note: "after")
        _ = try await database.notes
        _ = await error { try await database.write { _ in throw Refusal() } }
        let seen = accesses.withLock(\.self)
        #expect(seen.map(\.kind) == [.write, .read, .write])
        #expect(seen.allSatisfy { $0.waited >= .zero && $0.ran > .zero })
    }

    @Test func bodiesKnowTheRequestThatWaitsForThem() async throws {
        let database = try await folder.database()
        let seen = try await RequestID.$current.withValue("request") {
            [
                try await database.read { _ in RequestID.current },
                try await database.write { _ in RequestID.current },
            ]
        }
        #expect(seen == ["request", "request"])
        #expect(try await database.write { _ in RequestID.current } == nil)
    }

    @Test func storeErrorOfABodyIsRethrownUnchanged() async throws {
        let database = try await folder.database()
        #expect(await code { try await database.write { _ in throw StoreError(.missing, "gone") } } == .missing)
        #expect(await code { try await database.read { _ in throw StoreError(.missing, "gone") } } == .missing)
    }

    @Test func violatedConstraintFailsTheWriteAndIsNamed() async throws {
        let database = try await folder.database()
        let error = await error {
            try await database.write { try $0.execute(sql: "INSERT INTO note (text) VALUES (NULL)") }
        }
        #expect(error?.code == .queryFailed)
        #expect(error?.message.contains("note.text") == true)
        #expect(error?.cause is DatabaseError)
    }

    @Test func writingInAReadFails() async throws {
        let database = try await folder.database()
        #expect(await code { try await database.read { try $0.execute(sql: "DELETE FROM note") } } != nil)
    }

    @Test func aCancelledTaskWritesNothing() async throws {
        let database = try await folder.database()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await code { try await database.add(note: "lost") }
        }
        #expect(await task.value == .cancelled)
        #expect(try await database.notes == [])
    }

    @Test func startedWriteIsCompletedDespiteCancellation() async throws {
        let database = try await folder.database()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let goOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.write { connection in
                try connection.execute(sql: "INSERT INTO note (text) VALUES ('kept')")
                begin.finish()
                goOn.wait()
                try connection.execute(sql: "INSERT INTO note (text) VALUES ('kept too')")
            }
        }
        for await _ in begun {}
        let late = Task { try await database.add(note: "lost") }
        late.cancel()
        task.cancel()
        goOn.signal()
        try await task.value
        #expect(await code { try await late.value } == .cancelled)
        #expect(try await database.notes == ["kept", "kept too"])
    }

    @Test func concurrentWritesAllSucceed() async throws {
        let database = try await folder.database()
        let other = try await folder.database()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { try await (number.isMultiple(of: 2) ? database : other).add(note: "\(number)") }
            }
            try await group.waitForAll()
        }
        #expect(try await Set(database.notes) == Set((0..<50).map(String.init)))
    }

    @Test func callsAfterCloseFailWithClosed() async throws {
        let database = try await folder.database()
        database.close()
        database.close()
        #expect(await code { try await database.add(note: "late") } == .closed)
        #expect(await code { _ = try await database.notes } == .closed)
    }

    /// This must hold even if a connection that has just read is released late, on a busy machine.
    @Test func closingLeavesOneFileAndEmptyLocks() async throws {
        for _ in 0..<10 {
            let database = try await folder.database()
            try await database.add(note: "coffee")
            async let notes = database.notes
            async let others = database.notes
            _ = try await (notes, others)
            database.close()
            #expect(folder.files.filter { $0.value > 0 }.keys.sorted() == ["meanwhile.sqlite"])
        }
    }

    @Test func releasingADatabaseInItsLastWriteDoesNotTrap() async throws {
        for number in 0..<20 {
            var database: AppDatabase? = try await folder.database()
            let retained = try #require(database)
            Task { try await retained.write { _ in withExtendedLifetime(retained) {} } }
            try await database?.add(note: "\(number)")
            database = nil
        }
        #expect(try await folder.database().notes.count == 20)
    }

    @Test func writeFailsWhenTheDiskIsFull() async throws {
        let database = try await folder.database()
        try await database.write { try $0.execute(sql: "PRAGMA max_page_count = 20") }
        let large = String(repeating: "a", count: 200_000)
        let error = await error { try await database.add(note: large) }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("Make room") == true)
        #expect(try await database.notes == [])
        try await database.add(note: "small")
    }
}

@Suite(.timeLimit(.minutes(20))) struct MigrationTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    struct Refusal: Error {}

    /// Migrations that record each run.
    static func noted(_ names: [String]) -> [AppDatabase.Migration] {
        names.map { name in
            .init(name) { connection in
                try connection.execute(sql: "CREATE TABLE IF NOT EXISTS run (name TEXT)")
                try connection.execute(sql: "INSERT INTO run VALUES (?)", arguments: [name])
            }
        }
    }

    private func runs(_ names: [String]) async throws -> [String] {
        try await folder.database(Self.noted(names)).read {
            try String.fetchAll($0, sql: "SELECT name FROM run ORDER BY rowid")
        }
    }

    @Test func eachMigrationRunsOnceInOrder() async throws {
        #expect(try await runs(["library.1", "art.1"]) == ["library.1", "art.1"])
        #expect(try await runs(["library.1", "library.2", "art.1"]) == ["library.1", "art.1", "library.2"])
        #expect(try await runs(["library.1", "library.2", "art.1"]) == ["library.1", "art.1", "library.2"])
    }

    @Test func blobTableExistsBeforeOtherMigrationsRun() async throws {
        let migration = AppDatabase.Migration("library.1") { connection in
            try connection.execute(sql: "CREATE TABLE page (image TEXT NOT NULL REFERENCES blob (id))")
        }
        let database = try await folder.database([migration])
        #expect(
            await code {
                try await database.write { try $0.execute(sql: "INSERT INTO page VALUES ('no such blob')") }
            } == .queryFailed)
    }

    @Test func failedMigrationIsRolledBack() async throws {
        let failing = AppDatabase.Migration("library.2") { connection in
            try connection.execute(sql: "INSERT INTO run VALUES ('half')")
            throw Refusal()
        }
        let error = await error { _ = try await folder.database(Self.noted(["library.1"]) + [failing]) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("library.2") == true)
        #expect(error?.cause is Refusal)
        #expect(try await runs(["library.1"]) == ["library.1"])
    }

    @Test func duplicateMigrationNamesAreRefusedBeforeAnyFileIsCreated() async throws {
        #expect(await code { _ = try await folder.database([.notes, .notes]) } == .invalidName)
        #expect(await code { _ = try await folder.database(Self.noted(["persistence.1"])) } == .invalidName)
        #expect(folder.files.isEmpty)
    }

    @Test func migrationsRunOnceWhenSeveralConnectionsOpenTogether() async throws {
        let names = (1...20).map { "library.\($0)" }
        let data = try folder.data
        try await withThrowingTaskGroup(of: AppDatabase.self) { group in
            for _ in 0..<4 {
                group.addTask { try await AppDatabase.openWithLongTimeout(in: data, migrations: Self.noted(names)) }
            }
            for try await database in group {
                #expect(database.setAside == nil)
            }
        }
        #expect(try await runs(names) == names)
    }

    @Test func migrationsRunOnceWhenSeveralProcessesOpenTogether() async throws {
        let names = (1...20).map { "library.\($0)" }
        let data = try folder.data.path
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [data = data as String, names = names as [String]] in
                        let database = try await AppDatabase.openWithLongTimeout(
                            in: DataFolder.open(at: data), migrations: MigrationTests.noted(names))
                        let runs = try await database.read {
                            try String.fetchAll($0, sql: "SELECT name FROM run ORDER BY rowid")
                        }
                        #expect(runs == names)
                    }
                }
            }
        }
        #expect(try await runs(names) == names)
    }
}

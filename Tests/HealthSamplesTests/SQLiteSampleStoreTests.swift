import Foundation
import GRDB
import Persistence
import StoreTesting
import Testing

@testable import HealthSamples

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Cases specific to the database, such as restored copies, newer versions, and folders without permissions.
@Suite(.timeLimit(.minutes(20))) struct SQLiteSampleStoreTests {
    private func open(_ fixture: SampleStoreFixture) async throws -> (AppDatabase, SQLiteSampleStore) {
        let database = try await AppDatabase.open(
            in: fixture.folder, migrations: SQLiteSampleStore.migrations)
        return (database, try await SQLiteSampleStore.open(owner: "ann", in: database, now: { fixture.now }))
    }

    /// After an older copy is restored and writes reach the lost sequence numbers again, anchors of the lost history
    /// are rejected.
    @Test(arguments: [false, true])
    func anAnchorOfALostHistoryExpires(wasClosed: Bool) async throws {
        let fixture = try SampleStoreFixture(.database)
        var (database, store) = try await open(fixture)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        try await store.save([.caffeine(1, sync: "1"), .caffeine(2, sync: "2")], by: .app)
        let before = try await store.latestAnchor(.caffeine, by: .app)
        if wasClosed {
            database.close()
            (database, store) = try await open(fixture)
        }
        let copy = fixture.path + "/copy"
        let (source, target) = (fixture.path + "/data", copy)
        // Copies the folder while nothing is written, like a backup.
        database.close()
        try FileManager.default.copyItem(atPath: source, toPath: target)
        (database, store) = try await open(fixture)
        try await store.save([.caffeine(3, sync: "3"), .caffeine(4, sync: "4")], by: .app)
        let lost = try await store.latestAnchor(.caffeine, by: .app)
        database.close()
        try FileManager.default.removeItem(atPath: source)
        try FileManager.default.moveItem(atPath: target, toPath: source)

        (database, store) = try await open(fixture)
        func code(since anchor: Anchor) async -> SampleStoreError.Code? {
            await HealthSamplesTests.code {
                _ = try await store.changes(.caffeine, since: anchor, limit: 9, by: .app)
            }
        }
        #expect(await code(since: lost) == .anchorExpired)
        // The anchor from before the copy belongs to the current history, and stays valid.
        #expect(try await store.changes(.caffeine, since: before, limit: 9, by: .app).added == [])
        try await store.save([.caffeine(5, sync: "5"), .caffeine(6, sync: "6")], by: .app)
        #expect(await code(since: lost) == .anchorExpired)
        try await store.save([.caffeine(7, sync: "7"), .caffeine(8, sync: "8")], by: .app)
        #expect(await code(since: lost) == .anchorExpired)
        let page = try await store.changes(.caffeine, since: before, limit: 9, by: .app)
        #expect(page.added.map(\.quantity.value) == [5, 6, 7, 8])
        // A reader with a lost anchor resyncs.
        let resync = try await store.resync(
            .caffeine, known: [KnownSample(id: UUID(), sync: SyncIdentity(identifier: "3", version: 1), source: "app")],
            by: .app)
        #expect(resync.deleted.map(\.sync?.identifier) == ["3"] && resync.added.count == 6)
        database.close()
    }

    /// SQLite copies the database while the store stays open and continues to write.
    @Test func anchorOfALostHistoryExpiresIfTheStoreStayedOpen() async throws {
        let fixture = try SampleStoreFixture(.database)
        var (database, store) = try await open(fixture)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        try await store.save([.caffeine(1), .caffeine(2)], by: .app)
        let before = try await store.latestAnchor(.caffeine, by: .app)
        let copy = fixture.path + "/copy.sqlite"
        let file = fixture.path + "/data/meanwhile.sqlite"
        try await fixture.openFile().vacuum(into: copy)
        try await store.save([.caffeine(3), .caffeine(4)], by: .app)
        let lost = try await store.latestAnchor(.caffeine, by: .app)
        database.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
        try FileManager.default.moveItem(atPath: copy, toPath: file)
        (database, store) = try await open(fixture)
        try await store.save((0..<5).map { .caffeine(Double($0)) }, by: .app)
        #expect(
            await code { _ = try await store.changes(.caffeine, since: lost, limit: 9, by: .app) } == .anchorExpired)
        #expect(try await store.changes(.caffeine, since: before, limit: 9, by: .app).added.count == 5)
        database.close()
    }

    @Test func eachOpenStoreThatWritesHasOneEpochAndOldEpochsArePurged() async throws {
        let fixture = try SampleStoreFixture(.database, tombstoneAge: 10)
        let stores = [try await fixture.openDatabase(), try await fixture.openDatabase()]
        try await stores[0].grant(.share, to: [.dietaryCaffeine], source: .app)
        for number in 0..<6 { try await stores[number % 2].save(.caffeine(1, sync: "\(number)"), by: .app) }
        func epochs() throws -> Int? {
            try fixture.openFile().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM health_epoch") }
        }
        // The connection that created the store also created its epoch, so its writes begin no new one.
        #expect(try epochs() == 2)
        try await stores[0].delete(.syncIdentifiers(["0"]), by: .app)
        fixture.advance(by: 11)
        try await stores[0].purge()
        #expect(try epochs() == 1)
        let anchor = try await stores[1].latestAnchor(.caffeine, by: .app)
        #expect(try await stores[0].changes(.caffeine, since: anchor, limit: 1, by: .app).added == [])
    }

    /// The store reads the current time between the two transactions that read and record a request.
    @Test func decisionBetweenTheTransactionsOfARequestIsNotOverruled() async throws {
        let fixture = try SampleStoreFixture(.database)
        let (database, store) = try await open(fixture)
        // For each of the two sources, the user has decided about one of the two types.
        try await store.grant(.share, to: [.dietaryWater], source: .app)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .watch)
        let interrupted = try await SQLiteSampleStore.open(
            owner: "ann", in: database,
            now: {
                do {
                    try fixture.openFile().write { connection in
                        try connection.execute(
                            sql: """
                                INSERT OR IGNORE INTO health_grant (source, series, share, read_since)
                                SELECT health_source.number, health_series.number, 'denied', 0
                                FROM health_source, health_series
                                """)
                    }
                } catch {
                    Issue.record(error)
                }
                return .noon
            })
        try await interrupted.requestAuthorization(toShare: [.dietaryCaffeine], read: [], source: .app)
        #expect(try await store.authorizationStatus(for: .dietaryCaffeine, source: .app) == .denied)
        database.close()
    }

    @Test func newerDatabaseIsRefusedUnchanged() async throws {
        let fixture = try SampleStoreFixture(.database)
        let newer = AppDatabase.Migration("samples.99") { connection in
            try connection.execute(sql: "CREATE TABLE health_newer (number INTEGER PRIMARY KEY)")
        }
        let database = try await AppDatabase.open(
            in: fixture.folder, migrations: SQLiteSampleStore.migrations + [newer])
        database.close()
        let file = URL(filePath: fixture.path + "/data/meanwhile.sqlite")
        let before = try Data(contentsOf: file)
        do {
            _ = try await open(fixture)
            Issue.record("It was opened.")
        } catch let error as StoreError {
            let error = SampleStoreError(error)
            #expect(error.code == .newerFormat)
            #expect(error.message.contains("newer version") && error.message.contains("samples.99"))
        }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func unknownNameInTheDatabaseIsReportedAsANewerFormat() async throws {
        let fixture = try SampleStoreFixture(.database)
        let store = try await fixture.openForAll()
        try await store.save(.caffeine(), by: .app)
        try await fixture.openFile().write { connection in
            try connection.execute(sql: "UPDATE health_text SET text = 'pinch'")
        }
        let other = try await fixture.open()
        #expect(await code { _ = try await other.samples(.caffeine, by: .app) } == .newerFormat)
    }

    @Test func aClosedDatabaseIsUnavailable() async throws {
        let fixture = try SampleStoreFixture(.database)
        let (database, store) = try await open(fixture)
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        database.close()
        #expect(await code { _ = try await store.save(.caffeine(), by: .app) } == .unavailable)
        #expect(await code { _ = try await store.changes(.caffeine, since: nil, limit: 1, by: .app) } == .unavailable)
    }

    @Test func readOnlyFolderIsReportedAsUnavailable() async throws {
        let fixture = try SampleStoreFixture(.database)
        try #require(chmod(fixture.path, 0o777) == 0)
        await #expect(processExitsWith: .success) { [path = fixture.path + "/mine" as String] in
            if geteuid() == 0 { guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) } }
            let folder = try DataFolder.open(at: path)
            let database = try await AppDatabase.open(in: folder, migrations: SQLiteSampleStore.migrations)
            let store = try await SQLiteSampleStore.open(owner: "ann", in: database)
            try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
            database.close()
            guard chmod(path, 0o500) == 0, chmod(path + "/meanwhile.sqlite", 0o400) == 0 else { exit(4) }
            do {
                _ = try await AppDatabase.open(in: folder, migrations: SQLiteSampleStore.migrations)
                exit(5)
            } catch let error as StoreError {
                let error = SampleStoreError(error)
                #expect(error.code == .unavailable)
                #expect(error.message.contains("permissions"))
            }
        }
    }

    @Test func concurrentProcessesLoseNoSamples() async throws {
        let fixture = try SampleStoreFixture(.database)
        let store = try await fixture.openForAll()
        let path = try fixture.folder.path
        let count = isSoak ? 2_000 : 100
        await withTaskGroup { group in
            for process in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = path as String, process = process as Int, count = count as Int] in
                        let database = try await AppDatabase.open(
                            in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
                        let store = try await SQLiteSampleStore.open(owner: "ann", in: database, now: { .noon })
                        for number in 1...count {
                            let own = Sample.caffeine(1, sync: "\(process)-\(number)")
                            let shared = Sample.caffeine(2, sync: "shared", version: number * 2 + process)
                            try await store.save([own, shared], by: .app)
                        }
                        database.close()
                    }
                }
            }
        }
        let changes = try await store.allChanges(limit: 7)
        #expect(Set(changes.added.map(\.key)).count == 2 * count + 1)
        let stored = try await store.samples(.caffeine, by: .app)
        #expect(stored.count == 2 * count + 1)
        #expect(stored.first { $0.sync?.identifier == "shared" }?.sync?.version == count * 2 + 1)
    }

    /// Pages are found by index, however many rows there are.
    @Test func queriesForPagesAndWindowsUseIndexes() async throws {
        let fixture = try SampleStoreFixture(.database)
        _ = try await fixture.openForAll()
        let plans = try await fixture.openFile().read { connection in
            try [
                "SELECT id FROM health_change WHERE series = 1 AND sequence > 5 ORDER BY sequence",
                """
                SELECT id FROM health_change WHERE series = 1 AND deleted IS NULL AND start >= 1 AND start < 2
                ORDER BY start DESC, id DESC
                """,
                "SELECT id FROM health_change WHERE source = 1 AND sync_identifier = 'a'",
                "SELECT id FROM health_change WHERE store = 1 AND id = x'00' AND deleted IS NULL",
                "SELECT max(sequence) FROM health_change WHERE store = 1 AND deleted IS NOT NULL AND deleted < 5",
            ].map { sql in
                try Row.fetchAll(connection, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
                    .joined(separator: "; ")
            }
        }
        let expected = [
            "USING PRIMARY KEY (series=? AND sequence>?)",
            "USING INDEX health_change_of_start (series=? AND start>? AND start<?)",
            "USING INDEX health_change_of_sync (source=? AND sync_identifier=?)",
            "INDEX health_change_of_id (store=? AND id=?)",
            "INDEX health_change_of_deletion (store=? AND deleted",
        ]
        for (plan, expected) in zip(plans, expected) { #expect(plan.contains(expected), "\(plan)") }
    }
}

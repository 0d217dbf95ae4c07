import Foundation
import Futures
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// Servers that end, connections that break, and servers that don't answer.
@Suite(.timeLimit(.minutes(5))) struct PostgresFailureTests {
    /// A database through a proxy, and the same database without it.
    private struct Fixture {
        let proxy: CuttingProxy
        let database, direct: PostgresDatabase

        init(_ limits: PostgresLimits = ServedPostgreSQL.limits) async throws {
            let schema = try await ServedPostgreSQL.newSchema()
            direct = try await openDatabase(schema, ServedPostgreSQL.limits, counter)
            proxy = try CuttingProxy(to: await ServedPostgreSQL.folder())
            // Opened first with the usual limits, which even a busy machine keeps.
            database = try await openDatabase(proxy.address(of: schema), ServedPostgreSQL.limits, counter).reopened(
                limits)
        }
    }

    /// Ends the server's processes of all other connections to the schema, as a restart does.
    private func endConnections(from other: PostgresDatabase) async throws {
        _ = try await other.readRows {
            try $0.row(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND application_name = current_schema()
                """)
        }
    }

    @Test func writeIsRepeatedWhenItsConnectionBreaksBeforeTheCommit() async throws {
        let fixture = try await Fixture()
        fixture.proxy.harm(.cutBefore, at: "UPDATE counter", times: 2)
        let runs = Shared(0)
        try await fixture.database.writeRows(locking: []) { connection in
            runs.next()
            _ = try connection.execute("UPDATE counter SET number = number + 1")
        }
        #expect(runs.now == 3)
        #expect(try await fixture.direct.number() == 1)
    }

    /// The client doesn't learn from its connection whether the server has committed; it must neither write twice nor fail.
    @Test(arguments: [CuttingProxy.Harm.cutBefore, .cutAfter])
    func unconfirmedCommitIsNeitherLostNorRepeated(_ harm: CuttingProxy.Harm) async throws {
        let fixture = try await Fixture()
        for round in 1...10 {
            let runs = Shared(0)
            let actions = Shared(0)
            try await fixture.database.writeRows(locking: []) { connection in
                connection.afterCommit { actions.next() }
                _ = try connection.execute("UPDATE counter SET number = number + 1")
                // What is sent next is the commit; only the first one is harmed.
                if runs.next() == 1 { fixture.proxy.harm(harm) }
            }
            #expect(try await fixture.direct.number() == round)
            #expect(runs.now == (harm == .cutAfter ? 1 : 2))
            #expect(actions.now == 1)
        }
        #expect(fixture.proxy.count == 10)
    }

    @Test func readIsRepeatedAfterTheServerHasEndedAllConnections() async throws {
        let fixture = try await Fixture()
        for _ in 0..<5 {
            // Several idle connections, all of which are ended.
            async let first = fixture.direct.number()
            async let second = fixture.direct.number()
            _ = try await (first, second)
            try await endConnections(from: fixture.database)
            #expect(try await fixture.direct.number() == 0)
        }
    }

    /// A new primary may lack the last changes of the old one, and give their numbers to others.
    @Test func databaseOfANewPrimaryHasAnotherID() async throws {
        let fixture = try await Fixture()
        let first = fixture.database.instanceID
        try await endConnections(from: fixture.direct)
        #expect(try await fixture.database.number() == 0)
        #expect(fixture.database.instanceID == first)
        fixture.proxy.redirect(to: try await ServedPostgreSQL.promotedFolder())
        try await endConnections(from: fixture.direct)
        let one = try await fixture.database.readRows { try $0.value("SELECT 1", as: Int.self) }
        #expect(one == 1)
        #expect(fixture.database.instanceID != first)
    }

    /// The new primary has given smaller numbers to its changes than the old one: they must be reported all the same.
    @Test func changesOnANewPrimaryThatLacksTheLastOnesAreReported() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (old, new) = (try await ServedPostgreSQL.folder(), try await ServedPostgreSQL.promotedFolder())
        let proxy = try CuttingProxy(to: old)
        let database = try await PostgresDatabase.open(
            proxy.address(of: schema), migrations: SQLiteStore.postgreSQLMigrations)
        let store = SQLiteStore(in: database, owner: "ann")
        var updates = store.updates().makeAsyncIterator()
        let key = StoreKey("before")
        let content = StoredContent(format: "text", version: 1, payload: Data())
        _ = try await store.commit([StoreWrite(key, content)])
        while let keys = await updates.next(), !keys.contains(key) {}

        let other = try await openDatabase(
            PostgresAddress("postgres://postgres@/postgres?connect_timeout=60&host=\(new)"))
        let name = try await database.readRows { try $0.value("SELECT current_schema()", as: String.self) } ?? ""
        try await other.writeRows(locking: []) { _ = try $0.execute("CREATE SCHEMA \(name)") }
        let direct = try await PostgresDatabase.open(
            PostgresAddress(schema.text.replacing(old, with: new)), migrations: SQLiteStore.postgreSQLMigrations)
        try await direct.writeRows(locking: []) { _ = try $0.row("SELECT setval('stored_value_change', 5)") }
        proxy.redirect(to: new)
        let administration = try await PostgresDatabase.open(schema, migrations: SQLiteStore.postgreSQLMigrations)
        try await endConnections(from: administration)
        let later = StoreKey("after")
        _ = try await SQLiteStore(in: direct, owner: "ann").commit([StoreWrite(later, content)])
        while let keys = await updates.next(), !keys.contains(later) {}
        // This process's own changes too.
        let own = StoreKey("own")
        _ = try await store.commit([StoreWrite(own, content)])
        while let keys = await updates.next(), !keys.contains(own) {}
        #expect(try await store.read(key) == nil)
    }

    @Test func silentServerIsGivenUp() async throws {
        var limits = ServedPostgreSQL.limits
        limits.statement = .seconds(3)
        limits.retrying = .seconds(1)
        let fixture = try await Fixture(limits)
        fixture.proxy.harm(.silence, at: "UPDATE counter", times: .max)
        let error = await #expect(throws: StoreError.self) { try await fixture.database.increment() }
        #expect(error?.code == .inputOutput)
        fixture.proxy.harm(.silence, times: 0)
        // On a busy machine, an attempt may take longer than these limits.
        await eventually { (try? await fixture.database.increment()) != nil }
        #expect(try await fixture.direct.number() ?? 0 >= 1)
    }

    /// Another program that is suspended while it holds a lock doesn't stop this one for ever.
    @Test func waitForALockEnds() async throws {
        var limits = ServedPostgreSQL.limits
        limits.statement = .seconds(3)
        limits.retrying = .seconds(1)
        let fixture = try await Fixture(limits)
        let lock = SQLLock(part: "counter")
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let holding: Void = fixture.direct.writeRows(locking: [lock]) { connection in
            _ = try connection.execute("UPDATE counter SET number = 5")
            hasBegun.signal()
            mayEnd.wait()
        }
        await onThread { hasBegun.wait() }
        let error = await #expect(throws: StoreError.self) {
            try await fixture.database.writeRows(locking: [lock]) {
                _ = try $0.execute("UPDATE counter SET number = 7")
            }
        }
        // On a busy machine, this program may give up before the server does.
        #expect([.locked, .inputOutput].contains(error?.code))
        mayEnd.signal()
        try await holding
        #expect(try await fixture.direct.number() == 5)
    }

    @Test func serverThatCanNotBeReachedIsAnError() async throws {
        let error = await #expect(throws: StoreError.self) {
            _ = try await openDatabase(PostgresAddress("postgres://meanwhile@/data?host=/nowhere"))
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("postgres:///nowhere/data") == true)
        for text in ["http://a", "postgres:/a", "postgres://a:secret%ZZ@b/c", "postgres://a\u{0}b"] {
            let error = #expect(throws: StoreError.self) { try PostgresAddress(text) }
            #expect(error?.code == .invalidName)
            #expect(error?.message.contains("secret") == false)
        }
    }

    /// Through TLS, whose certificate is checked, and with a password that isn't sent (SCRAM).
    @Test func passwordAndCertificateAreChecked() async throws {
        let server = try await ServedPostgreSQL.secured()
        func open(password: String, certificate: String) async throws -> PostgresDatabase {
            try await openDatabase(
                PostgresAddress(
                    "postgres://anna:\(password)@localhost:\(server.port)/postgres?connect_timeout=60"
                        + "&sslmode=verify-full&sslrootcert=\(certificate)&channel_binding=require"))
        }
        let database = try await open(password: "right", certificate: server.certificate)
        let line = try await database.readRows {
            try $0.row("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")?.values
        }
        #expect(line == [.integer(1), .text("TLSv1.3")])
        #expect(!database.name.contains("right"))
        for (password, certificate) in [
            ("wrong", server.certificate), ("right", "/etc/hostname"), ("right", "/nowhere"),
        ] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await open(password: password, certificate: certificate)
            }
            #expect(error?.code == .notWritable)
            #expect(error?.message.contains("wrong") == false)
        }
    }
}

/// Creating the tables.
@Suite(.timeLimit(.minutes(5))) struct PostgresMigrationTests {
    @Test func severalProgramsMigrateAtOnce() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try await openDatabase(
                        schema, ServedPostgreSQL.limits, counter, "INSERT INTO counter VALUES ('b', 0)")
                }
            }
            try await group.waitForAll()
        }
        let database = try await openDatabase(
            schema, ServedPostgreSQL.limits, counter, "INSERT INTO counter VALUES ('b', 0)")
        #expect(try await database.number("b") == 0)
    }

    @Test func failedMigrationChangesNothing() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let error = await #expect(throws: StoreError.self) {
            _ = try await openDatabase(schema, ServedPostgreSQL.limits, counter, "INSERT INTO counter VALUES ('a', 0)")
        }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("test.1") == true)
        let database = try await openDatabase(schema, ServedPostgreSQL.limits, counter)
        #expect(try await database.number() == 0)
    }

    @Test func databaseOfANewerProgramIsRefused() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        _ = try await openDatabase(schema, ServedPostgreSQL.limits, counter, "INSERT INTO counter VALUES ('b', 0)")
        let error = await #expect(throws: StoreError.self) {
            _ = try await openDatabase(schema, ServedPostgreSQL.limits, counter)
        }
        #expect(error?.code == .newerVersion)
    }

    @Test func databaseThatIsNotUnicodeIsRefused() async throws {
        let schema = try await ServedPostgreSQL.newSchema(encoding: "LATIN1")
        let error = await #expect(throws: StoreError.self) { _ = try await openDatabase(schema) }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains("LATIN1") == true)
    }
}

/// Signals between programs.
@Suite(.timeLimit(.minutes(5))) struct PostgresNotifierTests {
    /// The clocks never advance, so no report is that of the interval.
    private func open(_ schema: PostgresAddress) async throws -> PostgresDatabase {
        var limits = ServedPostgreSQL.limits
        limits.quiet = .seconds(86_400)
        return try await PostgresDatabase.open(schema, limits: limits, migrations: [], clock: StoppedClock())
    }

    @Test func signalReachesOtherProgramsAndOtherWatchers() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (first, second) = (try await open(schema), try await open(schema))
        let (own, other, remote, elsewhere) = (Shared(0), Shared(0), Shared(0), Shared(0))
        let sender = first.changeSignal(of: "a").watch { own.next() }
        let watches = [
            sender.watch, first.changeSignal(of: "a").watch { other.next() }.watch,
            second.changeSignal(of: "a").watch { remote.next() }.watch,
            second.changeSignal(of: "b").watch { elsewhere.next() }.watch,
        ]
        // Each connection reports once when it is open.
        while remote.now == 0 || other.now == 0 {
            first.changeSignal(of: "a").send(from: sender.watcher)
            await Task.yield()
        }
        let before = remote.now
        first.changeSignal(of: "a").send(from: sender.watcher)
        await remote.reach(before + 1)
        // Except for the report when the connection was opened.
        #expect(elsewhere.now <= 1 && own.now <= 1)
        for watch in watches { watch.stop() }
    }

    /// What was committed while nothing could be received is reported after the connection is open again.
    @Test func lostConnectionLosesNoChange() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (direct, database) = (try await open(schema), try await open(schema))
        let reports = Shared(0)
        let watch = database.changeSignal(of: "a").watch { reports.next() }.watch
        await reports.reach(1)
        for round in 2..<6 {
            try await direct.endListeners()
            await reports.reach(round)
        }
        watch.stop()
    }

    /// A connection whose `LISTEN` got no answer is replaced.
    @Test func listenWithoutAnswerIsRepeated() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let proxy = try CuttingProxy(to: await ServedPostgreSQL.folder())
        proxy.harm(.silence, at: "LISTEN")
        var limits = ServedPostgreSQL.limits
        (limits.statement, limits.quiet) = (.seconds(2), .seconds(86_400))
        let database = try await open(proxy.address(of: schema)).reopened(limits, clock: StoppedClock())
        let reports = Shared(0)
        let watch = database.changeSignal(of: "a").watch { reports.next() }.watch
        await reports.reach(1)
        watch.stop()
        #expect(proxy.count == 1)
    }

    /// The signals of many commits are sent together.
    @Test func signalsAreBatched() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (first, second) = (try await open(schema), try await open(schema))
        let reports = Shared(0)
        let watch = second.changeSignal(of: "last").watch { reports.next() }.watch
        await reports.reach(1)
        for number in 0..<2_000 { first.changeSignal(of: "part\(number % 7)").send() }
        first.changeSignal(of: "last").send()
        await reports.reach(2)
        watch.stop()
        // A notification arrives before its sender counts it.
        first.close()
        await eventually { first.notificationCount > 0 }
        #expect((1...500).contains(first.notificationCount))
    }
}

/// A clock that stands still.
private struct StoppedClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let now = ContinuousClock.now
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: .now + .seconds(86_400))
    }
}

extension PostgresDatabase {
    /// Ends all connections that wait for notifications of this database's schema.
    fileprivate func endListeners() async throws {
        _ = try await readRows {
            try $0.row(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = current_schema() AND query LIKE 'LISTEN %'
                """)
        }
    }
}

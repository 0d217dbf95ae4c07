import Foundation
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import PostgreSQL

/// Several servers with one database: which of them holds an owner's data, and what happens to one that stops.
@Suite(.timeLimit(.minutes(5))) struct ClusterMemberTests {
    /// A server of a test: its registration, and the database of which it is the only user.
    private struct Server {
        let database: PostgresDatabase
        let member: ClusterMember

        static let counter = SQLMigration("counter.1", "CREATE TABLE counter (number BIGINT NOT NULL)")

        init(_ schema: PostgresAddress, _ name: String, lease: Duration = .seconds(3_600)) async throws {
            // Also how long a transaction may be idle; reports have limits of their own.
            database = try await PostgresDatabase.open(
                schema, limits: ServedPostgreSQL.limits, migrations: ClusterMember.migrations + [Self.counter])
            var timing = ClusterTiming()
            (timing.heartbeat, timing.lease, timing.margin) = (lease / 30, lease, lease / 10)
            member = try await ClusterMember.join(database, address: "http://\(name):1", timing: timing)
        }

        func write(_ number: Int) async throws(StoreError) {
            try await database.writeRows(locking: []) { connection in
                _ = try connection.execute("INSERT INTO counter (number) VALUES (?)", [number])
            }
        }

        /// Changes the address; on a busy machine, a report may take longer than its limit, and is repeated.
        func setAddress(_ address: String) async throws {
            try await eventually {
                await member.setAddress(address)
                return try await database.readRows { [id = member.id.uuidString] connection in
                    try connection.value("SELECT address FROM cluster_server WHERE id = ?", [id], as: String.self)
                } == address
            }
        }

        /// Waits until the owner belongs to this server, which may have been too slow to be sure of that before.
        func waitToHold(_ owner: OwnerID) async {
            await eventually { (try? await member.place(of: owner)) == .here }
        }

        var numbers: [Int] {
            get async throws {
                try await database.readRows { try $0.values("SELECT number FROM counter ORDER BY number") }
            }
        }
    }

    @Test func ownersAreDistributedAndEachBelongsToOneServer() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let servers = [
            try await Server(schema, "one"), try await Server(schema, "two"), try await Server(schema, "three"),
        ]
        #expect(Set(servers.map(\.member.secret)).count == 1 && servers[0].member.secret.count == 64)
        var counts = [0, 0, 0]
        for number in 0..<60 {
            let places = try await withThrowingTaskGroup(of: (Int, ClusterMember.Place).self) { group in
                for (index, server) in (servers + servers).enumerated() {
                    group.addTask { (index % 3, try await server.member.place(of: "\(number)")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let here = Set(places.filter { $0.1 == .here }.map(\.0))
            #expect(here.count == 1 && places.count { $0.1 == .here } == 2)
            let others = Set(places.map(\.1).filter { $0 != .here })
            for index in here {
                counts[index] += 1
                let address = ["http://one:1", "http://two:1", "http://three:1"][index]
                #expect(others == [.other(.init(id: servers[index].member.id, address: address))])
            }
        }
        // The probability that a server gets fewer is one in 10,000.
        #expect(counts.allSatisfy { $0 >= 6 }, "\(counts)")
    }

    @Test func serverGetsNoOwnersBeforeItHasAnAddress() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let (one, two) = (try await Server(schema, "one"), try await Server(schema, "two"))
        try await one.setAddress("")
        for number in 0..<20 { #expect(try await two.member.place(of: "\(number)") == .here) }
        try await one.setAddress("http://one:2")
        var others: Set<ClusterMember.Place> = []
        for number in 20..<60 { others.insert(try await two.member.place(of: "\(number)")) }
        #expect(others == [.here, .other(.init(id: one.member.id, address: "http://one:2"))])
    }

    @Test func serverThatStopsIsReplacedAndCanWriteNoMore() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let stopped = try await Server(schema, "stopped")
        #expect(try await stopped.member.place(of: "a") == .here)
        let other = try await Server(schema, "other", lease: .seconds(3))
        try await stopped.write(1)
        let running = Task { try await other.member.run() }
        await other.waitToHold("a")
        await eventually { other.member.servers.isEmpty }
        let error = await #expect(throws: StoreError.self) { try await stopped.write(2) }
        #expect(error?.code == .inUse)
        let ended = await #expect(throws: StoreError.self) { try await stopped.member.run() }
        #expect(ended?.code == .inUse)
        #expect(!stopped.member.isCurrent)
        let place = await #expect(throws: StoreError.self) { try await stopped.member.place(of: "a") }
        #expect(place?.code == .locked)
        try await other.write(3)
        #expect(try await other.numbers == [1, 3])
        running.cancel()
        try await running.value
    }

    @Test func waitForAServerEndsWhenItIsRemoved() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let stopped = try await Server(schema, "stopped")
        let other = try await Server(schema, "other", lease: .seconds(3))
        await eventually {
            await other.member.report()
            return !other.member.servers.isEmpty
        }
        let server = try #require(other.member.servers.first)
        #expect(server.id == stopped.member.id)
        let running = Task { try await other.member.run() }
        await other.member.waitForEnd(of: server)
        #expect(other.member.servers.isEmpty)
        // Now and later, there is nothing to wait for.
        await other.member.waitForEnd(of: server)
        running.cancel()
        try await running.value
    }

    @Test func writeThatHasBegunIsCommittedBeforeTheServerIsReplaced() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let stopped = try await Server(schema, "stopped")
        let other = try await Server(schema, "other", lease: .seconds(3))
        let observer = try await PostgresDatabase.open(schema, migrations: ClusterMember.migrations + [Server.counter])
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let write: Void = stopped.database.writeRows(locking: []) { connection in
            _ = try connection.execute("INSERT INTO counter (number) VALUES (1)")
            hasBegun.signal()
            mayEnd.wait()
        }
        await onThread { hasBegun.wait() }
        let running = Task { try await other.member.run() }
        try await eventually {
            try await observer.readRows { connection in
                try connection.row(
                    """
                    SELECT 1 FROM pg_stat_activity
                    WHERE wait_event_type = 'Lock' AND application_name = current_setting('application_name')
                    """) != nil
            }
        }
        mayEnd.signal()
        try await write
        await eventually { other.member.servers.isEmpty }
        #expect(try await other.numbers == [1])
        running.cancel()
        try await running.value
    }

    /// When the database was away, all servers are late, and the first that reports must not remove the others.
    @Test func serversThatWereAllLateKeepTheirOwners() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let one = try await Server(schema, "one")
        #expect(try await one.member.place(of: "a") == .here)
        let two = try await Server(schema, "two", lease: .seconds(3))
        try await eventually {
            try await one.database.readRows { connection in
                try connection.row(
                    """
                    SELECT 1 FROM cluster_server HAVING max(seen_at) < clock_timestamp() - make_interval(secs => 3)
                    """) != nil
            }
        }
        #expect(!two.member.isCurrent)
        await eventually {
            await two.member.report()
            return !two.member.servers.isEmpty
        }
        #expect(two.member.servers.map(\.id) == [one.member.id])
        try await one.write(1)
        #expect(try await one.member.place(of: "a") == .here)
    }

    @Test func serverThatLeavesIsReplacedAtOnce() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let one = try await Server(schema, "one")
        #expect(try await one.member.place(of: "a") == .here)
        let two = try await Server(schema, "two")
        #expect(try await two.member.place(of: "a") != .here)
        await one.member.leave()
        two.member.forget("a")
        #expect(try await two.member.place(of: "a") == .here)
        let error = await #expect(throws: StoreError.self) { try await one.write(1) }
        #expect(error?.code == .inUse)
        // A server that has left gets no new owners.
        await #expect(throws: StoreError.self) { try await one.member.place(of: "new") }
    }

    @Test func dataIsMovedOnlyWithoutServers() async throws {
        let schema = try await ServedPostgreSQL.newSchema()
        let server = try await Server(schema, "one")
        let other = try await PostgresDatabase.open(schema, migrations: ClusterMember.migrations + [Server.counter])
        try await eventually {
            // On a busy machine, the last report may be too old by the time of the check.
            await server.member.report()
            do throws(StoreError) {
                try await other.writeRows(locking: []) { try ClusterMember.checkAbsence(in: $0) }
                return false
            } catch {
                guard error.code == .inUse else { throw error }
                return true
            }
        }
        await server.member.leave()
        try await other.writeRows(locking: []) { try ClusterMember.checkAbsence(in: $0) }
    }
}

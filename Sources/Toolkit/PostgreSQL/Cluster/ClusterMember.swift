import Digests
package import Foundation
import Futures
package import Persistence

/// One of several servers that share a database, with the owners whose data it holds in memory.
///
/// Each owner belongs to at most one server at a time, which alone opens the owner's documents; other servers forward requests to it.
/// When a server first asks for an owner's place, it gives the owner to one of the servers, which rendezvous hashing chooses. The
/// owner stays there until that server leaves, or until the others haven't heard from it for ``ClusterTiming/lease``: then one of
/// them deletes its registration, and with it its owners' leases.
///
/// The ID of the registration is a fencing token: once it is deleted, no write of that server is committed, however late the
/// server notices.
package final class ClusterMember: Sendable {
    /// Another server.
    package struct Server: Hashable, Sendable {
        /// The ID of its registration: a server that is started again has another one.
        package let id: UUID
        /// Where it answers requests that are forwarded, such as `http://192.0.2.1:8080`.
        package let address: String
    }

    /// The server to which an owner belongs.
    package enum Place: Hashable, Sendable {
        case here
        case other(Server)
    }

    private struct State {
        var address: String
        /// When the last successful heartbeat began.
        var seen: Duration
        /// Since when each heartbeat has come in time.
        var regularSince: Duration
        /// The owners that belong to this server, as long as it is registered.
        var own: Set<OwnerID> = []
        /// The servers of other owners.
        var places: [OwnerID: Server] = [:]
        /// The other servers.
        var servers: Set<Server> = []
        var isReplaced = false
    }

    /// How long the database may take for a report: less than the time of a lease.
    private static let longestAnswer = Duration.seconds(4)

    /// The ID of this server's registration.
    package let id: UUID
    /// A random text that only the servers know.
    package let secret: String
    private let database: PostgresDatabase
    /// The same database for reports: they must not wait for other work, nor long for a server that doesn't answer.
    private let reports: PostgresDatabase
    private let timing: ClusterTiming
    private let stopwatch: Stopwatch
    private let state: Lock<State>
    private let changes = Lock<[Int: @Sendable () -> Void]>([:])

    private init(
        _ database: PostgresDatabase, _ id: UUID, _ address: String, _ secret: String, _ timing: ClusterTiming,
        _ stopwatch: Stopwatch
    ) {
        (self.database, self.id, self.secret, self.timing, self.stopwatch) = (database, id, secret, timing, stopwatch)
        var limits = PostgresLimits()
        (limits.connections, limits.connecting) = (1, .seconds(2))
        (limits.statement, limits.waiting, limits.retrying) = (Self.longestAnswer, Self.longestAnswer, .zero)
        reports = database.reopened(limits)
        state = Lock(State(address: address, seen: .zero, regularSince: .zero))
    }
}

/// How soon a server that doesn't report any more is replaced.
package struct ClusterTiming: Sendable {
    /// How often each server reports.
    package var heartbeat = Duration.seconds(2)
    /// After this time without a report, the others take over.
    package var lease = Duration.seconds(10)
    /// How long before the end of the lease a server stops to answer: the clocks of computers don't run at exactly the same speed.
    package var margin = Duration.seconds(1)

    /// The default times.
    package init() {}
}

// MARK: - Joining and leaving

extension ClusterMember {
    /// The tables of the servers and of the owners' leases.
    package static let migrations = [
        SQLMigration(
            "cluster.1",
            """
            CREATE TABLE cluster_server (
                id TEXT COLLATE "C" PRIMARY KEY,
                address TEXT NOT NULL,
                seen_at TIMESTAMPTZ NOT NULL
            );
            CREATE TABLE owner_lease (
                owner TEXT COLLATE "C" PRIMARY KEY,
                server TEXT COLLATE "C" NOT NULL REFERENCES cluster_server (id) ON DELETE CASCADE
            );
            CREATE INDEX owner_lease_by_server ON owner_lease (server);
            CREATE TABLE cluster_secret (
                id BIGINT PRIMARY KEY CHECK (id = 1),
                secret TEXT NOT NULL
            );
            """)
    ]

    /// Registers a server; from then on, the database commits its writes only while it is registered.
    ///
    /// - Parameters:
    ///   - database: The database, opened with ``migrations``. It is used by this server only.
    ///   - address: Where the server answers requests that are forwarded; empty while it doesn't. Until then, other servers give it
    ///     no owners.
    ///   - timing: When it counts as gone.
    /// - Returns: The member, whose ``run()`` must be called within the time of the lease.
    /// - Throws: ``StoreError`` if the database can't be written.
    package static func join(
        _ database: PostgresDatabase, address: String, timing: ClusterTiming = ClusterTiming()
    ) async throws(StoreError) -> ClusterMember {
        let (id, stopwatch) = (UUID(), Stopwatch(ContinuousClock()))
        let newSecret = String.randomHexadecimal(bytes: 32)
        let secret = try await database.writeRows(locking: [SQLLock(part: "cluster")]) { connection in
            try connection.execute(
                "INSERT INTO cluster_server (id, address, seen_at) VALUES (?, ?, clock_timestamp())",
                [id.uuidString, address])
            try connection.execute(
                "INSERT INTO cluster_secret (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING", [newSecret])
            return try connection.value("SELECT secret FROM cluster_secret", as: String.self) ?? newSecret
        }
        database.fence(by: id)
        let member = ClusterMember(database, id, address, secret, timing, stopwatch)
        await member.report()
        return member
    }

    /// Checks that no server is registered, and that none joins before the transaction ends.
    ///
    /// - Throws: ``StoreError`` with the code `inUse` if a server is registered and has reported recently.
    package static func checkAbsence(in transaction: any SQLConnection) throws {
        try transaction.lock(SQLLock(part: "cluster"))
        let isPresent = try transaction.row(
            "SELECT 1 FROM cluster_server WHERE seen_at >= clock_timestamp() - make_interval(secs => ?)",
            [ClusterTiming().lease / .seconds(1)])
        if isPresent != nil { throw StoreError(.inUse, "A server uses the database. Stop all servers first.") }
    }

    /// Changes where the server answers requests that are forwarded, once it knows its port.
    ///
    /// If the database can't be written now, the next report has the address.
    package func setAddress(_ address: String) async {
        state.withLock { $0.address = address }
        await report()
    }

    /// Reports that this server is alive, and removes servers that aren't, until the task is cancelled.
    ///
    /// - Throws: ``StoreError`` with the code `inUse` if other servers have taken over, because this one didn't report in time. What it
    ///   holds in memory may then be old, so the process must end.
    package func run() async throws(StoreError) {
        var deadline = stopwatch.elapsed
        while !Task.isCancelled {
            await report()
            if state.withLock(\.isReplaced) { throw Self.replaced }
            deadline = max(deadline + timing.heartbeat, stopwatch.elapsed)
            try? await stopwatch.sleep(until: deadline)
        }
    }

    /// The error of a server that was replaced.
    static let replaced = StoreError(
        .inUse,
        "The database didn't hear from this server for too long, so other servers have taken over. Start this server again."
    )

    /// Deletes the registration, so that other servers can take over at once; writes fail from then on.
    package func leave() async {
        state.withLock { $0.own = [] }
        _ = try? await database.writeRows(locking: []) { [id] connection in
            try connection.execute("DELETE FROM cluster_server WHERE id = ?", [id.uuidString])
        }
        reports.close()
    }
}

// MARK: - Heartbeats

extension ClusterMember {
    /// Whether no other server can have taken over yet.
    package var isCurrent: Bool {
        let now = stopwatch.elapsed
        return state.withLock { !$0.isReplaced && now - $0.seen < timing.lease - timing.margin }
    }

    /// Reports that this server is alive, and finds out which others are.
    func report() async {
        let start = stopwatch.elapsed
        let lease = timing.lease / .seconds(1)
        let address = state.withLock(\.address)
        let found: (servers: [Server], late: [Server])?
        do throws(StoreError) {
            found = try await reports.writeRows(locking: []) { [id] connection in
                let count = try connection.execute(
                    "UPDATE cluster_server SET seen_at = clock_timestamp(), address = ? WHERE id = ?",
                    [address, id.uuidString])
                if count == 0 { return nil }
                var (servers, late): ([Server], [Server]) = ([], [])
                let rows = try connection.rows(
                    """
                    SELECT id, address, seen_at < clock_timestamp() - make_interval(secs => ?) FROM cluster_server
                    WHERE id != ?
                    """, [lease, id.uuidString])
                for row in rows {
                    guard let id = UUID(uuidString: try row.decode(atIndex: 0)) else { continue }
                    let server = Server(id: id, address: try row.decode(atIndex: 1))
                    servers.append(server)
                    if try row.decode(Bool.self, atIndex: 2) { late.append(server) }
                }
                return (servers, late)
            }
        } catch {
            // The next report may succeed; until then, `isCurrent` may become false.
            database.closeIdleConnections()
            return
        }
        guard let found else { return end() }
        let isRegular = state.withLock { state in
            if start - state.seen >= timing.lease - timing.margin { state.regularSince = start }
            state.seen = start
            return start - state.regularSince >= timing.lease
        }
        // After a failure of the database, every server is late. The first that reports must not remove the others.
        var servers = Set(found.servers)
        if isRegular {
            for server in found.late where await remove(server) { servers.remove(server) }
        }
        keep(servers)
    }

    /// Removes a server, unless it has reported in the meantime.
    private func remove(_ server: Server) async -> Bool {
        let lease = timing.lease / .seconds(1)
        // Waits for the writes of that server which have begun.
        let removed = try? await reports.writeRows(locking: [.server(server.id)]) { connection in
            try connection.execute(
                "DELETE FROM cluster_server WHERE id = ? AND seen_at < clock_timestamp() - make_interval(secs => ?)",
                [server.id.uuidString, lease])
        }
        return removed == 1
    }

    /// Forgets all servers but these.
    private func keep(_ servers: Set<Server>) {
        let hasChanged = state.withLock { state in
            guard state.servers != servers else { return false }
            state.servers = servers
            state.places = state.places.filter { servers.contains($0.value) }
            return true
        }
        if hasChanged { reportChange() }
    }

    private func end() {
        state.withLock { state in
            state.isReplaced = true
            (state.own, state.places, state.servers) = ([], [:], [])
        }
        reportChange()
    }

    private func reportChange() {
        for report in changes.withLock({ Array($0.values) }) { report() }
    }
}

// MARK: - Places

extension ClusterMember {
    /// The other servers, as of the last report.
    package var servers: Set<Server> { state.withLock(\.servers) }

    /// The server to which an owner belongs; an owner that belongs to none is given to one.
    ///
    /// - Throws: ``StoreError``: `locked` if other servers may have taken over; or another error if the database can't be
    ///   used.
    package func place(of owner: OwnerID) async throws(StoreError) -> Place {
        guard isCurrent else {
            throw StoreError(
                .locked, "This server has lost its connection to the database. Try again in a few seconds.")
        }
        let known: Place? = state.withLock { state in
            state.own.contains(owner) ? .here : state.places[owner].map { .other($0) }
        }
        if let known { return known }
        let lease = timing.lease / .seconds(1)
        let found: (id: String, address: String)? = try await database.writeRows(locking: []) { [id] connection in
            // Every server chooses the same one of those that live. Others may be chosen for other owners.
            try connection.execute(
                """
                INSERT INTO owner_lease (owner, server)
                SELECT CAST(?1 AS TEXT), id FROM cluster_server
                WHERE id = ?2 OR address != '' AND seen_at >= clock_timestamp() - make_interval(secs => ?3)
                ORDER BY hashtextextended(CAST(?1 AS TEXT) || '/' || id, 0) LIMIT 1
                ON CONFLICT (owner) DO NOTHING
                """, [owner, id.uuidString, lease])
            return try connection.row(
                """
                SELECT server.id, server.address
                FROM owner_lease JOIN cluster_server AS server ON server.id = owner_lease.server
                WHERE owner_lease.owner = ?
                """, [owner]
            ).map { row in (try row.decode(atIndex: 0), try row.decode(atIndex: 1)) }
        }
        guard let found, let server = UUID(uuidString: found.id) else {
            throw StoreError(.locked, "The server of this data has just ended. Try again.")
        }
        return state.withLock { state in
            if server == id {
                state.own.insert(owner)
                return .here
            }
            let other = Server(id: server, address: found.address)
            state.places[owner] = other
            state.servers.insert(other)
            return .other(other)
        }
    }

    /// Forgets to which server an owner belongs, because that server doesn't answer or says that it is another.
    package func forget(_ owner: OwnerID) {
        state.withLock { $0.places[owner] = nil }
    }

    /// Waits until a server has left or was removed, or until the task is cancelled.
    package func waitForEnd(of server: Server) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = changes.withLock { changes in
            let number = (changes.keys.max() ?? 0) + 1
            changes[number] = { end.yield() }
            return number
        }
        defer { changes.withLock { $0[number] = nil } }
        if !servers.contains(server) { return }
        for await _ in ends where !servers.contains(server) { return }
    }
}

extension SQLLock {
    /// Held by all writes of a server, which share it, and exclusively by the transaction that removes the server.
    static func server(_ id: UUID) -> SQLLock { SQLLock(part: "server/\(id.uuidString)") }
}

public import Foundation
import Futures
import GRDB
public import Persistence

/// Records who did what, for the people concerned and for administrators.
///
/// ``record(_:)`` only adds the event to a bounded buffer, so that it can neither delay nor fail a request. ``run()`` writes
/// the buffer; ``write()`` does so once.
///
/// The log is bounded. Events that are alike are counted in one entry for an hour. Each person has at most
/// ``maximumEntries`` entries for each action, so that a flood of one kind doesn't remove another. Entries are removed
/// after ``lifetime``.
public final class AuditLog: Sendable {
    /// The maximum number of a person's entries for an action.
    public static let maximumEntries = 300
    /// How long entries are stored: 400 days, in seconds.
    public static let lifetime: TimeInterval = 400 * 24 * 3_600
    /// The time in which events that are alike are counted in one entry: an hour, in seconds.
    static let interval: TimeInterval = 3_600
    /// The maximum number of different clients whose failed sign-ins are separate entries within the interval.
    static let maximumClients = 50
    /// The maximum number of different events that wait to be written.
    static let maximumWaiting = 1_000

    private typealias Write = Task<Result<Void, AccountError>, Never>

    private struct Count {
        var count: Int
        var firstAt: Date
        var lastAt: Date
    }

    private let database: any SQLDatabase
    private let now: @Sendable () -> Date
    private let waiting = Lock<[AuditEvent: Count]>([:])
    /// The last write that has begun, and the one that begins after it.
    private let writes = Lock<(current: Write?, next: Write?)>((nil, nil))
    private let signal: AsyncStream<Void>
    private let sender: AsyncStream<Void>.Continuation

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - database: The database, opened with ``migrations``.
    ///   - now: Returns the current time.
    public convenience init(database: AppDatabase, now: @escaping @Sendable () -> Date = { Date() }) {
        self.init(in: database, now: now)
    }

    /// Creates a log in a database of any kind.
    package init(in database: any SQLDatabase, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.database, self.now) = (database, now)
        (signal, sender) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The schema.
    ///
    /// Times are seconds since 1970. Entries that concern the server have an empty owner.
    public static let migrations = [
        AppDatabase.Migration("audit.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE account_audit (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        owner TEXT NOT NULL,
                        action TEXT NOT NULL,
                        subject TEXT NOT NULL,
                        session TEXT NOT NULL,
                        device TEXT NOT NULL,
                        address TEXT NOT NULL,
                        first_at REAL NOT NULL,
                        last_at REAL NOT NULL,
                        count INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX account_audit_by_owner ON account_audit (owner, action, last_at);
                    CREATE INDEX account_audit_by_time ON account_audit (last_at);
                    """)
        }
    ]
}

// MARK: - Recording

extension AuditLog {
    /// Records an event; it is written later.
    ///
    /// If too many different events wait, which only a flood or a full disk causes, an event is counted without its
    /// details.
    public func record(_ event: AuditEvent) {
        let time = now()
        add([event: Count(count: 1, firstAt: time, lastAt: time)])
        sender.yield()
    }

    private func add(_ counts: [AuditEvent: Count]) {
        waiting.withLock { waiting in
            for (event, count) in counts {
                var event = event
                if waiting.count >= Self.maximumWaiting, waiting[event] == nil {
                    // At most one for each action, in addition to the maximum.
                    event = AuditEvent(event.action, of: AuditEvent.server)
                }
                let known = waiting[event]
                waiting[event] = Count(
                    count: (known?.count ?? 0) + count.count,
                    firstAt: min(known?.firstAt ?? count.firstAt, count.firstAt),
                    lastAt: max(known?.lastAt ?? count.lastAt, count.lastAt))
            }
        }
    }

    /// The number of different events that wait to be written.
    var waitingCount: Int { waiting.withLock { $0.count } }

    /// Writes the waiting events, and waits until those are written that another call is writing.
    ///
    /// - Throws: ``AccountError`` if the database can't be written; the events then continue to wait.
    public func write() async throws(AccountError) {
        // All calls during a write share the next one: a locked database delays each of them only twice.
        let write = writes.withLock { writes -> Write in
            if let next = writes.next { return next }
            let write = Write { [self, current = writes.current] in
                _ = await current?.value
                self.writes.withLock { $0 = ($0.next, nil) }
                do throws(AccountError) {
                    return .success(try await writeWaiting())
                } catch {
                    return .failure(error)
                }
            }
            writes.next = write
            return write
        }
        try await write.value.get()
    }

    private func writeWaiting() async throws(AccountError) {
        let counts = waiting.withLock { waiting in
            let counts = waiting
            waiting = [:]
            return counts
        }
        guard !counts.isEmpty else { return }
        let time = now().timeIntervalSince1970
        do throws(StoreError) {
            try await database.writeRows(locking: [SQLLock(part: "audit")]) { transaction in
                for (event, count) in counts.sorted(by: { $0.value.firstAt < $1.value.firstAt }) {
                    try Self.insert(event, count, in: transaction)
                }
                try transaction.execute("DELETE FROM account_audit WHERE last_at <= ?", [time - Self.lifetime])
            }
        } catch {
            // After a lost answer, they may have been written.
            if error.code != .timedOut { add(counts) }
            throw .storage(error.message)
        }
    }

    /// Writes events as they are recorded, until the task is cancelled; call ``write()`` afterwards.
    public func run() async {
        for await _ in signal {
            // Events that are recorded in the meantime are written by the same transaction.
            do { try await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(250)) } catch { return }
            // If the database can't be written, the next event tries again.
            try? await write()
        }
    }

    private static func insert(_ event: AuditEvent, _ count: Count, in transaction: any SQLConnection) throws {
        var owner = AuditEvent.server
        switch event.concern {
        case .owner(let known): owner = known
        case .account(let name):
            if let known = try transaction.value(
                "SELECT owner FROM account WHERE name = ?", [name.description], as: OwnerID.self)
            {
                owner = known
            }
        }
        var (device, address) = (event.device, event.address)
        let (first, last) = (count.firstAt.timeIntervalSince1970, count.lastAt.timeIntervalSince1970)
        if event.action == .signInFailed, try clients(owner, event.action, since: first, transaction) >= maximumClients
        {
            (device, address) = ("", "")
        }
        let key: SQLArguments = [owner, event.action.rawValue, event.subject, event.session, device, address]
        let changed = try transaction.execute(
            """
            UPDATE account_audit SET count = count + ?, last_at = CASE WHEN last_at < ? THEN ? ELSE last_at END WHERE number = (
                SELECT number FROM account_audit
                WHERE owner = ? AND action = ? AND subject = ? AND session = ? AND device = ? AND address = ?
                    AND first_at > ? AND first_at <= ?
                ORDER BY number DESC LIMIT 1)
            """, [count.count, last, last] + key + [first - interval, last])
        if changed > 0 { return }
        try transaction.execute(
            """
            INSERT INTO account_audit (owner, action, subject, session, device, address, first_at, last_at, count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, key + [first, last, count.count])
        try transaction.execute(
            """
            DELETE FROM account_audit WHERE number IN (
                SELECT number FROM account_audit WHERE owner = ? AND action = ?
                ORDER BY last_at DESC, number DESC LIMIT \(Int64.max) OFFSET ?)
            """, [owner, event.action.rawValue, maximumEntries])
    }

    /// The number of entries of an action within the interval before a time.
    private static func clients(
        _ owner: OwnerID, _ action: AuditAction, since first: TimeInterval, _ transaction: any SQLConnection
    ) throws -> Int {
        try transaction.value(
            "SELECT count(*) FROM account_audit WHERE owner = ? AND action = ? AND last_at > ? AND first_at <= ?",
            [owner, action.rawValue, first - interval, first], as: Int.self) ?? 0
    }
}

// MARK: - Reading

extension AuditLog {
    /// Which entries to read.
    public struct Filter: Sendable {
        /// The owners whose entries are read; ``AuditEvent/server`` for the server's, and `nil` for all.
        public var owners: Set<OwnerID>?
        /// The topic; `nil` for all.
        public var topic: AuditAction.Topic?
        /// The session; `nil` for all.
        public var session: Session.ID?
        /// Only entries before this one; `nil` for the newest.
        public var before: AuditEntry.ID?

        /// Creates a filter.
        public init(
            of owners: Set<OwnerID>?, topic: AuditAction.Topic? = nil, session: Session.ID? = nil,
            before: AuditEntry.ID? = nil
        ) {
            (self.owners, self.topic, self.session, self.before) = (owners, topic, session, before)
        }
    }

    /// The newest entries that match a filter, the newest first.
    ///
    /// - Parameters:
    ///   - filter: Which entries to read.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries.
    /// - Throws: ``AccountError``.
    public func entries(_ filter: Filter, limit: Int) async throws(AccountError) -> [AuditEntry] {
        do throws(StoreError) {
            return try await database.readRows { connection in
                var (conditions, arguments) = (["number < ?"], [filter.before ?? .max] as SQLArguments)
                func add(_ column: String, _ values: [String]) {
                    if values.isEmpty { return conditions.append("1 = 0") }
                    conditions.append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))")
                    arguments += SQLArguments(values)
                }
                if let owners = filter.owners { add("owner", owners.map(\.rawValue)) }
                if let topic = filter.topic {
                    add("action", AuditAction.allCases.filter { $0.topic == topic }.map(\.rawValue))
                }
                if let session = filter.session { add("session", [session]) }
                let rows = try connection.rows(
                    """
                    SELECT * FROM account_audit WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY number DESC LIMIT ?
                    """, arguments + [limit])
                return try rows.map { try Self.entry($0) }
            }
        } catch {
            throw .storage(error.message)
        }
    }

    private static func entry(_ row: SQLRow) throws -> AuditEntry {
        AuditEntry(
            id: try row.decode(forColumn: "number"), owner: try row.decode(forColumn: "owner"),
            action: AuditAction(rawValue: try row.decode(forColumn: "action")),
            subject: try row.decode(forColumn: "subject"), session: try row.decode(forColumn: "session"),
            device: try row.decode(forColumn: "device"), address: try row.decode(forColumn: "address"),
            firstAt: Date(timeIntervalSince1970: try row.decode(forColumn: "first_at")),
            lastAt: Date(timeIntervalSince1970: try row.decode(forColumn: "last_at")),
            count: try row.decode(forColumn: "count"))
    }
}

import Foundation
import GRDB
package import Persistence

extension SQLiteJobQueue {
    /// The schema.
    ///
    /// `phase`: 0 waiting, 1 running, 2 succeeded, 3 failed, 4 dead. Times are seconds since 1970. `starts_at` is
    /// when a waiting job may run; `expires_at` is ``JobRecord/expiresAt``. The single row of `job_counter` holds the
    /// latest revision and token.
    package static let migrations = [
        AppDatabase.Migration("jobs.1") { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE job (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        owner TEXT NOT NULL,
                        kind TEXT NOT NULL,
                        lane TEXT NOT NULL,
                        subject TEXT NOT NULL,
                        priority INTEGER NOT NULL,
                        payload BLOB NOT NULL,
                        input TEXT,
                        attempt_limit REAL NOT NULL,
                        deadline REAL,
                        lifetime TEXT NOT NULL CHECK (lifetime IN ('durable', 'request')),
                        enqueued_at REAL NOT NULL,
                        phase INTEGER NOT NULL CHECK (phase BETWEEN 0 AND 4),
                        starts_at REAL,
                        worker TEXT,
                        lease_until REAL,
                        expires_at REAL,
                        attempts INTEGER NOT NULL,
                        token INTEGER NOT NULL,
                        progress BLOB,
                        result BLOB,
                        error TEXT,
                        changed_at REAL NOT NULL,
                        revision INTEGER NOT NULL,
                        CHECK ((phase = 0) = (starts_at IS NOT NULL)),
                        CHECK ((phase = 1) = (worker IS NOT NULL AND lease_until IS NOT NULL)),
                        CHECK ((phase = 2) = (result IS NOT NULL)),
                        CHECK ((phase IN (3, 4)) = (error IS NOT NULL))
                    ) STRICT;
                    CREATE INDEX job_waiting ON job (lane, owner, priority DESC, sequence) WHERE phase = 0;
                    CREATE INDEX job_start ON job (starts_at) WHERE phase = 0;
                    CREATE INDEX job_running ON job (owner) WHERE phase = 1;
                    CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL;
                    CREATE INDEX job_dead ON job (changed_at) WHERE phase = 4;
                    CREATE INDEX job_revision ON job (revision);
                    CREATE TABLE job_owner (
                        owner TEXT NOT NULL PRIMARY KEY,
                        token INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE job_counter (
                        id INTEGER PRIMARY KEY CHECK (id = 1),
                        revision INTEGER NOT NULL,
                        token INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO job_counter (id, revision, token) VALUES (1, 0, 0);
                    """)
        },
        AppDatabase.Migration("jobs.2") { connection in
            try connection.execute(sql: "ALTER TABLE job ADD COLUMN request TEXT")
        },
    ]
}

/// The rows of a ``SQLiteJobQueue`` within one transaction.
struct SQLiteJobTable: JobTable {
    let connection: Database

    private func records(_ sql: String, _ arguments: StatementArguments = []) throws -> [JobRecord] {
        try Row.fetchAll(connection.cachedStatement(sql: sql), arguments: arguments).map(JobRecord.init(row:))
    }

    private func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64? {
        try Int64.fetchOne(connection.cachedStatement(sql: sql), arguments: arguments)
    }

    private func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try connection.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension SQLiteJobTable {
    func record(_ id: Job.ID) throws -> JobRecord? {
        try records("SELECT * FROM job WHERE id = ?", [id.description]).first
    }

    func record(_ sequence: Int64) throws -> JobRecord? {
        try records("SELECT * FROM job WHERE sequence = ?", [sequence]).first
    }

    mutating func insert(_ job: Job, at now: Date) throws -> JobRecord {
        let revision = try nextRevision()
        try execute(
            """
            INSERT INTO job (
                id, owner, kind, lane, subject, priority, payload, input, attempt_limit, deadline, lifetime, enqueued_at,
                phase, starts_at, expires_at, attempts, token, changed_at, revision, request
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0, 0, ?, ?, ?)
            """,
            [
                job.id.description, job.owner, job.kind, job.lane, job.subject, job.priority, job.payload, job.input,
                job.attemptLimit / .seconds(1), job.deadline?.timeIntervalSince1970, job.lifetime.rawValue,
                now.timeIntervalSince1970, now.timeIntervalSince1970, job.deadline?.timeIntervalSince1970,
                now.timeIntervalSince1970, revision, job.request,
            ])
        var record = JobRecord(job, sequence: connection.lastInsertedRowID, at: now)
        record.revision = revision
        return record
    }

    mutating func update(_ record: JobRecord) throws {
        var columns = PhaseColumns()
        switch record.phase {
        case .waiting(let from): columns.startsAt = from.timeIntervalSince1970
        case .running(let worker, let until):
            columns.number = 1
            (columns.worker, columns.leaseUntil) = (worker, until.timeIntervalSince1970)
        case .succeeded(let result):
            columns.number = 2
            columns.result = result
        case .failed(let error):
            columns.number = 3
            columns.error = try Self.text(of: error)
        case .dead(let error):
            columns.number = 4
            columns.error = try Self.text(of: error)
        }
        try execute(
            """
            UPDATE job SET
                phase = ?, starts_at = ?, worker = ?, lease_until = ?, result = ?, error = ?, expires_at = ?,
                attempts = ?, token = ?, progress = ?, changed_at = ?, revision = ?
            WHERE sequence = ?
            """,
            [
                columns.number, columns.startsAt, columns.worker, columns.leaseUntil, columns.result, columns.error,
                record.expiresAt?.timeIntervalSince1970, record.attempts, record.token, record.progress,
                record.changedAt.timeIntervalSince1970, try nextRevision(), record.sequence,
            ])
    }

    private struct PhaseColumns {
        var number = 0
        var startsAt: Double?
        var worker: String?
        var leaseUntil: Double?
        var result: Data?
        var error: String?
    }

    private static func text(of error: JobError) throws -> String {
        String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
    }

    mutating func remove(_ sequence: Int64) throws {
        try execute("DELETE FROM job WHERE sequence = ?", [sequence])
    }

    /// Gives waiting jobs whose IDs begin with a prefix a priority, unless theirs is larger.
    func raise(beginningWith prefix: String, to priority: Int) throws {
        try execute(
            "UPDATE job SET priority = ?3 WHERE id >= ?1 AND id < ?2 AND phase = 0 AND priority < ?3",
            [prefix, prefix + "\u{10FFFF}", priority])
    }

    /// Removes jobs whose IDs begin with a prefix, and returns the names of their outputs.
    func remove(beginningWith prefix: String, keepsDeadLetters: Bool) throws -> [String] {
        // U+10FFFF sorts after every character that IDs contain.
        try String?.fetchAll(
            connection,
            sql: """
                DELETE FROM job WHERE id >= ? AND id < ? AND NOT (phase = 4 AND ?)
                RETURNING CASE WHEN phase = 2 THEN sequence || '-' || token END
                """,
            arguments: [prefix, prefix + "\u{10FFFF}", keepsDeadLetters]
        ).compactMap(\.self)
    }

    private func nextRevision() throws -> Int64 {
        try execute("UPDATE job_counter SET revision = revision + 1")
        return try lastRevision()
    }
}

// MARK: - Damage

extension SQLiteJobTable {
    /// Fails each job whose row can't be read, so that its waiters receive an error and other jobs aren't blocked.
    ///
    /// - Returns: Whether any job was failed.
    @discardableResult
    func failDamaged(at now: Date) throws -> Bool {
        let error = try Self.text(of: .damaged)
        var hasDamaged = false
        for sequence in try Int64.fetchAll(connection, sql: "SELECT sequence FROM job") {
            let row = try Row.fetchOne(connection, sql: "SELECT * FROM job WHERE sequence = ?", arguments: [sequence])
            guard let row, (try? JobRecord(row: row)) == nil else { continue }
            hasDamaged = true
            try execute(
                """
                UPDATE OR REPLACE job SET
                    id = coalesce(CAST(id AS TEXT), 'damaged/' || sequence), owner = coalesce(CAST(owner AS TEXT), ''),
                    kind = coalesce(CAST(kind AS TEXT), ''), lane = coalesce(CAST(lane AS TEXT), ''),
                    subject = coalesce(CAST(subject AS TEXT), ''), priority = 0,
                    payload = coalesce(CAST(payload AS BLOB), x''), input = CAST(input AS TEXT), attempt_limit = 60,
                    deadline = NULL, lifetime = CASE WHEN lifetime = 'request' THEN 'request' ELSE 'durable' END,
                    enqueued_at = ?1, phase = 3, starts_at = NULL, worker = NULL, lease_until = NULL,
                    expires_at = NULL, attempts = 0, token = 0, progress = NULL, result = NULL, error = ?2,
                    changed_at = ?1, revision = ?3, request = CAST(request AS TEXT)
                WHERE sequence = ?4
                """, [now.timeIntervalSince1970, error, try nextRevision(), sequence])
        }
        return hasDamaged
    }
}

// MARK: - Leasing

extension SQLiteJobTable {
    func loads() throws -> [JobLaneLoad] {
        try Row.fetchAll(
            connection.cachedStatement(
                sql: """
                    WITH found (lane, phase, since) AS (
                        SELECT lane, 0, enqueued_at FROM job WHERE phase = 0
                        UNION ALL SELECT lane, 1, NULL FROM job WHERE phase = 1
                        UNION ALL SELECT lane, 4, NULL FROM job WHERE phase = 4
                    )
                    SELECT lane, sum(phase = 0) AS waiting, sum(phase = 1) AS running, sum(phase = 4) AS dead,
                        min(since) AS since
                    FROM found GROUP BY lane ORDER BY lane
                    """)
        ).map { row in
            let since: Double? = try row.decode(forColumn: "since")
            return JobLaneLoad(
                lane: try row.decode(forColumn: "lane"), waiting: try row.decode(forColumn: "waiting"),
                running: try row.decode(forColumn: "running"), dead: try row.decode(forColumn: "dead"),
                waitingSince: since.map(Date.init(stored:)))
        }
    }

    func heads(lane: String, at now: Date) throws -> [JobRecord] {
        // A loose index scan from owner to owner, whose cost doesn't depend on how many jobs each has.
        let owners = try OwnerID.fetchAll(
            connection.cachedStatement(
                sql: """
                    WITH RECURSIVE next (owner) AS (
                        SELECT (SELECT min(owner) FROM job WHERE phase = 0 AND lane = ?1)
                        UNION ALL
                        SELECT (SELECT min(owner) FROM job WHERE phase = 0 AND lane = ?1 AND owner > next.owner)
                        FROM next WHERE next.owner IS NOT NULL
                    )
                    SELECT owner FROM next WHERE owner IS NOT NULL
                    """), arguments: [lane])
        return try owners.flatMap { owner in
            try records(
                """
                SELECT * FROM job WHERE phase = 0 AND lane = ? AND owner = ? AND starts_at <= ?
                ORDER BY priority DESC, sequence LIMIT 1
                """, [lane, owner, now.timeIntervalSince1970])
        }
    }

    func runningCount(owner: OwnerID) throws -> Int {
        Int(try number("SELECT count(*) FROM job WHERE phase = 1 AND owner = ?", [owner]) ?? 0)
    }

    func lastToken(owner: OwnerID) throws -> Int64 {
        try number("SELECT token FROM job_owner WHERE owner = ?", [owner]) ?? 0
    }

    mutating func nextToken(owner: OwnerID) throws -> Int64 {
        try execute("UPDATE job_counter SET token = token + 1")
        let token = try number("SELECT token FROM job_counter") ?? 1
        try execute(
            "INSERT INTO job_owner (owner, token) VALUES (?1, ?2) ON CONFLICT (owner) DO UPDATE SET token = ?2",
            [owner, token])
        return token
    }
}

// MARK: - Time, dead letters and changes

extension SQLiteJobTable {
    func expired(at now: Date) throws -> [JobRecord] {
        try records("SELECT * FROM job WHERE expires_at <= ? ORDER BY +sequence", [now.timeIntervalSince1970])
    }

    func hasExpired(at now: Date) throws -> Bool {
        try number("SELECT 1 FROM job WHERE expires_at <= ? LIMIT 1", [now.timeIntervalSince1970]) != nil
    }

    func hasDeadToPrune(_ policy: JobPolicy, at now: Date) throws -> Bool {
        let count = try number("SELECT count(*) FROM job WHERE phase = 4") ?? 0
        let oldest = try Double.fetchOne(connection, sql: "SELECT min(changed_at) FROM job WHERE phase = 4")
        return count > policy.deadLetters
            || oldest.map { $0 < now.timeIntervalSince1970 - policy.deadLetterAge } ?? false
    }

    func nextTime(after now: Date) throws -> Date? {
        let start = try Double.fetchOne(
            connection.cachedStatement(sql: "SELECT min(starts_at) FROM job WHERE phase = 0 AND starts_at > ?"),
            arguments: [now.timeIntervalSince1970])
        let expiry = try Double.fetchOne(
            connection.cachedStatement(sql: "SELECT min(expires_at) FROM job WHERE expires_at IS NOT NULL"))
        return [start, expiry].compactMap(\.self).min().map(Date.init(stored:))
    }

    func outputs() throws -> Set<String> {
        try String.fetchSet(connection, sql: "SELECT sequence || '-' || token FROM job WHERE phase IN (1, 2)")
    }

    func running(worker: String) throws -> [JobRecord] {
        try records("SELECT * FROM job WHERE phase = 1 AND worker = ? ORDER BY +sequence", [worker])
    }

    func jobsOfRequests() throws -> [JobRecord] {
        try records("SELECT * FROM job WHERE lifetime = 'request'")
    }

    func dead() throws -> [JobRecord] {
        try records("SELECT * FROM job WHERE phase = 4 ORDER BY changed_at DESC, sequence DESC")
    }

    func unfinished(of owner: OwnerID?, limit: Int) throws -> [JobRecord] {
        guard let owner else {
            return try records("SELECT * FROM job WHERE phase IN (0, 1) ORDER BY sequence LIMIT ?", [limit])
        }
        return try records(
            "SELECT * FROM job WHERE phase IN (0, 1) AND owner = ? ORDER BY sequence LIMIT ?", [owner, limit])
    }

    func changed(since revision: Int64) throws -> [JobRecord] {
        try records("SELECT * FROM job WHERE revision > ? ORDER BY revision", [revision])
    }

    func lastRevision() throws -> Int64 {
        try number("SELECT revision FROM job_counter") ?? 0
    }
}

extension JobRecord {
    /// Decodes a row.
    ///
    /// - Throws: `RowDecodingError` if a value's type differs from its column's; never for a row that the schema
    ///   allows.
    init(row: Row) throws {
        let lifetime: String = try row.decode(forColumn: "lifetime")
        let deadline: Double? = try row.decode(forColumn: "deadline")
        let limit: Double = try row.decode(forColumn: "attempt_limit")
        let enqueuedAt: Double = try row.decode(forColumn: "enqueued_at")
        let job = Job(
            id: Job.ID(try row.decode(String.self, forColumn: "id")), owner: try row.decode(forColumn: "owner"),
            kind: try row.decode(forColumn: "kind"), lane: try row.decode(forColumn: "lane"),
            subject: try row.decode(forColumn: "subject"), priority: try row.decode(forColumn: "priority"),
            payload: try row.decode(forColumn: "payload"), input: try row.decode(forColumn: "input"),
            attemptLimit: .seconds(min(max(limit, 0), 1e9)), deadline: deadline.map(Date.init(stored:)),
            lifetime: Job.Lifetime(rawValue: lifetime) ?? .durable, request: try row.decode(forColumn: "request"))
        self.init(
            job, sequence: try row.decode(forColumn: "sequence"), at: Date(stored: enqueuedAt))
        // Clamped: otherwise, a number in a damaged file could overflow later arithmetic.
        attempts = min(max(try row.decode(Int.self, forColumn: "attempts"), 0), 1_000_000)
        token = try row.decode(forColumn: "token")
        progress = try row.decode(forColumn: "progress")
        changedAt = Date(stored: try row.decode(forColumn: "changed_at"))
        revision = try row.decode(forColumn: "revision")
        phase = try Phase(row: row)
    }
}

extension JobRecord.Phase {
    fileprivate init(row: Row) throws {
        func time(_ column: String) throws -> Date { Date(stored: try row.decode(forColumn: column)) }
        func error() throws -> JobError {
            let text: String = try row.decode(forColumn: "error")
            return (try? JSONDecoder().decode(JobError.self, from: Data(text.utf8)))
                ?? JobError(code: "unreadable", message: "The reason is stored in an unknown form.", canRetry: true)
        }
        switch try row.decode(Int.self, forColumn: "phase") {
        case 0: self = .waiting(from: try time("starts_at"))
        case 1: self = .running(worker: try row.decode(forColumn: "worker"), until: try time("lease_until"))
        case 2: self = .succeeded(try row.decode(forColumn: "result"))
        case 3: self = .failed(try error())
        default: self = .dead(try error())
        }
    }
}

extension Date {
    /// Creates a date from seconds since 1970, clamped to a range that is safe for arithmetic.
    fileprivate init(stored seconds: Double) {
        self.init(timeIntervalSince1970: min(max(seconds, -1e11), 1e11))
    }
}

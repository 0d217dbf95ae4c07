package import Foundation
package import Persistence

/// What a queue stores: the same operations of the memory and the SQLite version.
///
/// All functions of one transaction see and change one state.
package protocol JobTable {
    func record(_ id: Job.ID) throws -> JobRecord?
    func record(_ sequence: Int64) throws -> JobRecord?
    /// Adds a job that waits.
    mutating func insert(_ job: Job, at now: Date) throws -> JobRecord
    /// Writes a record, with a new revision.
    mutating func update(_ record: JobRecord) throws
    mutating func remove(_ sequence: Int64) throws
    /// Of each owner the job that is next: of those that may run now, the first of the largest priority.
    func heads(lane: String, at now: Date) throws -> [JobRecord]
    /// How many of an owner's jobs run.
    func runningCount(owner: OwnerID) throws -> Int
    /// The token of the owner's last lease; 0 before the first.
    func lastToken(owner: OwnerID) throws -> Int64
    /// A token larger than all before, which becomes the owner's last one.
    mutating func nextToken(owner: OwnerID) throws -> Int64
    /// The records whose ``JobRecord/expiresAt`` is not later than a time.
    func expired(at now: Date) throws -> [JobRecord]
    /// The records of a worker's leases.
    func running(worker: String) throws -> [JobRecord]
    /// The records of requests.
    func ofRequests() throws -> [JobRecord]
    /// The dead letters, the newest first.
    func dead() throws -> [JobRecord]
}

// The transactions of a queue. Each returns whether anything changed.
extension JobTable {
    package mutating func enqueue(_ job: Job, at now: Date) throws -> (record: JobRecord, isNew: Bool) {
        if let known = try record(job.id) { return (known, false) }
        return (try insert(job, at: now), true)
    }

    /// The job that is next in a lane: of the largest priority; then of the owner with the fewest running jobs; then of the owner
    /// whose last lease is the oldest; then the first.
    package func next(lanes: Set<String>, at now: Date) throws -> JobRecord? {
        var best: (record: JobRecord, rank: (Int, Int64, Int64))?
        for lane in lanes {
            for head in try heads(lane: lane, at: now) {
                let owner = head.job.owner
                let rank = (try runningCount(owner: owner), try lastToken(owner: owner), head.sequence)
                guard let first = best, first.record.job.priority >= head.job.priority else {
                    best = (head, rank)
                    continue
                }
                if first.record.job.priority == head.job.priority, rank < first.rank { best = (head, rank) }
            }
        }
        return best?.record
    }

    package mutating func lease(
        lanes: Set<String>, to worker: String, at now: Date, for duration: TimeInterval
    ) throws -> JobLease? {
        guard var record = try next(lanes: lanes, at: now) else { return nil }
        let token = try nextToken(owner: record.job.owner)
        let lease = record.lease(to: worker, token: token, at: now, for: duration)
        try update(record)
        return lease
    }

    /// Ends an attempt; the same report again changes nothing.
    package mutating func end(
        _ lease: JobLease, _ attempt: JobAttempt, at now: Date, _ policy: JobPolicy
    ) throws -> (isAccepted: Bool, hasChanged: Bool) {
        guard var record = try record(lease.sequence) else { return (false, false) }
        if record.hasAccepted(attempt, of: lease) { return (true, false) }
        guard record.end(lease, attempt, at: now, policy) else { return (false, false) }
        try update(record)
        return (true, true)
    }

    /// Changes one record.
    package mutating func change(_ sequence: Int64, _ transition: (inout JobRecord) -> Bool) throws -> Bool {
        guard var record = try record(sequence), transition(&record) else { return false }
        try update(record)
        return true
    }

    package mutating func change(_ id: Job.ID, _ transition: (inout JobRecord) -> Bool) throws -> Bool {
        guard var record = try record(id), transition(&record) else { return false }
        try update(record)
        return true
    }

    /// Changes several records.
    package mutating func change(_ records: [JobRecord], _ transition: (inout JobRecord) -> Bool) throws -> Bool {
        var hasChanged = false
        for var record in records where transition(&record) {
            try update(record)
            hasChanged = true
        }
        return hasChanged
    }

    /// Forgets a job; a dead letter stays.
    package mutating func settle(_ id: Job.ID) throws -> Bool {
        guard let record = try record(id) else { return false }
        if case .dead = record.phase { return false }
        try remove(record.sequence)
        return true
    }

    package mutating func removeRequests() throws -> Bool {
        let records = try ofRequests()
        for record in records { try remove(record.sequence) }
        return !records.isEmpty
    }

    package mutating func dismiss(_ id: Job.ID) throws -> Bool {
        guard let record = try record(id), case .dead = record.phase else { return false }
        try remove(record.sequence)
        return true
    }

    package mutating func expire(at now: Date, _ policy: JobPolicy) throws -> Bool {
        let hasExpired = try change(expired(at: now)) { $0.expire(at: now, policy) }
        return try prune(at: now, policy) || hasExpired
    }

    /// Removes the dead letters that exceed the policy's limits.
    package mutating func prune(at now: Date, _ policy: JobPolicy) throws -> Bool {
        let dead = try dead()
        let old = dead.enumerated().filter { index, record in
            index >= policy.deadLetters || record.changedAt < now - policy.deadLetterAge
        }
        for (_, record) in old { try remove(record.sequence) }
        return !old.isEmpty
    }
}

extension Duration {
    /// The time from one date to another: none if it is past, and no longer than ten years.
    package init(from start: Date, to end: Date) {
        self = .seconds(min(max(end.timeIntervalSince(start), 0), 10 * 365 * 86_400))
    }
}

package import Foundation
package import Persistence

/// The storage operations of a queue, implemented in memory and in SQLite.
///
/// All calls within one transaction see and change the same state.
package protocol JobTable {
    func record(_ id: Job.ID) throws -> JobRecord?
    func record(_ sequence: Int64) throws -> JobRecord?
    /// Inserts a job in the waiting state.
    mutating func insert(_ job: Job, at now: Date) throws -> JobRecord
    /// Writes a record and assigns it a new revision.
    mutating func update(_ record: JobRecord) throws
    mutating func remove(_ sequence: Int64) throws
    /// Returns the next job of each owner in a lane: the oldest of the jobs with the largest priority that may run now.
    func heads(lane: String, at now: Date) throws -> [JobRecord]
    /// Returns the number of an owner's running jobs.
    func runningCount(owner: OwnerID) throws -> Int
    /// Returns the token of the owner's latest lease; 0 before the first.
    func lastToken(owner: OwnerID) throws -> Int64
    /// Returns a token that is larger than all earlier ones, and stores it as the owner's latest.
    mutating func nextToken(owner: OwnerID) throws -> Int64
    /// Returns the records whose ``JobRecord/expiresAt`` is not later than the given time.
    func expired(at now: Date) throws -> [JobRecord]
    /// Returns the records of the jobs leased to a worker.
    func running(worker: String) throws -> [JobRecord]
    /// Returns the records of the jobs that live only as long as a request: those with ``Job/Lifetime/request``.
    func jobsOfRequests() throws -> [JobRecord]
    /// Returns the dead letters, newest first.
    func dead() throws -> [JobRecord]
}

// The transactions of a queue. Those that return a `Bool` return whether anything changed.
extension JobTable {
    package mutating func enqueue(_ job: Job, at now: Date) throws -> (record: JobRecord, isNew: Bool) {
        if let known = try record(job.id) { return (known, false) }
        return (try insert(job, at: now), true)
    }

    /// Returns the job to run next.
    ///
    /// The job with the largest priority wins. Ties are broken by the owner's number of running jobs (fewest first),
    /// then by the owner's latest lease (oldest first), then by the order in which the jobs were enqueued.
    func next(lanes: Set<String>, at now: Date) throws -> JobRecord? {
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

    /// Ends an attempt; repeating the same report changes nothing.
    package mutating func end(
        _ lease: JobLease, _ attempt: JobAttempt, at now: Date, _ policy: JobPolicy
    ) throws -> (isAccepted: Bool, hasChanged: Bool) {
        guard var record = try record(lease.sequence) else { return (false, false) }
        if record.hasAccepted(attempt, of: lease) { return (true, false) }
        guard record.end(lease, attempt, at: now, policy) else { return (false, false) }
        try update(record)
        return (true, true)
    }

    /// Applies a transition to one record.
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

    /// Applies a transition to several records.
    package mutating func change(_ records: [JobRecord], _ transition: (inout JobRecord) -> Bool) throws -> Bool {
        var hasChanged = false
        for var record in records where transition(&record) {
            try update(record)
            hasChanged = true
        }
        return hasChanged
    }

    /// Removes a job, unless it is a dead letter.
    package mutating func discard(_ id: Job.ID) throws -> Bool {
        guard let record = try record(id) else { return false }
        if case .dead = record.phase { return false }
        try remove(record.sequence)
        return true
    }

    package mutating func removeJobsOfRequests() throws -> Bool {
        let records = try jobsOfRequests()
        for record in records { try remove(record.sequence) }
        return !records.isEmpty
    }

    package mutating func removeEndedJobsOfRequests(until time: Date) throws -> Bool {
        let records = try jobsOfRequests().filter { $0.hasEnded && $0.changedAt <= time }
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
    mutating func prune(at now: Date, _ policy: JobPolicy) throws -> Bool {
        let dead = try dead()
        let old = dead.enumerated().filter { index, record in
            index >= policy.deadLetters || record.changedAt < now - policy.deadLetterAge
        }
        for (_, record) in old { try remove(record.sequence) }
        return !old.isEmpty
    }
}

extension Duration {
    /// The time from one date to another, clamped to the range from zero to ten years.
    package init(from start: Date, to end: Date) {
        self = .seconds(min(max(end.timeIntervalSince(start), 0), 10 * 365 * 86_400))
    }
}

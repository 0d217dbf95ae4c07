package import Foundation
import Futures
package import Jobs
package import Persistence

/// A job queue in memory, for tests.
package final class MemoryJobQueue: Sendable {
    private let table = Lock(MemoryJobTable())
    private let listeners = ChangeListeners<UnspecifiedChange>()
    private let policy: JobPolicy
    private let now: @Sendable () -> Date

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - policy: The retry and retention limits.
    ///   - now: The current time.
    package init(policy: JobPolicy = JobPolicy(), now: @escaping @Sendable () -> Date = { Date() }) {
        self.policy = policy
        self.now = now
    }

    private func read<Value>(_ body: (MemoryJobTable, Date) throws -> Value) throws(StoreError) -> Value {
        do {
            return try body(table.withLock(\.self), now())
        } catch {
            throw StoreError(.queryFailed, "\(error)", cause: error)
        }
    }

    /// Runs a transaction, and notifies the listeners if it changed anything.
    @discardableResult
    private func write<Value: Sendable>(
        _ hasChanged: (Value) -> Bool, _ body: (inout MemoryJobTable, Date) throws -> Value
    ) throws(StoreError) -> Value {
        let now = now()
        let result = table.withLock { table in Result { try body(&table, now) } }
        switch result {
        case .success(let value):
            if hasChanged(value) { listeners.report() }
            return value
        case .failure(let error):
            throw StoreError(.queryFailed, "\(error)", cause: error)
        }
    }

    /// Runs a transaction that returns whether it changed anything.
    @discardableResult
    private func change(
        _ body: (inout MemoryJobTable, Date) throws -> Bool
    ) throws(StoreError) -> Bool {
        try write({ (hasChanged: Bool) in hasChanged }, body)
    }
}

extension MemoryJobQueue: JobQueue {
    @discardableResult
    package func enqueue(_ job: Job) throws(StoreError) -> JobRecord {
        try write({ $0.isNew }, { try $0.enqueue(job, at: $1) }).record
    }

    package func record(_ id: Job.ID) throws(StoreError) -> JobRecord? {
        try read { table, _ in table.record(id) }
    }

    package func cancel(_ id: Job.ID) throws(StoreError) {
        try change { table, now in try table.change(id) { $0.fail(.cancelled, at: now) } }
    }

    package func discard(_ id: Job.ID) throws(StoreError) {
        try change { table, _ in try table.discard(id) }
    }

    package func removeJobsOfRequests() throws(StoreError) {
        try change { table, _ in try table.removeJobsOfRequests() }
    }

    package func removeEndedJobsOfRequests(olderThan age: TimeInterval) throws(StoreError) {
        try change { table, now in try table.removeEndedJobsOfRequests(until: now - age) }
    }

    package func lease(
        lanes: Set<String>, worker: String, for duration: TimeInterval
    ) throws(StoreError) -> JobLease? {
        try write({ $0 != nil }, { try $0.lease(lanes: lanes, to: worker, at: $1, for: duration) })
    }

    package func renew(
        _ lease: JobLease, for duration: TimeInterval, progress: Data?
    ) throws(StoreError) -> Bool {
        try write(
            { (isHeld: Bool) in isHeld && progress != nil },
            { table, now in
                try table.change(lease.sequence) { $0.renew(lease, at: now, for: duration, progress: progress) }
            })
    }

    package func lostLeases(among leases: [JobLease]) throws(StoreError) -> [JobLease] {
        try read { table, _ in leases.filter { table.record($0.sequence)?.isHeld(by: $0) != true } }
    }

    package func end(_ lease: JobLease, _ attempt: JobAttempt) throws(StoreError) -> Bool {
        try write({ $0.hasChanged }, { [policy] in try $0.end(lease, attempt, at: $1, policy) }).isAccepted
    }

    package func release(_ lease: JobLease) throws(StoreError) {
        try change { table, now in try table.change(lease.sequence) { $0.release(lease, at: now) } }
    }

    package func endLeases(ofWorker worker: String) throws(StoreError) {
        try change { [policy] table, now in
            try table.change(table.running(worker: worker)) { $0.endLease(ofWorker: worker, at: now, policy) }
        }
    }

    package func expire() throws(StoreError) {
        try change { [policy] table, now in try table.expire(at: now, policy) }
    }

    package func outputs() throws(StoreError) -> Set<String> {
        try read { table, _ in
            let needed = table.records.values.filter { record in
                switch record.phase {
                case .running, .succeeded: true
                case .waiting, .failed, .dead: false
                }
            }
            return Set(needed.map(\.outputName))
        }
    }

    package func nextPause() throws(StoreError) -> Duration? {
        try read { table, now in
            table.records.values.flatMap { record -> [Date] in
                if case .waiting(let from) = record.phase, from > now {
                    return [from, record.expiresAt].compactMap(\.self)
                }
                return [record.expiresAt].compactMap(\.self)
            }.min().map { Duration(from: now, to: $0) }
        }
    }

    package func overview(
        of owner: OwnerID?, limit: Int
    ) throws(StoreError) -> (unfinished: [JobRecord], dead: [JobRecord]) {
        try read { table, _ in
            let unfinished = table.records.values.filter { !$0.hasEnded && (owner == nil || $0.job.owner == owner) }
                .sorted { $0.sequence < $1.sequence }
            return (
                Array(unfinished.prefix(limit)),
                Array(table.dead().filter { owner == nil || $0.job.owner == owner }.prefix(limit))
            )
        }
    }

    package func loads() throws(StoreError) -> [JobLaneLoad] {
        try read { table, _ in
            var loads: [String: JobLaneLoad] = [:]
            for record in table.records.values {
                let lane = record.job.lane
                var load = loads[lane] ?? JobLaneLoad(lane: lane)
                switch record.phase {
                case .waiting:
                    load.waiting += 1
                    load.waitingSince = min(load.waitingSince ?? .distantFuture, record.enqueuedAt)
                case .running: load.running += 1
                case .dead: load.dead += 1
                case .succeeded, .failed: continue
                }
                loads[lane] = load
            }
            return loads.values.sorted { $0.lane < $1.lane }
        }
    }

    package func retry(_ id: Job.ID) throws(StoreError) -> Bool {
        try change { table, now in try table.change(id) { $0.retry(at: now) } }
    }

    package func dismiss(_ id: Job.ID) throws(StoreError) -> Bool {
        try change { table, _ in try table.dismiss(id) }
    }

    package func updates() -> Updates<Void> {
        listeners.unspecifiedUpdates()
    }

    package func changes(
        since revision: Int64
    ) throws(StoreError) -> (records: [JobRecord], revision: Int64) {
        try read { table, _ in
            let changed = table.records.values.filter { $0.revision > revision }.sorted { $0.revision < $1.revision }
            return (changed, table.lastRevision)
        }
    }

    package func lastRevision() throws(StoreError) -> Int64 {
        try read { table, _ in table.lastRevision }
    }
}

/// The records of a ``MemoryJobQueue``.
private struct MemoryJobTable: JobTable {
    private(set) var records: [Int64: JobRecord] = [:]
    private(set) var lastRevision: Int64 = 0
    private var lastSequence: Int64 = 0
    private var token: Int64 = 0
    private var tokens: [OwnerID: Int64] = [:]

    func record(_ id: Job.ID) -> JobRecord? {
        records.values.first { $0.job.id == id }
    }

    func record(_ sequence: Int64) -> JobRecord? {
        records[sequence]
    }

    mutating func insert(_ job: Job, at now: Date) -> JobRecord {
        lastSequence += 1
        update(JobRecord(job, sequence: lastSequence, at: now))
        return records[lastSequence] ?? JobRecord(job, sequence: lastSequence, at: now)
    }

    mutating func update(_ record: JobRecord) {
        var record = record
        lastRevision += 1
        record.revision = lastRevision
        records[record.sequence] = record
    }

    mutating func remove(_ sequence: Int64) {
        records[sequence] = nil
    }

    func heads(lane: String, at now: Date) -> [JobRecord] {
        var heads: [OwnerID: JobRecord] = [:]
        for record in records.values where record.job.lane == lane {
            guard case .waiting(let from) = record.phase, from <= now else { continue }
            let head = heads[record.job.owner]
            let isFirst = head.map { ($0.job.priority, record.sequence) < (record.job.priority, $0.sequence) } ?? true
            if isFirst { heads[record.job.owner] = record }
        }
        return Array(heads.values)
    }

    func runningCount(owner: OwnerID) -> Int {
        records.values.count { record in
            if case .running = record.phase { record.job.owner == owner } else { false }
        }
    }

    func lastToken(owner: OwnerID) -> Int64 {
        tokens[owner] ?? 0
    }

    mutating func nextToken(owner: OwnerID) -> Int64 {
        token += 1
        tokens[owner] = token
        return token
    }

    func expired(at now: Date) -> [JobRecord] {
        records.values.filter { $0.expiresAt.map { $0 <= now } ?? false }.sorted { $0.sequence < $1.sequence }
    }

    func running(worker: String) -> [JobRecord] {
        records.values.filter { record in
            if case .running(worker, _) = record.phase { true } else { false }
        }.sorted { $0.sequence < $1.sequence }
    }

    func jobsOfRequests() -> [JobRecord] {
        records.values.filter { $0.job.lifetime == .request }
    }

    func dead() -> [JobRecord] {
        records.values.filter { record in
            if case .dead = record.phase { true } else { false }
        }.sorted { ($0.changedAt, $0.sequence) > ($1.changedAt, $1.sequence) }
    }
}

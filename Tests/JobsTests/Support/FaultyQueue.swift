import Foundation
import Persistence

@testable import Jobs

/// A queue that calls a closure with the name of each operation before performing it; the closure may throw.
///
/// It also calls the closure with `ended` after ``end(_:_:)``, to simulate a lost reply.
struct FaultyQueue: JobQueue {
    let base: any JobQueue
    let before: @Sendable (String) throws(StoreError) -> Void
    /// Called before ``record(_:)`` returns, to delay its result.
    var afterRecord: @Sendable () async -> Void = {}

    init(_ base: any JobQueue, before: @escaping @Sendable (String) throws(StoreError) -> Void) {
        (self.base, self.before) = (base, before)
    }

    func enqueue(_ job: Job) async throws(StoreError) -> JobRecord {
        try before("enqueue")
        return try await base.enqueue(job)
    }

    func record(_ id: Job.ID) async throws(StoreError) -> JobRecord? {
        try before("record")
        let record = try await base.record(id)
        await afterRecord()
        return record
    }

    func outputs() async throws(StoreError) -> Set<String> {
        try before("outputs")
        return try await base.outputs()
    }

    func cancel(_ id: Job.ID) async throws(StoreError) {
        try before("cancel")
        try await base.cancel(id)
    }

    func discard(_ id: Job.ID) async throws(StoreError) {
        try before("discard")
        try await base.discard(id)
    }

    func removeJobsOfRequests() async throws(StoreError) {
        try before("removeJobsOfRequests")
        try await base.removeJobsOfRequests()
    }

    func removeEndedJobsOfRequests(olderThan age: TimeInterval) async throws(StoreError) {
        try before("removeEndedJobsOfRequests")
        try await base.removeEndedJobsOfRequests(olderThan: age)
    }

    func lease(
        lanes: Set<String>, worker: String, for duration: TimeInterval
    ) async throws(StoreError) -> JobLease? {
        try before("lease")
        return try await base.lease(lanes: lanes, worker: worker, for: duration)
    }

    func renew(_ lease: JobLease, for duration: TimeInterval, progress: Data?) async throws(StoreError) -> Bool {
        try before("renew")
        return try await base.renew(lease, for: duration, progress: progress)
    }

    func lostLeases(among leases: [JobLease]) async throws(StoreError) -> [JobLease] {
        try before("lostLeases")
        return try await base.lostLeases(among: leases)
    }

    func end(_ lease: JobLease, _ attempt: JobAttempt) async throws(StoreError) -> Bool {
        try before("end")
        let isAccepted = try await base.end(lease, attempt)
        try before("ended")
        return isAccepted
    }

    func release(_ lease: JobLease) async throws(StoreError) {
        try before("release")
        try await base.release(lease)
    }

    func endLeases(ofWorker worker: String) async throws(StoreError) {
        try before("endLeases")
        try await base.endLeases(ofWorker: worker)
    }

    func expire() async throws(StoreError) {
        try before("expire")
        try await base.expire()
    }

    func nextPause() async throws(StoreError) -> Duration? {
        try before("nextPause")
        return try await base.nextPause()
    }

    func overview(
        of owner: OwnerID?, limit: Int
    ) async throws(StoreError) -> (unfinished: [JobRecord], dead: [JobRecord]) {
        try before("overview")
        return try await base.overview(of: owner, limit: limit)
    }

    func loads() async throws(StoreError) -> [JobLaneLoad] {
        try before("loads")
        return try await base.loads()
    }

    func retry(_ id: Job.ID) async throws(StoreError) -> Bool {
        try before("retry")
        return try await base.retry(id)
    }

    func dismiss(_ id: Job.ID) async throws(StoreError) -> Bool {
        try before("dismiss")
        return try await base.dismiss(id)
    }

    func updates() -> Updates<Void> { base.updates() }

    func changes(since revision: Int64) async throws(StoreError) -> (records: [JobRecord], revision: Int64) {
        try before("changes")
        return try await base.changes(since: revision)
    }

    func lastRevision() async throws(StoreError) -> Int64 {
        try before("lastRevision")
        return try await base.lastRevision()
    }
}

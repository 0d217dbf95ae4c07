package import Foundation
package import Persistence

/// A queue of jobs, as durable as its storage.
///
/// Each job runs at least once, and its result is accepted exactly once: a worker holds a lease that it renews, and a
/// worker that has lost its lease can't report a result. Functions that change a job do nothing if the job doesn't
/// exist or is in another state.
package protocol JobQueue: Sendable {
    // MARK: For clients

    /// Enqueues a job, unless the queue already has a job with the same name.
    ///
    /// - Returns: The record of the new or the existing job.
    @discardableResult
    func enqueue(_ job: Job) async throws(StoreError) -> JobRecord
    /// Returns a job's record, or `nil` if there is no such job.
    func record(_ id: Job.ID) async throws(StoreError) -> JobRecord?
    /// Fails a job that is waiting or running; its worker then cancels the attempt.
    func cancel(_ id: Job.ID) async throws(StoreError)
    /// Removes a job, usually after its result has been read. If it is running, its worker cancels the attempt. A
    /// dead letter isn't removed.
    func discard(_ id: Job.ID) async throws(StoreError)
    /// Removes the jobs with the lifetime ``Job/Lifetime/request``. Called when the server starts: the requests of these
    /// jobs have ended.
    func removeJobsOfRequests() async throws(StoreError)
    /// Removes the jobs with the lifetime ``Job/Lifetime/request`` that ended this many seconds ago or earlier.
    func removeEndedJobsOfRequests(olderThan age: TimeInterval) async throws(StoreError)

    // MARK: For workers

    /// Leases the next job in one of the lanes to the worker, or returns `nil` if no job may run.
    func lease(
        lanes: Set<String>, worker: String, for duration: TimeInterval
    ) async throws(StoreError) -> JobLease?
    /// Extends a lease and stores the progress.
    ///
    /// - Returns: Whether the worker still has the lease.
    func renew(_ lease: JobLease, for duration: TimeInterval, progress: Data?) async throws(StoreError) -> Bool
    /// Returns the given leases that their worker has lost.
    func lostLeases(among leases: [JobLease]) async throws(StoreError) -> [JobLease]
    /// Reports the outcome of an attempt. A worker that doesn't know whether its report arrived repeats it.
    ///
    /// - Returns: Whether the report was accepted, now or before; otherwise nothing has changed.
    func end(_ lease: JobLease, _ attempt: JobAttempt) async throws(StoreError) -> Bool
    /// Releases a lease; the attempt doesn't count.
    func release(_ lease: JobLease) async throws(StoreError)
    /// Ends the leases of a worker that has terminated.
    func endLeases(ofWorker worker: String) async throws(StoreError)
    /// Ends expired leases, fails jobs whose deadline has passed, and removes the oldest dead letters.
    func expire() async throws(StoreError)
    /// Returns the names of the output folders of running and succeeded jobs.
    func outputs() async throws(StoreError) -> Set<String>
    /// Returns the time until the next waiting job may run or the next job expires, or `nil` if there is no such job.
    func nextPause() async throws(StoreError) -> Duration?

    // MARK: For the jobs page

    /// Returns the jobs of an owner, or of all owners: those that have not ended, oldest first, and the dead letters,
    /// newest first.
    func overview(of owner: OwnerID?, limit: Int) async throws(StoreError) -> (
        unfinished: [JobRecord], dead: [JobRecord]
    )
    /// Returns what each lane has to do, ordered by name, without lanes that have no such jobs.
    func loads() async throws(StoreError) -> [JobLaneLoad]
    /// Enqueues a dead letter again, with its full number of attempts.
    func retry(_ id: Job.ID) async throws(StoreError) -> Bool
    /// Removes a dead letter.
    func dismiss(_ id: Job.ID) async throws(StoreError) -> Bool

    // MARK: Changes

    /// Yields after each change by this or another process; several changes may be coalesced.
    func updates() -> Updates<Void>
    /// Returns the records changed after a revision, except removed ones, and the latest revision.
    func changes(since revision: Int64) async throws(StoreError) -> (records: [JobRecord], revision: Int64)
    /// Returns the revision of the latest change.
    func lastRevision() async throws(StoreError) -> Int64
}

extension JobQueue {
    /// Returns the jobs of all owners that have not ended, oldest first, and the dead letters, newest first.
    package func overview(limit: Int) async throws(StoreError) -> (unfinished: [JobRecord], dead: [JobRecord]) {
        try await overview(of: nil, limit: limit)
    }
}

/// How many jobs a lane has.
package struct JobLaneLoad: Hashable, Sendable {
    package var lane: String
    /// The number of jobs that wait for a worker.
    package var waiting = 0
    /// The number of jobs that a worker has leased.
    package var running = 0
    /// The number of dead letters.
    package var dead = 0
    /// When the oldest waiting job was enqueued.
    package var waitingSince: Date?

    package init(lane: String, waiting: Int = 0, running: Int = 0, dead: Int = 0, waitingSince: Date? = nil) {
        (self.lane, self.waiting, self.running, self.dead) = (lane, waiting, running, dead)
        self.waitingSince = waitingSince
    }
}

package import Foundation
package import Persistence

/// A queue of jobs, which survives the processes that use it as far as its storage does.
///
/// Each job is done at least once, and its result is accepted exactly once: a worker holds a lease that it renews, and a worker that
/// has lost its lease can't report any more. Functions that change a job that is gone, or is in another state, do nothing.
package protocol JobQueue: Sendable {
    // MARK: For those who want work done

    /// Adds a job, unless there is one of its name.
    ///
    /// - Returns: The job's record.
    @discardableResult
    func enqueue(_ job: Job) async throws(StoreError) -> JobRecord
    /// A job's record; `nil` if there is none.
    func record(_ id: Job.ID) async throws(StoreError) -> JobRecord?
    /// Fails a job that waits or runs; the worker that runs it ends it.
    func cancel(_ id: Job.ID) async throws(StoreError)
    /// Removes a job whose result has been taken; one that runs is ended by its worker. Dead letters stay.
    func settle(_ id: Job.ID) async throws(StoreError)
    /// Removes the jobs of requests; for the start of the server that made them.
    func removeRequests() async throws(StoreError)

    // MARK: For workers

    /// Gives the worker the job that is next in one of the lanes; `nil` if there is none.
    func lease(
        lanes: Set<String>, worker: String, for duration: TimeInterval
    ) async throws(StoreError) -> JobLease?
    /// Extends a lease, and notes progress.
    ///
    /// - Returns: Whether the worker still has the lease.
    func renew(_ lease: JobLease, for duration: TimeInterval, progress: Data?) async throws(StoreError) -> Bool
    /// Of some leases those that the worker has lost.
    func lost(of leases: [JobLease]) async throws(StoreError) -> [JobLease]
    /// Reports how an attempt ended. A worker that doesn't know whether its report arrived repeats it.
    ///
    /// - Returns: Whether the worker had the lease, or the result was accepted before; otherwise nothing has changed.
    func end(_ lease: JobLease, _ attempt: JobAttempt) async throws(StoreError) -> Bool
    /// Gives a lease back; the attempt isn't counted.
    func release(_ lease: JobLease) async throws(StoreError)
    /// Ends the leases of a worker that has ended.
    func lose(worker: String) async throws(StoreError)
    /// Ends leases that weren't renewed, fails jobs whose deadline has passed, and removes the oldest dead letters.
    func expire() async throws(StoreError)
    /// The names of the output folders that jobs write, or that were not taken yet.
    func outputs() async throws(StoreError) -> Set<String>
    /// How long until a job that waits may run, or a job expires; `nil` for no such job.
    func nextPause() async throws(StoreError) -> Duration?

    // MARK: For people

    /// The jobs that have not ended, the oldest first, and the dead letters, the newest first.
    func overview(limit: Int) async throws(StoreError) -> (unfinished: [JobRecord], dead: [JobRecord])
    /// Tries a dead letter again, with all attempts.
    func retry(_ id: Job.ID) async throws(StoreError) -> Bool
    /// Removes a dead letter.
    func dismiss(_ id: Job.ID) async throws(StoreError) -> Bool

    // MARK: Changes

    /// Yields after each change, of this process and of others; several changes may come as one.
    func updates() -> Updates<Void>
    /// The records that changed after a revision, without those that were removed, and the last revision.
    func changes(since revision: Int64) async throws(StoreError) -> (records: [JobRecord], revision: Int64)
    /// The revision of the last change.
    func lastRevision() async throws(StoreError) -> Int64
}

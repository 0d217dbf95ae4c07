package import Foundation
import Futures
import Persistence

/// Lets any number of callers wait for jobs of a queue to end, with one shared reader of its changes.
package actor JobFollower {
    private struct Waiter {
        var end: Promise<JobRecord, JobError>
        var progress: @Sendable (Data) -> Void
    }

    /// How often to check whether a job was removed; ``JobQueue/changes(since:)`` doesn't report removals.
    private static let pollingInterval = Duration.seconds(5)

    private let queue: any JobQueue
    private let clock: any Clock<Duration>
    private var waiters: [Job.ID: [Int: Waiter]] = [:]
    private var lastWaiter = 0
    /// The last revision that was reported to the waiters; `nil` until ``readRevision()`` has read it.
    private var revision: Int64?
    /// The task that reads changes while there are waiters.
    private var reading: Task<Void, Never>?
    private var isClosed = false

    package init(of queue: any JobQueue, clock: any Clock<Duration> = ContinuousClock()) {
        self.queue = queue
        self.clock = clock
    }

    deinit {
        reading?.cancel()
    }
}

extension JobFollower {
    /// Waits until a job has ended.
    ///
    /// - Returns: The job's record, whose ``JobRecord/hasEnded`` is `true`.
    /// - Throws: ``JobError/cancelled`` if the task is cancelled or the job is removed; ``JobError/closed`` if the
    ///   follower is closed. Cancelling the task doesn't cancel the job.
    package func end(
        of id: Job.ID, progress: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws(JobError) -> JobRecord {
        if isClosed { throw .closed }
        let end = Promise<JobRecord, JobError>(onAbandon: { .closed })
        lastWaiter += 1
        let number = lastWaiter
        waiters[id, default: [:]][number] = Waiter(end: end, progress: progress)
        startReading()
        await readRevision()
        // The job may have ended before this call. The reader reports changes from now on.
        await poll(id)
        let result = await withTaskCancellationHandler {
            await end.future.result
        } onCancel: {
            end.reject(.cancelled)
        }
        waiters[id]?[number] = nil
        if waiters[id]?.isEmpty == true { waiters[id] = nil }
        if waiters.isEmpty { stopReading() }
        return try result.get()
    }

    /// Ends all waits with ``JobError/closed``; later calls throw it too.
    package func close() {
        isClosed = true
        stopReading()
        for waiter in waiters.values.flatMap(\.values) { waiter.end.reject(.closed) }
    }

    private func startReading() {
        guard reading == nil else { return }
        let updates = queue.updates()
        let stopwatch = Stopwatch(clock)
        reading = Task { [weak self] in
            await withTaskGroup { group in
                group.addTask {
                    for await _ in updates { await self?.readChanges() }
                }
                group.addTask {
                    await stopwatch.tick(every: Self.pollingInterval) { await self?.pollAll() }
                }
            }
        }
    }

    private func stopReading() {
        reading?.cancel()
        reading = nil
        // The next waiter starts at the revision current at that time.
        revision = nil
    }

    private func readRevision() async {
        guard revision == nil, let last = try? await queue.lastRevision() else { return }
        // Only the first of several concurrent reads sets it, so that no change is skipped.
        if revision == nil { revision = last }
    }

    private func readChanges() async {
        guard let since = revision else {
            // A waiter's read failed, or hasn't ended. This update may be of an earlier revision.
            await readRevision()
            return await pollAll()
        }
        // If the read fails, the next update reads these changes too.
        guard let changes = try? await queue.changes(since: since) else { return }
        // `nil` if the last waiter left during the read; then there is nothing to record.
        if let revision { self.revision = max(revision, changes.revision) }
        for record in changes.records { report(record) }
    }

    private func pollAll() async {
        for id in waiters.keys.sorted(by: { $0.description < $1.description }) { await poll(id) }
    }

    private func poll(_ id: Job.ID) async {
        // A waiter that is added during the read may wait for a new job with the same ID; its own call polls that job.
        let waiting = waiters[id] ?? [:]
        do {
            if let record = try await queue.record(id) {
                report(record)
            } else {
                for waiter in waiting.values { waiter.end.reject(.cancelled) }
            }
        } catch {
            // The next update or the periodic check tries again.
        }
    }

    private func report(_ record: JobRecord) {
        for waiter in (waiters[record.job.id] ?? [:]).values {
            if record.hasEnded {
                waiter.end.resolve(record)
            } else if let progress = record.progress {
                waiter.progress(progress)
            }
        }
    }
}

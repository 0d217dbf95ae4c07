package import Foundation
import Futures
import Persistence

/// Waits for the ends of a queue's jobs, for any number of callers with one reader.
package actor JobFollower {
    private struct Waiter {
        var end: Promise<JobRecord, JobError>
        var progress: @Sendable (Data) -> Void
    }

    /// How often to look whether jobs were removed: changes don't name those.
    private static let lookInterval = Duration.seconds(5)

    private let queue: any JobQueue
    private let clock: any Clock<Duration>
    private var waiters: [Job.ID: [Int: Waiter]] = [:]
    private var lastWaiter = 0
    /// Changes up to here have been reported; `nil` until the first waiter has asked for it.
    private var revision: Int64?
    /// Reads changes while there are waiters.
    private var reading: Task<Void, Never>?
    private var isClosed = false

    /// Creates a follower.
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
    /// - Returns: The job's record, in a phase of ``JobRecord/hasEnded``.
    /// - Throws: ``JobError/cancelled`` if the task is cancelled or the job is removed; ``JobError/closed``; or that the queue
    ///   can't be read. The job goes on in each case.
    package func end(
        of id: Job.ID, progress: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws(JobError) -> JobRecord {
        if isClosed { throw .closed }
        let end = Promise<JobRecord, JobError>(onAbandon: { .closed })
        lastWaiter += 1
        let number = lastWaiter
        waiters[id, default: [:]][number] = Waiter(end: end, progress: progress)
        startReading()
        if revision == nil {
            let last = try? await queue.lastRevision()
            // Of several waiters' the first, so that no waiter looks before it.
            if revision == nil { revision = last }
        }
        // It may have ended before this call. Changes from then on arrive by the reader.
        await look(at: id)
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

    /// Ends all waits with ``JobError/closed``; later calls fail too.
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
                    await stopwatch.tick(every: Self.lookInterval) { await self?.lookAtAll() }
                }
            }
        }
    }

    private func stopReading() {
        reading?.cancel()
        reading = nil
        // The next waiter begins with the changes of its time.
        revision = nil
    }

    private func readChanges() async {
        // After a failed read, the next hint reads it all.
        guard let since = revision, let changes = try? await queue.changes(since: since) else { return }
        // Without waiters meanwhile, there is nothing to remember.
        if let revision { self.revision = max(revision, changes.revision) }
        for record in changes.records { report(record) }
    }

    private func lookAtAll() async {
        for id in waiters.keys.sorted(by: { $0.description < $1.description }) { await look(at: id) }
    }

    private func look(at id: Job.ID) async {
        do {
            if let record = try await queue.record(id) {
                report(record)
            } else {
                for waiter in (waiters[id] ?? [:]).values { waiter.end.reject(.cancelled) }
            }
        } catch {
            // The next hint or the fallback looks again.
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

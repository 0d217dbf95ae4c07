package import Foundation
import Futures
import Logging
import Persistence

/// Leases jobs from a queue, runs them concurrently, and reports their outcomes.
///
/// The worker renews the lease of each running job. It cancels an attempt whose lease it has lost: the job was
/// cancelled or removed, its deadline has passed, or the lease expired and another worker may have the job.
package final class JobWorker: Sendable {
    /// The configuration of a worker.
    package struct Configuration: Sendable {
        /// The worker's name, unique among all workers of the queue.
        package var name: String
        /// The maximum number of concurrent jobs in each lane.
        package var slots: [String: Int]
        /// The duration of a lease; the worker renews it every third of that time.
        package var lease = Duration.seconds(30)
        /// The shortest time between two progress reports of one job.
        package var progressInterval = Duration.milliseconds(250)
        /// How often the worker polls the queue in the absence of updates.
        package var fallbackInterval = Duration.seconds(5)

        package init(name: String, slots: [String: Int]) {
            (self.name, self.slots) = (name, slots)
        }
    }

    /// Runs an attempt.
    ///
    /// It must return soon after its task is cancelled. Its outcome is then accepted only if the lease is still
    /// valid.
    package typealias Run = @Sendable (JobLease, _ progress: @escaping @Sendable (Data) -> Void) async -> JobAttempt

    private let queue: any JobQueue
    private let configuration: Configuration
    private let clock: any Clock<Duration>
    private let runAttempt: Run
    /// Called after an attempt whose outcome the queue rejected.
    private let onRejection: @Sendable (JobLease) -> Void
    private let running = Lock<[JobLease: Task<JobAttempt, Never>]>([:])
    private let logger = Logger(label: "meanwhile.worker")

    /// Creates a worker.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - configuration: The worker's name, slots and intervals.
    ///   - clock: The clock of leases and intervals.
    ///   - onRejection: Called after an attempt whose outcome was rejected; its output will not be read.
    ///   - run: Runs an attempt.
    package init(
        queue: any JobQueue, configuration: Configuration, clock: any Clock<Duration> = ContinuousClock(),
        onRejection: @escaping @Sendable (JobLease) -> Void = { _ in }, run: @escaping Run
    ) {
        self.queue = queue
        self.configuration = configuration
        self.clock = clock
        self.onRejection = onRejection
        runAttempt = run
    }
}

extension JobWorker {
    /// Runs jobs until the task is cancelled.
    ///
    /// On cancellation, running attempts are cancelled and their leases released.
    package func run() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            let updates = queue.updates()
            group.addTask { for await _ in updates { wake.yield() } }
            wake.yield()
            var timer: Task<Void, Never>?
            for await _ in wakes {
                let next = await attempt("read the queue") { () throws(StoreError) in
                    try await poll(in: &group, wake)
                }
                timer?.cancel()
                let stopwatch = Stopwatch(clock)
                let pause = min(next.flatMap(\.self) ?? configuration.fallbackInterval, configuration.fallbackInterval)
                timer = Task {
                    guard (try? await stopwatch.sleep(until: pause)) != nil else { return }
                    wake.yield()
                }
            }
            timer?.cancel()
            group.cancelAll()
        }
    }

    /// Cancels attempts without a lease, expires jobs, and starts as many attempts as there are free slots.
    ///
    /// - Returns: The time until the next poll is due; `nil` if unknown.
    private func poll(
        in group: inout DiscardingTaskGroup, _ wake: AsyncStream<Void>.Continuation
    ) async throws(StoreError) -> Duration? {
        let leases = running.withLock(\.self).keys.sorted { $0.sequence < $1.sequence }
        if !leases.isEmpty {
            for lease in try await queue.lostLeases(among: leases) { running.withLock { $0[lease] }?.cancel() }
        }
        try await queue.expire()
        while !Task.isCancelled {
            let lanes = freeLanes
            guard !lanes.isEmpty,
                let lease = try await queue.lease(
                    lanes: lanes, worker: configuration.name, for: configuration.lease / .seconds(1))
            else { break }
            // The mailbox has the progress to report. It also signals when the lease is due for renewal.
            let (progress, wakes) = Mailbox<Data?>.make(nil)
            let work = Task { [runAttempt] in await runAttempt(lease) { data in progress.put { $0 = data } } }
            running.withLock { $0[lease] = work }
            group.addTask {
                await self.follow(work, of: lease, progress, wakes)
                wake.yield()
            }
        }
        // Rounded up by 10 ms: a job due at this exact microsecond may not be found yet.
        return try await queue.nextPause().map { $0 + .milliseconds(10) }
    }

    private var freeLanes: Set<String> {
        let used = running.withLock { $0.keys.map(\.job.lane) }
        return Set(configuration.slots.filter { lane, count in used.count { $0 == lane } < count }.keys)
    }

    /// Renews a lease until the work has ended, then reports the outcome.
    private func follow(
        _ work: Task<JobAttempt, Never>, of lease: JobLease, _ progress: Mailbox<Data?>, _ wakes: AsyncStream<Void>
    ) async {
        let renewing = Task { await renew(lease, progress, wakes, work) }
        let outcome = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
            // Release now, not when the work has ended, so that another worker can begin even if the attempt's
            // process is suspended.
            renewing.cancel()
            Task { await self.release(lease) }
        }
        renewing.cancel()
        // In separate tasks, because this one may be cancelled.
        if Task.isCancelled { await Task { await self.release(lease) }.value }
        let wasAccepted = await Task { await self.report(outcome, of: lease) }.value
        await renewing.value
        running.withLock { $0[lease] = nil }
        if !wasAccepted { onRejection(lease) }
    }

    /// Reports an outcome, retrying for the duration of a lease.
    private func report(_ outcome: JobAttempt, of lease: JobLease) async -> Bool {
        let stopwatch = Stopwatch(clock)
        repeat {
            let wasAccepted = await self.attempt("report a job's end") { () throws(StoreError) in
                try await self.queue.end(lease, outcome)
            }
            if let wasAccepted { return wasAccepted }
            try? await stopwatch.sleep(until: stopwatch.elapsed + .seconds(1))
        } while stopwatch.elapsed < configuration.lease
        return false
    }

    private func release(_ lease: JobLease) async {
        _ = await attempt("release a lease") { () throws(StoreError) in try await self.queue.release(lease) }
    }

    /// Renews a lease periodically and whenever there is progress to report; cancels the work if the lease is lost.
    private func renew(
        _ lease: JobLease, _ progress: Mailbox<Data?>, _ wakes: AsyncStream<Void>, _ work: Task<JobAttempt, Never>
    ) async {
        await withTaskGroup { group in
            group.addTask { [clock, configuration] in
                await Stopwatch(clock).tick(every: configuration.lease / 3) { progress.put { _ in } }
            }
            for await _ in wakes {
                let stopwatch = Stopwatch(clock)
                let data = progress.take { progress in
                    defer { progress = nil }
                    return progress
                }
                let isHeld = await self.attempt("renew a lease") { () throws(StoreError) in
                    try await self.queue.renew(
                        lease, for: self.configuration.lease / .seconds(1), progress: data)
                }
                switch isHeld {
                case true?: break
                case false?: work.cancel()
                // The renewal failed, so the progress is sent with the next one, unless newer progress replaces it.
                case nil: progress.take { $0 = $0 ?? data }
                }
                try? await stopwatch.sleep(until: configuration.progressInterval)
            }
            group.cancelAll()
        }
    }

    /// Runs an operation on the queue, and logs its error instead of throwing it.
    private func attempt<Value>(
        _ what: String, _ body: () async throws(StoreError) -> Value
    ) async -> Value? {
        do throws(StoreError) {
            return try await body()
        } catch {
            if ![.cancelled, .closed].contains(error.code) {
                logger.warning("could not \(what)", metadata: ["error": "\(error)"])
            }
            return nil
        }
    }
}

package import Foundation
import Futures
import Logging
import Persistence

/// Leases a queue's jobs, runs them side by side, and reports how they end.
///
/// It renews the lease of each running job, and cancels a job whose lease it has lost: the job was cancelled or removed, its
/// deadline has passed, or another worker has it because this one was too late.
package final class JobWorker: Sendable {
    /// How a worker works.
    package struct Configuration: Sendable {
        /// The worker's name, which no other worker has.
        package var name: String
        /// How many jobs of each lane run at a time.
        package var slots: [String: Int]
        /// How long a lease lasts; it is renewed three times as often.
        package var lease = Duration.seconds(30)
        /// The shortest time between two progress reports of a job.
        package var progressInterval = Duration.milliseconds(250)
        /// How often the worker looks at the queue although nothing told it to.
        package var fallbackInterval = Duration.seconds(5)

        /// Creates a configuration.
        package init(name: String, slots: [String: Int]) {
            (self.name, self.slots) = (name, slots)
        }
    }

    /// Runs an attempt.
    ///
    /// It ends soon when its task is cancelled; the result doesn't matter then, unless the work was done.
    package typealias Run = @Sendable (JobLease, _ progress: @escaping @Sendable (Data) -> Void) async -> JobAttempt

    private let queue: any JobQueue
    private let configuration: Configuration
    private let clock: any Clock<Duration>
    private let runAttempt: Run
    /// Called with each attempt whose result was refused, after it has ended.
    private let wasRefused: @Sendable (JobLease) -> Void
    private let running = Lock<[JobLease: Task<JobAttempt, Never>]>([:])
    private let logger = Logger(label: "meanwhile.worker")

    /// Creates a worker.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - configuration: How it works.
    ///   - clock: The clock of leases and intervals.
    ///   - wasRefused: Called after an attempt whose result wasn't accepted, and whose output isn't read.
    ///   - run: Runs an attempt.
    package init(
        queue: any JobQueue, configuration: Configuration, clock: any Clock<Duration> = ContinuousClock(),
        wasRefused: @escaping @Sendable (JobLease) -> Void = { _ in }, run: @escaping Run
    ) {
        self.queue = queue
        self.configuration = configuration
        self.clock = clock
        self.wasRefused = wasRefused
        runAttempt = run
    }
}

extension JobWorker {
    /// Works until the task is cancelled.
    ///
    /// The jobs that run then are ended, and their leases released.
    package func run() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            let updates = queue.updates()
            group.addTask { for await _ in updates { wake.yield() } }
            wake.yield()
            var timer: Task<Void, Never>?
            for await _ in wakes {
                let next = await attempt("read the queue") { () throws(StoreError) in
                    try await turn(in: &group, wake)
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

    /// Does what is to be done now.
    ///
    /// - Returns: When there is more to do; `nil` if that isn't known.
    private func turn(
        in group: inout TaskGroup<Void>, _ wake: AsyncStream<Void>.Continuation
    ) async throws(StoreError) -> Duration? {
        let leases = running.withLock(\.self).keys.sorted { $0.sequence < $1.sequence }
        if !leases.isEmpty {
            for lease in try await queue.lost(of: leases) { running.withLock { $0[lease] }?.cancel() }
        }
        try await queue.expire()
        while !Task.isCancelled {
            let lanes = freeLanes
            guard !lanes.isEmpty,
                let lease = try await queue.lease(
                    lanes: lanes, worker: configuration.name, for: configuration.lease / .seconds(1))
            else { break }
            let attempt = Attempt()
            let work = Task { [runAttempt] in await runAttempt(lease, attempt.report) }
            running.withLock { $0[lease] = work }
            group.addTask {
                await self.follow(work, of: lease, attempt)
                wake.yield()
            }
        }
        // No more precise than a hundredth of a second: a job whose time has come to the microsecond may not be found yet.
        return try await queue.nextPause().map { $0 + .milliseconds(10) }
    }

    private var freeLanes: Set<String> {
        let used = running.withLock { $0.keys.map(\.job.lane) }
        return Set(configuration.slots.filter { lane, count in used.count { $0 == lane } < count }.keys)
    }

    /// Renews a lease until the work has ended, and reports the end.
    private func follow(_ work: Task<JobAttempt, Never>, of lease: JobLease, _ attempt: Attempt) async {
        let renewing = Task { await renew(lease, attempt, work) }
        let outcome = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
            // At once, not when the work has ended: another worker can begin, and a stopped process holds nothing up.
            renewing.cancel()
            Task { await self.release(lease) }
        }
        renewing.cancel()
        // In tasks of their own, which aren't cancelled.
        if Task.isCancelled { await Task { await self.release(lease) }.value }
        let wasAccepted = await Task { await self.report(outcome, of: lease) }.value
        await renewing.value
        running.withLock { $0[lease] = nil }
        if !wasAccepted { wasRefused(lease) }
    }

    /// Reports until that has succeeded, or the lease is over.
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

    /// Renews a lease, at once when there is progress to report; cancels the work when the lease is lost.
    private func renew(_ lease: JobLease, _ attempt: Attempt, _ work: Task<JobAttempt, Never>) async {
        await withTaskGroup { group in
            group.addTask { [clock, configuration] in
                await Stopwatch(clock).tick(every: configuration.lease / 3) { attempt.wake() }
            }
            for await _ in attempt.wakes {
                let stopwatch = Stopwatch(clock)
                let progress = attempt.takeProgress()
                let isHeld = await self.attempt("renew a lease") { () throws(StoreError) in
                    try await self.queue.renew(
                        lease, for: self.configuration.lease / .seconds(1), progress: progress)
                }
                switch isHeld {
                case true?: break
                case false?: work.cancel()
                case nil: attempt.putBack(progress)
                }
                try? await stopwatch.sleep(until: configuration.progressInterval)
            }
            group.cancelAll()
        }
    }

    /// Runs an operation on the queue, and logs its error.
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

/// The progress of an attempt that was not reported yet.
private final class Attempt: Sendable {
    private let progress = Lock<Data?>(nil)
    private let signal: AsyncStream<Void>.Continuation
    /// Yields when the lease is to be renewed.
    let wakes: AsyncStream<Void>

    init() {
        (wakes, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func report(_ data: Data) {
        progress.withLock { $0 = data }
        signal.yield()
    }

    func wake() {
        signal.yield()
    }

    /// Takes progress back that could not be reported, unless there is newer progress.
    func putBack(_ data: Data?) {
        progress.withLock { $0 = $0 ?? data }
    }

    func takeProgress() -> Data? {
        progress.withLock { progress in
            defer { progress = nil }
            return progress
        }
    }
}

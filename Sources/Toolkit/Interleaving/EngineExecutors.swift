#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    import Dispatch
    import Futures
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    typealias EnginePointer = UnsafeMutablePointer<interleaving_engine>
    typealias Job = UnsafeMutableRawPointer

    extension interleaving_executor {
        static var none: interleaving_executor { interleaving_executor(object: 0, implementation: 0) }

        // An executor reference is two words: an object and its witness table.
        init(_ executor: UnownedSerialExecutor) {
            self = unsafeBitCast(executor, to: interleaving_executor.self)
        }

        init(_ executor: UnownedTaskExecutor) {
            self = unsafeBitCast(executor, to: interleaving_executor.self)
        }
    }

    private func pointer(_ job: consuming ExecutorJob) -> Job {
        // An `UnownedJob` is the job's pointer.
        unsafeBitCast(UnownedJob(job), to: Job.self)
    }

    /// The latest virtual time in nanoseconds, at which time stops.
    ///
    /// `clock_gettime` adds 10¹⁸ nanoseconds to the virtual time, and the sum must fit into 64 bits.
    let endOfTime = Int64.max / 2

    private func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(max(duration, .zero), .nanoseconds(endOfTime)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    extension EnginePointer {
        /// The Swift object of this engine.
        var engine: Engine? {
            pointee.owner.map { Unmanaged<Engine>.fromOpaque($0).takeUnretainedValue() }
        }

        fileprivate func push(_ job: Job, _ kind: interleaving_kind = INTERLEAVING_ANYWHERE) {
            interleaving_push(self, job, kind, kind == INTERLEAVING_MAIN ? pointee.main : .none)
        }

        fileprivate func wake<C: Clock>(_ job: Job, after duration: C.Duration, of clock: C) {
            // Clocks that sleep through this executor have durations of type `Duration`.
            guard let duration = duration as? Duration else { return push(job) }
            engine?.timers.add(.job(job), at: min(pointee.now + nanoseconds(duration), endOfTime))
        }
    }

    /// Intercepts each hop that the runtime would otherwise make at once.
    final class TrapExecutor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            guard let current = interleaving_current() else { return }
            interleaving_push(current, pointer(job), INTERLEAVING_HOP, current.pointee.hop)
        }
    }

    /// Jobs that other threads have enqueued.
    struct Inbox: ~Copyable, Sendable {
        struct Entry: Sendable {
            let job: UInt
            let isForMain: Bool
        }

        private let entries = Lock<[Entry]>([])
        private let semaphore = DispatchSemaphore(value: 0)

        func post(_ job: Job, isForMain: Bool) {
            entries.withLock { $0.append(Entry(job: UInt(bitPattern: job), isForMain: isForMain)) }
            semaphore.signal()
        }

        /// Waits for jobs, in real time.
        func wait(_ milliseconds: Int) -> [Entry] {
            let deadline = DispatchTime.now() + .milliseconds(milliseconds)
            while semaphore.wait(timeout: deadline) == .success {
                let entries = take()
                if !entries.isEmpty { return entries }
                // This signal was for a job that was taken together with another one.
            }
            return []
        }

        func take() -> [Entry] {
            entries.withLock { entries in
                defer { entries = [] }
                return entries
            }
        }
    }

    // `SchedulingExecutor` has two functions that enqueue a job for later: at an instant, and after a duration. Their
    // default implementations call each other. The executors here implement the one with a duration.

    /// The preferred executor of all tasks of an exploration: each is enqueued here, whichever thread resumes it.
    final class HomeExecutor: TaskExecutor, SchedulingExecutor {
        let inbox = Inbox()
        /// The engine's address, only compared, to recognise the exploring thread.
        private let own: UInt

        init(_ engine: EnginePointer) {
            self.own = UInt(bitPattern: engine)
        }

        /// The engine, if the calling thread is the one that explores with it.
        private var exploringEngine: EnginePointer? {
            guard let exploring = interleaving_exploring(), UInt(bitPattern: exploring) == own else { return nil }
            return exploring
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = pointer(job)
            if let exploringEngine { exploringEngine.push(job) } else { inbox.post(job, isForMain: false) }
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after duration: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            let job = pointer(job)
            if let exploringEngine {
                exploringEngine.wake(job, after: duration, of: clock)
            } else {
                inbox.post(job, isForMain: false)
            }
        }
    }

    /// The main actor's executor on the exploring thread: a first-in, first-out queue.
    final class ExploredMainExecutor: SerialExecutor {
        private let home: HomeExecutor

        init(_ home: HomeExecutor) {
            self.home = home
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = pointer(job)
            if let current = interleaving_current() {
                current.push(job, INTERLEAVING_MAIN)
            } else {
                home.inbox.post(job, isForMain: true)
            }
        }
    }

    /// The process's default executor, which passes jobs from an exploring thread to that thread's engine.
    ///
    /// On Swift 6.3 the runtime's hooks see neither sleeps nor `Task.yield()`: both use this executor.
    final class DefaultExecutor: TaskExecutor, SchedulingExecutor {
        private let platform: any TaskExecutor

        init(_ platform: any TaskExecutor) {
            self.platform = platform
        }

        func enqueue(_ job: consuming ExecutorJob) {
            if let current = interleaving_current() { current.push(pointer(job)) } else { platform.enqueue(job) }
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after duration: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            if let current = interleaving_current() {
                current.wake(pointer(job), after: duration, of: clock)
            } else if let platform = platform as? any SchedulingExecutor {
                platform.enqueue(job, after: duration, tolerance: tolerance, clock: clock)
            } else {
                preconditionFailure("The platform's executor can't enqueue a job for later.")
            }
        }
    }

    struct InterposingExecutors: ExecutorFactory {
        private static let shared = DefaultExecutor(PlatformExecutorFactory.defaultExecutor)

        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { shared }
    }
#endif

#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    import Digests
    import Futures

    /// Runs a body repeatedly on one thread, each time under the schedule that a chooser makes.
    ///
    /// All state in here belongs to that thread. All jobs of the body are enqueued here, and run one at a time until
    /// they suspend.
    final class Engine: ScheduleRunner {
        /// The shorter timeout, in milliseconds, once a wait has timed out and as long as none has succeeded.
        private static let reducedTimeout = 20

        /// The time to wait for another thread to resume a task when no task can run, in milliseconds.
        private let hangTimeout: Int
        let pointer: EnginePointer
        private let trap = TrapExecutor()
        private let home: HomeExecutor
        private let main: ExploredMainExecutor
        var timers = Timers()
        private(set) var foreignResumes = 0
        private var hasTimedOut = false

        // The state of the running schedule.
        private(set) var failure: Failure?
        private var idleContinuations: [CheckedContinuation<Void, Never>] = []
        private var candidates = Candidates()
        private var eligible: [Int] = []
        private var recorder: Recorder?
        private let completion = BodyCompletion()

        init(hangTimeout: Duration) {
            self.hangTimeout = Int(hangTimeout / .milliseconds(1))
            self.pointer = .allocate(capacity: 1)
            self.pointer.initialize(to: interleaving_engine())
            self.home = HomeExecutor(pointer)
            self.main = ExploredMainExecutor(home)
            pointer.pointee.trap = interleaving_executor(trap.asUnownedSerialExecutor())
            pointer.pointee.main = interleaving_executor(main.asUnownedSerialExecutor())
            pointer.pointee.home = interleaving_executor(home.asUnownedTaskExecutor())
            pointer.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        }

        deinit {
            interleaving_clear(pointer)
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }

        /// The engine that explores on the calling thread.
        static var current: Engine? { interleaving_exploring()?.engine }
    }

    // MARK: - One schedule

    extension Engine {
        func run(
            _ body: @escaping ExplorationBody, _ chooser: inout Chooser, seed: UInt64, stepLimit: Int, traces: Bool
        ) -> Schedule {
            var schedule = Schedule()
            begin(seed: seed, traces: traces)
            interleaving_set_exploring(pointer)
            interleaving_enter(pointer)
            defer {
                interleaving_enter(nil)
                interleaving_set_exploring(nil)
            }
            Task(executorPreference: home) { [completion] in await completion.run(body) }
            var owners = TaskNumbers()
            var last = UInt64.max
            var steps = 0
            while makeReady() {
                var item = next(&chooser, last: last, &schedule)
                if mustQueueForMain(item) {
                    item.kind = INTERLEAVING_MAIN
                    append(item)
                    continue
                }
                last = item.owner
                let number = owners.number(of: item.owner)
                schedule.hash.add(number)
                schedule.hash.add(Int(item.kind.rawValue))
                recorder?.note(item, number, candidates: eligible.count, now: pointer.pointee.now)
                interleaving_run(pointer, item)
                recorder?.removeFinished()
                steps += 1
                if steps >= stepLimit {
                    schedule.outcome = .stepLimit(steps)
                    break
                }
            }
            if schedule.outcome == .passed { schedule.outcome = outcome() }
            end(&schedule)
            return schedule
        }

        func willRun(schedule number: Int, seed: UInt64) {
            Self.watchingCrashes
            pointer.pointee.schedule = UInt64(number)
            pointer.pointee.seed = seed
        }

        private static let watchingCrashes: Void = interleaving_watch_crashes()

        private func begin(seed: UInt64, traces: Bool) {
            completion.begin()
            failure = nil
            idleContinuations = []
            timers.removeAll()
            pointer.pointee.count = 0
            pointer.pointee.now = 0
            pointer.pointee.random = seed ^ 0x5bd1_e995
            pointer.pointee.output_length = 0
            recorder = traces ? Recorder() : nil
            // Drops jobs that were posted for a schedule that hung.
            _ = home.inbox.take()
        }

        private func end(_ schedule: inout Schedule) {
            schedule.failure = failure
            if let recorder {
                schedule.trace = recorder.trace
                recorder.releaseAll()
            }
            if pointer.pointee.output_length > 0, let output = pointer.pointee.output {
                let bytes = UnsafeRawBufferPointer(start: output, count: pointer.pointee.output_length)
                schedule.output = String(decoding: bytes, as: UTF8.self)
            }
            for index in 0..<Int(pointer.pointee.task_count) {
                if let task = pointer.pointee.tasks[index] { interleaving_release_task(task) }
            }
            pointer.pointee.task_count = 0
        }

        /// Makes at least one job ready; returns `false` if there will be none.
        private func makeReady() -> Bool {
            while pointer.pointee.count == 0 {
                if !idleContinuations.isEmpty {
                    let waiting = idleContinuations
                    idleContinuations = []
                    for continuation in waiting { continuation.resume() }
                } else if completion.isOver {
                    return false
                } else if let jobs = timers.next() {
                    pointer.pointee.now = max(pointer.pointee.now, jobs.time)
                    for job in jobs.jobs { interleaving_push(pointer, job, INTERLEAVING_ANYWHERE, .none) }
                } else if !receive() {
                    return false
                }
            }
            return true
        }

        /// Waits for jobs from other threads.
        private func receive() -> Bool {
            // Clocks show real time during the wait.
            interleaving_enter(nil)
            let isReduced = hasTimedOut && foreignResumes == 0
            let entries = home.inbox.wait(isReduced ? min(Self.reducedTimeout, hangTimeout) : hangTimeout)
            interleaving_enter(pointer)
            hasTimedOut = hasTimedOut || entries.isEmpty
            foreignResumes += entries.count
            for entry in entries {
                guard let job = Job(bitPattern: entry.job) else { continue }
                let kind = entry.isForMain ? INTERLEAVING_MAIN : INTERLEAVING_ANYWHERE
                interleaving_push(pointer, job, kind, entry.isForMain ? pointer.pointee.main : .none)
            }
            return !entries.isEmpty
        }

        /// Chooses the next item, and removes it.
        private func next(
            _ chooser: inout Chooser, last: UInt64, _ schedule: inout Schedule
        ) -> interleaving_item {
            collect(last: last)
            let index = eligible[schedule.choose(among: candidates, by: &chooser)]
            guard let items = pointer.pointee.items else { preconditionFailure("No job is ready.") }
            let item = items[index]
            let count = Int(pointer.pointee.count)
            (items + index).update(from: items + index + 1, count: count - index - 1)
            pointer.pointee.count = Int32(count - 1)
            return item
        }

        /// Collects the items that may run: of the main actor's queue, only the first.
        private func collect(last: UInt64) {
            eligible.removeAll(keepingCapacity: true)
            candidates.owners.removeAll(keepingCapacity: true)
            guard let items = pointer.pointee.items else { return }
            var hasMain = false
            var continuing: Int?
            for index in 0..<Int(pointer.pointee.count) {
                if items[index].kind == INTERLEAVING_MAIN {
                    if hasMain { continue }
                    hasMain = true
                }
                if continuing == nil, items[index].owner == last { continuing = eligible.count }
                eligible.append(index)
            }
            candidates.canContinue = continuing != nil
            if let continuing, continuing > 0 { eligible.insert(eligible.remove(at: continuing), at: 0) }
            for index in eligible { candidates.owners.append(items[index].owner) }
        }

        /// Whether an item is a hop to the main actor and must queue behind other jobs there.
        private func mustQueueForMain(_ item: interleaving_item) -> Bool {
            guard item.kind == INTERLEAVING_HOP, item.target.object == pointer.pointee.main.object,
                let items = pointer.pointee.items
            else {
                return false
            }
            return (0..<Int(pointer.pointee.count)).contains { items[$0].kind == INTERLEAVING_MAIN }
        }

        private func append(_ item: interleaving_item) {
            // There is room, because the item has just been removed.
            pointer.pointee.items[Int(pointer.pointee.count)] = item
            pointer.pointee.count += 1
        }

        private func outcome() -> Outcome {
            if let message = failure?.message ?? completion.error { return .failed(message) }
            if !completion.isOver { return .hung(recorder?.stuckTasks() ?? []) }
            let hasUnfinishedTask = (0..<Int(pointer.pointee.task_count)).contains { index in
                pointer.pointee.tasks[index].map { !interleaving_task_is_done($0) } ?? false
            }
            return hasUnfinishedTask ? .leaked(recorder?.stuckTasks() ?? []) : .passed
        }
    }

    // MARK: - Called from within the body

    extension Engine: ScheduleHost {
        func fail(_ failure: Failure) {
            if self.failure == nil { self.failure = failure }
        }

        func whenIdle(_ continuation: CheckedContinuation<Void, Never>) {
            idleContinuations.append(continuation)
        }
    }

    /// Jobs that wait for a point in time.
    ///
    /// All jobs that are due at one instant become ready together: their order is a choice.
    struct Timers {
        private var jobs: [(time: Int64, job: Job)] = []

        /// Stores a job until its time, in nanoseconds since the beginning of the schedule.
        mutating func add(_ job: Job, at time: Int64) {
            jobs.append((time, job))
        }

        /// Removes and returns the jobs that are due next; `nil` if there are none.
        mutating func next() -> (time: Int64, jobs: [Job])? {
            guard let time = jobs.map(\.time).min() else { return nil }
            let due = jobs.filter { $0.time == time }.map(\.job)
            jobs.removeAll { $0.time == time }
            return (time, due)
        }

        mutating func removeAll() {
            jobs.removeAll(keepingCapacity: true)
        }
    }
#endif

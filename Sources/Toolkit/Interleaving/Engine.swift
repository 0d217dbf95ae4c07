#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    import Futures
    import Glibc

    /// Runs a body repeatedly, each time under the schedule that a chooser makes.
    ///
    /// All jobs of the body are enqueued here, and run one at a time until they suspend: on the exploring thread, or, if
    /// they can be interrupted at locks, on workers, one of which runs at a time. All state in here belongs to the
    /// running thread.
    final class Engine: ScheduleRunner {
        /// The shorter timeout, in milliseconds, once a wait has timed out and as long as none has succeeded.
        private static let reducedTimeout = 20

        /// The time to wait for another thread to resume a task when no task can run, in milliseconds.
        private let hangTimeout: Int
        let pointer: EnginePointer
        private let trap = TrapExecutor()
        let home: HomeExecutor
        private let main: ExploredMainExecutor
        /// The threads that run jobs which can be interrupted; `nil` if jobs run on the exploring thread.
        let crew: Crew?
        var timers = Timers()
        private(set) var foreignResumes = 0
        /// Whether traces have source lines.
        var findsLines = true
        private var hasTimedOut = false

        // The state of the running schedule.
        private var chooser = Chooser(.inOrder)
        private var schedule = Schedule()
        private var stepLimit = 0
        private var steps = 0
        private var owners = TaskNumbers()
        private var last = UInt64.max
        /// The item that runs.
        var item = interleaving_item()
        /// The dispatch queues on which a synchronous block runs.
        var occupied: [(queue: UInt, isAlone: Bool)] = []
        /// Whether all waiting jobs have been told to try again, in case another thread has released what they wait for.
        var hasRetried = false
        private(set) var failure: Failure?
        private var idleContinuations: [CheckedContinuation<Void, Never>] = []
        private var candidates = Candidates()
        private var eligible: [Int] = []
        private(set) var recorder: Recorder?
        private let completion = BodyCompletion()

        init(hangTimeout: Duration, preemptsAtLocks: Bool = false) {
            self.hangTimeout = Int(hangTimeout / .milliseconds(1))
            self.pointer = .allocate(capacity: 1)
            self.pointer.initialize(to: interleaving_engine())
            self.home = HomeExecutor(pointer)
            self.main = ExploredMainExecutor(home)
            self.crew = preemptsAtLocks ? Crew() : nil
            pointer.pointee.trap = interleaving_executor(trap.asUnownedSerialExecutor())
            pointer.pointee.main = interleaving_executor(main.asUnownedSerialExecutor())
            pointer.pointee.home = interleaving_executor(home.asUnownedTaskExecutor())
            pointer.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
            pointer.pointee.preempts = preemptsAtLocks
        }

        deinit {
            crew?.dismiss()
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
            begin(seed: seed, stepLimit: stepLimit, traces: traces)
            swap(&self.chooser, &chooser)
            if self.chooser.reduces, !pointer.pointee.watches {
                Crew.findLocks
                pointer.pointee.watches = true
            }
            enter()
            // Starts here even if the jobs run on workers, so that the body inherits the caller's task-local values.
            start(body)
            if crew == nil { while step(on: nil) == .ran {} }
            Self.leave()
            crew?.run(self)
            swap(&self.chooser, &chooser)
            if schedule.outcome == .passed { schedule.outcome = outcome() }
            end()
            defer { schedule = Schedule() }
            return schedule
        }

        func willExplore(at place: ExplorationPlace?) {
            interleaving_set_replay(
                pointer, place.map { "@\($0)" } ?? "", ReplayRequest.filterOption(place?.test))
        }

        func willRun(schedule number: Int, seed: UInt64) {
            if pointer.pointee.schedule == 0 {
                // A first call may allocate or lock, and later ones can be in a signal handler.
                schedule.choices = [0]
                _ = interleavingChoice(pointer, 0)
                schedule = Schedule()
                Self.watchingCrashes
            }
            pointer.pointee.schedule = UInt64(number)
            pointer.pointee.seed = seed
        }

        /// A choice of the running schedule; -1 if it hasn't made as many.
        func choice(at index: Int) -> Int {
            index < schedule.choices.count ? schedule.choices[index] : -1
        }

        private static let watchingCrashes: Void = interleaving_watch_crashes()

        /// Makes the calling thread one that runs this engine's jobs.
        func enter() {
            interleaving_set_exploring(pointer)
            interleaving_enter(pointer)
        }

        /// Makes the calling thread an ordinary one again.
        static func leave() {
            interleaving_enter(nil)
            interleaving_set_exploring(nil)
        }

        func start(_ body: @escaping ExplorationBody) {
            Task(executorPreference: home) { [completion] in await completion.run(body) }
        }

        /// What the thread does after a step.
        enum Progress { case ran, over, handed }

        /// Runs one job until it suspends, or hands the schedule to the worker that keeps the chosen job.
        func step(on worker: Worker?) -> Progress {
            guard makeReady(), let next = next() else { return .over }
            if let worker, let other = Worker.parked(in: next) {
                crew?.hand(to: other, from: worker)
                return .handed
            }
            if chooser.reduces { runNoted(next) } else { run(next) }
            return .ran
        }

        /// Runs a job until it suspends, and tells the chooser what it has done.
        private func runNoted(_ next: interleaving_item) {
            // A waiting job that isn't a task takes further tasks along, which nothing shows.
            let isTask = next.kind == INTERLEAVING_HOP || isPlainTask(next)
            var isKnown = isTask && !hasHiddenQueue
            let count = Int(pointer.pointee.count)
            pointer.pointee.has_effect = false
            let isChild = isTask && interleaving_is_child(next.job)
            run(next)
            var hasSuspended = false
            var hasResumed = false
            var enabled: [UInt64] = []
            for index in min(count, Int(pointer.pointee.count))..<Int(pointer.pointee.count) {
                guard let added = pointer.pointee.items?[index] else { break }
                if added.kind == INTERLEAVING_MAIN { isKnown = false }
                if added.owner == next.owner { hasSuspended = true }
                if added.owner != next.owner, owners.isKnown(added.owner) { hasResumed = true }
                enabled.append(added.owner)
            }
            isKnown = isKnown && !pointer.pointee.has_effect && !hasHiddenQueue && !(hasSuspended && hasResumed)
            let effect: Step.Effect = isKnown ? (hasSuspended ? .nothing : .ending) : .anything
            chooser.note(
                Step(
                    owner: next.owner, target: next.target.object, effect: effect, isChild: isChild, enabled: enabled))
        }

        private func isPlainTask(_ item: interleaving_item) -> Bool {
            item.kind == INTERLEAVING_ANYWHERE && interleaving_is_task(item.job)
        }

        /// Whether a job is ready that isn't a task: the runtime's for an actor's queue, or a block.
        private var hasHiddenQueue: Bool {
            (0..<Int(pointer.pointee.count)).contains { index in
                guard let item = pointer.pointee.items?[index] else { return false }
                return item.kind != INTERLEAVING_HOP && item.kind != INTERLEAVING_MAIN && !isPlainTask(item)
            }
        }

        /// Runs a job until it suspends.
        func run(_ next: interleaving_item) {
            item = next
            interleaving_run(pointer, next)
            recorder?.removeFinished()
            if next.kind == INTERLEAVING_BLOCK, pointer.pointee.waiting > 0 {
                release(UnsafeRawPointer(bitPattern: next.target.object), all: true)
            }
        }

        private func begin(seed: UInt64, stepLimit: Int, traces: Bool) {
            completion.begin()
            self.stepLimit = stepLimit
            steps = 0
            owners = TaskNumbers()
            last = .max
            occupied = []
            hasRetried = false
            failure = nil
            idleContinuations = []
            timers.removeAll()
            pointer.pointee.count = 0
            pointer.pointee.now = 0
            pointer.pointee.random = seed ^ 0x5bd1_e995
            pointer.pointee.output_length = 0
            pointer.pointee.waiting = 0
            pointer.pointee.blocks = 0
            recorder = traces ? Recorder(findsLines: findsLines) : nil
            pointer.pointee.records = traces
            pointer.pointee.schedule_seed = seed
            // Drops jobs that were posted for a schedule that hung.
            _ = home.inbox.take()
        }

        private func end() {
            schedule.failure = failure
            if let recorder {
                schedule.trace = recorder.trace(pointer)
                recorder.releaseAll()
                interleaving_clear_births(pointer)
                interleaving_set_last_steps(pointer, "")
            }
            if pointer.pointee.output_length > 0, let output = pointer.pointee.output {
                let bytes = UnsafeRawBufferPointer(start: output, count: pointer.pointee.output_length)
                schedule.output = String(decoding: bytes, as: UTF8.self)
            }
            for index in 0..<Int(pointer.pointee.task_count) {
                if let task = pointer.pointee.tasks[index] { interleaving_release_task(task) }
            }
            pointer.pointee.task_count = 0
            interleaving_end_turn(pointer)
            timers.removeAll()
            interleaving_drop_blocks(pointer)
        }

        /// Makes at least one job ready; returns `false` if there will be none.
        func makeReady(continuing worker: Worker? = nil) -> Bool {
            while true {
                collect(continuing: worker)
                if !eligible.isEmpty { return true }
                if !idleContinuations.isEmpty {
                    let waiting = idleContinuations
                    idleContinuations = []
                    for continuation in waiting { continuation.resume() }
                } else if completion.isOver {
                    return false
                } else if let (time, due) = timers.next() {
                    pointer.pointee.now = max(pointer.pointee.now, time)
                    for entry in due { fire(entry) }
                } else if pollFutexes() {
                    continue
                } else if !receive() {
                    if pointer.pointee.waiting == 0 || hasRetried { return false }
                    hasRetried = true
                    releaseAll()
                }
            }
        }

        /// Waits for a thread outside the exploration to release a `Mutex`.
        private func pollFutexes() -> Bool {
            let futexes = (0..<Int(pointer.pointee.count)).compactMap { pointer.pointee.items[$0].polls }
            guard !futexes.isEmpty else { return false }
            for _ in 0..<hangTimeout * 10 {
                if futexes.contains(where: { $0.pointee == 0 }) { return true }
                usleep(100)
            }
            return false
        }

        private func fire(_ entry: Timers.Entry) {
            switch entry {
            case .job(let job): interleaving_push(pointer, job, INTERLEAVING_ANYWHERE, .none)
            case .block(let item): submit(item)
            case .worker(let worker): wake(worker)
            }
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

        /// Chooses the next of the collected items, and removes it; returns `nil` if the schedule is over.
        func next(continuing worker: Worker? = nil) -> interleaving_item? {
            while true {
                var item = remove(at: eligible[schedule.choose(among: candidates, by: &chooser)])
                if mustQueueForMain(item) {
                    item.kind = INTERLEAVING_MAIN
                    append(item)
                    guard makeReady(continuing: worker) else { return nil }
                    continue
                }
                if item.target.implementation != 0, usesQueue(item) {
                    enqueue(item)
                    collect(continuing: worker)
                    // If the queue is free, the job runs now; otherwise another one does.
                    let added = Int(pointer.pointee.count) - 1
                    if !eligible.contains(added) {
                        guard makeReady(continuing: worker) else { return nil }
                        continue
                    }
                    item = remove(at: added)
                }
                schedule.countStep(of: item.owner, after: last)
                last = item.owner
                let number = owners.number(of: item.owner)
                schedule.hash.add(number)
                schedule.hash.add(Int(item.kind.rawValue))
                if worker?.isParked(in: item) != true {
                    recorder?.note(item, number, candidates, pointer)
                }
                return countStep() ? item : nil
            }
        }

        /// Counts a step; returns `false`, and ends the schedule, if the limit is reached.
        func countStep() -> Bool {
            steps += 1
            if steps <= stepLimit { return true }
            schedule.outcome = .stepLimit(stepLimit)
            return false
        }

        /// Notes that a job that was told to try again has gone on: the wait for other threads wasn't in vain.
        func noteProgress() {
            if hasRetried { hasTimedOut = false }
            hasRetried = false
        }

        func remove(at index: Int) -> interleaving_item {
            guard let items = pointer.pointee.items else { preconditionFailure("No job is ready.") }
            let item = items[index]
            let count = Int(pointer.pointee.count)
            (items + index).update(from: items + index + 1, count: count - index - 1)
            pointer.pointee.count = Int32(count - 1)
            return item
        }

        /// Collects the items that may run: of the main actor's queue, only the first.
        ///
        /// The first candidate is the worker's interrupted job, or a job of the task that ran last.
        func collect(continuing worker: Worker?) {
            eligible.removeAll(keepingCapacity: true)
            candidates.owners.removeAll(keepingCapacity: true)
            guard let items = pointer.pointee.items else { return }
            var hasMain = false
            var continuing: Int?
            // Without workers and blocks, everything is free.
            let isAllFree = crew == nil && pointer.pointee.blocks == 0
            for index in 0..<Int(pointer.pointee.count) {
                // In debug builds, comparing raw values is faster.
                if items[index].kind.rawValue == INTERLEAVING_MAIN.rawValue {
                    if hasMain { continue }
                    hasMain = true
                }
                guard isAllFree || isFree(items[index], at: index) else { continue }
                if continuing == nil, worker.map({ $0.isParked(in: items[index]) }) ?? (items[index].owner == last) {
                    continuing = eligible.count
                }
                eligible.append(index)
            }
            candidates.canContinue = continuing != nil
            if let continuing, continuing > 0 { eligible.insert(eligible.remove(at: continuing), at: 0) }
            for index in eligible { candidates.owners.append(items[index].owner) }
            guard chooser.reduces else { return }
            candidates.targets.removeAll(keepingCapacity: true)
            for index in eligible { candidates.targets.append(items[index].target.object) }
        }

        /// The number of collected items.
        var eligibleCount: Int { eligible.count }

        /// Whether an item is a hop to the main actor and must queue behind other jobs there.
        private func mustQueueForMain(_ item: interleaving_item) -> Bool {
            guard item.kind == INTERLEAVING_HOP, item.target.object == pointer.pointee.main.object,
                let items = pointer.pointee.items
            else {
                return false
            }
            return (0..<Int(pointer.pointee.count)).contains { items[$0].kind == INTERLEAVING_MAIN }
        }

        func append(_ item: interleaving_item) {
            interleaving_append(pointer, item)
        }

        private func outcome() -> Outcome {
            if let message = failure?.message ?? completion.error { return .failed(message) }
            if !completion.isOver { return .hung(stuckTasks()) }
            let hasUnfinishedTask = (0..<Int(pointer.pointee.task_count)).contains { index in
                pointer.pointee.tasks[index].map { !interleaving_task_is_done($0) } ?? false
            }
            return hasUnfinishedTask ? .leaked(stuckTasks()) : .passed
        }

        private func stuckTasks() -> [StuckTask] {
            guard let recorder else { return [] }
            var interrupted: [StuckTask] = []
            for index in 0..<Int(pointer.pointee.count) {
                guard let item = pointer.pointee.items?[index], let worker = Worker.parked(in: item) else { continue }
                let holder = item.waits_for.map { interleaving_holder(pointer, $0) } ?? 0
                interrupted.append(
                    StuckTask(
                        number: owners.number(of: item.owner),
                        wait: .lock(holder: holder == 0 ? nil : owners.number(of: holder)),
                        callStack: worker.callStack))
            }
            let suspended = recorder.stuckTasks(pointer).filter { task in
                !interrupted.contains { $0.number == task.number }
            }
            let origins = recorder.origins(pointer)
            return (interrupted + suspended).sorted { $0.number < $1.number }.map { task in
                var task = task
                task.origin = origins[task.number]
                return task
            }
        }
    }

    // MARK: - Called from within the body

    extension Engine: ScheduleHost {
        func fail(_ failure: Failure) {
            if self.failure == nil { self.failure = failure }
        }

        func whenIdle(_ continuation: CheckedContinuation<Void, Never>) {
            pointer.pointee.has_effect = true
            idleContinuations.append(continuation)
        }
    }

    /// What waits for a point in time.
    ///
    /// All entries that are due at one instant become ready together: their order is a choice.
    struct Timers {
        enum Entry {
            case job(Job)
            case block(interleaving_item)
            /// A job that has been interrupted, and waits for something no longer than this.
            case worker(Worker)
        }

        private var entries: [(time: Int64, entry: Entry)] = []

        /// Stores an entry until its time, in nanoseconds since the beginning of the schedule.
        mutating func add(_ entry: Entry, at time: Int64) {
            entries.append((time, entry))
        }

        /// Removes and returns the entries that are due next; `nil` if there are none.
        mutating func next() -> (time: Int64, due: [Entry])? {
            guard let time = entries.map(\.time).min() else { return nil }
            let due = entries.filter { $0.time == time }.map(\.entry)
            entries.removeAll { $0.time == time }
            return (time, due)
        }

        mutating func remove(_ worker: Worker) {
            entries.removeAll { if case .worker(worker) = $0.entry { true } else { false } }
        }

        mutating func removeAll() {
            for case (_, .block(let item)) in entries { interleaving_drop_block(item) }
            entries.removeAll(keepingCapacity: true)
        }
    }

    /// Called by a signal handler.
    @_cdecl("interleaving_choice")
    func interleavingChoice(_ pointer: EnginePointer, _ index: Int) -> Int {
        pointer.engine?.choice(at: index) ?? -1
    }
#endif

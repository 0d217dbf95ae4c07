#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    import Futures

    /// A thread that runs jobs, and keeps one that is interrupted.
    final class Worker: Equatable {
        fileprivate let baton = interleaving_new_baton()
        /// The item to run first when this worker gets the baton.
        fileprivate var first: interleaving_item?
        /// The item whose job is interrupted here.
        fileprivate var item = interleaving_item()
        /// What the runtime was doing for the interrupted job: a hop, or making a default actor's job.
        fileprivate var state = interleaving_engine()
        /// Whether the wait of the interrupted job has timed out.
        fileprivate var isLate = false
        fileprivate var isDismissed = false
        /// Where the job was interrupted, if the schedule is traced.
        fileprivate(set) var callStack: [String] = []
        /// The address in the innermost of these functions.
        fileprivate(set) var address: UInt?
        private unowned(unsafe) let engine: Engine

        fileprivate init(_ engine: Engine) {
            self.engine = engine
            let own = Unmanaged.passRetained(self).toOpaque()
            let isStarted = interleaving_start_thread(
                { argument in
                    guard let argument else { return }
                    Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().work()
                }, own)
            precondition(isStarted, "An exploration that interrupts jobs at locks needs another thread.")
        }

        deinit { interleaving_free_baton(baton) }

        static func == (one: Worker, other: Worker) -> Bool { one === other }

        /// The worker that keeps the job of a parked item.
        static func parked(in item: interleaving_item) -> Worker? {
            guard item.kind == INTERLEAVING_PARKED, let own = item.job else { return nil }
            return Unmanaged<Worker>.fromOpaque(own).takeUnretainedValue()
        }

        func isParked(in item: interleaving_item) -> Bool {
            item.kind == INTERLEAVING_PARKED && item.job == own
        }

        fileprivate var own: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        private func work() {
            interleaving_await(baton)
            while !isDismissed {
                engine.enter()
                let item = first
                first = nil
                engine.crew?.goOn(with: item, on: self, engine)
                interleaving_await(baton)
            }
        }
    }

    /// The workers of an exploration, of which the one that has the baton runs.
    ///
    /// A job that is stuck when its schedule is over stays so for ever, and so does its worker.
    final class Crew {
        private var idle: [Worker] = []
        private let finished = interleaving_new_baton()
        /// The worker that runs.
        fileprivate(set) var holder: Worker?

        /// Finds out, once, whose locks are scheduling points.
        static let findLocks: Void = interleaving_find_locks()

        init() { Self.findLocks }

        deinit { interleaving_free_baton(finished) }

        /// Runs a schedule, and waits until it is over.
        func run(_ engine: Engine) {
            interleaving_pass(nextWorker(engine).baton)
            interleaving_await(finished)
            holder = nil
        }

        /// Ends the threads of all idle workers.
        func dismiss() {
            for worker in idle {
                worker.isDismissed = true
                interleaving_pass(worker.baton)
            }
        }

        /// Runs jobs until the schedule is over, or goes on elsewhere.
        fileprivate func goOn(with item: interleaving_item?, on worker: Worker, _ engine: Engine) {
            holder = worker
            if let item { engine.run(item) }
            while true {
                switch engine.step(on: worker) {
                case .ran: continue
                case .handed: return
                case .over:
                    idle.append(worker)
                    Engine.leave()
                    return finish()
                }
            }
        }

        fileprivate func nextWorker(_ engine: Engine) -> Worker {
            idle.popLast() ?? Worker(engine)
        }

        /// Hands the schedule to another worker.
        ///
        /// The calling worker is idle from now on, and must not use the engine.
        func hand(to other: Worker, from worker: Worker) {
            idle.append(worker)
            Engine.leave()
            interleaving_pass(other.baton)
        }

        fileprivate func finish() { interleaving_pass(finished) }
    }

    // MARK: - Called from within a job

    extension Engine {
        /// Interrupts the running job if another one is chosen; returns when the job goes on.
        func preempt() {
            guard let worker = crew?.holder else { return }
            noteProgress()
            if pointer.pointee.count == 0 {
                if !countStep() { strand(worker) }
                return
            }
            park(worker)
            collect(continuing: worker)
            if eligibleCount == 1 {
                _ = remove(at: Int(pointer.pointee.count) - 1)
                restore(worker)
                if !countStep() { strand(worker) }
                return
            }
            goOn(worker)
        }

        /// Runs other jobs until an object is released, a futex is 0 or the time has come; returns whether the time has
        /// come.
        func wait(for object: UnsafeRawPointer?, _ futex: UnsafePointer<UInt32>?, until time: Int64) -> Bool {
            guard let worker = crew?.holder else { return false }
            worker.isLate = false
            // What only sleeps waits for itself, which nothing releases.
            park(worker, for: object ?? (futex == nil ? UnsafeRawPointer(worker.own) : nil), futex)
            if time < .max { timers.add(.worker(worker), at: max(time, pointer.pointee.now)) }
            guard makeReady(continuing: worker) else { strand(worker) }
            goOn(worker)
            timers.remove(worker)
            return worker.isLate
        }

        /// Chooses the next job: the worker's, or another, which runs elsewhere until the worker's is chosen.
        private func goOn(_ worker: Worker) {
            guard let next = next(continuing: worker) else { strand(worker) }
            defer { restore(worker) }
            if worker.isParked(in: next) { return }
            if let other = Worker.parked(in: next) {
                interleaving_pass(other.baton)
            } else if let other = crew?.nextWorker(self) {
                other.first = next
                interleaving_pass(other.baton)
            }
            interleaving_await(worker.baton)
            crew?.holder = worker
            item = worker.item
            pointer.pointee.running = item.owner
        }

        /// Ends the schedule, and leaves the worker's job where it is.
        private func strand(_ worker: Worker) -> Never {
            crew?.finish()
            while true { interleaving_await(worker.baton) }
        }

        /// Adds the worker's running job to the items.
        private func park(
            _ worker: Worker, for object: UnsafeRawPointer? = nil, _ futex: UnsafePointer<UInt32>? = nil
        ) {
            worker.item = item
            worker.state = pointer.pointee
            pointer.pointee.grabs = false
            pointer.pointee.has_grabbed = false
            var parked = item
            parked.job = worker.own
            parked.parked_kind = item.kind
            parked.kind = INTERLEAVING_PARKED
            parked.waits_for = object
            parked.polls = futex
            if object != nil { pointer.pointee.waiting += 1 }
            if recorder != nil {
                let functions = Symbols.interruptedFunctions()
                worker.callStack = functions.map(\.name)
                worker.address = functions.first?.address
            }
            append(parked)
        }

        /// Restores what the runtime was doing when the worker's job was interrupted.
        private func restore(_ worker: Worker) {
            pointer.pointee.hop = worker.state.hop
            pointer.pointee.hop_resume = worker.state.hop_resume
            pointer.pointee.grabs = worker.state.grabs
            pointer.pointee.has_grabbed = worker.state.has_grabbed
            pointer.pointee.grabbed = worker.state.grabbed
        }

        func release(_ object: UnsafeRawPointer?, all: Bool) {
            hasRetried = false
            for index in 0..<Int(pointer.pointee.count) where pointer.pointee.items[index].waits_for == object {
                resume(at: index)
                if !all { return }
            }
        }

        func releaseAll() {
            for index in 0..<Int(pointer.pointee.count) where pointer.pointee.items[index].waits_for != nil {
                resume(at: index)
            }
        }

        /// Ends a worker's wait, because its time has come.
        func wake(_ worker: Worker) {
            worker.isLate = true
            for index in 0..<Int(pointer.pointee.count) where worker.isParked(in: pointer.pointee.items[index]) {
                resume(at: index)
            }
        }

        private func resume(at index: Int) {
            guard pointer.pointee.items[index].waits_for != nil else { return }
            pointer.pointee.items[index].waits_for = nil
            pointer.pointee.waiting -= 1
        }
    }

    // MARK: - What may run

    extension Engine {
        /// Whether nothing keeps an item from running: not what it waits for, and not the executor or queue that it needs.
        func isFree(_ item: interleaving_item, at index: Int) -> Bool {
            switch item.kind {
            case INTERLEAVING_PARKED:
                return item.waits_for == nil && (item.polls.map { $0.pointee == 0 } ?? true)
            case INTERLEAVING_BLOCK: return isFirst(item, at: index)
            case INTERLEAVING_HOP, INTERLEAVING_MAIN: return crew == nil || !isOccupied(item.target.object)
            default: return true
            }
        }

        /// Whether an interrupted job occupies an executor.
        private func isOccupied(_ executor: UInt) -> Bool {
            guard let items = pointer.pointee.items else { return false }
            for index in 0..<Int(pointer.pointee.count) {
                let item = items[index]
                guard item.kind == INTERLEAVING_PARKED, item.target.object == executor else { continue }
                if item.parked_kind == INTERLEAVING_HOP || item.parked_kind == INTERLEAVING_MAIN { return true }
            }
            return false
        }

        /// Whether a block's queue can run it now: no block before it, and none that is interrupted, excludes it.
        private func isFirst(_ block: interleaving_item, at index: Int) -> Bool {
            guard let items = pointer.pointee.items else { return false }
            let isAlone = block.target.implementation == INTERLEAVING_SERIAL.rawValue
            if occupied.contains(where: { $0.queue == block.target.object && (isAlone || $0.isAlone) }) { return false }
            for other in 0..<Int(pointer.pointee.count) where items[other].target.object == block.target.object {
                let isEarlier = items[other].kind == INTERLEAVING_BLOCK && other < index
                let isInterrupted =
                    items[other].kind == INTERLEAVING_PARKED && items[other].parked_kind == INTERLEAVING_BLOCK
                let excludes = isAlone || items[other].target.implementation == INTERLEAVING_SERIAL.rawValue
                if excludes, isEarlier || isInterrupted { return false }
            }
            return true
        }
    }

    // MARK: - Dispatch queues

    extension Engine {
        /// Adds a block, now or at a time.
        func submit(_ block: interleaving_item, at time: Int64 = 0) {
            if time > pointer.pointee.now { return timers.add(.block(block), at: min(time, endOfTime)) }
            guard let queue = UnsafeMutableRawPointer(bitPattern: block.target.object),
                interleaving_is_main_queue(queue)
            else {
                return append(block)
            }
            // The main queue's blocks and the main actor's jobs are one queue.
            let task = MainQueueBlock(block)
            Task { @MainActor in task.run() }
        }

        /// Runs the blocks that a synchronous one must follow, and waits until the queue is free.
        ///
        /// On a serial queue, these are all earlier blocks; on another, those up to the last barrier.
        func drain(_ queue: UInt, isAlone: Bool) {
            let own = item
            let blocks = (0..<Int(pointer.pointee.count)).map { pointer.pointee.items[$0] }.filter {
                $0.kind == INTERLEAVING_BLOCK && $0.target.object == queue
            }
            let lastBarrier = blocks.lastIndex { $0.target.implementation == INTERLEAVING_SERIAL.rawValue }
            let earlier = Set((isAlone ? blocks[...] : blocks[..<(lastBarrier.map { $0 + 1 } ?? 0)]).map(\.owner))
            while true {
                let waiting = (0..<Int(pointer.pointee.count)).filter { index in
                    let item = pointer.pointee.items[index]
                    return item.kind == INTERLEAVING_BLOCK && earlier.contains(item.owner)
                }
                if waiting.isEmpty, crew == nil || !isInUse(queue, isAlone: isAlone) { break }
                if let first = waiting.first(where: { isFirst(pointer.pointee.items[$0], at: $0) }) {
                    run(remove(at: first))
                } else if crew != nil {
                    _ = wait(for: UnsafeRawPointer(bitPattern: queue), nil, until: .max)
                } else {
                    break
                }
            }
            item = own
            pointer.pointee.running = own.owner
        }

        /// Runs the first block that may run, for a job that waits; returns whether there is one.
        func runFirstBlock() -> Bool {
            let own = item
            guard
                let index = (0..<Int(pointer.pointee.count)).first(where: {
                    pointer.pointee.items[$0].kind == INTERLEAVING_BLOCK && isFirst(pointer.pointee.items[$0], at: $0)
                })
            else { return false }
            run(remove(at: index))
            item = own
            pointer.pointee.running = own.owner
            return true
        }

        /// Whether an interrupted or synchronous block on a queue excludes another one.
        private func isInUse(_ queue: UInt, isAlone: Bool) -> Bool {
            if occupied.contains(where: { $0.queue == queue && (isAlone || $0.isAlone) }) { return true }
            return (0..<Int(pointer.pointee.count)).contains { index in
                let item = pointer.pointee.items[index]
                return item.kind == INTERLEAVING_PARKED && item.parked_kind == INTERLEAVING_BLOCK
                    && item.target.object == queue
                    && (isAlone || item.target.implementation == INTERLEAVING_SERIAL.rawValue)
            }
        }

        func occupy(_ queue: UInt, isAlone: Bool, _ isOccupied: Bool) {
            if isOccupied { return occupied.append((queue, isAlone)) }
            if let index = occupied.lastIndex(where: { $0.queue == queue && $0.isAlone == isAlone }) {
                occupied.remove(at: index)
            }
            if pointer.pointee.waiting > 0 { release(UnsafeRawPointer(bitPattern: queue), all: true) }
        }
    }

    // MARK: - Executors that are dispatch queues

    extension Engine {
        /// Whether each type of executor, by its witness table, runs its jobs in blocks of a queue.
        private static let queueExecutors = Lock<[UInt: Bool]>([:])

        /// Whether an item hops to an executor that runs its jobs in blocks of a queue.
        func usesQueue(_ item: interleaving_item) -> Bool {
            guard item.kind == INTERLEAVING_HOP, item.target.object != pointer.pointee.main.object else { return false }
            if let known = Self.queueExecutors.withLock({ $0[item.target.implementation] }) { return known }
            let isKnown = runsBlocks(item.target)
            Self.queueExecutors.withLock { $0[item.target.implementation] = isKnown }
            return isKnown
        }

        /// Gives an executor a job that does nothing, and returns whether that adds a block.
        private func runsBlocks(_ executor: interleaving_executor) -> Bool {
            let probe = ProbeExecutor()
            interleaving_enter(nil)
            Task(executorPreference: probe) {}
            interleaving_enter(pointer)
            guard let job = probe.job.withLock({ $0 }), let job = Job(bitPattern: job) else { return false }
            var item = interleaving_item()
            item.job = job
            item.target = executor
            item.owner = pointer.pointee.running
            let count = pointer.pointee.count
            interleaving_enqueue(pointer, item)
            guard pointer.pointee.count > count, pointer.pointee.items[Int(count)].kind == INTERLEAVING_BLOCK else {
                return false
            }
            interleaving_drop_block(remove(at: Int(count)))
            return true
        }

        /// Gives a job to its executor, whose block takes the job's place.
        func enqueue(_ item: interleaving_item) {
            interleaving_enqueue(pointer, item)
            let added = Int(pointer.pointee.count) - 1
            pointer.pointee.items[added].owner = item.owner
            pointer.pointee.items[added].resume = item.resume
        }
    }

    /// An executor that keeps its job.
    private final class ProbeExecutor: TaskExecutor {
        let job = Lock<UInt?>(nil)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UInt(bitPattern: unsafeBitCast(UnownedJob(job), to: Job.self))
            self.job.withLock { $0 = job }
        }
    }

    /// A block of the main queue, which runs once.
    private struct MainQueueBlock: @unchecked Sendable {
        // Unchecked: only the exploration's running thread uses it.
        private let item: interleaving_item

        init(_ item: interleaving_item) { self.item = item }

        func run() { interleaving_call_block(item) }
    }

    // MARK: - Called by the interposed functions

    @_cdecl("interleaving_preempt")
    func interleavingPreempt(_ pointer: EnginePointer) {
        pointer.engine?.preempt()
    }

    @_cdecl("interleaving_wait")
    func interleavingWait(
        _ pointer: EnginePointer, _ object: UnsafeRawPointer?, _ futex: UnsafePointer<UInt32>?, _ time: Int64
    ) -> Bool {
        pointer.engine?.wait(for: object, futex, until: time) ?? false
    }

    @_cdecl("interleaving_release")
    func interleavingRelease(_ pointer: EnginePointer, _ object: UnsafeRawPointer?, _ all: Bool) {
        pointer.engine?.release(object, all: all)
    }

    @_cdecl("interleaving_submit")
    func interleavingSubmit(_ pointer: EnginePointer, _ item: UnsafePointer<interleaving_item>, _ time: Int64) {
        pointer.engine?.submit(item.pointee, at: time)
    }

    @_cdecl("interleaving_drain")
    func interleavingDrain(_ pointer: EnginePointer, _ queue: UnsafeMutableRawPointer, _ isAlone: Bool) {
        pointer.engine?.drain(UInt(bitPattern: queue), isAlone: isAlone)
    }

    @_cdecl("interleaving_run_first_block")
    func interleavingRunFirstBlock(_ pointer: EnginePointer) -> Bool { pointer.engine?.runFirstBlock() ?? false }

    @_cdecl("interleaving_occupy")
    func interleavingOccupy(
        _ pointer: EnginePointer, _ queue: UnsafeMutableRawPointer, _ isAlone: Bool, _ isOccupied: Bool
    ) {
        pointer.engine?.occupy(UInt(bitPattern: queue), isAlone: isAlone, isOccupied)
    }
#endif

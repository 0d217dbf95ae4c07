import Dispatch
import Futures

/// Runs a body with the only means that every platform offers: task executor preference.
///
/// The calling thread runs the jobs that prefer this executor, in the chooser's order: the body, its child tasks, and
/// their calls to default actors that another task occupies. Everything else runs elsewhere, in real time: `Task {}`,
/// `Task.detached`, the main actor, custom executors, and sleeps, after which a task returns to this executor.
final class TaskExecutorEngine: ScheduleRunner {
    /// The limits of this runner, for reports.
    static let limits = "unstructured tasks, the main actor and custom executors are not explored, and time is real"

    /// The time to wait for another thread to resume a task, once a wait has timed out and none has succeeded.
    private static let reducedTimeout = DispatchTimeInterval.milliseconds(20)

    private let hangTimeout: DispatchTimeInterval
    private var hasTimedOut = false
    private(set) var foreignResumes = 0

    init(hangTimeout: Duration) {
        self.hangTimeout = .milliseconds(Int(hangTimeout / .milliseconds(1)))
    }

    func run(
        _ body: @escaping ExplorationBody, _ chooser: inout Chooser, seed: UInt64, stepLimit: Int, traces: Bool
    ) -> Schedule {
        var schedule = Schedule()
        // Created for each schedule, so that jobs left over from a hung schedule don't reach this one.
        let run = TaskExecutorRun()
        let completion = BodyCompletion()
        Task(executorPreference: run) {
            await TaskExecutorRun.$current.withValue(run) { await completion.run(body) }
        }
        var numbers = TaskNumbers()
        var last: UInt64?
        var steps = 0
        while makeReady(run, completion) {
            let candidates = run.candidates(last: last)
            let choice = schedule.choose(among: candidates, by: &chooser)
            let owner = candidates.owners[choice]
            let known = numbers.count
            let number = numbers.number(of: owner)
            schedule.hash.add(number)
            if traces {
                schedule.trace.steps.append(
                    Trace.Step(
                        task: number, action: number > known ? "begins" : "goes on", candidates: candidates.count,
                        time: .zero))
            }
            schedule.countStep(of: owner, after: last ?? .max)
            last = owner
            run.step(choice, owner: owner)
            steps += 1
            if steps >= stepLimit {
                schedule.outcome = .stepLimit(steps)
                return schedule
            }
        }
        schedule.failure = run.failure
        if let message = run.failure?.message ?? completion.error {
            schedule.outcome = .failed(message)
        } else if !completion.isOver {
            schedule.outcome = .hung([])
        }
        return schedule
    }

    /// Waits until a job is ready; returns `false` if there will be none.
    private func makeReady(_ run: TaskExecutorRun, _ completion: BodyCompletion) -> Bool {
        while true {
            if run.isReady { return true }
            if run.resumeIdleContinuations() { continue }
            if completion.isOver { return false }
            let isReduced = hasTimedOut && foreignResumes == 0
            guard run.wait(isReduced ? Self.reducedTimeout : hangTimeout) else {
                hasTimedOut = true
                return false
            }
            foreignResumes += 1
        }
    }
}

/// The state of one schedule: the jobs that are ready, enqueued from any thread.
final class TaskExecutorRun: TaskExecutor, ScheduleHost {
    private struct Ready: Sendable {
        let job: UnownedJob
        let owner: UInt64
    }

    private struct State: Sendable {
        var ready: [Ready] = []
        var idleContinuations: [CheckedContinuation<Void, Never>] = []
        var failure: Failure?
        /// The task that is running.
        var running: UInt64 = 0
    }

    /// The schedule that the calling task belongs to.
    @TaskLocal static var current: TaskExecutorRun?

    private let state = Lock(State())
    private let semaphore = DispatchSemaphore(value: 0)

    var isReady: Bool { state.withLock { !$0.ready.isEmpty } }
    var failure: Failure? { state.withLock { $0.failure } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = job.taskNumber
        state.withLock { state in
            // An actor's job belongs to the task that enqueued it.
            state.ready.append(Ready(job: job, owner: number == 0 ? state.running : number))
        }
        semaphore.signal()
    }

    func fail(_ failure: Failure) {
        state.withLock { if $0.failure == nil { $0.failure = failure } }
    }

    func whenIdle(_ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.idleContinuations.append(continuation) }
        semaphore.signal()
    }
}

// MARK: - On the exploring thread

extension TaskExecutorRun {
    /// Reorders the ready jobs as ``Candidates`` requires, and returns them.
    fileprivate func candidates(last: UInt64?) -> Candidates {
        state.withLock { state in
            var candidates = Candidates()
            if let continuing = state.ready.firstIndex(where: { $0.owner == last }) {
                state.ready.insert(state.ready.remove(at: continuing), at: 0)
                candidates.canContinue = true
            }
            candidates.owners = state.ready.map(\.owner)
            return candidates
        }
    }

    /// Runs one of the candidates until it suspends.
    fileprivate func step(_ choice: Int, owner: UInt64) {
        let job = state.withLock { state in
            state.running = owner
            return state.ready.remove(at: choice).job
        }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Resumes the tasks that wait until no other can run; returns whether there were any.
    fileprivate func resumeIdleContinuations() -> Bool {
        let idleContinuations = state.withLock { state in
            defer { state.idleContinuations = [] }
            return state.idleContinuations
        }
        for continuation in idleContinuations { continuation.resume() }
        return !idleContinuations.isEmpty
    }

    /// Waits for another thread, in real time; returns whether a job or an idle continuation arrived.
    fileprivate func wait(_ timeout: DispatchTimeInterval) -> Bool {
        let deadline = DispatchTime.now() + timeout
        while semaphore.wait(timeout: deadline) == .success {
            // The semaphore also counts jobs that have already run.
            if state.withLock({ !$0.ready.isEmpty || !$0.idleContinuations.isEmpty }) { return true }
        }
        return false
    }
}

extension UnownedJob {
    /// The number of the job's task, unique in the process; 0 for a job without a task.
    ///
    /// Only the job's description contains it.
    fileprivate var taskNumber: UInt64 {
        UInt64(description.filter(\.isNumber)) ?? 0
    }
}

import Digests
import Dispatch
import Futures

/// Runs a body with nothing but what every platform offers: the preference of tasks for an executor.
///
/// What prefers it comes to the calling thread and is a choice: the body, its child tasks, and what they call on default
/// actors that are in use. The rest goes on elsewhere, in real time: `Task {}`, `Task.detached`, the main actor, custom
/// executors, and sleeping, which comes back when it has slept.
final class TaskExecutorEngine: ScheduleRunner {
    /// What there is no choice of, and no other time for, in words.
    static let limits = "unstructured tasks, the main actor, custom executors and time are the machine's own"

    /// How long something on another thread may take to resume a task, once that was waited for in vain.
    private static let patienceInVain = DispatchTimeInterval.milliseconds(20)

    private let patience: DispatchTimeInterval
    private var hasWaitedInVain = false
    private(set) var foreignResumes = 0

    init(patience: Duration) {
        self.patience = .milliseconds(Int(patience / .milliseconds(1)))
    }

    func run(
        _ body: @escaping ExplorationBody, _ chooser: inout Chooser, seed: UInt64, stepLimit: Int, traces: Bool
    ) -> Schedule {
        var schedule = Schedule()
        // Made anew, so that nothing that a hung schedule left behind comes to this one.
        let run = TaskExecutorRun()
        let ending = Ending()
        Task(executorPreference: run) {
            await TaskExecutorRun.$current.withValue(run) { await ending.run(body) }
        }
        var numbers = TaskNumbers()
        var last: UInt64?
        var steps = 0
        while makeReady(run, ending) {
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
            last = owner
            run.step(choice, last: owner)
            steps += 1
            if steps >= stepLimit {
                schedule.outcome = .stepLimit(steps)
                return schedule
            }
        }
        if let message = run.failure ?? ending.error {
            schedule.outcome = .failed(message)
        } else if !ending.isOver {
            schedule.outcome = .hung([])
        }
        return schedule
    }

    /// Sees to it that something can run; whether it can.
    private func makeReady(_ run: TaskExecutorRun, _ ending: Ending) -> Bool {
        while true {
            if run.isReady { return true }
            if run.resumeSettled() { continue }
            if ending.isOver { return false }
            let isInVain = hasWaitedInVain && foreignResumes == 0
            guard run.wait(isInVain ? Self.patienceInVain : patience) else {
                hasWaitedInVain = true
                return false
            }
            foreignResumes += 1
        }
    }
}

/// One schedule: what is ready, from whichever thread it came.
final class TaskExecutorRun: TaskExecutor, ScheduleHost {
    private struct Ready: Sendable {
        let job: UnownedJob
        let owner: UInt64
    }

    private struct State: Sendable {
        var ready: [Ready] = []
        var settlers: [CheckedContinuation<Void, Never>] = []
        var failure: String?
        /// The task whose step is being made.
        var running: UInt64 = 0
    }

    /// The schedule that the calling task is a part of.
    @TaskLocal static var current: TaskExecutorRun?

    private let state = Lock(State())
    private let bell = DispatchSemaphore(value: 0)

    var isReady: Bool { state.withLock { !$0.ready.isEmpty } }
    var failure: String? { state.withLock { $0.failure } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = job.taskNumber
        state.withLock { state in
            // An actor's turn belongs to the task that has made it necessary.
            state.ready.append(Ready(job: job, owner: number == 0 ? state.running : number))
        }
        bell.signal()
    }

    func fail(_ message: String) {
        state.withLock { if $0.failure == nil { $0.failure = message } }
    }

    func whenSettled(_ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.settlers.append(continuation) }
        bell.signal()
    }
}

// MARK: - On the thread that explores

extension TaskExecutorRun {
    /// What can be chosen: see ``Candidates`` for the order, which what is ready is brought into.
    fileprivate func candidates(last: UInt64?) -> Candidates {
        state.withLock { state in
            var candidates = Candidates()
            if let goesOn = state.ready.firstIndex(where: { $0.owner == last }) {
                state.ready.insert(state.ready.remove(at: goesOn), at: 0)
                candidates.canGoOn = true
            }
            candidates.owners = state.ready.map(\.owner)
            return candidates
        }
    }

    /// Runs one of the candidates until it suspends.
    fileprivate func step(_ choice: Int, last: UInt64) {
        let job = state.withLock { state in
            state.running = last
            return state.ready.remove(at: choice).job
        }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Resumes the tasks that wait until nothing can run; whether there were any.
    fileprivate func resumeSettled() -> Bool {
        let settlers = state.withLock { state in
            defer { state.settlers = [] }
            return state.settlers
        }
        for settler in settlers { settler.resume() }
        return !settlers.isEmpty
    }

    /// Waits for another thread, in real time; whether anything came.
    fileprivate func wait(_ patience: DispatchTimeInterval) -> Bool {
        let deadline = DispatchTime.now() + patience
        while bell.wait(timeout: deadline) == .success {
            // It also rings for what has long been run.
            if state.withLock({ !$0.ready.isEmpty || !$0.settlers.isEmpty }) { return true }
        }
        return false
    }
}

extension UnownedJob {
    /// The number of its task, which no other task of the process has; 0 for a job that is none.
    ///
    /// Only its description tells.
    fileprivate var taskNumber: UInt64 {
        UInt64(description.filter(\.isNumber)) ?? 0
    }
}

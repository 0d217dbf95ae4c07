/// The outcome of a schedule.
public enum Outcome: Sendable, Equatable {
    /// The body has returned, every check held, and no task is unfinished.
    case passed
    /// A check failed, or the body threw.
    case failed(String)
    /// The body hasn't returned, and no task can run any more.
    case hung([StuckTask])
    /// The body has returned, but tasks that it created never finish.
    case leaked([StuckTask])
    /// The step limit was reached: the body may never end.
    case stepLimit(Int)
    /// The same choices had different outcomes: the body depends on something other than the schedule.
    case nondeterministic(String)

    /// A description, with which a report begins.
    public var summary: String {
        switch self {
        case .passed: "passed"
        case .failed(let message): message
        case .hung: "hung: nothing can run any more, and the body has not returned"
        case .leaked([]): "leaked: tasks outlived the body"
        case .leaked(let tasks): "leaked: \(tasks.count) task\(tasks.count == 1 ? "" : "s") outlived the body"
        case .stepLimit(let steps): "did not end within \(steps) steps"
        case .nondeterministic(let message): "nondeterministic: \(message)"
        }
    }

    /// Whether two outcomes are of the same kind, and thus interchangeable when a trace is minimised.
    func isLike(_ other: Outcome) -> Bool {
        switch (self, other) {
        case (.passed, .passed), (.hung, .hung), (.leaked, .leaked), (.stepLimit, .stepLimit),
            (.nondeterministic, .nondeterministic):
            true
        case (.failed(let one), .failed(let another)):
            one == another
        case (.passed, _), (.failed, _), (.hung, _), (.leaked, _), (.stepLimit, _), (.nondeterministic, _):
            false
        }
    }
}

/// A task that is never resumed.
public struct StuckTask: Sendable, Equatable, CustomStringConvertible {
    /// What a task waits for.
    enum Wait: Sendable, Equatable {
        case unknown
        case task(Int)
        /// The tasks of its group that haven't finished.
        case group([Int])
        case continuation
        /// The next element of an `AsyncStream`.
        case element
        case time
        /// It is enqueued on an executor, which doesn't run it.
        case executor
        /// A lock, a semaphore or the like, and the task that holds it.
        case lock(holder: Int?)
    }

    /// The task's column in the trace, from 1 on.
    public let number: Int
    /// The task's name, and where it was created; `nil` if unknown.
    public internal(set) var origin: Trace.Origin?
    /// Whether the task is cancelled.
    public internal(set) var isCancelled = false
    let wait: Wait
    /// The function in which the task is suspended, followed by its callers.
    public let callStack: [String]
    /// The line at which the task is suspended; `nil` if unknown.
    public internal(set) var line: Trace.SourceLine?

    init(number: Int, wait: Wait, callStack: [String]) {
        self.number = number
        self.wait = wait
        self.callStack = callStack
    }

    /// The number of the task that it waits for, or that holds the lock that it waits for; `nil` if there is none.
    public var waitsFor: Int? {
        switch wait {
        case .task(let other): other
        case .lock(let holder): holder
        case .unknown, .group, .continuation, .element, .time, .executor: nil
        }
    }

    /// A description of the task.
    public var description: String {
        let state = "task \(number)\(origin?.suffix ?? "") \(waiting)"
        guard let function = callStack.first else { return state }
        let place = function + (line.map { " (\($0))" } ?? "")
        return "\(state) in \(([place] + callStack.dropFirst()).joined(separator: " ← "))"
    }

    /// What the task waits for.
    var state: String { "task \(number) \(waiting)" }

    private var waiting: String {
        (isCancelled ? "is cancelled, and " : "") + reason
    }

    private var reason: String {
        switch wait {
        case .unknown: "was never resumed"
        case .task(let other): "waits for task \(other)"
        case .group(let children): "waits for \(Story.tasks(children)) of its group"
        case .continuation: "waits for a continuation"
        case .element: "waits for an element of an AsyncStream"
        case .time: "sleeps"
        case .executor: "is enqueued on an executor that doesn't run it"
        case .lock(nil): "waits for a lock, semaphore or queue"
        case .lock(let holder?): "waits for a lock that task \(holder) holds"
        }
    }
}

/// The result of an exploration.
public struct Exploration: Sendable {
    /// The outcome of the first schedule that failed, or `passed`.
    public internal(set) var outcome = Outcome.passed
    /// The number of schedules that were run.
    public internal(set) var schedules = 0
    /// The number of schedules that differed from an earlier one only in the order of independent steps.
    ///
    /// ``Strategy/partialOrder`` notices that only while it runs such a schedule; other strategies don't.
    public internal(set) var redundantSchedules = 0
    /// Whether all schedules within the strategy's bound were run, such as those with at most two preemptions.
    public internal(set) var isExhausted = false
    /// The part of all schedules that was covered.
    public internal(set) var coverage = Coverage()
    /// The seed of random choices.
    public internal(set) var seed: UInt64 = 0
    /// The code for ``Strategy/replay(_:)``; `nil` if all schedules passed.
    public internal(set) var replayCode: String?
    /// The trace of the failing schedule, minimised to few interruptions; empty if all schedules passed.
    public internal(set) var trace = Trace()
    /// The output of the failing schedule.
    public internal(set) var output = ""
    /// The number of resumptions by threads that aren't explored, whose timing couldn't be chosen.
    public internal(set) var foreignResumes = 0
    /// A hash of all choices, the same in every process and build.
    public internal(set) var hash: UInt64 = 0
    /// The file of the timeline; `nil` if `INTERLEAVING_TIMELINES` isn't set, or all schedules passed.
    public internal(set) var timelineFile: String?
    /// The failed check or recorded issue that the outcome is about, if any.
    var failure: Failure?

    /// Where the exploration is in the source.
    var place: ExplorationPlace?

    /// The parts that couldn't be explored, because the runtime lacks a feature or the thread sanitizer is used; `nil`
    /// if there are none.
    public internal(set) var limitation: String?

    /// The command that runs only the failing schedule of this exploration; `nil` if all schedules passed.
    ///
    /// It sets `INTERLEAVING_REPLAY`, whose value contains the replay code, the seed unless it is 1, and the place of the
    /// exploration. Explorations at other places aren't affected.
    public var replayCommand: String? {
        replayCode.map { code in
            ReplayRequest(code: code, seed: seed, place: place).command(filter: place?.test)
        }
    }

    /// What was covered, such as "1000 schedules passed, 412 of them different".
    private var passedReport: String {
        let count = "\(schedules) schedule\(schedules == 1 ? "" : "s")"
        if isExhausted, let search = coverage.search { return "\(search) passed" }
        var report = "\(count) passed"
        if schedules > 1 { report += ", \(coverage.distinctSchedules) of them different" }
        if let search = coverage.search { report += "; the search covered \(search)" }
        return report
    }

    /// What was covered; after a failure its outcome, replay code, seed, trace and output.
    public var report: String {
        let count = "\(schedules) schedule\(schedules == 1 ? "" : "s")"
        guard outcome != .passed else { return passedReport }
        var lines = ["\(outcome.summary) · after \(count)"]
        if let replayCode { lines[0] += " · replay with explore(.replay(\"\(replayCode)\"))" }
        lines[0] += " · seed \(seed)"
        if let replayCommand { lines.append("run only this schedule: \(replayCommand)") }
        switch outcome {
        case .hung(let tasks), .leaked(let tasks): lines += tasks.map { "  \($0)" }
        case .passed, .failed, .stepLimit, .nondeterministic: break
        }
        if let timelineFile { lines.append("timeline: \(timelineFile)") }
        if !trace.steps.isEmpty {
            lines.append("")
            lines += story.enumerated().map { "\($0 + 1). \($1)" }
            lines += ["", trace.table]
        }
        if let limitation { lines += ["", limitation] }
        if !output.isEmpty { lines += ["", "printed:", output] }
        return lines.joined(separator: "\n")
    }
}

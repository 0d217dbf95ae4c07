/// What became of a schedule.
public enum Outcome: Sendable, Equatable {
    /// The body has returned, every check held, and nothing is left.
    case passed
    /// A check did not hold, or the body threw.
    case failed(String)
    /// The body has not returned, and nothing can run any more.
    case hung([StuckTask])
    /// The body has returned, but tasks that it made are not done and never will be.
    case leaked([StuckTask])
    /// So many steps were made that the body may never end.
    case stepLimit(Int)
    /// The same choices led elsewhere: the body does what no schedule decides.
    case nondeterministic(String)

    /// In words, as a report begins.
    public var summary: String {
        switch self {
        case .passed: "passed"
        case .failed(let message): message
        case .hung: "hung: nothing can run any more, and the body has not returned"
        case .leaked(let tasks): "leaked: \(tasks.count) task\(tasks.count == 1 ? "" : "s") outlived the body"
        case .stepLimit(let steps): "did not end within \(steps) steps"
        case .nondeterministic(let message): "nondeterministic: \(message)"
        }
    }

    /// Whether two outcomes are of the same kind, so that one stands for the other when a trace is made smaller.
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

/// A task that waits for what never comes.
public struct StuckTask: Sendable, Equatable, CustomStringConvertible {
    /// Its column in the trace, from 1 on.
    public let number: Int
    /// The task that it waits for, if it is one.
    public let waitsFor: Int?
    /// Where it waits, and that function's callers.
    public let place: [String]

    /// In words.
    public var description: String {
        let what = waitsFor.map { "waits for task \($0)" } ?? "was never resumed"
        return "task \(number) \(what)" + (place.isEmpty ? "" : " in " + place.joined(separator: " ← "))
    }
}

/// What came of an exploration.
public struct Exploration: Sendable {
    /// What became of the schedule that failed first, or of all.
    public internal(set) var outcome = Outcome.passed
    /// How many schedules were run.
    public internal(set) var schedules = 0
    /// Whether there are no more schedules than these.
    public internal(set) var isExhausted = false
    /// What seeds were made of.
    public internal(set) var seed: UInt64 = 0
    /// What ``Strategy/replay(_:)`` takes; `nil` if all passed.
    public internal(set) var replayCode: String?
    /// The failing schedule, with as few interruptions as could be found; empty if all passed.
    public internal(set) var trace = Trace()
    /// What the failing schedule printed.
    public internal(set) var output = ""
    /// How often something outside resumed a task: those times are the machine's, and no choice.
    public internal(set) var foreignResumes = 0
    /// The same for the same choices, in every process and build.
    public internal(set) var hash: UInt64 = 0

    /// What could be no choice here, for want of something in the runtime; `nil` if everything could.
    public internal(set) var limitation: String?

    /// The whole report of a failure.
    public var report: String {
        guard outcome != .passed else { return "\(schedules) schedules passed" }
        var lines = ["\(outcome.summary) · after \(schedules) schedule\(schedules == 1 ? "" : "s")"]
        if let replayCode { lines[0] += " · replay with explore(.replay(\"\(replayCode)\"))" }
        lines[0] += " · seed \(seed)"
        switch outcome {
        case .hung(let tasks), .leaked(let tasks): lines += tasks.map { "  \($0)" }
        case .passed, .failed, .stepLimit, .nondeterministic: break
        }
        if !trace.steps.isEmpty { lines += ["", trace.table] }
        if let limitation { lines += ["", limitation] }
        if !output.isEmpty { lines += ["", "printed:", output] }
        return lines.joined(separator: "\n")
    }
}

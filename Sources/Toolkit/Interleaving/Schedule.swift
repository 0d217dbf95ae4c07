import Futures

/// The code to explore.
typealias ExplorationBody = @Sendable () async throws -> Void

/// Runs a body on the calling thread under the schedule that a chooser makes.
protocol ScheduleRunner: AnyObject {
    /// How often another thread has resumed a task so far.
    var foreignResumes: Int { get }

    /// Records where the exploration is, for a report if the program crashes.
    func willExplore(at place: ExplorationPlace?)

    /// Records the next schedule's number and the exploration's seed, for a report if the program crashes.
    func willRun(schedule number: Int, seed: UInt64)

    /// Runs the body once.
    ///
    /// `seed` seeds the body's random numbers, if the runner controls them. `traces` says whether to record each step,
    /// and where tasks are stuck.
    func run(
        _ body: @escaping ExplorationBody, _ chooser: inout Chooser, seed: UInt64, stepLimit: Int, traces: Bool
    ) -> Schedule
}

/// The part of a running schedule that its body can use.
protocol ScheduleHost: AnyObject {
    /// Records a failed check; only the first one counts.
    func fail(_ failure: Failure)

    /// Resumes the continuation when no task can run, before time advances.
    func whenIdle(_ continuation: CheckedContinuation<Void, Never>)
}

extension ScheduleRunner {
    func willExplore(at place: ExplorationPlace?) {}
    func willRun(schedule number: Int, seed: UInt64) {}
}

/// The result of one schedule.
struct Schedule {
    var outcome = Outcome.passed
    /// The failure that the outcome is about, if the body has recorded one.
    var failure: Failure?
    var choices: [Int] = []
    /// A hash of the choices; unlike ``hash``, it differs if two tasks change roles.
    ///
    /// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
    private(set) var choiceHash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// Identifies the schedule.
    var hash = ScheduleHash()
    /// How often a task that could have continued was interrupted by another.
    var interruptions = 0
    /// How often another task ran than before.
    var switches = 0
    var steps = 0
    var trace = Trace()
    var output = ""

    /// Chooses a candidate; if there are several, asks the chooser and records the choice.
    mutating func choose(among candidates: Candidates, by chooser: inout Chooser) -> Int {
        guard candidates.count > 1 else { return 0 }
        let choice = chooser.choose(candidates)
        choices.append(choice)
        choiceHash = (choiceHash ^ UInt64(truncatingIfNeeded: choice)) &* 0x0100_0000_01b3
        if choice != 0, candidates.canContinue { interruptions += 1 }
        hash.add(candidates.count)
        return choice
    }

    /// Counts a step of a task.
    mutating func countStep(of owner: UInt64, after last: UInt64) {
        steps += 1
        if owner != last { switches += 1 }
    }
}

/// The effort of reading a schedule: first its interruptions, then its switches between tasks, then its steps.
struct ReadingEffort: Comparable {
    private let counts: [Int]

    init(_ schedule: Schedule) {
        self.counts = [
            schedule.interruptions, schedule.switches, schedule.steps, schedule.choices.count { $0 != 0 },
            schedule.choices.reduce(0, +), schedule.choices.count,
        ]
    }

    static func < (one: ReadingEffort, other: ReadingEffort) -> Bool {
        one.counts.lexicographicallyPrecedes(other.counts)
    }
}

extension Schedule {
    /// Whether two schedules fail in the same way: at one place, even if the messages differ; or with one message.
    func fails(like other: Schedule) -> Bool {
        guard case .failed = outcome, case .failed = other.outcome else { return outcome.isLike(other.outcome) }
        guard let place = failure?.location, let other = other.failure?.location else {
            return outcome.isLike(other.outcome) && failure == nil && other.failure == nil
        }
        return place == other
    }
}

/// A hash that is the same in every process and build, of numbers from a trusted source.
struct ScheduleHash: Equatable {
    private(set) var value: UInt64 = 0

    mutating func add(_ number: Int) {
        var mix = SplitMix(seed: value ^ UInt64(truncatingIfNeeded: number))
        value = mix.next()
    }
}

/// Numbers tasks from 1 on, in the order in which they first ran.
struct TaskNumbers {
    private var numbers: [UInt64: Int] = [:]

    func isKnown(_ owner: UInt64) -> Bool { numbers[owner] != nil }

    /// How many tasks have a number.
    var count: Int { numbers.count }

    mutating func number(of owner: UInt64) -> Int {
        if let number = numbers[owner] { return number }
        numbers[owner] = numbers.count + 1
        return numbers.count
    }
}

/// Records whether the body has returned, and the error that it has thrown.
final class BodyCompletion: Sendable {
    private struct State: Sendable {
        var isOver = false
        var error: String?
    }

    private let state = Lock(State())

    var isOver: Bool { state.withLock { $0.isOver } }
    var error: String? { state.withLock { $0.error } }

    func begin() { state.withLock { $0 = State() } }

    /// Runs the body to its end, and records how it ended.
    func run(_ body: ExplorationBody) async {
        let error: String?
        do {
            try await body()
            error = nil
        } catch let thrown {
            error = "threw \(thrown)"
        }
        state.withLock { $0 = State(isOver: true, error: error) }
    }
}

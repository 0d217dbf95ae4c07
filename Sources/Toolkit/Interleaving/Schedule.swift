import Digests
import Futures

/// What is explored.
typealias ExplorationBody = @Sendable () async throws -> Void

/// Runs a body once under the schedule that a chooser makes, on the calling thread.
protocol ScheduleRunner: AnyObject {
    /// How often something on another thread has resumed a task so far.
    var foreignResumes: Int { get }

    /// Notes which schedule comes next, should the program crash in it; the seed is the exploration's.
    func willRun(schedule number: Int, seed: UInt64)

    /// Runs the body once.
    ///
    /// Random numbers in the body are made of the seed, where they can be. `traces` says whether to record each step, and where tasks
    /// are stuck.
    func run(
        _ body: @escaping ExplorationBody, _ chooser: inout Chooser, seed: UInt64, stepLimit: Int, traces: Bool
    ) -> Schedule
}

/// A schedule that runs, as its body sees it.
protocol ScheduleHost: AnyObject {
    /// Notes that a check did not hold; the first counts.
    func fail(_ message: String)

    /// Resumes when nothing can run, before time goes on.
    func whenSettled(_ continuation: CheckedContinuation<Void, Never>)
}

extension ScheduleRunner {
    func willRun(schedule number: Int, seed: UInt64) {}
}

/// What came of one schedule.
struct Schedule {
    var outcome = Outcome.passed
    var choices: [Int] = []
    /// Tells schedules apart.
    var hash = XXH64()
    var trace = Trace()
    var output = ""

    /// Has a candidate chosen where there are several, and notes the choice.
    mutating func choose(among candidates: Candidates, by chooser: inout Chooser) -> Int {
        guard candidates.count > 1 else { return 0 }
        let choice = chooser.choose(candidates)
        choices.append(choice)
        hash.add(candidates.count)
        return choice
    }
}

/// The numbers of tasks, from 1 on, in the order in which they first ran.
struct TaskNumbers {
    private var numbers: [UInt64: Int] = [:]

    /// How many there are so far.
    var count: Int { numbers.count }

    mutating func number(of owner: UInt64) -> Int {
        if let number = numbers[owner] { return number }
        numbers[owner] = numbers.count + 1
        return numbers.count
    }
}

/// Whether the body has returned; told from within it.
final class Ending: Sendable {
    private struct State: Sendable {
        var isOver = false
        var error: String?
    }

    private let state = Lock(State())

    var isOver: Bool { state.withLock { $0.isOver } }
    var error: String? { state.withLock { $0.error } }

    func begin() { state.withLock { $0 = State() } }

    /// Runs the body to its end, and notes how it ended.
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

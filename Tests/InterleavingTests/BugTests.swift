import Foundation
import Interleaving
import Testing

/// The number of schedules that correct code must pass.
#if MEANWHILE_THREAD_SANITIZER
    private let schedules = 2_000
#else
    private let schedules = ProcessInfo.processInfo.environment["MEANWHILE_SOAK"] == "1" ? 100_000 : 2_000
#endif

/// A common mistake, and the same code without it.
struct Bug: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable () async throws -> Void

    let name: String
    let wrong: Body
    let right: Body

    var testDescription: String { name }

    init(_ name: String, wrong: @escaping Body, right: @escaping Body) {
        self.name = name
        self.wrong = wrong
        self.right = right
    }

    static let all = known + fromRealPrograms
}

@Suite(.timeLimit(.minutes(20))) struct BugTests {
    @Test(arguments: Bug.all) func bugIsFoundAndReplayed(_ bug: Bug) {
        let found = exploration(schedules: 20_000, patience: .milliseconds(1), bug.wrong)
        #expect(found.outcome != .passed)
        #expect(found.schedules < 5_000, "after \(found.schedules) schedules")
        // The replay code alone reproduces the reported failure.
        let again = exploration(
            .replay(found.replayCode ?? ""), seed: found.seed, patience: .milliseconds(1), bug.wrong)
        #expect(again.outcome == found.outcome, "\(found.report)")
        #expect(again.trace == found.trace)
    }

    @Test(arguments: Bug.all) func correctCodePassesEverySchedule(_ bug: Bug) {
        explore(schedules: schedules, bug.right)
    }

    @Test(arguments: Bug.all) func theSameSeedGivesTheSameSchedules(_ bug: Bug) {
        let first = exploration(schedules: 50, seed: 7, bug.right)
        let second = exploration(schedules: 50, seed: 7, bug.right)
        #expect(first.hash == second.hash)
    }
}

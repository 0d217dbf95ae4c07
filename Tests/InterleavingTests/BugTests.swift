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
    let faulty: Body
    let correct: Body

    var testDescription: String { name }

    init(_ name: String, faulty: @escaping Body, correct: @escaping Body) {
        self.name = name
        self.faulty = faulty
        self.correct = correct
    }

    static let all = known + fromRealPrograms
}

@Suite(.timeLimit(.minutes(20))) struct BugTests {
    @Test(arguments: Bug.all) func bugIsFoundAndReplayed(_ bug: Bug) {
        let found = exploration(schedules: 20_000, hangTimeout: .milliseconds(1), bug.faulty)
        #expect(found.outcome != .passed)
        #expect(found.schedules < 5_000, "after \(found.schedules) schedules")
        // The replay code alone reproduces the reported failure.
        let again = exploration(
            .replay(found.replayCode ?? ""), seed: found.seed, hangTimeout: .milliseconds(1), bug.faulty)
        #expect(again.outcome == found.outcome, "\(found.report)")
        #expect(again.trace == found.trace)
    }

    @Test(arguments: Bug.all) func correctCodePasses(_ bug: Bug) {
        explore(schedules: schedules, bug.correct)
    }

    @Test(arguments: Bug.all) func theSameSeedGivesTheSameSchedules(_ bug: Bug) {
        let first = exploration(schedules: 50, seed: 7, bug.correct)
        let second = exploration(schedules: 50, seed: 7, bug.correct)
        #expect(first.hash == second.hash)
    }
}

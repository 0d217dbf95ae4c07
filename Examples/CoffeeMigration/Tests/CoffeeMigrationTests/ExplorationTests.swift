import Interleaving
import Testing

@testable import AppDriver

/// Each scenario under many schedules of each step: the bug is found where it is said to be, and nowhere else.
@Suite(.timeLimit(.minutes(20))) struct ExplorationTests {
    /// How many schedules a step that is right must survive.
    private static let schedules = 300
    /// Within how many a bug must be found.
    private static let patience = 3_000

    @Test(arguments: Scenario.all, Step.all)
    func theBugIsWhereItIsSaidToBe(_ scenario: Scenario, _ step: Step) {
        if scenario.blocking.contains(step.number) { return }
        let isBroken = scenario.broken.contains(step.number)
        let found = exploration(schedules: isBroken ? Self.patience : Self.schedules) {
            check(try await scenario.holds(step), scenario.complaint)
        }
        #expect(found.outcome == (isBroken ? .failed(scenario.complaint) : .passed), "\(step.name): \(found.report)")
    }

    /// What an exploration reports of a bug can be run again by its code alone.
    @Test func aLostDrinkIsLostAgain() {
        guard let scenario = Scenario.all.first(where: { $0.complaint == "one of two added drinks is lost" }) else {
            Issue.record("the scenario has another name")
            return
        }
        let body: @Sendable () async throws -> Void = {
            check(try await scenario.holds(Step.all[10]), scenario.complaint)
        }
        let found = exploration(schedules: Self.patience, body)
        let again = exploration(.replay(found.replayCode ?? ""), seed: found.seed, body)
        #expect(again.outcome == .failed(scenario.complaint))
        #expect(again.trace == found.trace)
    }
}

extension Scenario: CustomTestStringConvertible {
    /// Its complaint.
    public var testDescription: String { complaint }
}

extension Step: CustomTestStringConvertible {
    /// Its folder.
    public var testDescription: String { name }
}

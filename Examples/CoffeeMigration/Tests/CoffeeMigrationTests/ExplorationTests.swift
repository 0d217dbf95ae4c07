import Interleaving
import Testing

@testable import AppDriver

/// Explores each scenario in each step: a bug must be found in the steps that have it, and in no others.
@Suite(.timeLimit(.minutes(20))) struct ExplorationTests {
    /// The number of schedules that a correct step must pass.
    private static let schedules = 300
    /// The number of schedules within which a bug must be found.
    private static let maximumSchedules = 3_000

    @Test(arguments: Scenario.all, Step.all)
    func bugIsFoundOnlyInItsSteps(_ scenario: Scenario, _ step: Step) {
        if scenario.blocking.contains(step.number) { return }
        let isBroken = scenario.broken.contains(step.number)
        let found = exploration(schedules: isBroken ? Self.maximumSchedules : Self.schedules) {
            check(try await scenario.holds(step), scenario.complaint)
        }
        #expect(found.outcome == (isBroken ? .failed(scenario.complaint) : .passed), "\(step.name): \(found.report)")
    }

    /// The replay code in the report of a bug is enough to reproduce it.
    @Test func replayCodeReproducesTheLostDrink() {
        guard let scenario = Scenario.all.first(where: { $0.complaint == "one of two added drinks is lost" }) else {
            Issue.record("the scenario has another name")
            return
        }
        let body: @Sendable () async throws -> Void = {
            check(try await scenario.holds(Step.all[10]), scenario.complaint)
        }
        let found = exploration(schedules: Self.maximumSchedules, body)
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

import Testing

@testable import AppDriver
@testable import CoffeeMigration

@Suite struct ProgramTests {
    private func numbers(_ arguments: [String]) -> [Int]? {
        if case .steps(let steps) = Request(arguments) { steps.map(\.number) } else { nil }
    }

    @Test func stepsAreChosenByNumber() {
        #expect(numbers([]) == Array(0...14))
        #expect(numbers(["--all"]) == Array(0...14))
        for number in 0...14 { #expect(numbers(["--step", "\(number)"]) == [number]) }
    }

    @Test(arguments: ["15", "-1", "five", "", "99999999999999999999"])
    func wrongStepIsNamedInTheError(_ number: String) {
        guard case .wrong(let message) = Request(["--step", number]) else {
            Issue.record("the step “\(number)” was accepted")
            return
        }
        #expect(message.contains("“\(number)”") && message.contains("from 0 to 14"))
    }

    @Test(arguments: [["--step"], ["5"], ["--step", "1", "2"], ["--steps", "1"]])
    func otherArgumentsAreRefused(_ arguments: [String]) {
        guard case .wrong(let message) = Request(arguments) else {
            Issue.record("\(arguments) were accepted")
            return
        }
        #expect(message.contains("Usage:"))
    }
}

import ArgumentParser
import Testing

@testable import Meanwhile

/// Tests the number of concurrent jobs of a worker.
@Suite struct JobSlotsTests {
    private static let waitingForServers: Set<JobKind> = [.capture, .pictureFetch]

    @Test func jobsThatWaitForServersHaveTheirOwnSlots() throws {
        let lanes = try JobSlots.parse([]).counts(environment: [:]).lanes
        for kind in JobKind.allCases {
            #expect(lanes[kind.lane] == (kind.needsBrowser ? 2 : 4), "\(kind)")
            let others = JobKind.allCases.filter { $0 != kind && $0.lane == kind.lane }
            #expect(others.isEmpty || !Self.waitingForServers.contains(kind), "\(kind), \(others)")
        }
    }

    @Test func optionsOverrideTheEnvironment() throws {
        let counts = try JobSlots.parse(["--browser-jobs", "3"]).counts(
            environment: ["MEANWHILE_BROWSER_JOBS": "5", "MEANWHILE_OTHER_JOBS": "6"])
        #expect(counts.arguments == ["--browser-jobs", "3", "--other-jobs", "6"])
    }

    @Test(arguments: ["0", "65", "-1", "two", "99999999999999999999"])
    func slotCountsOutOfRangeAreRefused(text: String) throws {
        let error = #expect(throws: ValidationError.self) {
            try JobSlots.parse([]).counts(environment: ["MEANWHILE_OTHER_JOBS": text])
        }
        #expect(error?.message.contains("MEANWHILE_OTHER_JOBS takes a number from 1 to 64") == true)
    }
}

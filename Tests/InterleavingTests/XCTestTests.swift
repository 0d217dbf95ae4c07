import Interleaving
import XCTest

/// Tests explorations from XCTest.
final class XCTestTests: XCTestCase {
    private var failures: [String]?

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        guard failures != nil else {
            super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
            return
        }
        failures?.append("\(filePath):\(lineNumber): \(description)")
    }

    func testAnExplorationPasses() {
        explore(schedules: 100) {
            await Task.yield()
            try await Task.sleep(for: .seconds(60))
        }
    }

    func testAnExplorationPassesFromAnAsyncTest() async {
        explore(.exhaustive(), schedules: 100) { await Task.yield() }
        await Task.yield()
    }

    func testAFailureIsRecorded() {
        failures = []
        explore(schedules: 10) { check(false, "it fails") }
        let line = #line - 1
        let seen = failures ?? []
        failures = nil
        XCTAssertEqual(seen.count, 1)
        XCTAssertTrue(seen.first?.contains("XCTestTests.swift:\(line):") == true, "\(seen)")
        XCTAssertTrue(seen.first?.contains("it fails · after 1 schedule") == true, "\(seen)")
    }
}

package import Foundation
import Futures

/// Whether tests run with their full counts; see script/soak.
package let isSoak = ProcessInfo.processInfo.environment["MEANWHILE_SOAK"] == "1"

/// A folder for one test, which is removed with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes the folder.
    package init() throws {
        path = NSTemporaryDirectory() + "meanwhile-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A date that stands still until a test moves it.
package final class ManualDate: Sendable {
    private let date: Lock<Date>

    package init(_ start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        date = Lock(start)
    }

    package var now: Date { date.withLock { $0 } }

    package func advance(by seconds: TimeInterval) {
        date.withLock { $0 += seconds }
    }

    package func set(_ new: Date) {
        date.withLock { $0 = new }
    }
}

/// Polls a condition that nothing tells of, until it holds.
///
/// - Parameter condition: The condition.
/// - Returns: Whether it holds: `false` if the task was cancelled first, because the test's time is up.
/// - Throws: What the condition throws.
@discardableResult
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    while try await !condition() {
        do { try await ContinuousClock().sleep(for: .milliseconds(2)) } catch { return false }
    }
    return true
}

package import Foundation
import Futures

/// Whether tests run with the larger counts of `script/soak`.
package let isSoak = ProcessInfo.processInfo.environment["MEANWHILE_SOAK"] == "1"

/// A temporary folder for one test, which is deleted with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Creates the folder.
    package init() throws {
        path = NSTemporaryDirectory() + "meanwhile-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A date that changes only when a test sets or advances it.
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

/// Polls until a condition holds, for changes that no notification reports.
///
/// - Parameter condition: The condition.
/// - Returns: Whether it holds; `false` if the task was cancelled first, because the test's time limit has passed.
/// - Throws: The errors of the condition.
@discardableResult
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    while try await !condition() {
        do { try await ContinuousClock().sleep(for: .milliseconds(2)) } catch { return false }
    }
    return true
}

/// The error of a condition that wasn't met in time.
package struct UnmetCondition: Error, CustomStringConvertible {
    package var description: String

    /// Creates the error with a description of the condition.
    package init(description: String) {
        self.description = description
    }
}

/// Polls until a condition holds, for conditions without a notification.
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - limit: The timeout; far more than the condition takes, for slow machines.
///   - condition: Checked every few milliseconds.
/// - Throws: ``UnmetCondition`` after the timeout, or the condition's error.
package func eventually(
    _ what: String, within limit: Duration = .seconds(300), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try await !condition() {
        guard clock.now < end else {
            throw UnmetCondition(description: "Timed out after \(limit) waiting until \(what).")
        }
        try await clock.sleep(for: .milliseconds(5))
    }
}

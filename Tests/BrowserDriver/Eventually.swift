/// A condition that did not come about.
package struct NeverCame: Error, CustomStringConvertible {
    package var description: String

    /// Says what did not come about.
    package init(description: String) {
        self.description = description
    }
}

/// Returns as soon as a condition holds that nothing can be told by.
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - limit: How long it may take; far more than it does, for slow machines.
///   - condition: Asked every few milliseconds.
/// - Throws: ``NeverCame`` when the time is up, or what the condition throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(300), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try await !condition() {
        guard clock.now < end else { throw NeverCame(description: "Waited \(limit) in vain until \(what).") }
        try await clock.sleep(for: .milliseconds(5))
    }
}

public import Interleaving
public import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// The result that a hunt expects.
public enum Expectation: Sendable {
    /// No schedule fails.
    case nothing
    /// A schedule fails, because of a bug.
    ///
    /// The outcome's summary contains the text, and the report is in `Hunts/reports`.
    case bug(_ text: String, report: String)
    /// A schedule fails, because of a bug that others have reported.
    ///
    /// The outcome's summary contains the text.
    case known(_ text: String, issue: String)
    /// A schedule fails, because the component is documented to behave like that.
    ///
    /// The outcome's summary contains the text. The explanation is printed in the table.
    case documented(_ text: String, explanation: String)
}

/// Explores one property of a component, prints the result for `Hunts/run`, and compares it with the expectation.
///
/// Unless a number is given, explores the number of schedules in the environment's `HUNT_SCHEDULES`, or 20,000. Unless
/// `preemptsAtLocks` is given, half of them interrupt running jobs where they use locks, and half don't.
///
/// - Parameters:
///   - component: The row in the table.
///   - property: The property that holds under every schedule.
///   - expectation: The expected result.
///   - strategy: How schedules are chosen.
///   - schedules: The maximum number of schedules.
///   - stepLimit: The number of steps after which a schedule counts as endless.
///   - allowsLeaks: Whether tasks may outlive the body.
///   - hangTimeout: How long, in real time, to wait for another thread when no task can run.
///   - preemptsAtLocks: Whether a running job can also be interrupted where it uses a lock; `nil` explores both.
///   - sourceLocation: Where an issue is recorded.
///   - body: The code to explore; it checks the property.
/// - Returns: The result of the exploration.
@discardableResult
public func hunt(
    _ component: String, _ property: String, expecting expectation: Expectation = .nothing,
    _ strategy: Strategy = .portfolio, schedules: Int? = nil, stepLimit: Int = 100_000, allowsLeaks: Bool = false,
    hangTimeout: Duration = .seconds(5), preemptsAtLocks: Bool? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async throws -> Void
) -> Exploration {
    let clock = ContinuousClock()
    let start = clock.now
    let modes = preemptsAtLocks.map { [$0] } ?? [false, true]
    var explorations: [Exploration] = []
    for mode in modes where explorations.allSatisfy({ $0.outcome == .passed }) {
        explorations.append(
            exploration(
                strategy, schedules: (schedules ?? defaultSchedules) / modes.count, stepLimit: stepLimit,
                allowsLeaks: allowsLeaks, hangTimeout: hangTimeout, preemptsAtLocks: mode, body))
    }
    let result = HuntResult(
        component: component, property: property, explorations: explorations, duration: clock.now - start,
        expectation: expectation)
    print(result.line)
    if let problem = result.problem {
        Issue.record(Comment(rawValue: "\(component): \(property)\n\(problem)"), sourceLocation: sourceLocation)
    }
    return explorations[explorations.count - 1]
}

private let defaultSchedules: Int =
    unsafe getenv("HUNT_SCHEDULES").flatMap { unsafe Int(String(cString: $0)) } ?? 20_000

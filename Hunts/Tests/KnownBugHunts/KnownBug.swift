import HuntSupport
import Interleaving
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A bug with a public description: code that has it, and a twin without it.
struct KnownBug: Sendable {
    typealias Body = @Sendable () async throws -> Void

    /// The time to wait for another thread before a schedule counts as hung; these bodies use no other thread.
    private static let hangTimeout = Duration.milliseconds(100)

    /// The repository and the number, as in the table.
    let reference: String
    /// The property that the bug breaks.
    let property: String
    /// The component whose own code is explored; `nil` for a reconstruction.
    var component: String?

    /// Checks that a schedule of the faulty code fails with this text in its summary.
    ///
    /// If the environment has `HUNT_REPORTS`, prints the report with the trace.
    @discardableResult
    func isFound(
        _ text: String, preemptsAtLocks: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ faulty: @escaping Body
    ) -> Exploration {
        let exploration = hunt(
            component ?? reference, property, expecting: .known(text, issue: reference),
            hangTimeout: Self.hangTimeout, preemptsAtLocks: preemptsAtLocks, sourceLocation: sourceLocation, faulty)
        if unsafe getenv("HUNT_REPORTS") != nil { print(exploration.report) }
        return exploration
    }

    /// Checks that no schedule of the correct code fails: neither with the strategy of ``isFound``, nor with two
    /// preemptions at most; unless `preemptsAtLocks` is given, with and without interruptions of running jobs.
    func isAbsent(
        preemptsAtLocks: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ correct: @escaping Body
    ) {
        for strategy in [Strategy.portfolio, .exhaustive(preemptions: 2)] {
            hunt(
                "\(reference), corrected", property, strategy, hangTimeout: Self.hangTimeout,
                preemptsAtLocks: preemptsAtLocks, sourceLocation: sourceLocation, correct)
        }
    }
}

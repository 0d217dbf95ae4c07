public import Testing

/// A trait that runs each test under many schedules; see ``Testing/Trait/explored(_:schedules:for:seed:stepLimit:allowsLeaks:hangTimeout:preemptsAtLocks:)``.
public struct ExplorationTrait: TestTrait, SuiteTrait {
    /// Distinguishes a test's own trait from that of its suite.
    private final class Identity: Sendable {}

    private let settings: ExplorationSettings
    private let identity = Identity()

    init(_ settings: ExplorationSettings) {
        self.settings = settings
    }

    /// Applies to the tests of nested suites too.
    public var isRecursive: Bool { true }
}

extension ExplorationTrait: TestScoping {
    /// Returns the trait for each case of a test; the innermost one, if suites and the test have several.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ExplorationTrait? {
        guard testCase != nil, !test.isSuite else { return nil }
        let innermost = test.traits.lazy.compactMap { $0 as? ExplorationTrait }.last
        return innermost?.identity === identity ? self : nil
    }

    /// Runs a test case under many schedules, and records an issue for the first one that fails.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A schedule that hangs retains the test's function for ever, which `withoutActuallyEscaping` doesn't allow.
        let body = escaping(function)
        let location = test.sourceLocation
        let place = ExplorationPlace(fileID: location.fileID, line: location.line, test: test.name)
        let exploration = try await IssueCapture.capturing(for: test, testCase: testCase) { [settings] in
            settings.explore(at: place) { try await body() }
        }
        guard exploration.outcome != .passed else { return }
        exploration.attachTimeline(at: location)
        if let issue = exploration.failure?.issue {
            await IssueCapture.record(issue, report: exploration.report)
        } else {
            Issue.record(
                Comment(rawValue: exploration.report),
                sourceLocation: exploration.failure?.location ?? location)
        }
    }
}

/// The arguments of an exploration.
struct ExplorationSettings: Sendable {
    var strategy: Strategy
    var schedules: Int
    var time: Duration?
    var seed: UInt64?
    var stepLimit: Int
    var allowsLeaks: Bool
    var hangTimeout: Duration
    var preemptsAtLocks: Bool

    fileprivate func explore(at place: ExplorationPlace, _ body: @escaping ExplorationBody) -> Exploration {
        explored(
            strategy, schedules: schedules, for: time, seed: seed, stepLimit: stepLimit, allowsLeaks: allowsLeaks,
            hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks, missing: RuntimeSupport.missing, place: place,
            body)
    }
}

/// Returns a closure as one that may escape.
///
/// Swift Testing passes one that it has allocated on the heap.
@_silgen_name("interleaving_escaping")
private func escaping(
    _ closure: @concurrent @Sendable () async throws -> Void
) -> @concurrent @Sendable () async throws -> Void

extension Trait where Self == ExplorationTrait {
    /// Runs each test under many schedules, and records an issue for the first one that fails.
    ///
    ///     @Test(.explored(schedules: 2_000)) func concurrentWithdrawalsLoseNoUpdate() async {
    ///         let bank = Bank(balance: 100)
    ///         async let first: Void = bank.withdraw(1)
    ///         async let second: Void = bank.withdraw(1)
    ///         _ = await (first, second)
    ///         #expect(await bank.balance == 98)
    ///     }
    ///
    /// The body of the test is the body of an exploration, as in
    /// `explore`. The suite's instance is created for each schedule. A failed expectation fails the schedule; only that of the minimised
    /// schedule is recorded, where it failed, with the report as a comment. Each case of a parameterised test is an
    /// exploration of its own.
    ///
    /// As the trait of a suite, it applies to all its tests, except those with such a trait of their own.
    ///
    /// - Parameters:
    ///   - strategy: How schedules are chosen.
    ///   - schedules: The maximum number of schedules.
    ///   - time: The maximum duration of all schedules together, in real time; `nil` means no limit.
    ///   - seed: The seed of random choices; `nil` takes `INTERLEAVING_SEED` from the environment, or 1.
    ///   - stepLimit: The number of steps after which a schedule counts as endless.
    ///   - allowsLeaks: Whether tasks may outlive the test's body.
    ///   - hangTimeout: How long, in real time, to wait for another thread to resume a task when no other task can run,
    ///     before the schedule counts as hung.
    ///   - preemptsAtLocks: Whether a running job can also be interrupted where it uses a lock.
    /// - Returns: The trait.
    public static func explored(
        _ strategy: Strategy = .portfolio, schedules: Int = 1_000, for time: Duration? = nil, seed: UInt64? = nil,
        stepLimit: Int = 100_000, allowsLeaks: Bool = false, hangTimeout: Duration = .seconds(5),
        preemptsAtLocks: Bool = false
    ) -> Self {
        ExplorationTrait(
            ExplorationSettings(
                strategy: strategy, schedules: schedules, time: time, seed: seed, stepLimit: stepLimit,
                allowsLeaks: allowsLeaks, hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks))
    }
}

public import Futures

/// Which errors a ``Loader`` retries, how often, and after which pauses.
///
/// ``RetryAdvising`` errors decide for themselves; for all others ``rule`` decides. The pauses grow, and a random part
/// of each is subtracted. The time that a server requests with `Retry-After` is added; if it is longer than
/// ``longestRetryAfter-swift.property``, the error is final.
public struct RetryPolicy: Sendable {
    /// The default attempts and pauses: at most three retries, after up to 1, 2 and 4 seconds.
    ///
    /// The numbers are those of TanStack Query, `min(1 s · 2ⁿ, 30 s)`
    /// (https://tanstack.com/query/latest/docs/framework/react/guides/query-retries). Any part of a pause may be
    /// subtracted: with this “full jitter”, clients that failed together recover with the least total work
    /// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    public static let retry = Retry(
        attempts: 4, backoff: Backoff(firstPause: .seconds(1), longestPause: .seconds(30), jitter: 1))

    /// The default pauses between probes while there is no network: 1 s, doubled each time up to 30 s, less a random
    /// part of up to half.
    public static let probing = Backoff(firstPause: .seconds(1), longestPause: .seconds(30), jitter: 0.5)

    /// The default limit of `Retry-After`: about as long as a person looks at a page that doesn't load.
    public static let longestRetryAfter = Duration.seconds(60)

    /// The number of attempts, and the pauses between them.
    public var retry: Retry
    /// The pauses between probes while there is no network; probing has no limit.
    public var probing: Backoff
    /// If a server requests a longer time than this, the error is final.
    public var longestRetryAfter: Duration
    /// Limits the retries of all loaders that share it; `nil` means no limit.
    public var budget: RetryBudget?
    /// Decides about errors that aren't ``RetryAdvising``.
    public var rule: @Sendable (any Error) -> RetryAdvice

    /// Creates a policy.
    ///
    /// By default it has a budget of its own, which all loaders with this policy share.
    public init(
        retry: Retry = Self.retry, probing: Backoff = Self.probing,
        longestRetryAfter: Duration = Self.longestRetryAfter, budget: RetryBudget? = RetryBudget(),
        rule: @escaping @Sendable (any Error) -> RetryAdvice = { _ in .never }
    ) {
        self.retry = retry
        self.probing = probing
        self.longestRetryAfter = longestRetryAfter
        self.budget = budget
        self.rule = rule
    }

    /// A policy without retries: every error is final.
    public static var never: RetryPolicy {
        RetryPolicy(retry: Retry(attempts: 1), budget: nil)
    }
}

/// What follows an attempt that failed.
enum RetryPlan: Sendable, Hashable {
    case giveUp
    case pause(Duration)
    /// Another attempt as soon as a connection can be made; the first probe follows after the given time.
    case awaitConnection(Duration)
}

extension RetryPolicy {
    /// Decides what follows a failed attempt; a retry after a pause is withdrawn from the budget.
    ///
    /// Attempts are counted from 1; `spent` is the total of all previous pauses. `offlineTries` counts the consecutive
    /// attempts and probes that found no network, and is `nil` without a probe.
    func plan(after error: any Error, attempt: Int, spent: Duration, offlineTries: Int?) -> RetryPlan {
        switch advice(about: error) {
        case .never:
            return .giveUp
        case .whenConnected:
            // A policy without retries doesn't wait for a network either.
            guard let offlineTries, retry.attempts > 1 else { return pause(.zero, attempt: attempt, spent: spent) }
            return .awaitConnection(probing.pause(after: offlineTries + 1))
        case .retry(let after):
            return pause(max(after ?? .zero, .zero), attempt: attempt, spent: spent)
        }
    }

    /// Adds the pause to the time that a server requested, so that not all clients retry at that moment.
    private func pause(_ asked: Duration, attempt: Int, spent: Duration) -> RetryPlan {
        guard asked <= longestRetryAfter, let pause = retry.pause(after: attempt, spent: spent + asked),
            budget?.withdraw() ?? true
        else { return .giveUp }
        return .pause(asked + pause)
    }

    private func advice(about error: any Error) -> RetryAdvice {
        if error is CancellationError { return .never }
        if let error = error as? any RetryAdvising { return error.retryAdvice }
        return rule(error)
    }
}

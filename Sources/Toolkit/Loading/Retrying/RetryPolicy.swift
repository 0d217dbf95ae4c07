public import Futures

/// After which errors, how often and how far apart a ``Loader`` tries again.
///
/// ``RetryAdvising`` errors say whether to try again; for others ``rule`` does. The pauses grow, and a random part of each is taken away;
/// the time that a server asks for with `Retry-After` comes on top, if it isn't too long.
public struct RetryPolicy: Sendable {
    /// The pauses between attempts, by default: at most three more, after up to 1, 2 and 4 seconds.
    ///
    /// The numbers are those of TanStack Query, `min(1 s · 2ⁿ, 30 s)`
    /// (https://tanstack.com/query/latest/docs/framework/react/guides/query-retries). Of each pause any part may be taken
    /// away: “full jitter”, with which many who failed together come back with the least work for all
    /// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    public static let retry = Retry(
        attempts: 4, backoff: Backoff(firstPause: .seconds(1), longestPause: .seconds(30), jitter: 1))

    /// The pauses between two tries to connect while there is no network, by default: 1 s, twice as long each time, up to
    /// 30 s, less up to half of it by chance.
    public static let probing = Backoff(firstPause: .seconds(1), longestPause: .seconds(30), jitter: 0.5)

    /// The longest time that a server may ask for, by default: about as long as a person looks at a page that isn't there.
    public static let longestRetryAfter = Duration.seconds(60)

    /// How many attempts there are, and the pauses between them.
    public var retry: Retry
    /// The pauses between two tries to connect while there is no network; they go on for as long as there is none.
    public var probing: Backoff
    /// If a server asks for a longer time than this, the error is final.
    public var longestRetryAfter: Duration
    /// Limits the retries of all loaders that share it; `nil` is without a limit.
    public var budget: RetryBudget?
    /// What to do about an error that does not say so itself.
    public var rule: @Sendable (any Error) -> RetryAdvice

    /// Creates a policy.
    ///
    /// The budget is one of its own by default, which all loaders with this policy share.
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

    /// Every error is final.
    public static var never: RetryPolicy {
        RetryPolicy(retry: Retry(attempts: 1), budget: nil)
    }
}

/// What follows an attempt that failed.
enum RetryPlan: Sendable, Hashable {
    case giveUp
    case pause(Duration)
    /// Another attempt as soon as a connection can be made; the first probe is after that time.
    case awaitConnection(Duration)
}

extension RetryPolicy {
    /// Decides what follows a failed attempt, and takes a retry out of the budget.
    ///
    /// Attempts count from 1; `spent` is all pauses before together; `rounds` counts the tries in a row that found no network, and is
    /// `nil` without a probe.
    func plan(after error: any Error, attempt: Int, spent: Duration, rounds: Int?) -> RetryPlan {
        switch advice(about: error) {
        case .never:
            return .giveUp
        case .whenConnected:
            // A policy without retries doesn't wait for a network either.
            guard let rounds, retry.attempts > 1 else { return pause(.zero, attempt: attempt, spent: spent) }
            return .awaitConnection(probing.pause(after: rounds + 1))
        case .retry(let after):
            return pause(max(after ?? .zero, .zero), attempt: attempt, spent: spent)
        }
    }

    /// The pause comes on top of the time that a server asked for, so that not all clients come at the moment that it named.
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

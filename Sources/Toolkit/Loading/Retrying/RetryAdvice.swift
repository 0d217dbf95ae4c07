/// What an error says about trying again.
public enum RetryAdvice: Sendable, Hashable, Codable {
    /// Trying again would end the same way.
    case never
    /// It may go better next time, after that time if one is known: what an HTTP server says in `Retry-After`.
    case retry(after: Duration?)
    /// There is no network: it may go better as soon as there is one.
    case whenConnected
}

/// An error that knows whether it is worth trying again.
public protocol RetryAdvising: Error {
    /// What to do about it.
    var retryAdvice: RetryAdvice { get }
}

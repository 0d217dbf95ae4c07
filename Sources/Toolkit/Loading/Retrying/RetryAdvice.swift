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

/// Finds out whether a source can be connected to again.
///
/// A ``Loader`` whose fetch failed with ``RetryAdvice/whenConnected`` asks one before it fetches again: connecting to the source's
/// host costs less than a request, and says more than whether there is some network.
public protocol ConnectionProbe<Source>: Sendable {
    /// Where values come from.
    associatedtype Source

    /// Tries to connect to where a source is.
    ///
    /// It must end by itself, within some seconds, and soon when its task is cancelled.
    ///
    /// - Parameter source: The source that is waited for.
    /// - Returns: Whether a connection could be made.
    func connect(to source: Source) async -> Bool
}

/// Whether, and when, to retry after an error.
public enum RetryAdvice: Sendable, Hashable, Codable {
    /// A retry would fail in the same way.
    case never
    /// A retry may succeed, after the given time if one is known, such as that of a `Retry-After` header.
    case retry(after: Duration?)
    /// There is no network: retry as soon as a connection can be made.
    case whenConnected
}

/// An error that says whether it is worth retrying.
public protocol RetryAdvising: Error {
    /// Whether, and when, to retry.
    var retryAdvice: RetryAdvice { get }
}

/// Checks whether a source can be reached.
///
/// After a fetch has failed with ``RetryAdvice/whenConnected``, a ``Loader`` probes before it fetches again: connecting
/// to the source's host costs less than a request, and shows that this host can be reached.
public protocol ConnectionProbe<Source>: Sendable {
    /// The type of the sources that are probed.
    associatedtype Source

    /// Tries to connect to the host of a source.
    ///
    /// It must end by itself within some seconds, and soon after its task is cancelled.
    ///
    /// - Parameter source: The source to connect to.
    /// - Returns: Whether a connection could be made.
    func connect(to source: Source) async -> Bool
}

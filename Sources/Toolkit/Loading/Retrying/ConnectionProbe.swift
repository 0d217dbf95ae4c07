/// Finds out whether there is a network again, as far as it matters for one source.
///
/// A ``Loader`` whose fetch failed with ``RetryAdvice/whenConnected`` asks one before it fetches again: a try to connect to
/// the source's host costs less than a request, and says more than whether some network is there.
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

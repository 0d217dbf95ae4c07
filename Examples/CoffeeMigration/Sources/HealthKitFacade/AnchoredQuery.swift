public import HealthSamples

/// Asks once for what has changed since an anchor; `HealthStore.execute` runs it.
public struct AnchoredQuery: Sendable {
    /// Told once: the samples that are new, those that are gone and where to go on; or an error, and none of these.
    public typealias ResultsHandler =
        @Sendable (
            _ samples: [Sample]?, _ deleted: [DeletedSample]?, _ newAnchor: Anchor?, _ error: (any Error)?
        ) -> Void

    let query: SampleQuery
    let anchor: Anchor?
    let limit: Int
    let resultsHandler: ResultsHandler

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - query: Which samples.
    ///   - anchor: Since when; `nil` for all.
    ///   - limit: The most changes.
    ///   - resultsHandler: Told what comes of it, once, on whatever queue it happens to be.
    public init(_ query: SampleQuery, anchor: Anchor?, limit: Int = 1_000, resultsHandler: @escaping ResultsHandler) {
        self.query = query
        self.anchor = anchor
        self.limit = limit
        self.resultsHandler = resultsHandler
    }
}

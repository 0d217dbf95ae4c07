public import HealthSamples

/// A query for the changes since an anchor, which `HealthStore.execute` runs once.
public struct AnchoredQuery: Sendable {
    /// Called once with the new samples, the deleted samples and the next anchor, or with an error and none of these.
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
    ///   - query: The samples to look for.
    ///   - anchor: The anchor to start from; `nil` for all samples.
    ///   - limit: The maximum number of changes.
    ///   - resultsHandler: Called once with the results, on an arbitrary queue.
    public init(_ query: SampleQuery, anchor: Anchor?, limit: Int = 1_000, resultsHandler: @escaping ResultsHandler) {
        self.query = query
        self.anchor = anchor
        self.limit = limit
        self.resultsHandler = resultsHandler
    }
}

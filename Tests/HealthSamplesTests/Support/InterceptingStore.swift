import ForwardingSamples
import Futures

@testable import HealthSamples

/// A store that runs a closure after reading each page of changes, before it returns the page.
final class InterceptingStore: ForwardingSampleStore {
    let base: any SampleStore
    private let afterPage: @Sendable (Int) async throws(SampleStoreError) -> Void
    private let pages = Lock(0)

    /// - Parameters:
    ///   - base: The store that receives the calls.
    ///   - afterPage: The closure to run after a page; its argument is the page's number, from 1 on.
    init(_ base: any SampleStore, afterPage: @escaping @Sendable (Int) async throws(SampleStoreError) -> Void) {
        self.base = base
        self.afterPage = afterPage
    }

    /// The number of pages read.
    var pageCount: Int { pages.withLock { $0 } }

    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        let page = try await base.changes(query, since: anchor, limit: limit, by: source)
        let number = pages.withLock { count -> Int in
            count += 1
            return count
        }
        try await afterPage(number)
        return page
    }

    func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor {
        try await base.latestAnchor(query, by: source)
    }
}

/// A page of what has changed since an ``Anchor``.
///
/// It has every change since, and possibly some from before; applying it twice changes nothing. A sample that was replaced by
/// another version is among the deleted and the added.
public struct SampleChanges: Hashable, Sendable {
    /// New samples and new versions, in the order in which they were saved.
    public var added: [Sample]
    /// Samples that are gone; the reader may never have been told of some.
    public var deleted: [DeletedSample]
    /// Where the next page begins: keep it together with what was made of this page.
    public var anchor: Anchor
    /// Whether there is another page now.
    public var hasMore: Bool

    /// Creates a page.
    public init(added: [Sample], deleted: [DeletedSample], anchor: Anchor, hasMore: Bool) {
        self.added = added
        self.deleted = deleted
        self.anchor = anchor
        self.hasMore = hasMore
    }

    /// Applies the deletions, then the additions, to the known samples; greater versions win.
    public func apply(to samples: inout [SampleKey: Sample]) {
        for gone in deleted {
            if let known = samples[gone.key], gone.removes(known.known) { samples[gone.key] = nil }
        }
        for sample in added {
            if let known = samples[sample.key]?.sync, let new = sample.sync, known.version > new.version { continue }
            samples[sample.key] = sample
        }
    }
}

/// How what an app knows differs from what a store has.
public struct SampleResync: Hashable, Sendable {
    /// Samples that were not known.
    public var added: [Sample]
    /// Samples of which the store has another version, possibly an older one.
    public var changed: [Sample]
    /// Known samples that the store does not have.
    public var deleted: [KnownSample]
    /// Where to read on: keep it together with what was made of the rest.
    public var anchor: Anchor

    /// Creates a result.
    public init(added: [Sample], changed: [Sample], deleted: [KnownSample], anchor: Anchor) {
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.anchor = anchor
    }

    /// How often ``SampleStore/resync(_:known:by:)`` begins at most.
    static let mostAttempts = 5
}

extension SampleStore {
    /// Compares what an app knows with what the store has, for an app whose anchor is lost, expired or another's.
    ///
    /// It reads page by page. If the source is allowed to see more meanwhile, its own anchor expires and it begins again, five
    /// times at most.
    ///
    /// - Parameters:
    ///   - query: Which samples.
    ///   - known: What the app knows of the samples that the query finds.
    ///   - source: The source that asks.
    /// - Returns: The differences, and an anchor to read on from.
    /// - Throws: ``SampleStoreError``: `anchorExpired` or `anchorMismatch` only if every attempt ended so.
    /// - Complexity: O(*n*) in all samples of the query, also in memory.
    public func resync(
        _ query: SampleQuery, known: [KnownSample], by source: SampleSource
    ) async throws(SampleStoreError) -> SampleResync {
        try await resync(query, known: known, by: source, pageSize: 10_000)
    }

    func resync(
        _ query: SampleQuery, known: [KnownSample], by source: SampleSource, pageSize: Int
    ) async throws(SampleStoreError) -> SampleResync {
        var attempts = 1
        while true {
            do throws(SampleStoreError) {
                return try await comparison(query, known, source, pageSize)
            } catch {
                guard error.asksForResync, attempts < SampleResync.mostAttempts else { throw error }
                attempts += 1
            }
        }
    }

    private func comparison(
        _ query: SampleQuery, _ known: [KnownSample], _ source: SampleSource, _ pageSize: Int
    ) async throws(SampleStoreError) -> SampleResync {
        var there: [SampleKey: Sample] = [:]
        var order: [SampleKey] = []
        var page = try await changes(query, since: nil, limit: pageSize, by: source)
        while true {
            page.apply(to: &there)
            order += page.added.map(\.key)
            guard page.hasMore else { break }
            page = try await changes(query, since: page.anchor, limit: pageSize, by: source)
        }
        let versions = Dictionary(known.map { ($0.key, $0) }) { _, last in last }
        var result = SampleResync(
            added: [], changed: [], deleted: known.filter { there[$0.key] == nil }, anchor: page.anchor)
        for key in order {
            // A sample that changed between two pages is in the order twice, and a deleted one is no longer there.
            guard let sample = there.removeValue(forKey: key) else { continue }
            guard let old = versions[key] else {
                result.added.append(sample)
                continue
            }
            if old != sample.known { result.changed.append(sample) }
        }
        return result
    }
}

/// A page of the changes since an ``Anchor``.
///
/// The pages together have every change since then, and may repeat older ones; applying a page twice has no further
/// effect. A sample that was replaced by another version appears in both ``deleted`` and ``added``.
public struct SampleChanges: Hashable, Sendable {
    /// New samples and new versions, in the order in which they were saved.
    public var added: [Sample]
    /// Deleted samples, possibly including some that the reader has never seen.
    public var deleted: [DeletedSample]
    /// Where the next page begins; store it in the same transaction as the data derived from this page.
    public var anchor: Anchor
    /// Whether another page is already available.
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
        for deletion in deleted {
            if let known = samples[deletion.key], deletion.removes(known.known) { samples[deletion.key] = nil }
        }
        for sample in added {
            if let known = samples[sample.key]?.sync, let new = sample.sync, known.version > new.version { continue }
            samples[sample.key] = sample
        }
    }
}

/// The differences between an app's samples and a store's.
public struct SampleResync: Hashable, Sendable {
    /// Samples that the app didn't know.
    public var added: [Sample]
    /// Samples for which the store has another version, possibly an older one.
    public var changed: [Sample]
    /// Known samples that the store doesn't have.
    public var deleted: [KnownSample]
    /// Where to continue reading; store it in the same transaction as the data derived from this result.
    public var anchor: Anchor

    /// Creates a result.
    public init(added: [Sample], changed: [Sample], deleted: [KnownSample], anchor: Anchor) {
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.anchor = anchor
    }

    /// The maximum number of attempts of ``SampleStore/resync(_:known:by:)``.
    static let maximumAttempts = 5
}

extension SampleStore {
    /// Compares an app's samples with the store's, for an app whose anchor is lost, expired or mismatched.
    ///
    /// It reads page by page. If the source is granted more access meanwhile, the anchor expires and the comparison restarts, for
    /// at most five attempts.
    ///
    /// - Parameters:
    ///   - query: The samples to compare.
    ///   - known: The samples matching the query that the app knows.
    ///   - source: The calling source.
    /// - Returns: The differences, and an anchor to continue from.
    /// - Throws: ``SampleStoreError``: `anchorExpired` or `anchorMismatch` only if the last attempt failed with it.
    /// - Complexity: O(*n*) in all samples of the query, in time and memory.
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
                guard error.requiresResync, attempts < SampleResync.maximumAttempts else { throw error }
                attempts += 1
            }
        }
    }

    private func comparison(
        _ query: SampleQuery, _ known: [KnownSample], _ source: SampleSource, _ pageSize: Int
    ) async throws(SampleStoreError) -> SampleResync {
        var stored: [SampleKey: Sample] = [:]
        var order: [SampleKey] = []
        var page = try await changes(query, since: nil, limit: pageSize, by: source)
        while true {
            page.apply(to: &stored)
            order += page.added.map(\.key)
            guard page.hasMore else { break }
            page = try await changes(query, since: page.anchor, limit: pageSize, by: source)
        }
        let versions = Dictionary(known.map { ($0.key, $0) }) { _, last in last }
        var result = SampleResync(
            added: [], changed: [], deleted: known.filter { stored[$0.key] == nil }, anchor: page.anchor)
        for key in order {
            // A sample that changed between two pages appears twice in `order`; a deleted one is no longer in `stored`.
            guard let sample = stored.removeValue(forKey: key) else { continue }
            guard let old = versions[key] else {
                result.added.append(sample)
                continue
            }
            if old != sample.known { result.changed.append(sample) }
        }
        return result
    }
}

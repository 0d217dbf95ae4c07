public import Foundation

/// A sample as somebody remembers it who has lost his anchor.
public struct KnownSample: Hashable, Sendable {
    /// Its number.
    public var id: UUID
    /// What its source calls it, and the version that is known.
    public var sync: SyncIdentity?
    /// Whose it is, by its identifier.
    public var source: String

    /// Creates it.
    public init(id: UUID, sync: SyncIdentity?, source: String) {
        self.id = id
        self.sync = sync
        self.source = source
    }

    /// What it is told by through all its versions.
    public var key: SampleKey {
        sync.map { .sync(source: source, identifier: $0.identifier) } ?? .id(id)
    }
}

extension Sample {
    /// What is to be remembered of it.
    public var known: KnownSample { KnownSample(id: id, sync: sync, source: source.identifier) }
}

/// How what is known differs from what is there.
public struct SampleResync: Hashable, Sendable {
    /// What was not known.
    public var added: [Sample]
    /// What is there in another version than is known, also in an older one.
    public var changed: [Sample]
    /// What is known and not there.
    public var deleted: [KnownSample]
    /// Where to go on: keep it together with what was made of the rest.
    public var anchor: Anchor

    /// Creates it.
    public init(added: [Sample], changed: [Sample], deleted: [KnownSample], anchor: Anchor) {
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.anchor = anchor
    }
}

extension SampleResync {
    /// How many samples are read at a time.
    static let pageSize = 10_000
    /// How often it is begun at most.
    static let mostAttempts = 5
}

extension SampleStore {
    /// Compares what is known with what is there: for those whose anchor is lost, expired or another's.
    ///
    /// It is read page by page. Where it cannot go on from one of its own pages, because the source was allowed to see
    /// more meanwhile, it begins anew: five attempts are made at most.
    ///
    /// - Parameters:
    ///   - query: Which samples.
    ///   - known: What of them is known; what was never of the query does not belong here.
    ///   - source: Who asks.
    /// - Returns: How they differ, and an anchor to go on with.
    /// - Throws: ``SampleStoreError``: `anchorExpired` or `anchorMismatch` only if every attempt came to that.
    /// - Complexity: O(*n*) in all samples of the query, also in memory.
    public func resync(
        _ query: SampleQuery, known: [KnownSample], by source: SampleSource
    ) async throws(SampleStoreError) -> SampleResync {
        try await resync(query, known: known, by: source, pageSize: SampleResync.pageSize)
    }

    /// Compares what is known with what is there, by pages of that size.
    func resync(
        _ query: SampleQuery, known: [KnownSample], by source: SampleSource, pageSize: Int
    ) async throws(SampleStoreError) -> SampleResync {
        var attempts = 1
        while true {
            do throws(SampleStoreError) {
                return try await comparison(query, known, source, pageSize)
            } catch {
                // It is what mends these, and would be of no use if it failed by them.
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
        var anchor: Anchor?
        while true {
            let page = try await changes(query, since: anchor, limit: pageSize, by: source)
            page.apply(to: &there)
            order += page.added.map(\.key)
            anchor = page.anchor
            guard page.hasMore else {
                return Self.difference(there, order, known, page.anchor)
            }
        }
    }

    private static func difference(
        _ there: [SampleKey: Sample], _ order: [SampleKey], _ known: [KnownSample], _ anchor: Anchor
    ) -> SampleResync {
        var there = there
        var result = SampleResync(added: [], changed: [], deleted: [], anchor: anchor)
        var versions: [SampleKey: KnownSample] = [:]
        for sample in known {
            versions[sample.key] = sample
            if there[sample.key] == nil { result.deleted.append(sample) }
        }
        for key in order {
            // What was deleted in the middle is not there, and what was changed there is there twice.
            guard let sample = there.removeValue(forKey: key) else { continue }
            guard let old = versions[key] else {
                result.added.append(sample)
                continue
            }
            if old.sync != sample.sync || old.id != sample.id { result.changed.append(sample) }
        }
        return result
    }
}

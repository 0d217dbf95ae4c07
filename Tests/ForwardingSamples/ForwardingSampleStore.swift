package import HealthSamples
package import Persistence

/// A store that forwards every call to another one, unless a test overrides the method.
package protocol ForwardingSampleStore: SampleStore {
    /// The store that receives the calls.
    var base: any SampleStore { get }
}

extension ForwardingSampleStore {
    package var isAvailable: Bool { base.isAvailable }

    package func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization {
        try await base.authorizationStatus(for: type, source: source)
    }

    package func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.requestAuthorization(toShare: toShare, read: read, source: source)
    }

    package func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.grant(access, to: types, source: source)
    }

    package func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.revoke(access, to: types, source: source)
    }

    package func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        try await base.authorizations()
    }

    package func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        try await base.save(samples, by: source)
    }

    package func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int {
        try await base.delete(selection, by: source)
    }

    package func samples(
        _ query: SampleQuery, by source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try await base.samples(query, by: source, limit: limit, order: order)
    }

    package func statistics(
        _ query: SampleQuery, perDay days: SampleDays, in unit: SampleUnit, by source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try await base.statistics(query, perDay: days, in: unit, by: source)
    }

    package func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try await base.changes(query, since: anchor, limit: limit, by: source)
    }

    package func updates(_ query: SampleQuery, by source: SampleSource) -> Updates<Set<SampleType>> {
        base.updates(query, by: source)
    }

    package func latestAnchor(_ query: SampleQuery, by source: SampleSource) async throws(SampleStoreError) -> Anchor {
        try await base.latestAnchor(query, by: source)
    }

    package func purge() async throws(SampleStoreError) -> Int {
        try await base.purge()
    }
}

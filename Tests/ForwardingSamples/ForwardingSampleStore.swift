package import Foundation
package import HealthSamples
package import Persistence

/// A store in front of another: what a test does not make different goes on to that one.
package protocol ForwardingSampleStore: SampleStore {
    /// The other one.
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

    package func save(_ samples: [Sample], as source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        try await base.save(samples, as: source)
    }

    package func delete(_ selection: SampleSelection, as source: SampleSource) async throws(SampleStoreError) -> Int {
        try await base.delete(selection, as: source)
    }

    package func samples(
        _ query: SampleQuery, as source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try await base.samples(query, as: source, limit: limit, order: order)
    }

    package func statistics(
        _ query: SampleQuery, by days: SampleDays, in unit: SampleUnit, as source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try await base.statistics(query, by: days, in: unit, as: source)
    }

    package func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, as source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try await base.changes(query, since: anchor, limit: limit, as: source)
    }

    package func updates(_ query: SampleQuery, as source: SampleSource) -> Updates<Set<SampleType>> {
        base.updates(query, as: source)
    }

    package func observer(_ name: String, as source: SampleSource) async throws(SampleStoreError) -> ObserverRecord? {
        try await base.observer(name, as: source)
    }

    package func keep(_ observer: SampleObserver, as source: SampleSource) async throws(SampleStoreError) {
        try await base.keep(observer, as: source)
    }

    package func acknowledge(
        _ anchor: Anchor, by observer: SampleObserver, as source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.acknowledge(anchor, by: observer, as: source)
    }

    package func noteDelivery(
        at date: Date, to observer: SampleObserver, as source: SampleSource
    ) async throws(SampleStoreError) -> ObserverRecord? {
        try await base.noteDelivery(at: date, to: observer, as: source)
    }

    package func removeObserver(_ name: String, as source: SampleSource) async throws(SampleStoreError) {
        try await base.removeObserver(name, as: source)
    }

    package func purge() async throws(SampleStoreError) -> Int {
        try await base.purge()
    }
}

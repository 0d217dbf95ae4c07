import Foundation
import Futures

@testable import HealthSamples

/// A store in which something happens after each page of changes, before it is told.
final class MeddledStore: SampleStore {
    private let base: any SampleStore
    private let meddle: @Sendable (Int) async throws(SampleStoreError) -> Void
    private let pages = Lock(0)

    /// - Parameters:
    ///   - base: What it is a store in front of.
    ///   - meddle: What happens after a page; it is given the page's number, from 1 on.
    init(_ base: any SampleStore, meddle: @escaping @Sendable (Int) async throws(SampleStoreError) -> Void) {
        self.base = base
        self.meddle = meddle
    }

    /// How many pages were read.
    var pageCount: Int { pages.withLock { $0 } }

    var isAvailable: Bool { base.isAvailable }

    func authorizationStatus(
        for type: SampleType, source: SampleSource
    ) async throws(SampleStoreError) -> WriteAuthorization {
        try await base.authorizationStatus(for: type, source: source)
    }

    func requestAuthorization(
        toShare: Set<SampleType>, read: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.requestAuthorization(toShare: toShare, read: read, source: source)
    }

    func grant(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.grant(access, to: types, source: source)
    }

    func revoke(
        _ access: SampleAccess, to types: Set<SampleType>, source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.revoke(access, to: types, source: source)
    }

    func authorizations() async throws(SampleStoreError) -> [SampleAuthorization] {
        try await base.authorizations()
    }

    func save(_ samples: [Sample], as source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        try await base.save(samples, as: source)
    }

    func delete(_ selection: SampleSelection, as source: SampleSource) async throws(SampleStoreError) -> Int {
        try await base.delete(selection, as: source)
    }

    func samples(
        _ query: SampleQuery, as source: SampleSource, limit: Int?, order: SampleOrder
    ) async throws(SampleStoreError) -> [Sample] {
        try await base.samples(query, as: source, limit: limit, order: order)
    }

    func statistics(
        _ query: SampleQuery, by days: SampleDays, in unit: SampleUnit, as source: SampleSource
    ) async throws(SampleStoreError) -> [DayStatistics] {
        try await base.statistics(query, by: days, in: unit, as: source)
    }

    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, as source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        let page = try await base.changes(query, since: anchor, limit: limit, as: source)
        let number = pages.withLock { count -> Int in
            count += 1
            return count
        }
        try await meddle(number)
        return page
    }

    func latestAnchor(_ query: SampleQuery, as source: SampleSource) async throws(SampleStoreError) -> Anchor {
        try await base.latestAnchor(query, as: source)
    }

    func updates(_ query: SampleQuery, as source: SampleSource) -> SampleUpdates {
        base.updates(query, as: source)
    }

    func observer(_ name: String, as source: SampleSource) async throws(SampleStoreError) -> ObserverRecord? {
        try await base.observer(name, as: source)
    }

    func keep(_ observer: SampleObserver, as source: SampleSource) async throws(SampleStoreError) {
        try await base.keep(observer, as: source)
    }

    func acknowledge(
        _ anchor: Anchor, by observer: SampleObserver, as source: SampleSource
    ) async throws(SampleStoreError) {
        try await base.acknowledge(anchor, by: observer, as: source)
    }

    func noteDelivery(
        at date: Date, to observer: SampleObserver, as source: SampleSource
    ) async throws(SampleStoreError) -> ObserverRecord? {
        try await base.noteDelivery(at: date, to: observer, as: source)
    }

    func removeObserver(_ name: String, as source: SampleSource) async throws(SampleStoreError) {
        try await base.removeObserver(name, as: source)
    }

    func purge() async throws(SampleStoreError) -> Int {
        try await base.purge()
    }
}

import CoffeeTrackerModel
import Foundation
import HealthSamples
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ends the process, as `kill -9` does, when it has come past so many points.
final class Fuse: Sendable {
    private let limit: Int
    private let passed = Atomic(0)

    /// - Parameter limit: The point that is the last; 0 for none.
    init(limit: Int = 0) {
        self.limit = limit
    }

    /// How many points were passed.
    var count: Int { passed.load(ordering: .acquiring) }

    /// A point at which the process may end.
    func point() {
        if passed.add(1, ordering: .acquiringAndReleasing).newValue == limit { _ = kill(getpid(), SIGKILL) }
    }

    /// Does something between two points.
    func between<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        point()
        let value = try await body()
        point()
        return value
    }
}

/// A store of drinks in whose use the process may end.
struct FusedStore: CoffeeStoring {
    let base: any CoffeeStoring
    let fuse: Fuse

    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await base.snapshot(since: start)
    }

    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await base.drinks(from: start, to: end)
    }

    func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await base.drinks(numbered: prefix)
    }

    func apply(_ changes: [DrinkChange], since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await fuse.between { () async throws(CoffeeError) in try await base.apply(changes, since: start) }
    }

    func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try await base.outbox()
    }

    func note(_ answers: [ToldDrink]) async throws(CoffeeError) {
        try await fuse.between { () async throws(CoffeeError) in try await base.note(answers) }
    }

    func anchor() async throws(CoffeeError) -> Anchor? {
        try await base.anchor()
    }

    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try await base.known(own: own)
    }

    func take(_ news: HealthNews, after anchor: Anchor?, own: SampleSource) async throws(CoffeeError) -> Bool {
        try await fuse.between { () async throws(CoffeeError) in
            try await base.take(news, after: anchor, own: own)
        }
    }

    func changes() -> CoffeeChanges { base.changes() }
}

/// A health store in whose use the process may end.
struct FusedSamples: SampleStore {
    let base: any SampleStore
    let fuse: Fuse
    /// What others do just before something is saved.
    var beforeSaving: @Sendable () async -> Void = {}

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
        await beforeSaving()
        return try await fuse.between { () async throws(SampleStoreError) in
            try await base.save(samples, as: source)
        }
    }

    func delete(_ selection: SampleSelection, as source: SampleSource) async throws(SampleStoreError) -> Int {
        try await fuse.between { () async throws(SampleStoreError) in
            try await base.delete(selection, as: source)
        }
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
        try await fuse.between { () async throws(SampleStoreError) in
            try await base.changes(query, since: anchor, limit: limit, as: source)
        }
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

import CoffeeTrackerModel
import ForwardingSamples
import Foundation
import HealthSamples
import Persistence
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ends the process, as `kill -9` does, after a number of points.
final class CrashInjector: Sendable {
    private let limit: Int
    private let passed = Atomic(0)

    /// - Parameter limit: The number of the last point; 0 for no limit.
    init(limit: Int = 0) {
        self.limit = limit
    }

    /// The number of points passed.
    var count: Int { passed.load(ordering: .acquiring) }

    /// A point at which the process may end.
    func point() {
        if passed.add(1, ordering: .acquiringAndReleasing).newValue == limit { _ = kill(getpid(), SIGKILL) }
    }

    /// Runs an operation between two points.
    func between<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        point()
        let value = try await body()
        point()
        return value
    }
}

/// A store of drinks whose calls are points at which the process may end.
struct CrashInjectingStore: CoffeeStoring {
    let base: any CoffeeStoring
    let injector: CrashInjector

    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await base.snapshot(since: start)
    }

    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await base.drinks(from: start, to: end)
    }

    func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await base.drinks(numbered: prefix)
    }

    func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit {
        try await injector.between { () async throws(CoffeeError) in try await base.apply(changes) }
    }

    func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try await base.outbox()
    }

    func note(_ answers: [ToldDrink]) async throws(CoffeeError) -> CoffeeCommit {
        try await injector.between { () async throws(CoffeeError) in try await base.note(answers) }
    }

    func progress() async throws(CoffeeError) -> HealthProgress {
        try await base.progress()
    }

    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try await base.known(own: own)
    }

    func take(
        _ news: HealthNews, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> CoffeeCommit? {
        try await injector.between { () async throws(CoffeeError) in
            try await base.take(news, after: anchor, own: own)
        }
    }

    func updates() -> Updates<Set<CoffeeCommit>> { base.updates() }
}

/// A health store whose calls are points at which the process may end.
struct CrashInjectingSamples: ForwardingSampleStore {
    let base: any SampleStore
    let injector: CrashInjector
    /// What other processes do just before a save.
    var beforeSaving: @Sendable () async -> Void = {}

    func save(_ samples: [Sample], by source: SampleSource) async throws(SampleStoreError) -> [SaveOutcome] {
        await beforeSaving()
        return try await injector.between { () async throws(SampleStoreError) in
            try await base.save(samples, by: source)
        }
    }

    func delete(_ selection: SampleSelection, by source: SampleSource) async throws(SampleStoreError) -> Int {
        try await injector.between { () async throws(SampleStoreError) in
            try await base.delete(selection, by: source)
        }
    }

    func changes(
        _ query: SampleQuery, since anchor: Anchor?, limit: Int, by source: SampleSource
    ) async throws(SampleStoreError) -> SampleChanges {
        try await injector.between { () async throws(SampleStoreError) in
            try await base.changes(query, since: anchor, limit: limit, by: source)
        }
    }
}

import Foundation
import HealthSamples
import MemoryStores
import Testing

@testable import CoffeeTrackerModel

/// Tests the faults of WWDC21's sample application: each is reproduced, and compared with this implementation.
@Suite(.timeLimit(.minutes(10))) struct SampleFaultsTests {
    static let caffeine = SampleQuery(types: [.dietaryCaffeine])

    /// A health store, the sample application's tracker and this app's store.
    struct TrackerComparison {
        let samples: MemorySampleStore
        var old: OldTracker
        let store = MemoryCoffeeStore()
        let time = TestTime()

        init() async throws {
            let time = time
            samples = MemorySampleStore(now: { time.now })
            for source in [SampleSource.coffeeTracker, .scale] {
                try await samples.grant(.share, to: [.dietaryCaffeine], source: source)
                try await samples.grant(.read, to: [.dietaryCaffeine], source: source)
            }
            old = OldTracker()
        }

        mutating func refresh() async throws {
            try await old.refresh(samples, now: time.now)
            _ = try await HealthKitController(samples: samples, store: store).sync()
        }

        var ourCount: Int { get async { await store.snapshot(since: .distantPast).drinks.count } }
    }

    @Test func batchThatOnlyAddsOrOnlyDeletesIsProcessed() async throws {
        // `guard !new.isEmpty && !deleted.isEmpty else { return }`
        var comparison = try await TrackerComparison()
        comparison.old.faults = [.needsBoth]
        try await comparison.samples.save([.scale(5)], by: .scale)
        try await comparison.refresh()
        #expect(comparison.old.drinks.isEmpty)
        #expect(await comparison.ourCount == 1)
        try await comparison.samples.delete(.ids([.test(5)]), by: .scale)
        try await comparison.refresh()
        #expect(await comparison.ourCount == 0)
    }

    @Test func onlyDeletedDrinksAreRemoved() async throws {
        // `drinks.filter { deleted.contains($0.uuid) }`
        var comparison = try await TrackerComparison()
        comparison.old.faults = [.keepsTheDeleted]
        try await comparison.samples.save([.scale(5), .scale(6)], by: .scale)
        try await comparison.refresh()
        try await comparison.samples.delete(.ids([.test(5)]), by: .scale)
        try await comparison.refresh()
        #expect(comparison.old.drinks.map(\.id) == [.test(5)])
        #expect(await comparison.store.snapshot(since: .distantPast).drinks.map(\.id) == [.test(6)])
    }

    @Test func crashBetweenAnchorAndDrinksLosesNoDrink() async throws {
        // The sample application stores the anchor before the model.
        var comparison = try await TrackerComparison()
        try await comparison.samples.save([.scale(5)], by: .scale)
        try await comparison.old.refresh(comparison.samples, now: comparison.time.now, crashesBeforeSaving: true)
        try await comparison.old.refresh(comparison.samples, now: comparison.time.now)
        #expect(comparison.old.drinks.isEmpty)
        // Here the changes are stored either together with their anchor or not at all: see SyncKillTests too.
        let page = try await comparison.samples.changes(Self.caffeine, since: nil, limit: 9, by: .coffeeTracker)
        #expect(await comparison.store.progress().anchor == nil)
        #expect(try await comparison.store.apply(.page(page), after: nil, own: .coffeeTracker) != nil)
        #expect(await comparison.store.progress().anchor == page.anchor)
        #expect(await comparison.ourCount == 1)
    }

    @Test func drinkDeletedBySyncIdentifierIsRemoved() async throws {
        // The sample application stores other apps' drinks by ID, and looks for them by sync identifier.
        var comparison = try await TrackerComparison()
        let identity = SyncIdentity(identifier: UUID.test(99).uuidString, version: 1)
        try await comparison.samples.save([.scale(5, sync: identity)], by: .scale)
        try await comparison.refresh()
        try await comparison.samples.delete(.syncIdentifiers([identity.identifier]), by: .scale)
        try await comparison.refresh()
        #expect(comparison.old.drinks.count == 1)
        #expect(await comparison.ourCount == 0)
    }

    @Test func lostAnchorDuplicatesNoDrink() async throws {
        // The sample application adds a repeated sample again.
        var comparison = try await TrackerComparison()
        try await comparison.samples.save([.scale(5)], by: .scale)
        try await comparison.refresh()
        comparison.old.anchor = nil
        try await comparison.old.refresh(comparison.samples, now: comparison.time.now)
        #expect(comparison.old.drinks.count == 2)
        let page = try await comparison.samples.changes(Self.caffeine, since: nil, limit: 9, by: .coffeeTracker)
        let anchor = await comparison.store.progress().anchor
        #expect(try await comparison.store.apply(.page(page), after: anchor, own: .coffeeTracker) != nil)
        #expect(await comparison.ourCount == 1)
    }

    @Test func ownDrinksAreRestoredAfterAReinstall() async throws {
        // The sample application drops samples of its own source.
        var comparison = try await TrackerComparison()
        let before = MemoryCoffeeStore()
        _ = try await before.apply([.add(.test(1, 96, at: TestTime.start))])
        _ = try await HealthKitController(samples: comparison.samples, store: before).sync()
        try await comparison.refresh()
        #expect(comparison.old.drinks.isEmpty)
        #expect(await comparison.store.snapshot(since: .distantPast).drinks.map(\.source) == [.own])
    }

    @Test func backdatedSampleIsNotSkipped() async throws {
        // The sample application asks for the last 24 hours, while the anchor advances past older samples.
        var comparison = try await TrackerComparison()
        comparison.time.advance(hours: 30)
        try await comparison.samples.save([.scale(5, at: TestTime.start)], by: .scale)
        try await comparison.refresh()
        #expect(comparison.old.drinks.isEmpty)
        #expect(await comparison.ourCount == 1)
        // A second refresh doesn't find it either: the anchor has passed it.
        try await comparison.refresh()
        #expect(comparison.old.drinks.isEmpty)
    }

    @Test func cupsAreResetAtMidnight() {
        // The sample application counts the cups of a timeline from the day on which it was created.
        let drink = Drink.test(1, 192, at: TestTime.start)
        let created = TestTime.start.addingTimeInterval(8 * 3600)
        let tomorrow = created.addingTimeInterval(6 * 3600)
        #expect(OldTracker.cups(of: [drink], createdAt: created) == 2)
        let entries = Timeline(drinks: [drink], settings: .sample, from: created).entries
        #expect(entries.first { $0.date >= tomorrow }?.cups == 0)
    }

    @Test func drinkStillCountsAfterTwentyFourHours() {
        let drink = Drink.test(1, 256, at: TestTime.start)
        let later = TestTime.start.addingTimeInterval(24 * 3600 + 1)
        #expect(OldTracker.dose(of: [drink], at: later) == 0)
        #expect(CoffeeSettings.sample.level.milligrams(at: later, of: [drink]) > 9)
    }
}

/// The sample application's handling of changes, with its faults.
struct OldTracker {
    enum Fault { case needsBoth, keepsTheDeleted }

    var drinks: [Drink] = []
    var anchor: Anchor?
    var faults: Set<Fault> = []

    mutating func refresh(_ samples: MemorySampleStore, now: Date, crashesBeforeSaving: Bool = false) async throws {
        let page = try await samples.changes(
            SampleQuery(types: [.dietaryCaffeine]), since: anchor, limit: 1000, by: .coffeeTracker)
        anchor = page.anchor
        if crashesBeforeSaving { return }
        let since = now.addingTimeInterval(-24 * 3600)
        // The predicate and filter: the last day, and samples of other apps only, which are identified by their ID.
        let new = page.added.filter { $0.start >= since && $0.source != .coffeeTracker }
            .compactMap { Drink($0, id: $0.id, source: .own) }
        let deleted = page.deleted.map { gone in gone.sync.flatMap { UUID(uuidString: $0.identifier) } ?? gone.id }
        if faults.contains(.needsBoth), new.isEmpty || deleted.isEmpty { return }
        if !deleted.isEmpty {
            let keeps = faults.contains(.keepsTheDeleted)
            drinks = drinks.filter { deleted.contains($0.id) == keeps }
        }
        drinks += new
    }

    /// The cups in every entry of a timeline that was created at a date.
    static func cups(of drinks: [Drink], createdAt date: Date) -> Double {
        let midnight = DayCounting(zone: .gmt).beginning(of: DayCounting(zone: .gmt).day(of: date))
        return drinks.filter { $0.start >= midnight }.reduce(0) { $0 + $1.milligrams } / 96
    }

    /// The remaining dose of the last day's drinks.
    static func dose(of drinks: [Drink], at date: Date) -> Double {
        drinks.filter { $0.start > date.addingTimeInterval(-24 * 3600) }
            .reduce(0) { $0 + $1.milligrams * pow(0.5, date.timeIntervalSince($1.start) / 18_000) }
    }
}

import Foundation
import HealthSamples
import MemoryStores
import Testing

@testable import CoffeeTrackerModel

/// The faults of the sample application: each is done as it did it, which is wrong, and as it is done here.
@Suite(.timeLimit(.minutes(10))) struct SampleFaultsTests {
    static let caffeine = SampleQuery(types: [.dietaryCaffeine])

    /// A health store, what the sample application makes of it, and what is made of it here.
    struct Both {
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

        var ours: Int { get async { await store.snapshot(since: .distantPast).drinks.count } }
    }

    @Test func aBatchThatOnlyAddsOrOnlyDeletesCounts() async throws {
        // `guard !new.isEmpty && !deleted.isEmpty else { return }`
        var both = try await Both()
        both.old.faults = [.needsBoth]
        try await both.samples.save([.scale(5)], by: .scale)
        try await both.refresh()
        #expect(both.old.drinks.isEmpty)
        #expect(await both.ours == 1)
        try await both.samples.delete(.ids([.test(5)]), by: .scale)
        try await both.refresh()
        #expect(await both.ours == 0)
    }

    @Test func whatIsDeletedGoesAndTheRestStays() async throws {
        // `drinks.filter { deleted.contains($0.uuid) }`
        var both = try await Both()
        both.old.faults = [.keepsTheDeleted]
        try await both.samples.save([.scale(5), .scale(6)], by: .scale)
        try await both.refresh()
        try await both.samples.delete(.ids([.test(5)]), by: .scale)
        try await both.refresh()
        #expect(both.old.drinks.map(\.id) == [.test(5)])
        #expect(await both.store.snapshot(since: .distantPast).drinks.map(\.id) == [.test(6)])
    }

    @Test func aCrashBetweenAnchorAndDrinksLosesNothing() async throws {
        // The anchor is kept before the model is saved.
        var both = try await Both()
        try await both.samples.save([.scale(5)], by: .scale)
        try await both.old.refresh(both.samples, now: both.time.now, diesBeforeSaving: true)
        try await both.old.refresh(both.samples, now: both.time.now)
        #expect(both.old.drinks.isEmpty)
        // Here what was heard is not taken over at all, or with its anchor: see SyncKillTests too.
        let page = try await both.samples.changes(Self.caffeine, since: nil, limit: 9, by: .coffeeTracker)
        #expect(await both.store.progress().anchor == nil)
        #expect(try await both.store.take(.page(page), after: nil, own: .coffeeTracker) != nil)
        #expect(await both.store.progress().anchor == page.anchor)
        #expect(await both.ours == 1)
    }

    @Test func whatIsDeletedByItsSyncIdentifierIsFound() async throws {
        // Others' drinks are kept by their number, and looked for by their sync identifier.
        var both = try await Both()
        let identity = SyncIdentity(identifier: UUID.test(99).uuidString, version: 1)
        try await both.samples.save([.scale(5, sync: identity)], by: .scale)
        try await both.refresh()
        try await both.samples.delete(.syncIdentifiers([identity.identifier]), by: .scale)
        try await both.refresh()
        #expect(both.old.drinks.count == 1)
        #expect(await both.ours == 0)
    }

    @Test func aLostAnchorDoublesNothing() async throws {
        // What comes again is added again.
        var both = try await Both()
        try await both.samples.save([.scale(5)], by: .scale)
        try await both.refresh()
        both.old.anchor = nil
        try await both.old.refresh(both.samples, now: both.time.now)
        #expect(both.old.drinks.count == 2)
        let page = try await both.samples.changes(Self.caffeine, since: nil, limit: 9, by: .coffeeTracker)
        let anchor = await both.store.progress().anchor
        #expect(try await both.store.take(.page(page), after: anchor, own: .coffeeTracker) != nil)
        #expect(await both.ours == 1)
    }

    @Test func afterAReinstallOwnDrinksAreThere() async throws {
        // What is of its own source is dropped.
        var both = try await Both()
        let before = MemoryCoffeeStore()
        _ = try await before.apply([.add(.test(1, 96, at: TestTime.start))])
        _ = try await HealthKitController(samples: both.samples, store: before).sync()
        try await both.refresh()
        #expect(both.old.drinks.isEmpty)
        #expect(await both.store.snapshot(since: .distantPast).drinks.map(\.source) == [.own])
    }

    @Test func whatIsBackdatedIsNotSkipped() async throws {
        // The last 24 hours are asked for, and the anchor goes past what lies before.
        var both = try await Both()
        both.time.advance(hours: 30)
        try await both.samples.save([.scale(5, at: TestTime.start)], by: .scale)
        try await both.refresh()
        #expect(both.old.drinks.isEmpty)
        #expect(await both.ours == 1)
        // Not even if it is looked at again: the anchor has passed it.
        try await both.refresh()
        #expect(both.old.drinks.isEmpty)
    }

    @Test func yesterdaysCupsAreNotTodays() {
        // Cups of a timeline are counted from the day on which it was made.
        let drink = Drink.test(1, 192, at: TestTime.start)
        let made = TestTime.start.addingTimeInterval(8 * 3600)
        let tomorrow = made.addingTimeInterval(6 * 3600)
        #expect(OldTracker.cups(of: [drink], madeAt: made) == 2)
        let entries = Timeline(drinks: [drink], settings: .sample, from: made).entries
        #expect(entries.first { $0.date >= tomorrow }?.cups == 0)
    }

    @Test func adrinkDoesNotVanishAtTwentyFourHours() {
        let drink = Drink.test(1, 256, at: TestTime.start)
        let later = TestTime.start.addingTimeInterval(24 * 3600 + 1)
        #expect(OldTracker.dose(of: [drink], at: later) == 0)
        #expect(CoffeeSettings.sample.level.milligrams(at: later, of: [drink]) > 9)
    }
}

/// What the sample application does with what it hears, and which of its faults it has.
struct OldTracker {
    enum Fault { case needsBoth, keepsTheDeleted }

    var drinks: [Drink] = []
    var anchor: Anchor?
    var faults: Set<Fault> = []

    mutating func refresh(_ samples: MemorySampleStore, now: Date, diesBeforeSaving: Bool = false) async throws {
        let page = try await samples.changes(
            SampleQuery(types: [.dietaryCaffeine]), since: anchor, limit: 1000, by: .coffeeTracker)
        anchor = page.anchor
        if diesBeforeSaving { return }
        let since = now.addingTimeInterval(-24 * 3600)
        // Its predicate and its filter: the last day, and not by itself. It is known by its number.
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

    /// Cups as every entry of a timeline has them that is made then.
    static func cups(of drinks: [Drink], madeAt date: Date) -> Double {
        let midnight = DayCounting(zone: .gmt).beginning(of: DayCounting(zone: .gmt).day(of: date))
        return drinks.filter { $0.start >= midnight }.reduce(0) { $0 + $1.milligrams } / 96
    }

    /// What is left of the drinks of the last day.
    static func dose(of drinks: [Drink], at date: Date) -> Double {
        drinks.filter { $0.start > date.addingTimeInterval(-24 * 3600) }
            .reduce(0) { $0 + $1.milligrams * pow(0.5, date.timeIntervalSince($1.start) / 18_000) }
    }
}

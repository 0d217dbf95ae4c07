import Foundation
import HealthSamples
import Interleaving
import MemoryStores
import Persistence
import StoreTesting
import Testing

@testable import CoffeeTrackerModel

/// Explores adding, editing and syncing under many schedules: no drink is lost or duplicated, and all stores converge.
@Suite(.timeLimit(.minutes(20))) struct CoffeeExplorations {
    private static let schedules = isSoak ? 20_000 : 300
    private static let now = moment("2026-03-14 12:00")

    private static func healthStore() async throws -> MemorySampleStore {
        let samples = MemorySampleStore(now: { now })
        for source in [SampleSource.coffeeTracker, .scale] {
            try await samples.grant(.share, to: [.dietaryCaffeine], source: source)
            try await samples.grant(.read, to: [.dietaryCaffeine], source: source)
        }
        return samples
    }

    @MainActor
    private static func data(_ store: MemoryCoffeeStore, _ samples: MemorySampleStore?) -> CoffeeData {
        var configuration = CoffeeData.Configuration()
        configuration.now = { now }
        let health = samples.map { HealthKitController(samples: $0, store: store) }
        return CoffeeData(owner: "ann", store: store, health: health, configuration: configuration)
    }

    /// Checks that the store and the health store have the same drinks.
    private static func compare(_ store: MemoryCoffeeStore, _ samples: MemorySampleStore) async throws {
        // A last round without concurrent changes.
        let controller = HealthKitController(samples: samples, store: store)
        _ = try await controller.sync()
        _ = try await controller.sync()
        let snapshot = await store.snapshot(since: .distantPast)
        let healthSamples = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
        check(snapshot.unsyncedCount == 0, "\(snapshot.unsyncedCount) drinks are not synced")
        let drinks = snapshot.drinks.map { "\($0.source.name) \($0.milligrams)" }.sorted()
        let inHealthStore = healthSamples.map { "\($0.source.name) \($0.quantity.value)" }.sorted()
        check(drinks == inHealthStore, "the store has \(drinks), and the health store has \(inHealthStore)")
    }

    @Test func concurrentAddsStoreBothDrinks() {
        explore(schedules: Self.schedules) {
            let store = MemoryCoffeeStore()
            let data = await Self.data(store, nil)
            async let one = data.add(.sample("small-coffee"), id: .test(1))
            async let two = data.add(.sample("black-tea"), id: .test(2))
            async let reading: Void = data.reload()
            _ = try await (one, two, reading)
            let shown = await data.drinks
            let stored = await store.snapshot(since: .distantPast).drinks
            check(
                shown == stored && shown.count == 2, "\(shown.count) drinks are shown, and \(stored.count) are stored")
            check(await data.isSaved, "a change is not saved")
        }
    }

    @Test func drinkAddedDuringSyncIsSavedOnce() {
        explore(schedules: Self.schedules) {
            let (store, samples) = (MemoryCoffeeStore(), try await Self.healthStore())
            let data = await Self.data(store, nil)
            let controllers = (0..<2).map { _ in HealthKitController(samples: samples, store: store) }
            async let adding: Void = Self.addAndEdit(data)
            async let first = controllers[0].sync()
            async let second = controllers[1].sync()
            async let other = samples.save([.scale(5)], by: .scale)
            _ = try await (adding, first, second, other)
            try await Self.compare(store, samples)
            check(await store.snapshot(since: .distantPast).drinks.count == 2, "there are not two drinks")
        }
    }

    @MainActor
    private static func addAndEdit(_ data: CoffeeData) async throws {
        let drink = try await data.add(.sample("small-coffee"), id: .test(1))
        var changed = drink
        changed.milligrams = 50
        try await data.edit(changed, over: drink)
    }

    @Test func deleteAndUndoDuringTwoSyncsConverge() {
        explore(schedules: Self.schedules) {
            let (store, samples) = (MemoryCoffeeStore(), try await Self.healthStore())
            let data = await Self.data(store, nil)
            let controllers = (0..<2).map { _ in HealthKitController(samples: samples, store: store) }
            try await data.add(.sample("small-coffee"), id: .test(1))
            _ = try await controllers[0].sync()
            async let undoing: Void = Self.deleteAndUndo(data)
            async let first = controllers[0].sync()
            async let second = controllers[1].sync()
            _ = try await (undoing, first, second)
            try await Self.compare(store, samples)
            check(await store.snapshot(since: .distantPast).drinks.count == 1, "the drink is missing")
        }
    }

    @MainActor
    private static func deleteAndUndo(_ data: CoffeeData) async throws {
        guard let drink = data.drink(.test(1)) else { return }
        try await data.delete(drink)
        try await data.undo()
    }

    @Test func editAndDeleteByTwoInstallationsConverge() {
        explore(schedules: Self.schedules) {
            let samples = try await Self.healthStore()
            let stores = [MemoryCoffeeStore(), MemoryCoffeeStore()]
            let controllers = stores.map { HealthKitController(samples: samples, store: $0) }
            _ = try await stores[0].apply([.add(.test(1, 96, at: Self.now))])
            for controller in controllers { _ = try await controller.sync() }
            async let one: Void = Self.change(stores[0], to: 10, controllers[0])
            async let two: Void = Self.change(stores[1], to: nil, controllers[1])
            _ = try await (one, two)
            for _ in 0..<3 {
                for controller in controllers { _ = try await controller.sync() }
            }
            for store in stores { try await Self.compare(store, samples) }
        }
    }

    @Test func editsByTwoInstallationsMatchTheHealthStore() {
        explore(schedules: Self.schedules) {
            let samples = try await Self.healthStore()
            let stores = [MemoryCoffeeStore(), MemoryCoffeeStore()]
            let controllers = stores.map { HealthKitController(samples: samples, store: $0) }
            _ = try await stores[0].apply([.add(.test(1, 96, at: Self.now))])
            for controller in controllers { _ = try await controller.sync() }
            async let one: Void = Self.change(stores[0], to: 10, controllers[0])
            async let two: Void = Self.change(stores[1], to: 20, controllers[1])
            _ = try await (one, two)
            // A store that has sent the health store's current version must have the same content.
            let stored = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
            check(stored.count == 1, "the health store has \(stored.count) drinks")
            for store in stores {
                let snapshot = await store.snapshot(since: .distantPast)
                let sentVersion = await store.known(own: .coffeeTracker).first?.sync?.version
                guard snapshot.unsyncedCount == 0, sentVersion == stored.first?.sync?.version else { continue }
                let (drink, sample) = (snapshot.drinks.first?.milligrams, stored.first?.quantity.value)
                check(
                    drink == sample,
                    "\(drink ?? 0) mg was saved as version \(sentVersion ?? 0), "
                        + "and the health store has \(sample ?? 0) mg")
            }
            for controller in controllers { _ = try await controller.sync() }
            for store in stores { try await Self.compare(store, samples) }
        }
    }

    /// Another installation has changed and then deleted the drink.
    ///
    /// An edit here is refused, or it keeps the drink.
    @Test func editDuringASyncThatMissesTheDrinkIsNotLost() {
        explore(schedules: Self.schedules) {
            let samples = try await Self.healthStore()
            let stores = [MemoryCoffeeStore(), MemoryCoffeeStore()]
            let controllers = stores.map { HealthKitController(samples: samples, store: $0) }
            _ = try await stores[0].apply([.add(.test(1, 96, at: Self.now))])
            for controller in controllers { _ = try await controller.sync() }
            for milligrams in [20, 30, nil] as [Double?] {
                try await Self.change(stores[1], to: milligrams, controllers[1])
            }
            // The anchor becomes invalid, so the first installation reads everything, and misses the drink.
            try await samples.revoke(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
            try await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
            async let editing = try? await stores[0].apply([.put(.test(1, 10, at: Self.now))])
            async let syncing = controllers[0].sync()
            let (edited, _) = try await (editing, syncing)
            try await Self.compare(stores[0], samples)
            let stored = await stores[0].snapshot(since: .distantPast).drinks.map(\.milligrams)
            check(stored == (edited == nil ? [] : [10]), "the store has \(stored)")
        }
    }

    private static func change(
        _ store: MemoryCoffeeStore, to milligrams: Double?, _ controller: HealthKitController
    ) async throws {
        let change = milligrams.map { DrinkChange.put(.test(1, $0, at: now)) } ?? .delete(.test(1))
        // The other installation may have deleted the drink meanwhile.
        _ = try? await store.apply([change])
        _ = try await controller.sync()
    }

    @Test func permissionRevokedDuringSyncLosesNoDrink() {
        explore(schedules: Self.schedules) {
            let (store, samples) = (MemoryCoffeeStore(), try await Self.healthStore())
            let controller = HealthKitController(samples: samples, store: store)
            _ = try await store.apply([.add(.test(1, 96, at: Self.now))])
            async let revoking: Void = samples.revoke(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
            async let syncing = controller.sync()
            let (report, _) = try await (syncing, revoking)
            let count = await store.snapshot(since: .distantPast).unsyncedCount
            check(report.maySave == (count == 0), "may save: \(report.maySave), and \(count) drinks are not synced")
            try await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
            try await Self.compare(store, samples)
        }
    }

    @Test func drinkAddedDuringRefreshIsSavedAndShown() {
        explore(schedules: Self.schedules) {
            let (store, samples) = (MemoryCoffeeStore(), try await Self.healthStore())
            let data = await Self.data(store, samples)
            async let adding: Void = Self.addAndEdit(data)
            async let other = samples.save([.scale(5)], by: .scale)
            async let refreshing: Void = data.refresh()
            _ = try await (adding, other, refreshing)
            try await data.refresh()
            await waitForOtherTasks()
            await data.close()
            let shown = await data.drinks
            let stored = await store.snapshot(since: .distantPast).drinks
            check(
                shown == stored && shown.count == 2, "\(shown.count) drinks are shown, and \(stored.count) are stored")
            try await Self.compare(store, samples)
        }
    }
}

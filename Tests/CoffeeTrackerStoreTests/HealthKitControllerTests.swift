import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import HealthSamples
import Testing

/// Tests that drinks and the health store converge, whatever happens during a sync.
@Suite(.timeLimit(.minutes(10))) struct HealthKitControllerTests {
    /// A health store that both sources may write and the app may read.
    static func healthStore() async throws -> MemorySampleStore {
        let samples = MemorySampleStore(consent: .always)
        try await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await samples.grant(.share, to: [.dietaryCaffeine], source: .scale)
        return samples
    }

    static let caffeine = SampleQuery(types: [.dietaryCaffeine])

    private func savedSamples(_ samples: any SampleStore) async throws -> [String] {
        try await samples.samples(Self.caffeine, by: .coffeeTracker).map {
            "\($0.sync?.identifier ?? "-") v\($0.sync?.version ?? 0) \($0.quantity.value)"
        }.sorted()
    }

    private func line(_ number: Int, _ version: Int, _ milligrams: Double = 96) -> String {
        "\(UUID.test(number).uuidString) v\(version) \(milligrams)"
    }

    @Test(arguments: StoreKind.allCases)
    func addedDrinkIsSavedOnce(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)))
        let report = try await controller.sync()
        #expect(report.sentCount == 2 && report.maySave && report.refused.isEmpty)
        #expect(try await savedSamples(samples) == [line(1, 1), line(2, 1)])
        #expect(try await fixture.store.everything().unsyncedCount == 0)
        #expect(try await controller.sync().sentCount == 0)
        #expect(try await fixture.store.everything().drinks.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func editsAndDeletionsAreSynced(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)))
        _ = try await controller.sync()
        try await fixture.store.apply(.put(.test(1, 50)), .delete(.test(2)))
        _ = try await controller.sync()
        #expect(try await savedSamples(samples) == [line(1, 2, 50)])
        #expect(try await fixture.store.everything().unsyncedCount == 0)
        // The deletion is undone.
        try await fixture.store.apply(.put(.test(2), over: .exactly(nil)))
        _ = try await controller.sync()
        #expect(try await savedSamples(samples) == [line(1, 2, 50), line(2, 3)])
        _ = try await controller.sync()
        #expect(try await fixture.store.everything().drinks.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func samplesOfOtherSourcesAreAddedAndRemoved(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await samples.save([.scale(5), .scale(6, sync: SyncIdentity(identifier: "x", version: 1))], by: .scale)
        _ = try await controller.sync()
        #expect(try await fixture.store.everything().drinks.count == 2)
        try await samples.save([.scale(7, 70, sync: SyncIdentity(identifier: "x", version: 2))], by: .scale)
        try await samples.delete(.ids([.test(5)]), by: .scale)
        _ = try await controller.sync()
        #expect(try await fixture.store.everything().drinks.map(\.milligrams) == [70])
        #expect(try await fixture.store.everything().unsyncedCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func drinksAreRestoredAfterAReinstall(kind: StoreKind) async throws {
        let (samples, old, new) = (try await Self.healthStore(), try await kind.fixture(), try await kind.fixture())
        try await old.store.apply(.add(.test(1)), .add(.test(2)))
        _ = try await HealthKitController(samples: samples, store: old.store).sync()
        try await old.store.apply(.put(.test(1, 40)), .delete(.test(2)))
        _ = try await HealthKitController(samples: samples, store: old.store).sync()
        let controller = HealthKitController(samples: samples, store: new.store)
        _ = try await controller.sync()
        #expect(try await new.store.everything().drinks == [.test(1, 40)])
        try await new.store.apply(.put(.test(1, 41)))
        _ = try await controller.sync()
        #expect(try await savedSamples(samples) == [line(1, 3, 41)])
    }

    @Test(arguments: StoreKind.allCases)
    func twoInstallationsConverge(kind: StoreKind) async throws {
        let samples = try await Self.healthStore()
        let fixtures = [try await kind.fixture(), try await kind.fixture()]
        let controllers = fixtures.map { HealthKitController(samples: samples, store: $0.store) }
        func sync() async throws {
            for _ in 0..<3 { for controller in controllers { _ = try await controller.sync() } }
        }
        try await fixtures[0].store.apply(.add(.test(1)), .add(.test(2)), .add(.test(3)))
        try await sync()
        // Both change the same drink at once, and one deletes drinks that the other has changed.
        try await fixtures[0].store.apply(.put(.test(1, 10)), .delete(.test(2)), .put(.test(3, 30)))
        try await fixtures[1].store.apply(.put(.test(1, 20)), .put(.test(2, 22)), .delete(.test(3)))
        try await sync()
        let snapshots = [try await fixtures[0].store.everything(), try await fixtures[1].store.everything()]
        #expect(
            snapshots[0].drinks == snapshots[1].drinks && snapshots[0].unsyncedCount == 0
                && snapshots[1].unsyncedCount == 0)
        #expect(snapshots[0].drinks.count == (try await savedSamples(samples)).count)
        // The last save wins.
        #expect(snapshots[0].drinks.first { $0.id == .test(1) }?.milligrams == 20)
        #expect(snapshots[0].drinks.first { $0.id == .test(2) }?.milligrams == 22)
        #expect(snapshots[0].drinks.first { $0.id == .test(3) } == nil)
    }

    @Test(arguments: StoreKind.allCases, [20.0, 10])
    func concurrentSavesOfTheSameVersionConverge(kind: StoreKind, milligrams: Double) async throws {
        let samples = try await Self.healthStore()
        let fixtures = [try await kind.fixture(), try await kind.fixture()]
        let first = HealthKitController(samples: samples, store: fixtures[0].store)
        try await fixtures[0].store.apply(.add(.test(1)))
        _ = try await first.sync()
        // The first controller saves before each save of the second one.
        let slow = CrashInjectingSamples(base: samples, injector: CrashInjector()) { _ = try? await first.sync() }
        let second = HealthKitController(samples: slow, store: fixtures[1].store)
        _ = try await second.sync()
        try await fixtures[0].store.apply(.put(.test(1, 10)))
        try await fixtures[1].store.apply(.put(.test(1, milligrams)))
        let report = try await second.sync()
        // The same content needs no new version; different content is saved as a new version.
        let isSame = milligrams == 10
        #expect(report.sentCount == (isSame ? 0 : 1) && report.refused.isEmpty)
        #expect(try await savedSamples(samples) == [line(1, isSame ? 2 : 3, milligrams)])
        _ = try await first.sync()
        for fixture in fixtures {
            let snapshot = try await fixture.store.everything()
            #expect(snapshot.drinks == [.test(1, milligrams)] && snapshot.unsyncedCount == 0)
        }
    }

    /// The drink is deleted at the version that both know, or after a change that one of them hasn't received.
    @Test(arguments: StoreKind.allCases, [false, true])
    func remotelyDeletedDrinkIsNotRestoredAfterAGrant(kind: StoreKind, isChanged: Bool) async throws {
        let samples = try await Self.healthStore()
        let fixtures = [try await kind.fixture(), try await kind.fixture()]
        let controllers = fixtures.map { HealthKitController(samples: samples, store: $0.store) }
        try await fixtures[0].store.apply(.add(.test(1)))
        for controller in controllers { _ = try await controller.sync() }
        // Both controllers have received all changes.
        _ = try await controllers[0].sync()
        if isChanged {
            try await fixtures[1].store.apply(.put(.test(1, 50)))
            _ = try await controllers[1].sync()
        }
        try await fixtures[1].store.apply(.delete(.test(1)))
        _ = try await controllers[1].sync()
        // The first controller's anchor is invalid now: its resync finds the sample missing, not reported as deleted.
        try await samples.revoke(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        for controller in controllers { _ = try await controller.sync() }
        #expect(try await savedSamples(samples) == [])
        for fixture in fixtures {
            let snapshot = try await fixture.store.everything()
            #expect(snapshot.drinks == [] && snapshot.unsyncedCount == 0)
        }
    }

    /// Another installation has changed the drink twice and deleted it.
    ///
    /// A resync of this installation finds the drink missing. Then its owner edits it.
    @Test(arguments: StoreKind.allCases)
    func editOfADrinkMissingFromTheHealthStoreIsSaved(kind: StoreKind) async throws {
        let samples = try await Self.healthStore()
        let fixtures = [try await kind.fixture(), try await kind.fixture()]
        let controllers = fixtures.map { HealthKitController(samples: samples, store: $0.store) }
        try await fixtures[0].store.apply(.add(.test(1)))
        for controller in controllers { _ = try await controller.sync() }
        for change in [DrinkChange.put(.test(1, 20)), .put(.test(1, 30)), .delete(.test(1))] {
            try await fixtures[1].store.apply(change)
            _ = try await controllers[1].sync()
        }
        try await samples.revoke(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        // The resync finds the drink missing, but can't send it yet.
        try await samples.revoke(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        #expect(try await !controllers[0].sync().maySave)
        #expect(try await fixtures[0].store.everything().unsyncedCount == 1)
        try await fixtures[0].store.apply(.put(.test(1, 10)))
        try await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        for controller in controllers { _ = try await controller.sync() }
        #expect(try await savedSamples(samples) == [line(1, 4, 10)])
        for fixture in fixtures {
            let snapshot = try await fixture.store.everything()
            #expect(snapshot.drinks == [.test(1, 10)] && snapshot.unsyncedCount == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func hugeVersionsCanBeDeleted(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        let version = 1_700_000_000_000
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)))
        _ = try await controller.sync()
        // One drink is deleted before that version arrives, the other when a new health store lacks it.
        try await fixture.store.apply(.delete(.test(1)))
        let huge = [1, 2].map { Drink.test($0, 30).ownSample(version: version) }
        try await samples.save(huge, by: .coffeeTracker)
        _ = try await controller.sync()
        #expect(try await savedSamples(samples) == [line(2, version, 30)])
        #expect(try await fixture.store.everything().unsyncedCount == 0)
        let new = try await Self.healthStore()
        try await new.revoke(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        _ = try await HealthKitController(samples: new, store: fixture.store).sync()
        try await fixture.store.apply(.delete(.test(2)))
        try await new.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        _ = try await HealthKitController(samples: new, store: fixture.store).sync()
        #expect(try await fixture.store.everything().unsyncedCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func changeBeyondTheLastVersionIsReportedAndStaysPending(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await fixture.store.apply(.add(.test(1)))
        _ = try await controller.sync()
        try await fixture.store.apply(.put(.test(1, 40)))
        try await samples.save([Drink.test(1, 30).ownSample(version: 1 << 53)], by: .coffeeTracker)
        let report = try await controller.sync()
        #expect(Array(report.refused.keys) == [.test(1)])
        #expect(try await fixture.store.everything().drinks == [.test(1, 40)])
        // Changes by other apps still arrive.
        try await samples.save([.scale(5)], by: .scale)
        _ = try await controller.sync()
        #expect(try await fixture.store.everything().drinks.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func drinksWaitForThePermissionToSave(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await samples.revoke(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await fixture.store.apply(.add(.test(1)))
        #expect(try await !controller.sync().maySave)
        #expect(try await fixture.store.everything().unsyncedCount == 1)
        try await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        #expect(try await controller.sync().sentCount == 1)
        #expect(try await savedSamples(samples) == [line(1, 1)])
    }

    @Test(arguments: StoreKind.allCases)
    func deletedDrinksAreNotCountedAsWithheld(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await samples.revoke(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)))
        #expect(try await controller.sync().withheld == 2)
        try await fixture.store.apply(.delete(.test(1)))
        let report = try await controller.sync()
        #expect(!report.maySave && report.withheld == 1)
        // The deletion is sent, too: the drink may have been sent by a sync whose response was lost.
        #expect(try await fixture.store.everything().unsyncedCount == 2)
        try await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        let sent = try await controller.sync()
        #expect(sent.maySave && sent.withheld == 0)
        #expect(try await fixture.store.everything().unsyncedCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func unreadableSamplesAreMissingUntilReadingIsGranted(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await samples.revoke(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        try await samples.save([.scale(5)], by: .scale)
        try await fixture.store.apply(.add(.test(1)))
        _ = try await controller.sync()
        #expect(try await fixture.store.everything().drinks == [.test(1)])
        try await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        _ = try await controller.sync()
        // Samples from before the grant arrive too, and the drink that was logged here remains.
        #expect(Set(try await fixture.store.everything().drinks.map(\.id)) == [.test(1), .test(5)])
        #expect(try await fixture.store.everything().drinks.contains(.test(1)))
    }

    @Test(arguments: StoreKind.allCases)
    func anchorOfAnotherHealthStoreLosesNoOwnDrink(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let lost = try await Self.healthStore()
        try await lost.save([.scale(5)], by: .scale)
        try await fixture.store.apply(.add(.test(1)))
        _ = try await HealthKitController(samples: lost, store: fixture.store).sync()
        #expect(try await fixture.store.everything().drinks.count == 2)
        // A new, empty health store in its place: own drinks are saved again, and other apps' drinks are gone.
        let new = try await Self.healthStore()
        _ = try await HealthKitController(samples: new, store: fixture.store).sync()
        #expect(try await fixture.store.everything().drinks == [.test(1)])
        #expect(try await savedSamples(new) == [line(1, 1)])
        _ = try await HealthKitController(samples: new, store: fixture.store).sync()
        #expect(try await fixture.store.everything().unsyncedCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func manySamplesAreReadInPages(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        _ = try await controller.sync()
        try await samples.save((0..<1_203).map { .scale($0) }, by: .scale)
        _ = try await fixture.store.apply((2_000..<2_601).map { .add(.test($0, hour: Double($0 % 100))) })
        #expect(try await controller.sync().sentCount == 601)
        #expect(try await fixture.store.everything().drinks.count == 1_804)
    }

    @Test(arguments: StoreKind.allCases)
    func replacementSplitAcrossPagesUpdatesTheSameDrink(kind: StoreKind) async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await kind.fixture())
        let controller = HealthKitController(samples: samples, store: fixture.store)
        try await samples.save([.scale(5, sync: SyncIdentity(identifier: "x", version: 1))], by: .scale)
        _ = try await controller.sync()
        // The first page ends with the deletion, and the next page begins with the replacement.
        try await samples.save((1_000..<1_499).map { .scale($0) }, by: .scale)
        try await samples.save([.scale(6, 70, sync: SyncIdentity(identifier: "x", version: 2))], by: .scale)
        _ = try await controller.sync()
        let drinks = try await fixture.store.everything().drinks
        #expect(drinks.count == 500 && drinks.first { $0.milligrams == 70 }?.id == .test(5))
    }

    @Test func syncWithoutAHealthStoreKeepsDrinksPending() async throws {
        let fixture = try await StoreKind.memory.fixture()
        try await fixture.store.apply(.add(.test(1)))
        let controller = HealthKitController(samples: MemorySampleStore(isAvailable: false), store: fixture.store)
        #expect(try await !controller.sync().isAvailable)
        #expect(try await fixture.store.everything().unsyncedCount == 1)
    }

    @Test func refusedDrinkDoesNotBlockOthers() async throws {
        let (samples, fixture) = (try await Self.healthStore(), try await StoreKind.memory.fixture())
        // More than the health store accepts; the checks before storing are tested elsewhere.
        try await fixture.store.apply(.add(.test(1)), .add(.test(2, 1e9)), .add(.test(3)))
        let report = try await HealthKitController(samples: samples, store: fixture.store).sync()
        #expect(report.sentCount == 2 && Array(report.refused.keys) == [.test(2)])
        #expect(try await fixture.store.everything().unsyncedCount == 1)
    }
}

import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import HealthSamples
import Persistence
import Testing

/// Tests a health store that is restored from a backup while the drinks are not.
@Suite(.timeLimit(.minutes(10))) struct RestoredStoreTests {
    /// The folder of a health store, removed when the object is deallocated.
    private final class HealthFolder: Sendable {
        let path = NSTemporaryDirectory() + "meanwhile-coffee-health-\(UUID().uuidString)"

        deinit {
            for path in [path, backup] { try? FileManager.default.removeItem(atPath: path) }
        }

        private var backup: String { path + "-backup" }

        func backUp() throws {
            try FileManager.default.copyItem(atPath: path, toPath: backup)
        }

        func restoreBackup() throws {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: backup, toPath: path)
        }

        func use(_ body: (any SampleStore) async throws -> Void) async throws {
            let database = try await AppDatabase.open(
                in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
            defer { database.close() }
            let samples = try await SQLiteSampleStore.open(owner: "ann", in: database)
            for source in [SampleSource.coffeeTracker, .scale] {
                try await samples.grant(.share, to: [.dietaryCaffeine], source: source)
                try await samples.grant(.read, to: [.dietaryCaffeine], source: source)
            }
            try await body(samples)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func restoredHealthStoreConvergesWithoutLossOrDuplicates(kind: StoreKind) async throws {
        let (folder, fixture) = (HealthFolder(), try await kind.fixture())
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        try await folder.use { samples in
            try await store.apply(.add(.test(1)), .add(.test(2)))
            try await samples.save([.scale(5)], by: .scale)
            _ = try await HealthKitController(samples: samples, store: store).sync()
        }
        try folder.backUp()
        try await folder.use { samples in
            try await store.apply(.put(.test(1, 60)), .delete(.test(2)), .add(.test(3)))
            try await samples.delete(.ids([.test(5)]), by: .scale)
            try await samples.save([.scale(6)], by: .scale)
            let report = try await HealthKitController(samples: samples, store: store).sync()
            #expect(report.sentCount == 3)
            #expect(Set(try await store.everything().drinks.map(\.id)) == [.test(1), .test(3), .test(6)])
        }
        try folder.restoreBackup()
        try await folder.use { samples in
            _ = try await HealthKitController(samples: samples, store: store).sync()
            let snapshot = try await store.everything()
            #expect(Set(snapshot.drinks.map(\.id)) == [.test(1), .test(3), .test(5)])
            #expect(snapshot.drinks.first { $0.id == .test(1) }?.milligrams == 60 && snapshot.unsyncedCount == 0)
            let inHealthStore = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
            #expect(inHealthStore.map(\.quantity.value).sorted() == [50, 60, 96])
            // Both have converged: nothing is left to save.
            #expect(try await HealthKitController(samples: samples, store: store).sync().sentCount == 0)
            #expect(try await store.everything() == snapshot)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func drinkDeletedAfterARestoreAndBeforeASyncIsDeletedInBothStores(kind: StoreKind) async throws {
        let (folder, fixture) = (HealthFolder(), try await kind.fixture())
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        try await folder.use { samples in
            try await store.apply(.add(.test(1)))
            _ = try await HealthKitController(samples: samples, store: store).sync()
        }
        try folder.backUp()
        try await folder.use { samples in
            try await store.apply(.put(.test(1, 60)))
            #expect(try await HealthKitController(samples: samples, store: store).sync().sentCount == 1)
        }
        try folder.restoreBackup()
        // The saved version is gone, and the one before it is back.
        try await folder.use { samples in
            try await store.apply(.delete(.test(1)))
            _ = try await HealthKitController(samples: samples, store: store).sync()
            let remaining = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
            let snapshot = try await store.everything()
            #expect(remaining.isEmpty && snapshot.drinks.isEmpty && snapshot.unsyncedCount == 0)
        }
    }
}

import CoffeeTrackerModel
import CoffeeTrackerStore
import CoffeeTrackerWeb
import Foundation
import HealthSamples
import Persistence

/// The components of one owner's Coffee Tracker, assembled for the server or a command.
struct CoffeeParts: Sendable {
    let data: CoffeeData
    let health: HealthKitController
    let samples: any SampleStore
    /// The owner and the database, for the audit log.
    let owner: OwnerID
    let storage: Storage

    /// Creates the parts; the drinks are not loaded yet.
    ///
    /// - Throws: ``CoffeeError/healthStore(_:)`` if the health store can't be opened.
    @MainActor
    init(owner: OwnerID, in storage: Storage) async throws(CoffeeError) {
        let samples: SQLiteSampleStore
        do throws(SampleStoreError) {
            samples = try await SQLiteSampleStore.open(owner: owner, inAny: storage.database)
        } catch {
            throw .healthStore(error.message)
        }
        let store = CoffeeDataStore(in: storage.database, folder: storage.folder, owner: owner)
        let settings = storage.values(of: owner)
        let zone = TimeZone.current.identifier
        // If nothing can be written, this process's time zone is used; logging a drink then reports the error.
        try? await CoffeeSettings.storeInitial(zone: zone, in: settings)
        self.samples = samples
        (self.owner, self.storage) = (owner, storage)
        self.health = HealthKitController(samples: samples, store: store)
        self.data = CoffeeData(
            owner: owner, store: store,
            settings: CoffeeSettings.stored(in: settings, zone: zone),
            health: health)
    }
}

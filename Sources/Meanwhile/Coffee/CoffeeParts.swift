import CoffeeTrackerModel
import CoffeeTrackerStore
import CoffeeTrackerWeb
import Foundation
import HealthSamples
import Persistence

/// One owner's Coffee Tracker, put together: the same for the server and for a command beside it.
struct CoffeeParts: Sendable {
    let data: CoffeeData
    let health: HealthKitController
    let samples: any SampleStore

    /// Puts it together; the drinks are not read yet.
    ///
    /// - Throws: ``CoffeeError/healthStore(_:)``, if the health store cannot be opened.
    @MainActor
    init(owner: OwnerID, in database: AppDatabase) async throws(CoffeeError) {
        let samples: SQLiteSampleStore
        do throws(SampleStoreError) {
            samples = try await SQLiteSampleStore.open(owner: owner, in: database)
        } catch {
            throw .healthStore(error.message)
        }
        let store = CoffeeDataStore(database: database, owner: owner)
        let settings = SQLiteStore(database: database, owner: owner)
        let zone = TimeZone.current.identifier
        // Where nothing can be written, this process's zone has to do; what is logged will say why not.
        try? await CoffeeSettings.settle(zone: zone, in: settings)
        self.samples = samples
        self.health = HealthKitController(samples: samples, store: store)
        self.data = CoffeeData(
            owner: owner, store: store,
            settings: CoffeeSettings.kept(in: settings, zone: zone),
            health: health)
    }
}

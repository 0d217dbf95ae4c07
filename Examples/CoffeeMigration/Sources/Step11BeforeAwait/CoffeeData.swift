import Drinks
import Foundation
import HealthKitFacade
import Observation

/// The model of the screen.
///
/// Only the main queue may use it, but only some of its functions are marked `@MainActor`.
@Observable
final class CoffeeData {
    private(set) var currentDrinks: [Drink] = []
    /// Whether the screen shows the health store as connected.
    var isConnected = false
    @ObservationIgnored private(set) lazy var healthKitController = HealthKitController(
        healthStore, model: self, log: log)
    private let store: CoffeeDataStore
    private let healthStore: HealthStore
    private let log: @Sendable (String) -> Void

    init(file: any DrinkFile, healthStore: HealthStore, log: @escaping @Sendable (String) -> Void) {
        self.store = CoffeeDataStore(file: file, log: log)
        self.healthStore = healthStore
        self.log = log
    }

    @MainActor
    func addDrink(_ drink: Drink) async {
        var drinks = currentDrinks
        drinks.append(drink)
        currentDrinks = drinks
        await drinksUpdated()
        await healthKitController.save(drink: drink)
    }

    @MainActor
    func updateModel(newDrinks: [Drink], deletedDrinks: Set<UUID>) {
        guard !newDrinks.isEmpty || !deletedDrinks.isEmpty else { return }
        var drinks = currentDrinks
        drinks.removeAll { deletedDrinks.contains($0.id) }
        drinks += newDrinks
        currentDrinks = drinks
        Task { await drinksUpdated() }
    }

    @MainActor
    func showConnection() {
        isConnected = true
    }

    func load() async {
        let drinks = await store.load()
        // `currentDrinks` already contains the drinks that were added while the file was read.
        currentDrinks = drinks + currentDrinks.filter { !drinks.contains($0) }
        if currentDrinks != drinks { await drinksUpdated() }
    }

    private func drinksUpdated() async {
        await store.save(currentDrinks)
    }
}

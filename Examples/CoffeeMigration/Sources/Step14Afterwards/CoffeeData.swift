import Drinks
import Foundation
import HealthKitFacade
import Observation

/// The model of the screen.
@MainActor
@Observable
final class CoffeeData {
    private(set) var currentDrinks: [Drink] = []
    /// Whether the screen shows the health store as connected.
    var isConnected = false
    @ObservationIgnored private(set) lazy var healthKitController = HealthKitController(
        healthStore, model: self, log: log)
    /// The number of the latest version of `currentDrinks` to be saved.
    @ObservationIgnored private var edition = 0
    private let store: CoffeeDataStore
    private let healthStore: HealthStore
    private let log: @Sendable (String) -> Void

    init(file: any DrinkFile, healthStore: HealthStore, log: @escaping @Sendable (String) -> Void) {
        self.store = CoffeeDataStore(file: file, log: log)
        self.healthStore = healthStore
        self.log = log
    }

    func addDrink(_ drink: Drink) async {
        var drinks = currentDrinks
        drinks.append(drink)
        currentDrinks = drinks
        try? await drinksUpdated()
        await healthKitController.save(drink: drink)
    }

    /// Applies changes, which may have been applied before, and returns when they are saved.
    func updateModel(newDrinks: [Drink], deletedDrinks: Set<UUID>) async throws {
        guard !newDrinks.isEmpty || !deletedDrinks.isEmpty else { return }
        let replaced = deletedDrinks.union(newDrinks.map(\.id))
        var drinks = currentDrinks
        drinks.removeAll { replaced.contains($0.id) }
        drinks += newDrinks
        currentDrinks = drinks
        try await drinksUpdated()
    }

    func showConnection() {
        isConnected = true
    }

    func load() async {
        let drinks = await store.load()
        // `currentDrinks` already contains the drinks that were added while the file was read.
        currentDrinks = drinks + currentDrinks.filter { !drinks.contains($0) }
        if currentDrinks != drinks { try? await drinksUpdated() }
    }

    private func drinksUpdated() async throws {
        edition += 1
        try await store.save(currentDrinks, edition: edition)
    }
}

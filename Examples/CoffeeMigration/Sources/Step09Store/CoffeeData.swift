import Dispatch
import Drinks
import Foundation
import HealthKitFacade
import Observation

/// The model of the screen.
///
/// Only the main queue may use it, but only some of its functions are marked `@MainActor`.
@Observable
final class CoffeeData {
    var currentDrinks: [Drink] = [] {
        didSet { save() }
    }
    /// Whether the screen shows the health store as connected.
    var isConnected = false
    /// Whether the system has launched the app in the background.
    @ObservationIgnored var isInBackground = false
    /// The most recent save; each save awaits the one before it.
    @ObservationIgnored private var saving: Task<Void, Never>?
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

    func addDrink(_ drink: Drink) {
        var drinks = currentDrinks
        drinks.append(drink)
        currentDrinks = drinks
        Task { await healthKitController.save(drink: drink) }
    }

    @MainActor
    func updateModel(newDrinks: [Drink], deletedDrinks: Set<UUID>) {
        guard !newDrinks.isEmpty || !deletedDrinks.isEmpty else { return }
        var drinks = currentDrinks
        drinks.removeAll { deletedDrinks.contains($0.id) }
        drinks += newDrinks
        currentDrinks = drinks
    }

    @MainActor
    func showConnection() {
        isConnected = true
    }

    func load() {
        Task {
            let drinks = await store.load()
            await MainActor.run { currentDrinks = drinks }
        }
    }

    private func save() {
        let drinks = currentDrinks
        let before = saving
        let saving = Task {
            await before?.value
            await store.save(drinks)
        }
        self.saving = saving
        // In the background the system stops the app as soon as it reports completion, so the save must end before that.
        // A `didSet` can't await the save, so it blocks its queue.
        if isInBackground {
            let saveEnd = DispatchSemaphore(value: 0)
            Task {
                await saving.value
                saveEnd.signal()
            }
            saveEnd.wait()
        }
    }
}

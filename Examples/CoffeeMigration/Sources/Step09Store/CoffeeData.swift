import Dispatch
import Drinks
import Foundation
import HealthKitFacade
import Observation

/// What the screen shows; it belongs to the main queue, which nothing here says.
@Observable
final class CoffeeData {
    var currentDrinks: [Drink] = [] {
        didSet { save() }
    }
    /// Whether the health store answers.
    var isConnected = false
    /// Whether the app has been woken without a screen.
    @ObservationIgnored var isInBackground = false
    /// The save that was begun last: each waits for the one before.
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
        // Without a screen the app is stopped as soon as it says that it is done: the save must be over by then. A
        // `didSet` cannot await that, so it blocks the queue that it is on.
        if isInBackground {
            let isOver = DispatchSemaphore(value: 0)
            Task {
                await saving.value
                isOver.signal()
            }
            isOver.wait()
        }
    }
}

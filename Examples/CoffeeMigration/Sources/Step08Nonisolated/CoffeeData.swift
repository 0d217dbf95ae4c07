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
    /// The drinks in the file; an equal list isn't written again.
    @ObservationIgnored private var savedValue: [Drink] = []
    @ObservationIgnored private(set) lazy var healthKitController = HealthKitController(
        healthStore, model: self, log: log)
    private let file: any DrinkFile
    private let healthStore: HealthStore
    private let queues: AppQueues
    private let log: @Sendable (String) -> Void

    init(
        file: any DrinkFile, healthStore: HealthStore, queues: AppQueues, log: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        self.healthStore = healthStore
        self.queues = queues
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
        queues.background.async {
            do {
                let drinks = try self.file.read()
                self.queues.main.async {
                    self.savedValue = drinks
                    self.currentDrinks = drinks
                }
            } catch {
                self.log("The drinks could not be read: \(error)")
            }
        }
    }

    private func save() {
        let drinks = currentDrinks
        let saveAction: @Sendable () -> Void = {
            guard drinks != self.savedValue else { return }
            do {
                try self.file.write(drinks)
                self.savedValue = drinks
            } catch {
                self.log("The drinks could not be saved: \(error)")
            }
        }
        // In the background the system stops the app as soon as it reports completion, so the save must end before that.
        if isInBackground { saveAction() } else { queues.background.async(saveAction) }
    }
}

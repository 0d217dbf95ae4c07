import Drinks
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
    /// What the file has: so that nothing is written twice.
    @ObservationIgnored private var savedValue: [Drink] = []
    @ObservationIgnored private(set) lazy var healthKitController = HealthKitController(
        healthStore, queues: queues, model: self, log: log)
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
        healthKitController.save(drink: drink)
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
        // Without a screen the app is stopped as soon as it says that it is done: the save must be over by then.
        if isInBackground { saveAction() } else { queues.background.async(saveAction) }
    }
}

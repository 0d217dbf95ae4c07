import Drinks
import Foundation
import HealthKitFacade
import HealthSamples

/// Saves drinks to the health store, and loads the samples of other apps into the model.
final class HealthKitController {
    private let store: HealthStore
    private let queues: AppQueues
    private weak var model: CoffeeData?
    private let log: @Sendable (String) -> Void
    private var anchor: Anchor?
    private(set) var isAuthorized = false

    init(_ store: HealthStore, queues: AppQueues, model: CoffeeData, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.queues = queues
        self.model = model
        self.log = log
    }

    func requestAuthorization(completionHandler: @escaping (Bool) -> Void) {
        guard store.isAvailable else { return }
        store.requestAuthorization(toShare: [.dietaryCaffeine], read: [.dietaryCaffeine]) { success, error in
            if let error {
                self.log("No permission: \(error)")
                return
            }
            self.isAuthorized = success
            self.showConnection()
            completionHandler(success)
        }
    }

    func loadNewDataFromHealthKit(completionHandler: @escaping (Bool) -> Void = { _ in }) {
        guard store.isAvailable else {
            completionHandler(false)
            return
        }
        let query = AnchoredQuery(.caffeine(except: store.source), anchor: anchor) {
            samples, deleted, newAnchor, error in
            if let error {
                self.log("Can't load new samples: \(error)")
                self.queues.main.async { completionHandler(false) }
                return
            }
            self.anchor = newAnchor
            var deletedDrinks: Set<UUID> = []
            if let deleted { deletedDrinks = Set(deleted.map(\.id)) }
            var newDrinks: [Drink] = []
            if let samples { newDrinks = samples.compactMap(Drink.init) }
            self.queues.main.async {
                self.removeFromModel(deletedDrinks)
                self.addToModel(newDrinks)
                self.log("\(deletedDrinks.count) deleted, \(newDrinks.count) new.")
                completionHandler(true)
            }
        }
        store.execute(query)
    }

    func save(drink: Drink) {
        store.save(drink.sample(of: store.source)) { _, _ in
            self.log("Saved \(drink.milligrams) mg.")
        }
    }

    private func removeFromModel(_ deletedDrinks: Set<UUID>) {
        // The equivalent for a dispatch queue is `dispatchPrecondition(condition: .onQueue(.main))`.
        MainActor.assertIsolated()
        guard !deletedDrinks.isEmpty else { return }
        model?.currentDrinks.removeAll { deletedDrinks.contains($0.id) }
    }

    private func addToModel(_ newDrinks: [Drink]) {
        MainActor.assertIsolated()
        guard !newDrinks.isEmpty else { return }
        model?.currentDrinks += newDrinks
    }

    private func showConnection() {
        model?.isConnected = isAuthorized
    }
}

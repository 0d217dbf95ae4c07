import Drinks
import Foundation
import HealthKitFacade
import HealthSamples

/// Saves drinks to the health store, and loads the samples of other apps into the model.
actor HealthKitController {
    private let store: HealthStore
    private weak var model: CoffeeData?
    private let log: @Sendable (String) -> Void
    private var anchor: Anchor?
    private(set) var isAuthorized = false

    init(_ store: HealthStore, model: CoffeeData, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.model = model
        self.log = log
    }

    @available(*, deprecated, message: "Prefer the async alternative.")
    nonisolated func requestAuthorization(completionHandler: @escaping @Sendable (Bool) -> Void) {
        Task { completionHandler(await requestAuthorization()) }
    }

    func requestAuthorization() async -> Bool {
        guard store.isAvailable else { return false }
        do {
            try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [.dietaryCaffeine])
            isAuthorized = true
            await model?.showConnection()
            return true
        } catch {
            log("No permission: \(error)")
            return false
        }
    }

    @available(*, deprecated, message: "Prefer the async alternative.")
    nonisolated func loadNewDataFromHealthKit(completionHandler: @escaping @Sendable (Bool) -> Void) {
        Task { completionHandler(await loadNewDataFromHealthKit()) }
    }

    @discardableResult
    func loadNewDataFromHealthKit() async -> Bool {
        guard store.isAvailable else { return false }
        do {
            let (samples, deleted, newAnchor) = try await queryHealthKit()
            anchor = newAnchor
            let deletedDrinks = Set((deleted ?? []).map(\.id))
            let newDrinks = (samples ?? []).compactMap(Drink.init)
            await model?.updateModel(newDrinks: newDrinks, deletedDrinks: deletedDrinks)
            log("\(deletedDrinks.count) deleted, \(newDrinks.count) new.")
            return true
        } catch {
            log("Can't load new samples: \(error)")
            return false
        }
    }

    private func queryHealthKit() async throws -> ([Sample]?, [DeletedSample]?, Anchor?) {
        try await withCheckedThrowingContinuation { continuation in
            let query = AnchoredQuery(.caffeine(except: store.source), anchor: anchor) {
                samples, deleted, newAnchor, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: (samples, deleted, newAnchor))
                }
            }
            store.execute(query)
        }
    }

    func save(drink: Drink) async {
        do {
            try await store.save(drink.sample(of: store.source))
            log("Saved \(drink.milligrams) mg.")
        } catch {
            log("\(drink.milligrams) mg could not be saved: \(error)")
        }
    }
}

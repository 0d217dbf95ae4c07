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
    /// The most recent load; each load awaits the one before it.
    private var loading: Task<Bool, Never>?
    /// Stored only in the model: copies on two actors would differ while one of them is being updated.
    var isAuthorized: Bool {
        get async { await model?.isConnected ?? false }
    }

    init(_ store: HealthStore, model: CoffeeData, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.model = model
        self.log = log
    }

    func requestAuthorization() async -> Bool {
        guard store.isAvailable else { return false }
        do {
            try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [.dietaryCaffeine])
            await model?.showConnection()
            return true
        } catch {
            log("No permission: \(error)")
            return false
        }
    }

    /// Loads the changes after any load in progress: an actor is reentrant at each `await`.
    @discardableResult
    func loadNewDataFromHealthKit() async -> Bool {
        let before = loading
        let loading = Task {
            _ = await before?.value
            return await loadChanges()
        }
        self.loading = loading
        return await loading.value
    }

    private func loadChanges() async -> Bool {
        guard store.isAvailable else { return false }
        do {
            let (samples, deleted, newAnchor) = try await queryHealthKit()
            let deletedDrinks = Set((deleted ?? []).map(\.id))
            let newDrinks = (samples ?? []).compactMap(Drink.init)
            try await model?.updateModel(newDrinks: newDrinks, deletedDrinks: deletedDrinks)
            // The anchor advances only after the changes are saved, so that changes of a failed save are loaded again.
            anchor = newAnchor
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

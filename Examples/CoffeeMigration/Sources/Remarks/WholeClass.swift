import Drinks
import HealthKitFacade
import HealthSamples

/// Step 7, as the talk weighs and rejects it: `@MainActor` on the whole class.
///
/// It protects the anchor and the permission as an actor does. But the screen needs the main queue, and the backend's
/// work, such as turning samples into drinks, would then run there too. Step 7 makes the class an actor of its own
/// instead.
@MainActor
final class MainActorHealthKitController {
    private let store: HealthStore
    private let willConvert: () -> Void
    private var anchor: Anchor?
    private(set) var isAuthorized = false

    init(_ store: HealthStore, willConvert: @escaping () -> Void) {
        self.store = store
        self.willConvert = willConvert
    }

    func requestAuthorization() async throws {
        try await store.requestAuthorization(toShare: [.dietaryCaffeine], read: [.dietaryCaffeine])
        isAuthorized = true
    }

    func loadNewDrinks() async throws -> [Drink] {
        let (samples, newAnchor) = try await queryHealthKit()
        anchor = newAnchor
        willConvert()
        return samples.compactMap(Drink.init)
    }

    private func queryHealthKit() async throws -> ([Sample], Anchor?) {
        try await withCheckedThrowingContinuation { continuation in
            let query = AnchoredQuery(.caffeine(except: store.source), anchor: anchor) { samples, _, newAnchor, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: (samples ?? [], newAnchor))
                }
            }
            store.execute(query)
        }
    }
}

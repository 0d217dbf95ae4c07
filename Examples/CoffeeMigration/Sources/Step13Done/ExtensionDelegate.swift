import Drinks

/// The app delegate, which the system calls.
@MainActor
final class ExtensionDelegate {
    let model: CoffeeData

    init(model: CoffeeData) {
        self.model = model
    }

    func applicationDidFinishLaunching() {
        Task { await model.load() }
    }

    func applicationDidBecomeActive() {
        Task {
            if await model.healthKitController.requestAuthorization() {
                await model.healthKitController.loadNewDataFromHealthKit()
            }
        }
    }

    func handle(_ backgroundTask: RefreshTask) {
        Task {
            let hasLoaded = await model.healthKitController.loadNewDataFromHealthKit()
            backgroundTask.setCompleted(snapshot: hasLoaded)
        }
    }
}

import Drinks

/// The app delegate, which the system calls on the main queue.
final class ExtensionDelegate {
    let model: CoffeeData

    init(model: CoffeeData) {
        self.model = model
    }

    func applicationDidFinishLaunching() {
        model.load()
    }

    func applicationDidBecomeActive() {
        let controller = model.healthKitController
        Task {
            await controller.requestAuthorization { isAuthorized in
                if isAuthorized { Task { await controller.loadNewDataFromHealthKit { _ in } } }
            }
        }
    }

    func handle(_ backgroundTask: RefreshTask) {
        model.isInBackground = true
        let controller = model.healthKitController
        Task {
            await controller.loadNewDataFromHealthKit { hasLoaded in
                backgroundTask.setCompleted(snapshot: hasLoaded)
            }
        }
    }
}

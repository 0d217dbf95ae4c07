import Drinks
import HealthKitFacade
import Observation

/// The operations of a step's app that scenarios use, independent of the signatures in that step.
struct App: Sendable {
    let finishLaunching: @MainActor @Sendable () -> Void
    let becomeActive: @MainActor @Sendable () -> Void
    let refresh: @MainActor @Sendable (RefreshTask) -> Void
    let add: @MainActor @Sendable (Drink) async -> Void
    let drinks: @MainActor @Sendable () -> [Drink]
    /// Calls the function once, when shown data is about to change, on the thread that changes it.
    let observe: @MainActor @Sendable (_ willChange: @escaping @Sendable () -> Void) -> Void
    /// Whether the screen shows the health store as connected.
    let isConnected: @MainActor @Sendable () -> Bool
    /// Whether the controller has been authorized.
    let isAuthorized: @Sendable () async -> Bool
    /// Which of the app's types are actors, by reflection.
    let actors: Actors
    /// Loads new data; before step 3 it returns before the load has ended.
    let load: @Sendable () async -> Void
    /// Requests authorization, and calls `answer` if the step calls its handler.
    let authorize: @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) async -> Void
}

/// Which of an app's types are actors.
struct Actors: Sendable {
    let isControllerActor: Bool
    let isStoreActor: Bool
}

// The protocols that the steps' types conform to. A synchronous function satisfies an asynchronous requirement.

@MainActor
protocol ShownModel: AnyObject {
    associatedtype Controller

    var currentDrinks: [Drink] { get }
    var isConnected: Bool { get }
    var healthKitController: Controller { get }

    func addDrink(_ drink: Drink) async
}

@MainActor
protocol SystemDelegate: AnyObject {
    associatedtype Model: ShownModel

    var model: Model { get }

    func applicationDidFinishLaunching()
    func applicationDidBecomeActive()
    func handle(_ backgroundTask: RefreshTask)
}

protocol PermissionHolding: AnyObject {
    var isAuthorized: Bool { get async }
}

protocol CallbackAuthorizing: PermissionHolding {
    func requestAuthorization(completionHandler: @escaping (Bool) -> Void)
}

protocol Authorizing: PermissionHolding {
    func requestAuthorization() async -> Bool
}

protocol CallbackLoading: AnyObject {
    func loadNewDataFromHealthKit(completionHandler: @escaping (Bool) -> Void)
}

protocol Loading: AnyObject {
    func loadNewDataFromHealthKit() async -> Bool
}

extension App {
    /// Steps 0 and 1.
    @MainActor
    init<Delegate: SystemDelegate>(callbacks delegate: Delegate)
    where Delegate.Model.Controller: CallbackAuthorizing & CallbackLoading {
        let controller = delegate.model.healthKitController
        self.init(
            delegate, isAuthorized: { await controller.isAuthorized },
            load: { controller.loadNewDataFromHealthKit { _ in } },
            authorize: { answer in controller.requestAuthorization { answer($0) } })
    }

    /// Step 2.
    @MainActor
    init<Delegate: SystemDelegate>(query delegate: Delegate)
    where Delegate.Model.Controller: Authorizing & CallbackLoading {
        let controller = delegate.model.healthKitController
        self.init(
            delegate, isAuthorized: { await controller.isAuthorized },
            load: { controller.loadNewDataFromHealthKit { _ in } },
            authorize: { answer in answer(await controller.requestAuthorization()) })
    }

    /// Step 3 and all later steps.
    @MainActor
    init<Delegate: SystemDelegate>(_ delegate: Delegate) where Delegate.Model.Controller: Authorizing & Loading {
        let controller = delegate.model.healthKitController
        self.init(
            delegate, isAuthorized: { await controller.isAuthorized },
            load: { _ = await controller.loadNewDataFromHealthKit() },
            authorize: { answer in answer(await controller.requestAuthorization()) })
    }

    @MainActor
    private init<Delegate: SystemDelegate>(
        _ delegate: Delegate, isAuthorized: @escaping @Sendable () async -> Bool,
        load: @escaping @Sendable () async -> Void,
        authorize: @escaping @Sendable (@escaping @Sendable (Bool) -> Void) async -> Void
    ) {
        self.finishLaunching = { delegate.applicationDidFinishLaunching() }
        self.becomeActive = { delegate.applicationDidBecomeActive() }
        self.refresh = { delegate.handle($0) }
        self.add = { await delegate.model.addDrink($0) }
        self.drinks = { delegate.model.currentDrinks }
        self.observe = { willChange in
            withObservationTracking {
                _ = delegate.model.currentDrinks
                _ = delegate.model.isConnected
            } onChange: {
                willChange()
            }
        }
        self.isConnected = { delegate.model.isConnected }
        self.isAuthorized = isAuthorized
        let store = Mirror(reflecting: delegate.model).children.first { $0.label == "store" }?.value
        self.actors = Actors(
            isControllerActor: delegate.model.healthKitController is any Actor, isStoreActor: store is any Actor)
        self.load = load
        self.authorize = authorize
    }
}

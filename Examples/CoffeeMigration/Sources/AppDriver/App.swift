import Drinks
import HealthKitFacade
import Observation

/// What a scenario does with a step's app, whatever its functions look like by then.
struct App: Sendable {
    let finishLaunching: @MainActor @Sendable () -> Void
    let becomeActive: @MainActor @Sendable () -> Void
    let refresh: @MainActor @Sendable (RefreshTask) -> Void
    let add: @MainActor @Sendable (Drink) async -> Void
    let drinks: @MainActor @Sendable () -> [Drink]
    /// Calls a function when what is shown is about to change, wherever that happens; once.
    let observe: @MainActor @Sendable (_ willChange: @escaping @Sendable () -> Void) -> Void
    /// What the screen says of the permission.
    let isConnected: @MainActor @Sendable () -> Bool
    /// What the controller says of it.
    let isAuthorized: @Sendable () async -> Bool
    /// Which of the app's types are actors, by reflection.
    let actors: Actors
    /// Returns as soon as the step lets its callers go on.
    let load: @Sendable () async -> Void
    /// Tells the answer, if there is one.
    let authorize: @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) async -> Void
}

/// Which of an app's types are actors.
struct Actors: Sendable {
    let controller: Bool
    let store: Bool
}

// What the steps' types have in common. A function that is not asynchronous yet will do where an asynchronous one is asked for.

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

    /// Step 3, and all after it.
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
        self.actors = Actors(controller: delegate.model.healthKitController is any Actor, store: store is any Actor)
        self.load = load
        self.authorize = authorize
    }
}

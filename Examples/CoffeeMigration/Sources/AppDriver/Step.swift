@testable import Step00Callbacks
@testable import Step01Save
@testable import Step02Authorization
@testable import Step03Query
@testable import Step04Let
@testable import Step05MainActor
@testable import Step06Group
@testable import Step07Actor
@testable import Step08Nonisolated
@testable import Step09Store
@testable import Step10NoDidSet
@testable import Step11BeforeAwait
@testable import Step12Model
@testable import Step13Done
@testable import Step14Afterwards

/// One step of the migration.
struct Step: Sendable {
    let number: Int
    let name: String
    /// Creates the step's app in a world.
    let app: @MainActor @Sendable (World) -> App

    private init(_ name: String, _ app: @escaping @MainActor @Sendable (World) -> App) {
        self.number = Int(name.dropFirst(4).prefix(2)) ?? -1
        self.name = name
        self.app = app
    }

    static let all = [
        Step("Step00Callbacks") {
            let model = Step00Callbacks.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(callbacks: Step00Callbacks.ExtensionDelegate(model: model))
        },
        Step("Step01Save") {
            let model = Step01Save.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(callbacks: Step01Save.ExtensionDelegate(model: model))
        },
        Step("Step02Authorization") {
            let model = Step02Authorization.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(query: Step02Authorization.ExtensionDelegate(model: model))
        },
        Step("Step03Query") {
            let model = Step03Query.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step03Query.ExtensionDelegate(model: model))
        },
        Step("Step04Let") {
            let model = Step04Let.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step04Let.ExtensionDelegate(model: model))
        },
        Step("Step05MainActor") {
            let model = Step05MainActor.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step05MainActor.ExtensionDelegate(model: model))
        },
        Step("Step06Group") {
            let model = Step06Group.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step06Group.ExtensionDelegate(model: model))
        },
        Step("Step07Actor") {
            let model = Step07Actor.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step07Actor.ExtensionDelegate(model: model))
        },
        Step("Step08Nonisolated") {
            let model = Step08Nonisolated.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, queues: $0.queues, log: $0.journal.note)
            return App(Step08Nonisolated.ExtensionDelegate(model: model))
        },
        Step("Step09Store") {
            let model = Step09Store.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step09Store.ExtensionDelegate(model: model))
        },
        Step("Step10NoDidSet") {
            let model = Step10NoDidSet.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step10NoDidSet.ExtensionDelegate(model: model))
        },
        Step("Step11BeforeAwait") {
            let model = Step11BeforeAwait.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step11BeforeAwait.ExtensionDelegate(model: model))
        },
        Step("Step12Model") {
            let model = Step12Model.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step12Model.ExtensionDelegate(model: model))
        },
        Step("Step13Done") {
            let model = Step13Done.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step13Done.ExtensionDelegate(model: model))
        },
        Step("Step14Afterwards") {
            let model = Step14Afterwards.CoffeeData(
                file: $0.file, healthStore: $0.healthStore, log: $0.journal.note)
            return App(Step14Afterwards.ExtensionDelegate(model: model))
        },
    ]
}

extension Step00Callbacks.CoffeeData: ShownModel {}
extension Step00Callbacks.ExtensionDelegate: SystemDelegate {}
extension Step00Callbacks.HealthKitController: CallbackAuthorizing, CallbackLoading {}
extension Step01Save.CoffeeData: ShownModel {}
extension Step01Save.ExtensionDelegate: SystemDelegate {}
extension Step01Save.HealthKitController: CallbackAuthorizing, CallbackLoading {}
extension Step02Authorization.CoffeeData: ShownModel {}
extension Step02Authorization.ExtensionDelegate: SystemDelegate {}
extension Step02Authorization.HealthKitController: Authorizing, CallbackLoading {}
extension Step03Query.CoffeeData: ShownModel {}
extension Step03Query.ExtensionDelegate: SystemDelegate {}
extension Step03Query.HealthKitController: Authorizing, Loading {}
extension Step04Let.CoffeeData: ShownModel {}
extension Step04Let.ExtensionDelegate: SystemDelegate {}
extension Step04Let.HealthKitController: Authorizing, Loading {}
extension Step05MainActor.CoffeeData: ShownModel {}
extension Step05MainActor.ExtensionDelegate: SystemDelegate {}
extension Step05MainActor.HealthKitController: Authorizing, Loading {}
extension Step06Group.CoffeeData: ShownModel {}
extension Step06Group.ExtensionDelegate: SystemDelegate {}
extension Step06Group.HealthKitController: Authorizing, Loading {}
extension Step07Actor.CoffeeData: ShownModel {}
extension Step07Actor.ExtensionDelegate: SystemDelegate {}
extension Step07Actor.HealthKitController: Authorizing, Loading {}
extension Step08Nonisolated.CoffeeData: ShownModel {}
extension Step08Nonisolated.ExtensionDelegate: SystemDelegate {}
extension Step08Nonisolated.HealthKitController: Authorizing, Loading {}
extension Step09Store.CoffeeData: ShownModel {}
extension Step09Store.ExtensionDelegate: SystemDelegate {}
extension Step09Store.HealthKitController: Authorizing, Loading {}
extension Step10NoDidSet.CoffeeData: ShownModel {}
extension Step10NoDidSet.ExtensionDelegate: SystemDelegate {}
extension Step10NoDidSet.HealthKitController: Authorizing, Loading {}
extension Step11BeforeAwait.CoffeeData: ShownModel {}
extension Step11BeforeAwait.ExtensionDelegate: SystemDelegate {}
extension Step11BeforeAwait.HealthKitController: Authorizing, Loading {}
extension Step12Model.CoffeeData: ShownModel {}
extension Step12Model.ExtensionDelegate: SystemDelegate {}
extension Step12Model.HealthKitController: Authorizing, Loading {}
extension Step13Done.CoffeeData: ShownModel {}
extension Step13Done.ExtensionDelegate: SystemDelegate {}
extension Step13Done.HealthKitController: Authorizing, Loading {}
extension Step14Afterwards.CoffeeData: ShownModel {}
extension Step14Afterwards.ExtensionDelegate: SystemDelegate {}
extension Step14Afterwards.HealthKitController: Authorizing, Loading {}

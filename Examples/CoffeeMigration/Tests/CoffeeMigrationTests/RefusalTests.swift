import Testing

/// Code that the compiler rejects, its diagnostic, and the corrected code, which shows that nothing else was rejected.
struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    /// The code that must not compile.
    let wrong: String
    /// The expected diagnostic.
    let diagnostic: String
    /// The code that must compile.
    let right: String
    /// Additional compiler options.
    var options: [String] = []

    var testDescription: String { name }
}

@Suite(.timeLimit(.minutes(20))) struct RefusalTests {
    @Test(arguments: Refusal.all) func wrongCodeIsRejectedAndCorrectedCodeCompiles(_ refusal: Refusal) throws {
        let wrong = try Compiler.verdict(on: refusal.wrong, refusal.options)
        #expect(!wrong.isAccepted, "\(refusal.wrong)")
        #expect(wrong.output.contains(refusal.diagnostic), "\(wrong.output)")
        let right = try Compiler.verdict(on: refusal.right, refusal.options)
        #expect(right.isAccepted, "\(right.output)")
    }
}

extension Refusal {
    static let all = [
        Refusal(
            name: "step 1: an unhandled error",
            wrong: """
                import HealthKitFacade
                import HealthSamples
                func save(_ sample: Sample, in store: HealthStore) async { await store.save(sample) }
                """,
            diagnostic: "call can throw",
            right: """
                import HealthKitFacade
                import HealthSamples
                func save(_ sample: Sample, in store: HealthStore) async throws { try await store.save(sample) }
                """),
        Refusal(
            name: "step 1: an async function called by a synchronous one",
            wrong: """
                func save() async {}
                func addDrink() { await save() }
                """,
            diagnostic: "'async' call in a function that does not support concurrency",
            right: """
                func save() async {}
                func addDrink() async { await save() }
                """),
        Refusal(
            name: "step 3: a variable that a closure on another thread reads, and its copy by a capture list",
            wrong: """
                func update(_ apply: @escaping @Sendable () -> Void) { apply() }
                func load() {
                    var newDrinks = ["espresso"]
                    newDrinks.append("tea")
                    update { print(newDrinks) }
                }
                """,
            diagnostic: "reference to captured var 'newDrinks' in concurrently-executing code",
            right: """
                func update(_ apply: @escaping @Sendable () -> Void) { apply() }
                func load() {
                    var newDrinks = ["espresso"]
                    newDrinks.append("tea")
                    update { [newDrinks] in print(newDrinks) }
                }
                """),
        Refusal(
            name: "step 1: a synchronous function that returns the value of a task",
            wrong: """
                func save() -> Bool { Task { return true } }
                """,
            diagnostic: "cannot convert return expression of type 'Task<",
            right: """
                func save() { Task { print("saved") } }
                """),
        Refusal(
            name: "step 1: global state that a task changes",
            wrong: """
                enum Saves { static var count = 0 }
                func save() { Task { Saves.count += 1 } }
                """,
            diagnostic: "static property 'count' is not concurrency-safe",
            right: """
                enum Saves { @MainActor static var count = 0 }
                func save() { Task { @MainActor in Saves.count += 1 } }
                """),
        Refusal(
            name: "step 2: a path without a return value",
            wrong: """
                func request(_ isAvailable: Bool) async -> Bool {
                    guard isAvailable else { return }
                    return true
                }
                """,
            diagnostic: "non-void function should return a value",
            right: """
                func request(_ isAvailable: Bool) async -> Bool {
                    guard isAvailable else { return false }
                    return true
                }
                """),
        Refusal(
            name: "step 2: a call of the deprecated shim",
            wrong: """
                @testable import Step02Authorization
                func ask(_ controller: HealthKitController) { controller.requestAuthorization { _ in } }
                """,
            diagnostic: "is deprecated: Prefer the async alternative.",
            right: """
                @testable import Step02Authorization
                func ask(_ controller: HealthKitController) async { _ = await controller.requestAuthorization() }
                """,
            options: ["-swift-version", "5", "-warnings-as-errors"]),
        Refusal(
            name: "step 4: a variable that a closure on another queue reads",
            wrong: """
                import HealthKitFacade
                func load(_ samples: [Int]?, _ queue: WorkQueue) {
                    var newDrinks: [Int] = []
                    if let samples { newDrinks = samples }
                    queue.async { print(newDrinks) }
                }
                """,
            diagnostic: "reference to captured var 'newDrinks' in concurrently-executing code",
            right: """
                import HealthKitFacade
                func load(_ samples: [Int]?, _ queue: WorkQueue) {
                    let newDrinks = samples ?? []
                    queue.async { print(newDrinks) }
                }
                """),
        Refusal(
            name: "step 4: a variable that is changed while the main actor may read it",
            wrong: """
                @MainActor func show(_ drinks: [Int]) {}
                func load(_ samples: [Int]) {
                    var newDrinks = samples
                    Task { @MainActor in show(newDrinks) }
                    newDrinks = []
                }
                """,
            diagnostic: "sending 'newDrinks' risks causing data races",
            right: """
                @MainActor func show(_ drinks: [Int]) {}
                func load(_ samples: [Int]) async {
                    var newDrinks = samples
                    newDrinks += [96]
                    await MainActor.run { show(newDrinks) }
                }
                """),
        Refusal(
            name: "step 5: a missing hop to the main actor",
            wrong: """
                @testable import Step08Nonisolated
                func show(_ model: CoffeeData) { model.updateModel(newDrinks: [], deletedDrinks: []) }
                """,
            diagnostic: "call to main actor-isolated instance method 'updateModel(newDrinks:deletedDrinks:)'",
            right: """
                @testable import Step08Nonisolated
                @MainActor func show(_ model: CoffeeData) { model.updateModel(newDrinks: [], deletedDrinks: []) }
                """),
        Refusal(
            name: "step 5: an optional that isn't unwrapped, to compare with an actor's function without await",
            wrong: """
                func show(_ count: Int) {}
                func update(_ count: Int?) { show(count) }
                """,
            diagnostic: "value of optional type 'Int?' must be unwrapped",
            right: """
                func show(_ count: Int) {}
                func update(_ count: Int?) { if let count { show(count) } }
                """),
        Refusal(
            name: "step 5: an actor's function without await, to compare with an optional that isn't unwrapped",
            wrong: """
                @MainActor func show(_ count: Int) {}
                func update(_ count: Int) async { show(count) }
                """,
            diagnostic: "main actor-isolated global function 'show' cannot be called from outside of the actor",
            right: """
                @MainActor func show(_ count: Int) {}
                func update(_ count: Int) async { await show(count) }
                """),
        Refusal(
            name: "step 7: an object with state, in two tasks",
            wrong: twoTasks(in: "Step06Group"),
            diagnostic: "risks causing data races",
            right: twoTasks(in: "Step07Actor")),
        Refusal(
            name: "step 7: reading an actor's state from outside",
            wrong: """
                @testable import Step07Actor
                func look(_ controller: HealthKitController) -> Bool { controller.isAuthorized }
                """,
            diagnostic: "actor-isolated property 'isAuthorized' can not be referenced from a nonisolated context",
            right: """
                @testable import Step07Actor
                func look(_ controller: HealthKitController) async -> Bool { await controller.isAuthorized }
                """),
        Refusal(
            name: "step 8: a function on the main actor that touches another actor's state",
            wrong: """
                @testable import Step08Nonisolated
                extension HealthKitController { @MainActor func show() -> Bool { isAuthorized } }
                """,
            diagnostic: "actor-isolated property 'isAuthorized' can not be referenced from the main actor",
            right: """
                @testable import Step08Nonisolated
                extension HealthKitController { @MainActor func show() async -> Bool { await isAuthorized } }
                """),
        Refusal(
            name: "step 8: a synchronous call of a shim that isn't declared nonisolated",
            wrong: callOfShim(in: "Step07Actor"),
            diagnostic: "call to actor-isolated instance method 'loadNewDataFromHealthKit(completionHandler:)'",
            right: callOfShim(in: "Step08Nonisolated")),
        Refusal(
            name: "step 8: a nonisolated function that touches the state",
            wrong: """
                @testable import Step08Nonisolated
                extension HealthKitController { nonisolated func show() -> Bool { isAuthorized } }
                """,
            diagnostic: "actor-isolated property 'isAuthorized' can not be referenced from a nonisolated context",
            right: """
                @testable import Step08Nonisolated
                extension HealthKitController { nonisolated func show() async -> Bool { await isAuthorized } }
                """),
        Refusal(
            name: "step 9: a closure on a queue that captures the actor's state",
            wrong: """
                @testable import Step09Store
                import Dispatch
                extension CoffeeDataStore { func save(on queue: DispatchQueue) { queue.async { self.save([]) } } }
                """,
            diagnostic: "call to actor-isolated instance method 'save' in a synchronous nonisolated context",
            right: """
                @testable import Step09Store
                extension CoffeeDataStore { func saveNothing() { save([]) } }
                """),
        Refusal(
            name: "step 10: a change that is not saved",
            wrong: """
                @testable import Step10NoDidSet
                func clear(_ model: CoffeeData) { model.currentDrinks = [] }
                """,
            diagnostic: "setter is inaccessible",
            right: """
                @testable import Step09Store
                func clear(_ model: CoffeeData) { model.currentDrinks = [] }
                """),
        Refusal(
            name: "step 12: a view that is not on the main actor",
            wrong: """
                @testable import Step12Model
                struct View {
                    let model: CoffeeData
                    func rows() -> Int { model.currentDrinks.count }
                }
                """,
            diagnostic: "main actor-isolated property 'currentDrinks' can not be referenced from a nonisolated context",
            right: """
                @testable import Step12Model
                extension DrinkListView { func count() -> Int { model.currentDrinks.count } }
                """),
        Refusal(
            name: "step 12: the model read outside the main actor",
            wrong: """
                @testable import Step12Model
                func count(_ model: CoffeeData) -> Int { model.currentDrinks.count }
                """,
            diagnostic: "main actor-isolated property 'currentDrinks' can not be referenced from a nonisolated context",
            right: """
                @testable import Step11BeforeAwait
                func count(_ model: CoffeeData) -> Int { model.currentDrinks.count }
                """),
    ]

    private static func twoTasks(in module: String) -> String {
        """
        @testable import \(module)
        func load(_ controller: HealthKitController) async {
            async let first = controller.loadNewDataFromHealthKit()
            async let second = controller.loadNewDataFromHealthKit()
            _ = await (first, second)
        }
        """
    }

    private static func callOfShim(in module: String) -> String {
        """
        @testable import \(module)
        func load(_ controller: HealthKitController) { controller.loadNewDataFromHealthKit { _ in } }
        """
    }
}

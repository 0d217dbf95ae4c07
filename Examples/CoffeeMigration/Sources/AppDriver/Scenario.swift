import Drinks
import HealthSamples
import Interleaving
import Synchronization

/// One possible failure, and the steps in which it occurs.
struct Scenario: Sendable {
    /// The message of the failure.
    let complaint: String
    /// The numbers of the steps that have the bug.
    let broken: Set<Int>
    /// The numbers of the steps that can't be explored, because they block a thread.
    let blocking: Set<Int>
    /// Runs the scenario once, and returns whether the app behaves correctly.
    let holds: @Sendable (Step) async throws -> Bool

    init(
        _ complaint: String, in broken: some Sequence<Int>, blocking: Set<Int> = [],
        holds: @escaping @Sendable (Step) async throws -> Bool
    ) {
        self.complaint = complaint
        self.broken = Set(broken)
        self.blocking = blocking
        self.holds = holds
    }
}

extension Scenario {
    static let all = [
        // No step has this bug. Steps 2 to 12 rely on the completion handler shims.
        Scenario("after the permission the other app's drinks are missing", in: [] as [Int]) { step in
            let world = try await World.make(isAllowed: false)
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            await app.becomeActive()
            await waitForOtherTasks()
            return await app.drinks().count == 1 && world.file.drinks.count == 1
        },
        // Step 1.
        Scenario("a failed save is logged as a success", in: [0]) { step in
            let world = try await World.make(mayWrite: false)
            let app = await step.app(world)
            await app.add(World.drink(96))
            await waitForOtherTasks()
            return !world.journal.lines.contains { $0.hasPrefix("Saved") }
        },
        // Step 2.
        Scenario("without a health store the handler is never called", in: 0...1) { step in
            try await isAnswered(step, World.make(isAvailable: false))
        },
        Scenario("without the entitlement the handler is never called", in: 0...1) { step in
            try await isAnswered(step, World.make(isEntitled: false))
        },
        // Step 3.
        Scenario("loading returns before anything is loaded", in: 0...2) { step in
            let world = try await World.make()
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            await app.load()
            let count = await app.drinks().count
            await waitForOtherTasks()
            return count == 1
        },
        // No step has these bugs. Up to step 2 the query's handler gets the error; from step 3 on `queryHealthKit()` throws it.
        Scenario("a failed query is not logged, or the background refresh says that it has loaded", in: [] as [Int]) {
            step in
            let world = try await World.make(failingQueries: 1)
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            let answers = Mutex<[Bool]>([])
            await app.refresh(RefreshTask { hasLoaded in answers.withLock { $0.append(hasLoaded) } })
            await waitForOtherTasks()
            return answers.withLock { $0 } == [false]
                && world.journal.lines == ["Can't load new samples: \(DeviceLocked())"]
        },
        Scenario("after a failed query its drinks are never loaded", in: [] as [Int]) { step in
            let world = try await World.make(failingQueries: 1)
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            await app.load()
            await waitForOtherTasks()
            let countAfterFailure = await app.drinks().count
            await app.load()
            await waitForOtherTasks()
            let count = await app.drinks().count
            return countAfterFailure == 0 && count == 1
        },
        // Step 6.
        Scenario("half an edit is on the screen", in: [5]) { step in
            let world = try await World.make()
            let app = await step.app(world)
            let id = try await world.saveFromOtherApp(64)
            await app.load()
            await waitForOtherTasks()
            try await world.samples.delete(.ids([id]), by: World.other)
            _ = try await world.saveFromOtherApp(128)
            let glance = Task { await app.drinks().map(\.milligrams) }
            await app.load()
            let seen = await glance.value
            await waitForOtherTasks()
            return seen == [64] || seen == [128]
        },
        // Fixed in step 9. Step 10 loses a drink that is added during the launch.
        Scenario("a drink added at launch is missing from the file", in: Array(0...8) + [10]) {
            try await addsAtTheStart($0) { screen, file, _ in screen == file }
        },
        // Step 11.
        Scenario("a drink added at launch disappears from the screen", in: 0...10) {
            try await addsAtTheStart($0) { screen, _, drink in screen == [drink] }
        },
        Scenario("one of two added drinks is lost", in: [10]) {
            try await addsTwo($0) { screen, _ in screen.count == 2 }
        },
        // Step 13. Step 9 blocks the thread until it has saved.
        Scenario("the background task ends before the save", in: 10...12, blocking: [9]) { step in
            let world = try await World.make()
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            let saved = Mutex<Int?>(nil)
            await app.refresh(RefreshTask { _ in saved.withLock { $0 = world.file.drinks.count } })
            await waitForOtherTasks()
            return saved.withLock { $0 } == 1
        },
        // Step 14: the bugs that the talk leaves.
        Scenario("after two added drinks the file differs from the screen", in: 10...13) {
            try await addsTwo($0) { screen, file in screen == file }
        },
        Scenario("the anchor moves back, and old changes are loaded again", in: 0...13) { step in
            let world = try await World.make()
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            async let first: Void = app.load()
            _ = try await world.saveFromOtherApp(128)
            async let second: Void = app.load()
            _ = await (first, second)
            await waitForOtherTasks()
            // Nothing has changed since, so a third load from the newest anchor finds nothing.
            await app.load()
            await waitForOtherTasks()
            return world.journal.lines.last?.hasSuffix("0 new.") == true
        },
        Scenario("the controller is authorized, and the screen says otherwise", in: 5...13) { step in
            let world = try await World.make()
            let app = await step.app(world)
            let glance = Task {
                let isAuthorized = await app.isAuthorized()
                let isConnected = await app.isConnected()
                return !isAuthorized || isConnected
            }
            await app.authorize { _ in }
            let agrees = await glance.value
            await waitForOtherTasks()
            return agrees
        },
        Scenario("a drink is shown twice", in: 0...13) { step in
            let world = try await World.make()
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            async let first: Void = app.load()
            async let second: Void = app.load()
            _ = await (first, second)
            await waitForOtherTasks()
            return await app.drinks().count == 1
        },
        Scenario("changes that were not saved are never requested again", in: 0...13) { step in
            let world = try await World.make(file: AppFile(failures: 1))
            let app = await step.app(world)
            _ = try await world.saveFromOtherApp(64)
            await app.load()
            await waitForOtherTasks()
            await app.load()
            await waitForOtherTasks()
            return world.file.drinks.count == 1
        },
    ]

    private static func isAnswered(_ step: Step, _ world: World) async -> Bool {
        let app = await step.app(world)
        let answers = Mutex<[Bool]>([])
        await app.authorize { answer in answers.withLock { $0.append(answer) } }
        await waitForOtherTasks()
        return answers.withLock { $0 } == [false]
    }

    private static func addsAtTheStart(
        _ step: Step, isCorrect: (_ screen: [Drink], _ file: [Drink], _ drink: Drink) -> Bool
    ) async throws -> Bool {
        let world = try await World.make()
        let app = await step.app(world)
        let drink = World.drink(96)
        await app.finishLaunching()
        await app.add(drink)
        await waitForOtherTasks()
        return isCorrect(await app.drinks(), world.file.drinks, drink)
    }

    private static func addsTwo(
        _ step: Step, isCorrect: (_ screen: [Drink], _ file: [Drink]) -> Bool
    ) async throws -> Bool {
        let world = try await World.make()
        let app = await step.app(world)
        async let first: Void = app.add(World.drink(96))
        async let second: Void = app.add(World.drink(64))
        _ = await (first, second)
        await waitForOtherTasks()
        return isCorrect(await app.drinks(), world.file.drinks)
    }
}

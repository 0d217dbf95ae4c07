import Drinks
import HealthKitFacade
import Synchronization
import Testing

@testable import AppDriver

/// Tests which work runs on the main queue, with real queues.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MainQueueTests {
    /// Waits until shown data is about to change, and returns whether that happens on the main queue.
    private func changesOnMain(_ app: App, _ change: () async -> Void) async -> Bool {
        let (checks, check) = AsyncStream.makeStream(of: Bool.self)
        await app.observe { check.yield(MainQueue.isCurrent) }
        await change()
        return await checks.first { _ in true } ?? false
    }

    /// Before step 5, the update of the connection neither switches to the main queue nor asserts that it runs there.
    @Test(arguments: Step.all)
    func permissionIsShownOnTheMainQueueSinceStep5(_ step: Step) async throws {
        let app = await step.app(try await World.make(.real))
        let isOnMain = await changesOnMain(app) { await app.authorize { _ in } }
        #expect(isOnMain == (step.number >= 5))
    }

    /// Steps 0 to 2: the update of the model asserts that it runs on the main queue.
    @Test(arguments: 0...2)
    func updateThatIsNotDispatchedToTheMainQueueStopsADebugBuild(_ number: Int) async throws {
        await #expect(processExitsWith: .success) { [number = number as Int] in
            try await Self.loadNewData(in: Step.all[number], .real)
        }
        await #expect(processExitsWith: .failure) { [number = number as Int] in
            // Runs each block at once on the calling thread, like an app that forgets to dispatch.
            let main = WorkQueue { work in work() }
            let queues = Queues.real
            try await Self.loadNewData(
                in: Step.all[number], Queues(callbacks: queues.callbacks, main: main, background: queues.background))
        }
    }

    private static func loadNewData(in step: Step, _ queues: Queues) async throws {
        let world = try await World.make(queues)
        let app = await step.app(world)
        _ = try await world.saveFromOtherApp(64)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        await app.refresh(RefreshTask { end.yield($0) })
        let hasLoaded = await ends.first { _ in true }
        #expect(hasLoaded == true)
    }

    /// Step 11 makes `load` async in a type without isolation, so it runs off the main queue; step 12 isolates the type.
    @Test(arguments: Step.all)
    func drinksAreShownOnTheMainQueueExceptInStep11(_ step: Step) async throws {
        let world = try await World.make(.real)
        try world.file.put([World.drink(96)])
        let app = await step.app(world)
        let isOnMain = await changesOnMain(app) { await app.finishLaunching() }
        #expect(isOnMain == (step.number != 11))
    }

    /// Before step 10, a `didSet` that can't await the save blocks the main queue in the background.
    @Test(arguments: Step.all)
    func mainQueueIsFreeDuringASaveSinceStep10(_ step: Step) async throws {
        let shouldBeFree = step.number >= 10
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let file = AppFile(willWrite: {
            answer.yield(shouldBeFree ? MainQueue.isFree(within: 300) : !MainQueue.isBlocked)
        })
        let world = try await World.make(.real, file: file)
        let app = await step.app(world)
        _ = try await world.saveFromOtherApp(64)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        await app.refresh(RefreshTask { end.yield($0) })
        let hasLoaded = await ends.first { _ in true }
        #expect(hasLoaded == true)
        let isFree = await answers.first { _ in true }
        #expect(isFree == shouldBeFree)
    }
}

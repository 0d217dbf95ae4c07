import Drinks
import Synchronization
import Testing

@testable import AppDriver

/// What belongs to the main queue, on real ones.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MainQueueTests {
    /// Waits until what is shown is about to change, and says whether that is on the main queue.
    private func changesOnMain(_ app: App, _ change: () async -> Void) async -> Bool {
        let (places, place) = AsyncStream.makeStream(of: Bool.self)
        await app.observe { place.yield(MainQueue.isCurrent) }
        await change()
        return await places.first { _ in true } ?? false
    }

    /// Step 5: a hop was forgotten, and so was the assertion that would have told.
    @Test(arguments: Step.all)
    func thePermissionIsShownOnTheMainQueueFromStep5On(_ step: Step) async throws {
        let app = await step.app(try await World.make(.real))
        let isOnMain = await changesOnMain(app) { await app.authorize { _ in } }
        #expect(isOnMain == (step.number >= 5))
    }

    /// Step 12: `load` is a function that belongs nowhere while its type belongs nowhere.
    @Test(arguments: Step.all)
    func theDrinksAreShownOnTheMainQueueExceptInStep11(_ step: Step) async throws {
        let world = try await World.make(.real)
        try world.file.put([World.drink(96)])
        let app = await step.app(world)
        let isOnMain = await changesOnMain(app) { await app.finishLaunching() }
        #expect(isOnMain == (step.number != 11))
    }

    /// Step 10: a `didSet` cannot wait, so in the background it kept everybody waiting.
    @Test(arguments: Step.all)
    func theMainQueueIsFreeDuringASaveFromStep10On(_ step: Step) async throws {
        let isToBeFree = step.number >= 10
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let file = AppFile(willWrite: { answer.yield(MainQueue.isFree(within: isToBeFree ? 300 : 0.05)) })
        let world = try await World.make(.real, file: file)
        let app = await step.app(world)
        _ = try await world.noteElsewhere(64)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        await app.refresh(RefreshTask { end.yield($0) })
        let hasLoaded = await ends.first { _ in true }
        #expect(hasLoaded == true)
        let isFree = await answers.first { _ in true }
        #expect(isFree == isToBeFree)
    }
}

import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct OpeningTests {
    let fixture = LibraryFixture()

    @Test func storedPagesAreLoadedAfterARestart() async throws {
        let ids = [try await fixture.savePage("https://a.example"), try await fixture.savePage("https://b.example")]
        try await fixture.library.delete(ids[0])
        let other = fixture.another()
        try await other.open()
        #expect(Array(other.items) == Array(fixture.library.items))
        #expect(other.items.map(\.id) == ids.reversed())
        #expect(other.items.map(\.isDeleted) == [false, true])
        #expect(!other.isBusy)
    }

    @Test func openingResumesTheSameAttempt() async throws {
        let (id, call) = try await fixture.startSaving()
        await fixture.library.shutDown()
        try await call.cancellation.future.value
        let other = fixture.another()
        try await other.open()
        #expect(other.item(id)?.state.isFetching == true)
        let again = try await fixture.capturer.call()
        #expect(again.attempt == call.attempt)
        #expect(again.attempt == CaptureAttempt(page: id, owner: "ann", number: 1))
        again.succeed()
        await other.waitForItem(id) { $0.state.isFound }
        #expect(await fixture.storedPage(id)?.attempt == 1)
    }

    @Test func aCaptureSurvivesAnyNumberOfRestarts() async throws {
        let (id, _) = try await fixture.startSaving()
        await fixture.library.shutDown()
        for _ in 2...5 {
            let other = fixture.another()
            try await other.open()
            _ = try await fixture.capturer.call()
            await other.shutDown()
        }
        let last = fixture.another()
        try await last.open()
        try await fixture.capturer.call().succeed()
        await last.waitForItem(id) { $0.state.isFound }
    }

    @Test func openingAgainChangesNothing() async throws {
        let saved = try await fixture.savePage("https://a.example")
        let (id, call) = try await fixture.startSaving("https://b.example")
        async let first: Void = fixture.library.open()
        async let second: Void = fixture.library.open()
        _ = try await (first, second)
        #expect(fixture.library.items.map(\.id) == [id, saved])
        #expect(fixture.capturer.callCount == 2)
        call.succeed()
        await fixture.library.waitForItem(id) { $0.state.isFound }
    }

    @Test func openingAgainShowsPagesOfAnotherLibraryInOrder() async throws {
        let other = fixture.another()
        let first = try await fixture.savePage("https://a.example")
        fixture.time.advance(by: 1)
        let id = try await other.save("https://b.example", formats: [.png])
        try await fixture.capturer.call().succeed()
        await other.waitForItem(id) { $0.state.isFound }
        fixture.time.advance(by: 1)
        let last = try await fixture.savePage("https://c.example")
        try await fixture.library.open()
        #expect(fixture.library.items.map(\.id) == [last, id, first])
    }

    @Test func concurrentOpensResumeEachPageOnce() async throws {
        for address in ["https://a.example", "https://b.example"] { _ = try await fixture.startSaving(address) }
        await fixture.library.shutDown()
        let other = fixture.another()
        async let first: Void = other.open()
        async let second: Void = other.open()
        _ = try await (first, second)
        #expect(other.items.count == 2)
        for _ in 0..<2 { _ = try await fixture.capturer.call() }
        #expect(fixture.capturer.callCount == 4)
    }

    @Test func failedOpenCanBeRetried() async throws {
        let id = try await fixture.savePage()
        let other = fixture.another()
        fixture.store.failOperations([.pages])
        #expect(await error { () throws(LibraryError) in try await other.open() } == .diskFull)
        fixture.store.failOperations([])
        try await other.open()
        #expect(other.items.map(\.id) == [id])
    }
}

// MARK: - Shutting down

extension OpeningTests {
    @Test func shutdownLeavesPagesUnfinished() async throws {
        let (id, call) = try await fixture.startSaving()
        await fixture.library.shutDown()
        #expect(call.cancellation.future.isComplete)
        #expect(!fixture.library.isBusy)
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
        #expect(try await fixture.store.ownersWithWork() == ["ann"])
        #expect(fixture.library.item(id)?.state.isFetching == true)
        let error = await error { () throws(LibraryError) in
            try await fixture.library.save("https://example.org", formats: [.png])
        }
        #expect(error == .shuttingDown)
        await fixture.library.shutDown()
    }

    @Test func shutdownDuringAWriteLeavesThePageUnfinished() async throws {
        let (id, call) = try await fixture.startSaving()
        let gate = fixture.store.hold(.save)
        call.succeed()
        await gate.arrived()
        let ending = Task { await fixture.library.shutDown() }
        await fixture.library.runPendingTasks()
        gate.open()
        await ending.value
        #expect(fixture.library.item(id)?.state.isFetching == true)
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
    }

    @Test func shutdownWaitsForStoppedCaptures() async throws {
        let fixture = LibraryFixture(ignoresCancellation: true)
        let (id, older) = try await fixture.startSaving()
        try await fixture.library.stop(id)
        try await fixture.library.retry(id)
        let newer = try await fixture.capturer.call()
        async let ending: Void = fixture.library.shutDown()
        try await newer.cancellation.future.value
        newer.fail(.cancelled)
        await fixture.library.runPendingTasks()
        #expect(fixture.library.isBusy)
        older.fail(.cancelled)
        await ending
        #expect(!fixture.library.isBusy)
    }

    @Test func libraryStartsNoCaptureAfterShutdown() async throws {
        let (id, _) = try await fixture.startSaving()
        await fixture.library.shutDown()
        let other = fixture.another()
        let gate = fixture.store.hold(.pages)
        async let opening = error { () throws(LibraryError) in try await other.open() }
        await gate.arrived()
        await other.shutDown()
        gate.open()
        _ = await opening
        #expect(await error { () throws(LibraryError) in try await other.open() } == .shuttingDown)
        #expect(fixture.capturer.callCount == 1)
        #expect(await fixture.storedPage(id)?.attempt == 1)
    }
}

import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct OpeningTests {
    let bench = Bench()

    @Test func whatIsKeptIsThereAfterARestart() async throws {
        let ids = [try await bench.saved("https://a.example"), try await bench.saved("https://b.example")]
        try await bench.library.delete(ids[0])
        let other = bench.another()
        try await other.open()
        #expect(other.items == bench.library.items)
        #expect(other.items.map(\.id) == ids.reversed())
        #expect(other.items.map(\.isDeleted) == [false, true])
        #expect(!other.isBusy)
    }

    @Test func openingGoesOnWithTheSameAttempt() async throws {
        let (id, call) = try await bench.saving()
        await bench.library.shutDown()
        try await call.cancellation.future.value
        let other = bench.another()
        try await other.open()
        #expect(other.item(id)?.state.isFetching == true)
        let again = try await bench.capturer.call()
        #expect(again.attempt == call.attempt)
        #expect(again.attempt == CaptureAttempt(page: id, owner: "ann", number: 1))
        again.succeed()
        await other.item(id) { $0.state.isFound }
        #expect(await bench.kept(id)?.attempt == 1)
    }

    @Test func aCaptureSurvivesAnyNumberOfRestarts() async throws {
        let (id, _) = try await bench.saving()
        await bench.library.shutDown()
        for _ in 2...5 {
            let other = bench.another()
            try await other.open()
            _ = try await bench.capturer.call()
            await other.shutDown()
        }
        let last = bench.another()
        try await last.open()
        try await bench.capturer.call().succeed()
        await last.item(id) { $0.state.isFound }
    }

    @Test func openingAgainChangesNothing() async throws {
        let kept = try await bench.saved("https://a.example")
        let (id, call) = try await bench.saving("https://b.example")
        async let first: Void = bench.library.open()
        async let second: Void = bench.library.open()
        _ = try await (first, second)
        #expect(bench.library.items.map(\.id) == [id, kept])
        #expect(bench.capturer.callCount == 2)
        call.succeed()
        await bench.library.item(id) { $0.state.isFound }
    }

    @Test func openingAgainShowsWhatAnotherHasAddedInItsPlace() async throws {
        let other = bench.another()
        let first = try await bench.saved("https://a.example")
        bench.time.advance(by: 1)
        let id = try await other.save("https://b.example", formats: [.png])
        try await bench.capturer.call().succeed()
        await other.item(id) { $0.state.isFound }
        bench.time.advance(by: 1)
        let last = try await bench.saved("https://c.example")
        try await bench.library.open()
        #expect(bench.library.items.map(\.id) == [last, id, first])
    }

    @Test func openingTwiceAtATimeGoesOnWithEachPageOnce() async throws {
        for address in ["https://a.example", "https://b.example"] { _ = try await bench.saving(address) }
        await bench.library.shutDown()
        let other = bench.another()
        async let first: Void = other.open()
        async let second: Void = other.open()
        _ = try await (first, second)
        #expect(other.items.count == 2)
        for _ in 0..<2 { _ = try await bench.capturer.call() }
        #expect(bench.capturer.callCount == 4)
    }

    @Test func whatCannotBeReadIsOpenedAnotherTime() async throws {
        let id = try await bench.saved()
        let other = bench.another()
        bench.store.breakDown([.pages])
        #expect(await error { () throws(LibraryError) in try await other.open() } == .diskFull)
        bench.store.breakDown([])
        try await other.open()
        #expect(other.items.map(\.id) == [id])
    }
}

// MARK: - Shutting down

extension OpeningTests {
    @Test func endingLeavesPagesUnfinished() async throws {
        let (id, call) = try await bench.saving()
        await bench.library.shutDown()
        #expect(call.cancellation.future.isComplete)
        #expect(!bench.library.isBusy)
        #expect(await bench.kept(id)?.state.isFetching == true)
        #expect(await bench.store.ownersOfUnfinished() == ["ann"])
        #expect(bench.library.item(id)?.state.isFetching == true)
        let error = await error { () throws(LibraryError) in
            try await bench.library.save("https://example.org", formats: [.png])
        }
        #expect(error == .ending)
        await bench.library.shutDown()
    }

    @Test func endingWhileTheFilesAreWrittenLosesNothing() async throws {
        let (id, call) = try await bench.saving()
        let gate = bench.store.hold(.keep)
        call.succeed()
        await gate.arrived()
        let ending = Task { await bench.library.shutDown() }
        await bench.library.turn()
        gate.open()
        await ending.value
        #expect(bench.library.item(id)?.state.isFetching == true)
        #expect(await bench.kept(id)?.state.isFetching == true)
    }

    @Test func endingWaitsForWhatWasStoppedToo() async throws {
        let bench = Bench(isStubborn: true)
        let (id, older) = try await bench.saving()
        try await bench.library.stop(id)
        try await bench.library.retry(id)
        let newer = try await bench.capturer.call()
        async let ending: Void = bench.library.shutDown()
        try await newer.cancellation.future.value
        newer.fail(.cancelled)
        await bench.library.turn()
        #expect(bench.library.isBusy)
        older.fail(.cancelled)
        await ending
        #expect(!bench.library.isBusy)
    }

    @Test func anEndedLibraryBeginsNothing() async throws {
        let (id, _) = try await bench.saving()
        await bench.library.shutDown()
        let other = bench.another()
        let gate = bench.store.hold(.pages)
        async let opening = error { () throws(LibraryError) in try await other.open() }
        await gate.arrived()
        await other.shutDown()
        gate.open()
        _ = await opening
        #expect(await error { () throws(LibraryError) in try await other.open() } == .ending)
        #expect(bench.capturer.callCount == 1)
        #expect(await bench.kept(id)?.attempt == 1)
    }
}

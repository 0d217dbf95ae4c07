import Futures
import StoreTesting
import Testing
import VirtualTime

@testable import Loading

/// Tests a loader whose fetches the test answers.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LoaderTests {
    private let fetches = Fetches()
    private let clock = ManualClock()

    private func loader() -> Loader<String, String, Problem> {
        Loader(settings: .exact(clock), fetch: fetches.fetch)
    }

    /// Returns a loader that has found a value of a source.
    private func loader(having value: String, of source: String) async throws -> Loader<String, String, Problem> {
        let loader = loader()
        loader.load(source)
        await fetches.call(0).answer.resolve(value)
        _ = try await loader.settled()
        return loader
    }

    @Test func loadedValueIsFound() async throws {
        let loader = loader()
        #expect(loader.state == .idle)
        loader.load("a")
        #expect(loader.state == .fetching("a", previous: nil))
        #expect(loader.source == "a" && loader.attempt == 1)
        await fetches.call(0).answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
        #expect(loader.state == .found("A") && loader.value == "A" && loader.valueSource == "a")
        #expect(loader.attempt == 0)
    }

    @Test func permanentFailureIsReported() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.broken)
        #expect(try await loader.settled() == .failed(.broken, previous: nil))
        #expect(loader.lastFailure == nil)
    }

    @Test func theSameSourceIsFetchedOnce() async throws {
        let loader = loader()
        loader.load("a")
        loader.load("a")
        await fetches.call(0).answer.resolve("A")
        _ = try await loader.settled()
        loader.load("a")
        #expect(loader.state == .found("A"))
        #expect(fetches.sources == ["a"])
    }

    @Test func valueStaysVisibleDuringRevalidation() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.load("a", .revalidate)
        #expect(loader.state == .fetching("a", previous: "A"))
        let first = await fetches.call(1)
        loader.revalidate()
        #expect(loader.state == .fetching("a", previous: "A"))
        await fetches.call(2).answer.resolve("A2")
        #expect(try await loader.settled() == .found("A2"))
        #expect(first.isCancelled)
        first.answer.resolve("A1")
        #expect(fetches.sources == ["a", "a", "a"])
    }

    @Test func anotherSourceCancelsTheOldTransferAndKeepsTheValue() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.load("b")
        let old = await fetches.call(1)
        loader.load("c")
        #expect(old.isCancelled)
        #expect(loader.state == .fetching("c", previous: "A"))
        #expect(loader.source == "c" && loader.valueSource == "a")
        old.answer.resolve("B")
        await fetches.call(2).answer.resolve("C")
        #expect(try await loader.settled() == .found("C"))
        #expect(loader.valueSource == "c")
    }

    @Test func firstResponseIsDroppedAfterLoadingAThenBThenA() async throws {
        let loader = loader()
        loader.load("a")
        let first = await fetches.call(0)
        loader.load("b")
        let second = await fetches.call(1)
        loader.load("a")
        let third = await fetches.call(2)
        first.answer.resolve("A of then")
        second.answer.reject(.broken)
        third.answer.resolve("A of now")
        #expect(try await loader.settled() == .found("A of now"))
    }

    @Test func aLateFailureOfAnOlderFetchIsDropped() async throws {
        let loader = loader()
        loader.load("a")
        let old = await fetches.call(0)
        let transfers = Array(loader.tasks.values)
        loader.load("b")
        await fetches.call(1).answer.resolve("B")
        _ = try await loader.settled()
        old.answer.reject(.broken)
        await end(of: transfers)
        #expect(loader.state == .found("B"))
    }

    @Test func cancelledFetchKeepsThePreviousValue() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.load("b")
        let call = await fetches.call(1)
        let transfers = Array(loader.tasks.values)
        loader.cancel()
        #expect(call.isCancelled)
        #expect(loader.state == .found("A"))
        call.answer.resolve("B")
        await end(of: transfers)
        #expect(loader.state == .found("A") && loader.valueSource == "a")
        loader.load("b")
        #expect(loader.state == .fetching("b", previous: "A"))
    }

    @Test func cancelledFirstFetchLeavesTheStateIdle() async throws {
        let loader = loader()
        loader.load("a")
        loader.cancel()
        #expect(loader.state == .idle && loader.source == "a")
        loader.retry()
        #expect(loader.state == .idle)
        await fetches.call(0).answer.resolve("late")
    }

    @Test func revalidateAfterACancellationFetchesTheShownSource() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.load("b")
        loader.cancel()
        loader.revalidate()
        #expect(loader.state == .fetching("a", previous: "A"))
        for number in 1...2 { await fetches.call(number).answer.resolve("A2") }
        #expect(try await loader.settled() == .found("A2"))
    }

    @Test func resetClearsTheStateAndCancelsFetches() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.prefetch("c")
        let ahead = await fetches.call(1)
        loader.load("b")
        let call = await fetches.call(2)
        let transfers = Array(loader.tasks.values)
        loader.reset()
        #expect(call.isCancelled && ahead.isCancelled)
        #expect(loader.state == .idle && loader.value == nil && loader.source == nil && loader.valueSource == nil)
        call.answer.resolve("B")
        ahead.answer.resolve("C")
        await end(of: transfers)
        #expect(loader.state == .idle)
        loader.revalidate()
        loader.retry()
        #expect(loader.state == .idle)
    }

    @Test func retryFetchesAFailedSourceAgain() async throws {
        let loader = try await loader(having: "A", of: "a")
        loader.retry()
        #expect(loader.state == .found("A"))
        loader.load("b")
        await fetches.call(1).answer.reject(.broken)
        #expect(try await loader.settled() == .failed(.broken, previous: "A"))
        loader.retry()
        await fetches.call(2).answer.reject(.broken)
        #expect(try await loader.settled() == .failed(.broken, previous: "A"))
        loader.load("b")
        await fetches.call(3).answer.resolve("B")
        #expect(try await loader.settled() == .found("B"))
    }

    @Test func releasedLoaderCancelsItsFetches() async throws {
        var loader: Loader? = loader()
        loader?.load("a")
        loader?.prefetch("b")
        let calls = await [fetches.call(0), fetches.call(1)]
        weak let released = loader
        loader = nil
        await eventually { calls.allSatisfy(\.isCancelled) }
        #expect(calls.map(\.isCancelled) == [true, true])
        #expect(released == nil)
        for call in calls { call.answer.resolve("late") }
    }

    @Test func theFetchRunsOffTheMainActor() async throws {
        let loader = Loader { (_: Int, _) in await isIsolated() }
        #expect(await isIsolated())
        #expect(try await loader.value(of: 1) == false)
    }

    @Test func fetchMayThrowAnyErrorOrNone() async throws {
        let anything = Loader { (number: Int, _) throws -> Int in
            if number < 0 { throw Problem.broken }
            return number
        }
        #expect(try await anything.value(of: 1) == 1)
        await #expect(throws: Problem.broken) { try await anything.value(of: -1) }
        let nothing: Loader<Int, Int, Never> = Loader { (number: Int, _) in number }
        #expect(try await nothing.value(of: 2) == 2)
        #expect(nothing.state == .found(2))
    }
}

/// Whether the caller is isolated to an actor.
private func isIsolated(_ actor: isolated (any Actor)? = #isolation) async -> Bool {
    actor != nil
}

extension LoaderTests {
    @Test func concurrentCallersGetTheValueOfOneFetch() async throws {
        let loader = loader()
        async let first = loader.value(of: "a")
        let call = await fetches.call(0)
        async let second = loader.value(of: "a")
        call.answer.resolve("A")
        #expect(try await [first, second] == ["A", "A"])
        #expect(try await loader.value(of: "a") == "A")
        #expect(fetches.sources == ["a"])
        #expect(loader.outcome == nil)
    }

    @Test func callerOfValueGetsTheErrorOfAFailedFetch() async throws {
        let loader = loader()
        let waiting = Task { try await loader.value(of: "a") }
        await fetches.call(0).answer.reject(.broken)
        await #expect(throws: Problem.broken) { try await waiting.value }
    }

    @Test(arguments: ["cancel", "reset", "load", "revalidate"])
    func callerOfValueIsCancelledWhenTheFetchIsAbandoned(how: String) async throws {
        let loader = loader()
        let waiting = Task { try await loader.value(of: "a") }
        let call = await fetches.call(0)
        switch how {
        case "cancel": loader.cancel()
        case "reset": loader.reset()
        case "load": loader.load("b")
        default: loader.revalidate()
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        call.answer.resolve("A")
    }

    @Test func cancelledWaiterDoesNotCancelTheFetchOfOthers() async throws {
        let loader = loader()
        let cancelled = Task { try await loader.value(of: "a") }
        let call = await fetches.call(0)
        async let remaining = loader.value(of: "a")
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        call.answer.resolve("A")
        #expect(try await remaining == "A")
        #expect(!call.isCancelled)
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(loader.outcome == nil)
    }

    @Test func settledWaitsForTheLastFetch() async throws {
        let loader = loader()
        #expect(try await loader.settled() == .idle)
        loader.load("a")
        let waiting = Task { try await loader.settled() }
        let first = await fetches.call(0)
        await eventually { loader.outcome?.future.waiterCount == 1 }
        loader.load("b")
        first.answer.resolve("A")
        await fetches.call(1).answer.resolve("B")
        #expect(try await waiting.value == .found("B"))
    }

    @Test func cancelledSettledCallLeavesTheFetchRunning() async throws {
        let loader = loader()
        loader.load("a")
        let waiting = Task { try await loader.settled() }
        let call = await fetches.call(0)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(loader.state == .fetching("a", previous: nil))
        call.answer.resolve("A")
    }

    /// Waits until a loader's tasks have ended and their late results have reached the loader.
    private func end(of tasks: [Task<Void, Never>]) async {
        for task in tasks { await task.value }
    }
}

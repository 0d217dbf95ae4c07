import Futures
import StoreTesting
import Testing
import VirtualTime

@testable import Loading

/// Tests prefetching.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LoaderPrefetchTests {
    private let fetches = Fetches()
    private let clock = ManualClock()

    private func loader(limit: Int = 2) -> Loader<String, String, Problem> {
        var settings = LoaderSettings.exact(clock)
        settings.prefetchLimit = limit
        return Loader(settings: settings, fetch: fetches.fetch)
    }

    /// Answers a fetch, and waits until the loader has received the result.
    private func answer(
        _ number: Int, _ result: Result<String, Problem>, _ loader: Loader<String, String, Problem>
    ) async {
        await fetches.call(number).answer.settle(result)
        await eventually { loader.tasks.isEmpty }
    }

    @Test func prefetchedValueIsFoundAtOnce() async throws {
        let loader = loader()
        loader.prefetch("a")
        #expect(loader.state == .idle && loader.source == nil)
        await answer(0, .success("A"), loader)
        #expect(loader.state == .idle)
        loader.load("a")
        #expect(loader.state == .found("A") && loader.value == "A" && loader.valueSource == "a")
        #expect(try await loader.value(of: "a") == "A")
        #expect(fetches.sources == ["a"])
    }

    @Test func loadJoinsARunningPrefetch() async throws {
        let loader = loader()
        loader.prefetch("a")
        let call = await fetches.call(0)
        call.report(FetchProgress(received: 3, expected: 4))
        await clock.waitForSleepers(1)
        loader.load("a")
        #expect(loader.state == .fetching("a", previous: nil))
        #expect(loader.progress == FetchProgress(received: 3, expected: 4))
        loader.prefetch("a")
        call.answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
        #expect(fetches.sources == ["a"])
    }

    @Test func joinedPrefetchIsCancelledWithTheLoad() async throws {
        let loader = loader()
        loader.prefetch("a")
        let call = await fetches.call(0)
        loader.load("a")
        loader.load("b")
        #expect(call.isCancelled)
        call.answer.resolve("A")
        await answer(1, .success("B"), loader)
        #expect(loader.state == .found("B"))
        loader.load("a")
        #expect(loader.state == .fetching("a", previous: "B"))
    }

    @Test func joinedPrefetchThatFailsIsRetried() async throws {
        let loader = loader()
        loader.prefetch("a")
        let call = await fetches.call(0)
        loader.load("a")
        call.answer.reject(.busy)
        await until { loader.nextRetry != nil }
        #expect(loader.attempt == 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await fetches.call(1).answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
    }

    @Test func failedPrefetchLeavesTheStateIdle() async throws {
        let loader = loader()
        loader.prefetch("a")
        await answer(0, .failure(.broken), loader)
        #expect(loader.state == .idle)
        loader.load("a")
        await fetches.call(1).answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
    }

    @Test func oldestPrefetchIsCancelledBeyondTheLimit() async throws {
        let loader = loader()
        loader.prefetch("a")
        _ = await fetches.call(0)
        loader.prefetch("b")
        let b = await fetches.call(1)
        loader.prefetch("a")
        #expect(!b.isCancelled)
        loader.prefetch("c")
        #expect(b.isCancelled)
        #expect(loader.machine.prefetches.map(\.source) == ["a", "c"])
        for number in 0..<3 { await fetches.call(number).answer.resolve("late") }
    }

    @Test func cancelPrefetchCancelsTheTransfer() async throws {
        let loader = loader()
        loader.prefetch("a")
        let call = await fetches.call(0)
        loader.cancelPrefetch("a")
        loader.cancelPrefetch("b")
        #expect(call.isCancelled)
        call.answer.resolve("A")
        loader.load("a")
        #expect(loader.state == .fetching("a", previous: nil))
    }

    @Test func loadedSourceIsNotPrefetched() async throws {
        let loader = loader()
        loader.load("a")
        loader.prefetch("a")
        await answer(0, .success("A"), loader)
        loader.prefetch("a")
        #expect(fetches.sources == ["a"] && loader.machine.prefetches.map(\.source) == [])
    }

    @Test func expiredPrefetchIsFetchedAgain() async throws {
        let loader = loader()
        loader.prefetch("a")
        await answer(0, .success("A"), loader)
        clock.advance(by: .seconds(30))
        loader.load("a")
        #expect(loader.state == .fetching("a", previous: nil))
        await answer(1, .success("A2"), loader)
        #expect(loader.state == .found("A2"))
        loader.prefetch("b")
        await answer(2, .success("B"), loader)
        clock.advance(by: .seconds(30))
        loader.prefetch("b")
        await answer(3, .success("B2"), loader)
        loader.load("b")
        #expect(loader.state == .found("B2"))
    }

    @Test func revalidationCancelsAndIgnoresThePrefetch() async throws {
        let loader = loader()
        loader.prefetch("a")
        let prefetch = await fetches.call(0)
        loader.load("a", .revalidate)
        #expect(prefetch.isCancelled)
        prefetch.answer.resolve("old A")
        await fetches.call(1).answer.resolve("new A")
        #expect(try await loader.settled() == .found("new A"))
    }

    @Test func limitOfZeroDisablesPrefetching() async throws {
        let loader = loader(limit: 0)
        loader.prefetch("a")
        #expect(loader.tasks.isEmpty)
    }
}

import Futures
import Observation
import Testing
import VirtualTime

@testable import Loading

/// Tests the progress that a loader shows.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LoaderProgressTests {
    private let fetches = Fetches()
    private let clock = ManualClock()

    @Test func firstProgressIsShownAtOnceAndLaterProgressIsThrottled() async throws {
        let loader = Loader(settings: .exact(clock), fetch: fetches.fetch)
        loader.load("a")
        let call = await fetches.call(0)
        #expect(loader.progress == nil)
        call.report(FetchProgress(received: 0, expected: 1_000))
        await until { loader.progress != nil }
        await clock.waitForSleepers(1)
        let shown = Shown()
        let counting = Task { @MainActor in
            await until {
                shown.add(loader.progress)
                return loader.progress == FetchProgress(received: 1_000, expected: 1_000)
            }
        }
        for received in 1...1_000 { call.report(FetchProgress(received: Int64(received), expected: 1_000)) }
        clock.advance(by: LoaderSettings.progressInterval)
        await counting.value
        #expect(shown.all.count <= 2, "\(shown.all.count) changes were shown of 1,000")
        call.answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
        #expect(loader.progress == nil)
        // After the end, reports are ignored.
        call.report(FetchProgress(received: 5))
        #expect(clock.sleeperCount == 0)
    }

    @Test func lastProgressIsShownBeforeTheValue() async throws {
        let loader = Loader(settings: .exact(clock), fetch: fetches.fetch)
        let shown = Shown()
        shown.watch(loader)
        loader.load("a")
        let call = await fetches.call(0)
        call.report(FetchProgress(received: 1))
        await clock.waitForSleepers(1)
        // These reports arrive too soon after the first one; of them, only the last one before the end is shown.
        call.report(FetchProgress(received: 2))
        call.report(FetchProgress(received: 3))
        call.answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
        #expect(shown.all == [FetchProgress(received: 1), FetchProgress(received: 3)])
        #expect(shown.wasFetching)
    }

    @Test func progressOfAnAbandonedFetchIsNotShown() async throws {
        let loader = Loader(settings: .exact(clock), fetch: fetches.fetch)
        loader.load("a")
        let old = await fetches.call(0)
        loader.load("b")
        let new = await fetches.call(1)
        old.report(FetchProgress(received: 9))
        new.report(FetchProgress(received: 1))
        await until { loader.progress != nil }
        #expect(loader.progress == FetchProgress(received: 1))
        await clock.waitForSleepers(2)
        old.report(FetchProgress(received: 10))
        clock.advance(by: LoaderSettings.progressInterval)
        new.report(FetchProgress(received: 2))
        await until { loader.progress != FetchProgress(received: 1) }
        #expect(loader.progress == FetchProgress(received: 2))
        old.answer.resolve("A")
        new.answer.resolve("B")
        #expect(try await loader.settled() == .found("B"))
    }

    @Test func lastReportIsShownLastAfterReportsFromManyThreads() async throws {
        for _ in 0..<100 {
            let loader = Loader { (_: String, report) async throws(Problem) -> String in
                await withTaskGroup(of: Void.self) { group in
                    for thread in 0..<8 {
                        group.addTask {
                            for number in 0..<20 { report(FetchProgress(received: Int64(thread * 100 + number))) }
                        }
                    }
                }
                report(FetchProgress(received: 1_000))
                return "A"
            }
            let shown = Shown()
            shown.watch(loader)
            #expect(try await loader.value(of: "a") == "A")
            #expect(shown.all.last == FetchProgress(received: 1_000))
        }
    }

    @Test func fractionIsKnownOnlyForAValidExpectedSize() {
        #expect(FetchProgress(received: 1, expected: 4).fraction == 0.25)
        #expect(FetchProgress(received: 1).fraction == nil)
        #expect(FetchProgress(received: 5, expected: 4).fraction == nil)
        #expect(FetchProgress(received: -1, expected: 4).fraction == nil)
        #expect(FetchProgress(received: 0, expected: 0).fraction == nil)
    }
}

/// The progress that was shown, without consecutive duplicates.
@MainActor
private final class Shown {
    private(set) var all: [FetchProgress] = []
    /// Whether the loader was fetching whenever progress was recorded.
    private(set) var wasFetching = true

    func add(_ progress: FetchProgress?) {
        guard let progress, all.last != progress else { return }
        all.append(progress)
    }

    /// Records the progress whenever it is about to change, which is when observers are notified.
    func watch(_ loader: Loader<String, String, Problem>) {
        withObservationTracking {
            _ = loader.progress
        } onChange: {
            MainActor.assumeIsolated {
                self.add(loader.progress)
                if loader.progress != nil, !loader.state.isFetching { self.wasFetching = false }
                self.watch(loader)
            }
        }
    }
}

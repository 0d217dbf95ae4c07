import Foundation
import Futures
import Interleaving
import Observation
import StoreTesting
import Testing

@testable import Loading

/// Explores a loader under many schedules: nothing hangs, no stale value is shown, and unneeded work is cancelled.
@Suite(.timeLimit(.minutes(20))) struct LoaderExplorations {
    private static let schedules = isSoak ? 20_000 : 500

    typealias Subject = Loader<String, String, Problem>

    /// Fetches that yield several times, and count how many are running.
    private final class YieldingFetches: Sendable {
        private struct State: Sendable {
            var begun = 0
            var current = 0
            var version = 1
            var failures: [Problem]
        }

        private let state: Lock<State>
        private let turns: Int

        init(turns: Int = 2, failing failures: [Problem] = []) {
            self.turns = turns
            self.state = Lock(State(failures: failures))
        }

        var begun: Int { state.withLock { $0.begun } }
        var current: Int { state.withLock { $0.current } }

        /// Changes the content of every source: later fetches have the next version.
        func publish() { state.withLock { $0.version += 1 } }

        /// Returns the source, the number of the fetch, and the version that the source had when the fetch began.
        func fetch(
            _ source: String, _ report: @escaping @Sendable (FetchProgress) -> Void
        ) async throws(Problem) -> String {
            let (number, version, failure) = state.withLock { state in
                state.begun += 1
                state.current += 1
                return (state.begun, state.version, state.failures.isEmpty ? nil : state.failures.removeFirst())
            }
            defer { state.withLock { $0.current -= 1 } }
            for turn in 1...turns {
                report(FetchProgress(received: Int64(number * 100 + turn)))
                await Task.yield()
            }
            if let failure { throw failure }
            return "\(source)\(number)@\(version)"
        }
    }

    private struct Network: ConnectionProbe {
        func connect(to source: String) async -> Bool {
            await Task.yield()
            return true
        }
    }

    @MainActor
    private static func loader(_ fetches: YieldingFetches) -> Subject {
        Loader(
            settings: LoaderSettings(retry: .exact(budget: nil)), probe: Network(), fetch: fetches.fetch)
    }

    /// Starts a task on the main actor.
    private static func startOnMainActor(_ body: @escaping @MainActor @Sendable () async -> Void) -> Task<Void, Never> {
        Task { @MainActor in await body() }
    }

    /// Waits until no work is running, and checks the final state.
    private static func checkFinalState(_ loader: Subject, _ fetches: YieldingFetches) async throws {
        _ = try await loader.settled()
        await waitForOtherTasks()
        let state = await loader.state
        let (value, attempt, progress, tasks) = await (
            loader.value, loader.attempt, loader.progress, loader.tasks.count
        )
        check(!state.isFetching, "\(state)")
        check(value == state.value, "\(String(describing: value)) is shown, but the state is \(state)")
        check(attempt == 0 && progress == nil, "\(attempt), \(String(describing: progress)) after the end")
        check(tasks == 0, "\(tasks) tasks still run")
        check(fetches.current == 0, "\(fetches.current) fetches still run")
        let isAwaited = await loader.outcome != nil
        check(!isAwaited, "callers wait for a fetch that has ended")
    }

    @Test func latestContentIsShownAfterLoadingAThenBThenA() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches()
            let loader = await Self.loader(fetches)
            await loader.load("a")
            await Task.yield()
            await loader.load("b")
            await Task.yield()
            fetches.publish()
            await loader.load("a")
            try await Self.checkFinalState(loader, fetches)
            let value = await loader.value
            // The first load of A fetched version 1, which is stale.
            check(value?.hasPrefix("a") == true && value?.hasSuffix("@2") == true, "\(String(describing: value))")
            let source = await loader.valueSource
            check(source == "a", "\(String(describing: source))")
        }
    }

    @Test func concurrentLoadsShowTheValueOfTheFinalSource() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.broken])
            let loader = await Self.loader(fetches)
            let first = Self.startOnMainActor { loader.load("a") }
            let second = Self.startOnMainActor { loader.load("b") }
            _ = await (first.value, second.value)
            try await Self.checkFinalState(loader, fetches)
            let (state, source) = await (loader.state, loader.source)
            if let value = state.value, let source { check(value.hasPrefix(source), "\(value) is shown for \(source)") }
            if case .idle = state { check(false, "the loader is idle") }
        }
    }

    @Test func progressNeverDecreasesNorMovesToAnotherFetch() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(turns: 3)
            let loader = await Self.loader(fetches)
            let watching = Self.startOnMainActor {
                var last: (source: String, received: Int64)?
                for await (source, progress) in Observations({ (loader.source, loader.progress) }) {
                    guard let source else { continue }
                    if let received = progress?.received {
                        if let last, last.source == source {
                            check(last.received <= received, "\(received) after \(last.received)")
                        }
                        last = (source, received)
                    }
                    if !loader.state.isFetching { return }
                }
            }
            await loader.load("a")
            let switching = Self.startOnMainActor { loader.load("b") }
            await switching.value
            try await Self.checkFinalState(loader, fetches)
            watching.cancel()
            await watching.value
        }
    }

    @Test func cancellationRacingTheEndGivesOneOutcome() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches()
            let loader = await Self.loader(fetches)
            let waiting = Task { try? await loader.value(of: "a") }
            let cancelling = Self.startOnMainActor { loader.cancel() }
            await cancelling.value
            let value = await waiting.value
            try await Self.checkFinalState(loader, fetches)
            let shown = await loader.value
            // If the cancellation came before the load or after its end, the value is returned and shown. Otherwise
            // both are nil.
            check(
                value == shown, "\(String(describing: value)) was returned, but \(String(describing: shown)) is shown")
        }
    }

    @Test func loadGetsItsValueWhenItsPrefetchIsCancelled() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches()
            let loader = await Self.loader(fetches)
            await loader.prefetch("a")
            let loading = Task { try? await loader.value(of: "a") }
            let other = Self.startOnMainActor { loader.prefetch("b") }
            let cancelling = Self.startOnMainActor { loader.cancelPrefetch("a") }
            _ = await (other.value, cancelling.value)
            let value = await loading.value
            check(value?.hasPrefix("a") == true, "\(String(describing: value))")
            try await Self.checkFinalState(loader, fetches)
            check(fetches.begun <= 3, "\(fetches.begun) fetches")
            await loader.reset()
            await waitForOtherTasks()
        }
    }

    @Test func joinedPrefetchIsNotShownAfterSwitchingSources() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.busy])
            let loader = await Self.loader(fetches)
            await loader.prefetch("a")
            let joining = Self.startOnMainActor { loader.load("a") }
            let switching = Self.startOnMainActor { loader.load("b") }
            _ = await (joining.value, switching.value)
            try await Self.checkFinalState(loader, fetches)
            let (value, source) = await (loader.value, loader.source)
            check(
                source.map { value?.hasPrefix($0) == true } == true,
                "\(String(describing: value)) of \(String(describing: source))")
            await loader.reset()
            await waitForOtherTasks()
        }
    }

    @Test func loadingAnotherSourceDuringARetryShowsTheNewSource() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.busy, .busy])
            let loader = await Self.loader(fetches)
            await loader.load("a")
            let retrying = Self.startOnMainActor {
                // The moment at which the pause ends.
                try? await Task.sleep(for: .seconds(1))
                loader.retry()
            }
            let switching = Self.startOnMainActor {
                try? await Task.sleep(for: .seconds(1))
                loader.load("b")
            }
            _ = await (retrying.value, switching.value)
            try await Self.checkFinalState(loader, fetches)
            let value = await loader.value
            check(value?.hasPrefix("b") == true, "\(String(describing: value))")
        }
    }

    @Test func loadingAnotherSourceEndsTheWaitForANetwork() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.offline])
            let loader = await Self.loader(fetches)
            let waiting = Task { try? await loader.value(of: "a") }
            let switching = Self.startOnMainActor {
                try? await Task.sleep(for: .seconds(1))
                loader.load("b")
            }
            _ = await (switching.value, waiting.value)
            try await Self.checkFinalState(loader, fetches)
            let (value, isPaused) = await (loader.value, loader.isPaused)
            check(value?.hasPrefix("b") == true, "\(String(describing: value))")
            check(!isPaused, "the loader still waits for a network")
        }
    }

    @Test func releasedLoaderLeavesNoFetchRunning() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.busy, .offline])
            do {
                let loader = await Self.loader(fetches)
                await loader.load("a")
                await loader.prefetch("b")
                await Task.yield()
                try? await Task.sleep(for: .seconds(1))
            }
            await waitForOtherTasks()
            check(fetches.current == 0, "\(fetches.current) fetches still run")
        }
    }

    @Test func everyWaiterGetsAnOutcome() {
        explore(schedules: Self.schedules) {
            let fetches = YieldingFetches(failing: [.broken])
            let loader = await Self.loader(fetches)
            let first = Task { try? await loader.value(of: "a") }
            let second = Task { try? await loader.value(of: "b") }
            let third = Task { try? await loader.settled() }
            let cancelling = Self.startOnMainActor { first.cancel() }
            _ = await (first.value, second.value, third.value, cancelling.value)
            try await Self.checkFinalState(loader, fetches)
        }
    }
}

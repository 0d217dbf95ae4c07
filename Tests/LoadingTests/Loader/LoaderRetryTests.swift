import Futures
import StoreTesting
import Testing
import VirtualTime

@testable import Loading

/// Tests retries on a clock that the test advances.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LoaderRetryTests {
    private let fetches = Fetches()
    private let probes = Probes()
    private let clock = ManualClock()

    private func loader(_ retry: RetryPolicy = .exact()) -> Loader<String, String, Problem> {
        Loader(settings: .exact(clock, retry: retry), probe: probes, fetch: fetches.fetch)
    }

    /// Waits for a pause to begin, and advances the clock past it.
    private func skipPause(of duration: Duration) async {
        await clock.waitForSleepers(1)
        clock.advance(by: duration)
    }

    @Test func pausesGrowAndTheLastErrorIsFinal() async throws {
        let loader = loader()
        loader.load("a")
        for (number, pause) in [1, 2, 4].enumerated() {
            await fetches.call(number).answer.reject(.busy)
            await until { loader.nextRetry != nil }
            #expect(loader.nextRetry == .seconds(pause) && loader.attempt == number + 1)
            #expect(loader.lastFailure == .busy && loader.state == .fetching("a", previous: nil))
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(fetches.calls.count == number + 1)
            clock.advance(by: .milliseconds(1))
            await until { loader.nextRetry == nil }
            #expect(loader.attempt == number + 2)
        }
        await fetches.call(3).answer.reject(.busy)
        #expect(try await loader.settled() == .failed(.busy, previous: nil))
        #expect(loader.lastFailure == nil && loader.attempt == 0)
    }

    @Test func progressIsClearedWhenAnAttemptFails() async throws {
        let loader = loader()
        loader.load("a")
        let call = await fetches.call(0)
        call.report(FetchProgress(received: 9, expected: 10))
        await until { loader.progress != nil }
        call.answer.reject(.busy)
        await until { loader.nextRetry != nil }
        #expect(loader.progress == nil)
    }

    @Test func successfulRetryReturnsItsValue() async throws {
        let loader = loader()
        async let value = loader.value(of: "a")
        await fetches.call(0).answer.reject(.busy)
        await skipPause(of: .seconds(1))
        await fetches.call(1).answer.resolve("A")
        #expect(try await value == "A")
        #expect(loader.lastFailure == nil)
        #expect(clock.sleeperCount == 0)
    }

    @Test func retryAfterLengthensThePauseOrEndsTheRetries() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.busy(for: .seconds(20)))
        await until { loader.nextRetry != nil }
        #expect(loader.nextRetry == .seconds(21))
        await skipPause(of: .seconds(21))
        await fetches.call(1).answer.reject(.busy(for: .seconds(61)))
        #expect(try await loader.settled() == .failed(.busy(for: .seconds(61)), previous: nil))
    }

    @Test func retryDuringAPauseFetchesAtOnce() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.busy)
        await until { loader.nextRetry != nil }
        loader.retry()
        #expect(loader.nextRetry == nil && loader.attempt == 1 && loader.lastFailure == nil)
        let second = await fetches.call(1)
        loader.retry()
        await eventually { clock.sleeperCount == 0 }
        second.answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
        #expect(fetches.calls.count == 2)
    }

    @Test func aCallerThatWaitsGetsTheOutcomeOfARetry() async throws {
        let loader = loader()
        async let value = loader.value(of: "a")
        await fetches.call(0).answer.reject(.busy)
        await until { loader.nextRetry != nil }
        loader.retry()
        await fetches.call(1).answer.resolve("A")
        #expect(try await value == "A")
    }

    @Test func loadingAnotherSourceEndsThePause() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.busy)
        await clock.waitForSleepers(1)
        loader.load("b")
        #expect(loader.nextRetry == nil)
        await eventually { clock.sleeperCount == 0 }
        clock.advance(by: .seconds(100))
        await fetches.call(1).answer.resolve("B")
        #expect(try await loader.settled() == .found("B"))
        #expect(fetches.sources == ["a", "b"])
    }

    @Test func loadersThatShareABudgetExhaustItTogether() async throws {
        let budget = RetryBudget(share: 0, reserve: 1, clock: clock)
        let first = loader(.exact(budget: budget))
        let second = loader(.exact(budget: budget))
        first.load("a")
        await fetches.call(0).answer.reject(.busy)
        await clock.waitForSleepers(1)
        second.load("b")
        await fetches.call(1).answer.reject(.busy)
        #expect(try await second.settled() == .failed(.busy, previous: nil))
        #expect(first.nextRetry == .seconds(1))
    }

    @Test func errorIsFinalWhenTheClockCannotSleep() async throws {
        let loader = Loader(settings: .exact(ThrowingClock()), probe: probes, fetch: fetches.fetch)
        loader.load("a")
        await fetches.call(0).answer.reject(.busy)
        #expect(try await loader.settled() == .failed(.busy, previous: nil))
        loader.load("b")
        await fetches.call(1).answer.reject(.offline)
        #expect(try await loader.settled() == .failed(.offline, previous: nil))
    }
}

// MARK: - Without a network

extension LoaderRetryTests {
    @Test func offlineLoaderWaitsForAConnection() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.offline)
        await until { loader.isPaused }
        #expect(loader.lastFailure == .offline && loader.attempt == 1 && loader.nextRetry == nil)
        for (number, pause) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(probes.count == number)
            clock.advance(by: .milliseconds(1))
            await probes.answer(number, number == 6)
        }
        await until { !loader.isPaused }
        #expect(fetches.calls.count <= 2 && loader.attempt == 1)
        await fetches.call(1).answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
    }

    @Test func pauseGrowsWhenTheNetworkFailsAgain() async throws {
        let loader = loader()
        loader.load("a")
        for (number, pause) in [1, 2, 4].enumerated() {
            await fetches.call(number).answer.reject(.offline)
            await until { loader.isPaused }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(pause))
            await probes.answer(number, true)
            await until { !loader.isPaused }
        }
        // Any other error counts as an attempt: this is the first.
        await fetches.call(3).answer.reject(.busy)
        await until { loader.nextRetry != nil }
        #expect(loader.nextRetry == .seconds(1) && loader.attempt == 1)
    }

    @Test func loadingAnotherSourceEndsTheWaitForANetwork() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.offline)
        await skipPause(of: .seconds(1))
        await eventually { probes.count == 1 }
        loader.load("b")
        #expect(!loader.isPaused)
        #expect(probes.cancellations.withLock { $0 } == 1)
        await probes.answer(0, true)
        await fetches.call(1).answer.resolve("B")
        #expect(try await loader.settled() == .found("B"))
        #expect(fetches.sources == ["a", "b"])
    }

    @Test func retryWhileOfflineFetchesAtOnce() async throws {
        let loader = loader()
        loader.load("a")
        await fetches.call(0).answer.reject(.offline)
        await until { loader.isPaused }
        loader.retry()
        #expect(!loader.isPaused)
        await fetches.call(1).answer.resolve("A")
        #expect(try await loader.settled() == .found("A"))
    }

    @Test func offlineErrorWithoutAProbeCountsAsAFailedAttempt() async throws {
        let loader = Loader(settings: .exact(clock), fetch: fetches.fetch)
        loader.load("a")
        await fetches.call(0).answer.reject(.offline)
        await until { loader.nextRetry != nil }
        #expect(loader.nextRetry == .seconds(1) && !loader.isPaused)
    }
}

/// A clock that throws instead of sleeping.
private struct ThrowingClock: Clock {
    typealias Instant = ManualClock.Instant

    let now = ManualClock().now
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        throw Problem.broken
    }
}

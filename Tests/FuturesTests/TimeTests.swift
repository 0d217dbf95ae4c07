import Futures
import Testing
import VirtualTime

@Suite(.timeLimit(.minutes(10))) struct TimeTests {
    private let clock = ManualClock()
    private let promise = Promise<Int, Fault>()

    @Test func futureFailsAtItsTimeout() async {
        let future = promise.future.timeout(after: .seconds(5), clock: clock, error: .late)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(4))
        #expect(!future.isComplete)
        clock.advance(by: .seconds(1))
        #expect(await future.result == .failure(.late))
        // Only the new future has failed.
        #expect(!promise.future.isComplete)
        promise.resolve(1)
        #expect(future.settledResult == .failure(.late))
    }

    /// 0 · ∞ is NaN, and creating a duration from NaN traps.
    @Test(arguments: [0, 1, 2, 1e308, .infinity, -.infinity, .nan, -1])
    func backoffPauseStaysInRangeForExtremeSettings(factor: Double) {
        for first in [Duration.zero, .seconds(1), .seconds(Int64.max), .seconds(-1)] {
            for random in [0, 0.5, 1, Double.nan, .infinity] {
                let backoff = Backoff(
                    firstPause: first, factor: factor, longestPause: .seconds(30), jitter: random, random: { random })
                for failures in [1, 2, 3, 2_000, .max] {
                    #expect((.zero ... .seconds(30)).contains(backoff.pause(after: failures)))
                }
            }
        }
    }

    @Test func timelyValueReleasesTheTimer() async {
        let future = promise.future.timeout(after: .seconds(5), clock: clock, error: .late)
        await clock.waitForSleepers(1)
        promise.resolve(1)
        #expect(future.settledResult == .success(1))
        while clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
    }

    @Test func settledFutureNeedsNoTimer() {
        promise.resolve(1)
        #expect(promise.future.timeout(after: .seconds(5), clock: clock, error: .late) === promise.future)
        #expect(clock.sleeperCount == 0)
    }

    @Test func aValueIsDelayedAndAnErrorIsNot() async {
        let value = promise.future.delay(by: .seconds(3), clock: clock)
        promise.resolve(1)
        await clock.waitForSleepers(1)
        #expect(!value.isComplete)
        clock.advance(by: .seconds(3))
        #expect(await value.result == .success(1))
        let error = Future<Int, Fault>.preRejected(error: .late).delay(by: .seconds(3), clock: clock)
        #expect(error.rejectedError == .late)
    }
}

@Suite(.timeLimit(.minutes(10))) struct RetryTests {
    private let clock = ManualClock()
    private let journal = Journal<String>()

    private func failing(_ errors: [Fault]) -> @Sendable () -> Future<Int, Fault> {
        let rest = Lock(errors)
        return { [journal] in
            journal.add("attempt")
            let error = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return error.map { .preRejected(error: $0) } ?? .preResolved(value: 1)
        }
    }

    @Test func retriesUntilAnAttemptSucceeds() async {
        let policy = Retry(attempts: 5, backoff: Backoff(jitter: 0))
        let future = Future.retry(policy, clock: clock, attempt: failing([.late, .broken]))
        for seconds in [1, 2] {
            await clock.waitForSleepers(1)
            #expect(!future.isComplete)
            clock.advance(by: .seconds(seconds))
        }
        #expect(await future.result == .success(1))
        #expect(journal.entries.count == 3)
    }

    @Test func retryFailsWithTheLastErrorWhenAttemptsRunOut() async {
        let policy = Retry(attempts: 2, backoff: Backoff(jitter: 0))
        let future = Future.retry(policy, clock: clock, attempt: failing([.late, .broken, .late]))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await future.result == .failure(.broken))
        #expect(journal.entries.count == 2)
    }

    @Test func errorThatIsNotRetryableFailsAtOnce() async {
        let future = Future.retry(clock: clock, while: { $0 == .late }, attempt: failing([.broken]))
        #expect(future.settledResult == .failure(.broken))
        #expect(clock.sleeperCount == 0)
    }

    @Test func firstSuccessNeedsNoPause() {
        #expect(Future.retry(clock: clock, attempt: failing([])).settledResult == .success(1))
    }

    @Test func pausesGrowUpToTheLongestPause() {
        let policy = Retry(attempts: 6, backoff: Backoff(factor: 3, longestPause: .seconds(10), jitter: 0))
        let pauses = (1...6).map { policy.pause(after: $0) }
        #expect(pauses == [.seconds(1), .seconds(3), .seconds(9), .seconds(10), .seconds(10), nil])
    }

    @Test(arguments: [(0.0, 4.0), (0.5, 3.0), (1.0, 2.0), (7.0, 2.0)])
    func jitterShortensThePauseByAtMostItsShare(random: Double, seconds: Double) {
        let backoff = Backoff(firstPause: .seconds(4), jitter: 0.5, random: { random })
        #expect(backoff.pause(after: 1) == .seconds(seconds))
    }

    @Test func attemptsEndWhenTheTimeBudgetIsSpent() {
        let policy = Retry(attempts: 9, backoff: Backoff(jitter: 0), budget: .seconds(7))
        #expect(policy.pause(after: 3, spent: .seconds(3)) == .seconds(4))
        #expect(policy.pause(after: 4, spent: .seconds(7)) == nil)
    }

    @Test func invalidPoliciesGiveNoPauseOrAZeroPause() {
        #expect(Retry(attempts: 0).pause(after: 1) == nil)
        #expect(Backoff(firstPause: .seconds(-3)).pause(after: 1) == .zero)
        #expect(Backoff(factor: 0, jitter: 0).pause(after: 2) == .zero)
    }
}

import Futures
import Testing
import VirtualTime

/// Tests deadlines on a clock that only the test advances.
@Suite(.timeLimit(.minutes(10))) struct StopwatchTests {
    private let clock = ManualClock()

    @Test func sleepUntilAPassedDeadlineReturnsAtOnce() async throws {
        let stopwatch = Stopwatch(clock)
        clock.advance(by: .seconds(5))
        #expect(stopwatch.elapsed == .seconds(5))
        try await stopwatch.sleep(until: .seconds(5))
        #expect(clock.sleeperCount == 0)
    }

    @Test func timeBeforeItsTaskRanCountsTowardsADeadline() async throws {
        let stopwatch = Stopwatch(clock)
        clock.advance(by: .seconds(2))
        let sleeping = Task { try await stopwatch.sleep(until: .seconds(3)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await sleeping.value
    }

    @Test func cancellationEndsASleep() async {
        let stopwatch = Stopwatch(clock)
        let sleeping = Task { try await stopwatch.sleep(until: .seconds(3)) }
        await clock.waitForSleepers(1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test func ticksArriveAtMultiplesOfTheIntervalThoughOneWasLate() async {
        let (ticks, tick) = AsyncStream.makeStream(of: Duration.self)
        let stopwatch = Stopwatch(clock)
        let ticking = Task { await stopwatch.tick(every: .seconds(10)) { tick.yield(stopwatch.elapsed) } }
        var seen = ticks.makeAsyncIterator()
        await clock.waitForSleepers(1)
        // The first tick is 4 s late, the second is on time.
        clock.advance(by: .seconds(14))
        #expect(await seen.next() == .seconds(14))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(6))
        #expect(await seen.next() == .seconds(20))
        ticking.cancel()
        await ticking.value
    }

    @Test func stallCausesOneTickAndRestartsTheInterval() async {
        let (ticks, tick) = AsyncStream.makeStream(of: Duration.self)
        let stopwatch = Stopwatch(clock)
        let ticking = Task { await stopwatch.tick(every: .seconds(10)) { tick.yield(stopwatch.elapsed) } }
        var seen = ticks.makeAsyncIterator()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(55))
        #expect(await seen.next() == .seconds(55))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await seen.next() == .seconds(65))
        ticking.cancel()
        await ticking.value
    }

    @Test func clockThatRefusesToWaitEndsTheTicks() async {
        await Stopwatch(RefusingClock()).tick(every: .seconds(1)) { Issue.record("a tick arrived") }
    }
}

/// A clock that throws instead of sleeping.
private struct RefusingClock: Clock {
    struct Refusal: Error {}

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw Refusal() }
}

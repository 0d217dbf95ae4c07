import Futures
import Testing
import VirtualTime

/// A settled future retains only its outcome.
@Suite(.timeLimit(.minutes(10))) struct LeakTests {
    @Test func settledChainReleasesItsLinks() {
        weak var middle: Future<Int, Fault>?
        let promise = Promise<Int, Fault>()
        let end: Future<Int, Fault>
        do {
            let mapped = promise.future.mapValue { $0 + 1 }
            middle = mapped
            end = mapped.flatMap { .preResolved(value: $0 + 1) }
        }
        #expect(middle != nil)
        promise.resolve(1)
        #expect(end.resolvedValue == 3)
        #expect(middle == nil)
    }

    @Test func settledPromiseAndItsFutureAreReleased() {
        weak var future: Future<Int, Fault>?
        weak var promise: Promise<Int, Fault>?
        do {
            let own = Promise<Int, Fault>()
            promise = own
            future = own.future
            own.future.onSuccess { _ in }.finally { _ in }
            own.resolve(1)
        }
        #expect(promise == nil)
        #expect(future == nil)
    }

    @Test func followingPromiseIsReleasedOnceTheOtherFutureSettles() {
        weak var follower: Promise<Int, Fault>?
        let other = Promise<Int, Fault>()
        do {
            let own = Promise<Int, Fault>()
            follower = own
            own.completeOn(future: other.future)
        }
        #expect(follower != nil)
        other.resolve(1)
        #expect(follower == nil)
    }

    /// A long-lived future is raced against many short-lived ones: each race must leave it.
    @Test func longLivedFutureReleasesItsFinishedRaces() {
        let long = Promise<Int, Fault>()
        weak var race: Future<Int, Fault>?
        for number in 0..<1_000 {
            let short = Promise<Int, Fault>()
            let own = Future.race([long.future, short.future], onEmpty: { .abandoned })
            race = own
            short.resolve(number)
            #expect(own.resolvedValue == number)
        }
        #expect(race == nil)
        #expect(long.future.waiterCount == 0)
        long.resolve(1)
    }

    @Test func expiredTimeoutLeavesNoWaiter() async {
        let clock = ManualClock()
        let long = Promise<Int, Fault>()
        weak var late: Future<Int, Fault>?
        do {
            let own = long.future.timeout(after: .seconds(1), clock: clock, error: .late)
            late = own
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            #expect(await own.result == .failure(.late))
        }
        while late != nil, !Task.isCancelled { await Task.yield() }
        #expect(long.future.waiterCount == 0)
        long.resolve(1)
    }

    @Test func lostRaceCancelsOnlyWorkWithoutOtherWaiters() async {
        let work = Future<Int, Fault>(cancelsWhenUnwanted: true) { () throws(Fault) in
            await waitForCancellation()
            throw .abandoned
        }
        let gate = Promise<Int, Fault>()
        let wanted = Future<Int, Fault>(cancelsWhenUnwanted: true) { () throws(Fault) in
            try await gate.future.value(onCancel: .abandoned)
        }
        let mapped = wanted.mapValue { $0 }
        let winner = Future<Int, Fault>.preResolved(value: 1)
        #expect(Future.race([work, wanted, winner], onEmpty: { .abandoned }).resolvedValue == 1)
        #expect(await work.result == .failure(.abandoned))
        gate.resolve(2)
        #expect(await mapped.result == .success(2))
    }

    @Test func finishedRunIsReleased() async throws {
        weak var mark: Mark?
        let flights = SingleFlight<Int, Int, Never, Fault>(onCancel: .late)
        do {
            let marked = Mark()
            mark = marked
            _ = try await flights.run(1) {
                _ = marked
                return 1
            }
        }
        while mark != nil, !Task.isCancelled { await Task.yield() }
        #expect(flights.keys.isEmpty)
    }
}

private final class Mark: Sendable {}

import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

/// Explores futures under many schedules: nothing hangs, no future settles twice, and no waiter affects another.
@Suite(.timeLimit(.minutes(20))) struct FutureExplorations {
    private static let schedules = isSoak ? 50_000 : 1_000

    @Test func waiterCancelledDuringSettlementGetsOneOutcome() {
        explore(schedules: Self.schedules) {
            let promise = Promise<Int, Fault>()
            let waiting = Task {
                await result { () throws(Fault) in try await promise.future.value(onCancel: .late) }
            }
            let other = Task {
                await result { () throws(Fault) in try await promise.future.value(onCancel: .late) }
            }
            let canceller = Task { waiting.cancel() }
            let resolver = Task { promise.resolve(1) }
            let (outcome, others) = await (waiting.value, other.value)
            check(outcome == .success(1) || outcome == .failure(.late), "\(outcome)")
            check(others == .success(1), "the other waiter has \(others)")
            _ = await (canceller.value, resolver.value)
            check(promise.future.waiterCount == 0, "a waiter remains")
        }
    }

    @Test func droppedPromiseFailsAllItsWaiters() {
        explore(schedules: Self.schedules) {
            let future: Future<Int, Fault>
            do {
                let promise = Promise<Int, Fault>(onAbandon: { .abandoned })
                future = promise.future
                Task { _ = promise }
            }
            async let first = future.result
            async let second = future.mapValue { $0 + 1 }.result
            let outcomes = await (first, second)
            check(outcomes.0 == .failure(.abandoned) && outcomes.1 == .failure(.abandoned), "\(outcomes)")
        }
    }

    @Test func remainingCallerGetsTheValueWhenTheLeaderIsCancelled() {
        explore(schedules: Self.schedules) {
            let flights = SingleFlight<Int, Int, Never, Fault>(onCancel: .late)
            let count = Counting()
            @Sendable func run() -> Task<Result<Int, Fault>, Never> {
                Task {
                    await result { () throws(Fault) in
                        try await flights.run(1) { () throws(Fault) in
                            count.begin()
                            await Task.yield()
                            count.end()
                            if Task.isCancelled { throw .abandoned }
                            return 1
                        }.value
                    }
                }
            }
            let leader = run()
            let follower = run()
            let canceller = Task { leader.cancel() }
            let outcomes = await (leader.value, follower.value)
            check(outcomes.0 == .success(1) || outcomes.0 == .failure(.late), "the leader has \(outcomes.0)")
            check(outcomes.1 == .success(1), "the remaining caller has \(outcomes.1)")
            await canceller.value
            await waitForOtherTasks()
            check(flights.keys.isEmpty, "a run remains")
            check(count.maximum <= 2, "\(count.maximum) at a time")
        }
    }

    @Test func simultaneousTimeoutAndValueSettleOnce() {
        explore(schedules: Self.schedules) {
            let promise = Promise<Int, Fault>()
            let limited = promise.future.timeout(after: .seconds(1), error: .late)
            let calls = Counting()
            limited.finally { _ in calls.begin() }
            let resolver = Task {
                // In virtual time, which takes no real time.
                try? await Task.sleep(for: .seconds(1))
                promise.resolve(1)
            }
            let outcome = await limited.result
            check(outcome == .success(1) || outcome == .failure(.late), "\(outcome)")
            await resolver.value
            await waitForOtherTasks()
            check(calls.count == 1, "called \(calls.count) times")
            check(promise.future.waiterCount == 0, "the timeout still waits")
        }
    }

    @Test func attemptsDoNotOverlap() {
        explore(schedules: Self.schedules) {
            let attempts = Counting()
            let policy = Retry(attempts: 3, backoff: Backoff(jitter: 0))
            let future = Future<Int, Fault>.retry(policy) {
                Future<Int, Fault> { () throws(Fault) in
                    attempts.begin()
                    await Task.yield()
                    attempts.end()
                    if attempts.count < 3 { throw .broken }
                    return attempts.count
                }
            }
            let outcome = await future.result
            check(outcome == .success(3), "\(outcome)")
            check(attempts.maximum == 1, "\(attempts.maximum) at a time")
        }
    }

    @Test func workEndsWhenAllItsWaitersAreCancelled() {
        explore(schedules: Self.schedules) {
            let work = Future<Int, Fault>(cancelsWhenUnwanted: true) { () throws(Fault) in
                await waitForCancellation()
                throw .abandoned
            }
            let waiters = (0..<2).map { _ in
                Task { await result { () throws(Fault) in try await work.value(onCancel: .late) } }
            }
            await waitForOtherTasks()
            for waiter in waiters { waiter.cancel() }
            for waiter in waiters {
                let outcome = await waiter.value
                check(outcome == .failure(.late) || outcome == .failure(.abandoned), "\(outcome)")
            }
            let outcome = await work.result
            check(outcome == .failure(.abandoned), "\(outcome)")
        }
    }

    @Test func contextKeepsRegistrationOrderWhenAnotherTaskResolves() {
        explore(schedules: Self.schedules) {
            let seen = Journal<String>()
            let promise = Promise<Int, Fault>()
            let done = Promise<Void, Never>()
            promise.future.onSuccess(on: .main) { _ in seen.add("first") }
            promise.future.onSuccess(on: .main) { _ in seen.add("second") }
            promise.future.finally(on: .main) { _ in done.resolve(()) }
            let resolver = Task { promise.resolve(1) }
            await done.future.value
            _ = await resolver.value
            check(seen.entries == ["first", "second"], "\(seen.entries)")
        }
    }
}

/// Counts calls, and how many of them ran at the same time.
private final class Counting: Sendable {
    private struct State: Sendable {
        var now = 0
        var maximum = 0
        var count = 0
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }
    var maximum: Int { state.withLock { $0.maximum } }

    func begin() {
        state.withLock { state in
            state.count += 1
            state.now += 1
            state.maximum = max(state.maximum, state.now)
        }
    }

    func end() {
        state.withLock { $0.now -= 1 }
    }
}

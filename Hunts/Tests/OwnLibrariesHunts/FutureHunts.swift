import Futures
import HuntSupport
import Interleaving
import Testing

@Suite struct FutureHunts {
    @Test func oneOfTwoSettlementsWins() {
        hunt("Futures: Promise", "of two settlements one wins, and every waiter and callback gets it once") {
            let promise = Promise<Int, HuntError>(onAbandon: { .expected })
            let received = Log<Int>()
            let wins = Log<Int>()
            await withTaskGroup { group in
                for number in 1...2 {
                    group.addTask { if promise.resolve(number) { wins.append(number) } }
                }
                group.addTask { received.append((try? await promise.future.value) ?? -1) }
                group.addTask { promise.future.onSuccess { received.append($0) } }
            }
            check(wins.count == 1, "\(wins.elements) won")
            check(received.elements == wins.elements + wins.elements, "\(wins.elements): \(received.elements)")
        }
    }

    @Test func abandonedPromiseFailsItsWaiters() {
        hunt("Futures: Promise", "releasing a promise settles its future once, also if a waiter is cancelled") {
            let future: Future<Int, HuntError>
            do {
                let promise = Promise<Int, HuntError>(onAbandon: { .expected })
                future = promise.future
                Task { withExtendedLifetime(promise) {} }
            }
            let waiters = (0..<2).map { _ in Task { await future.result } }
            let canceller = Task { waiters[0].cancel() }
            for waiter in waiters {
                let result = await waiter.value
                check(result == .failure(.expected), "\(result)")
            }
            await canceller.value
        }
    }

    @Test func cancelledWaiterDoesNotAffectOthers() {
        hunt(
            "Futures: Future", "a waiter that is cancelled during the settlement gets one outcome, and others the value"
        ) {
            let promise = Promise<Int, HuntError>(onAbandon: { .expected })
            let cancelled = Task { try? await promise.future.value(onCancel: .expected) }
            let other = Task { try? await promise.future.value(onCancel: .expected) }
            let canceller = Task { cancelled.cancel() }
            let resolver = Task { promise.resolve(1) }
            let outcomes = await (cancelled.value, other.value)
            check(outcomes.0 == 1 || outcomes.0 == nil, "\(outcomes)")
            check(outcomes.1 == 1, "\(outcomes)")
            _ = await (canceller.value, resolver.value)
        }
    }

    @Test func callbacksRunOnce() {
        hunt("Futures: Future", "callbacks that one task adds during the settlement run once each") {
            let promise = Promise<Int, HuntError>(onAbandon: { .expected })
            let calls = Log<Int>()
            let resolver = Task { promise.resolve(1) }
            let adder = Task {
                for number in 1...3 { promise.future.onSuccess { _ in calls.append(number) } }
            }
            _ = await (resolver.value, adder.value)
            check(calls.elements.sorted() == [1, 2, 3], "called \(calls.elements)")
        }
    }

    @Test func timeoutAndValueSettleOnce() {
        hunt("Futures: timeout", "a value at the time of the timeout settles the future once") {
            let promise = Promise<Int, HuntError>(onAbandon: { .expected })
            let limited = promise.future.timeout(after: .seconds(1), error: .expected)
            let calls = Log<Int>()
            limited.finally { _ in calls.append(1) }
            let resolver = Task {
                try await Task.sleep(for: .seconds(1))
                promise.resolve(1)
            }
            let result = await limited.result
            check(result == .success(1) || result == .failure(.expected), "\(result)")
            try await resolver.value
            await waitForOtherTasks()
            check(calls.count == 1, "called \(calls.count) times")
        }
    }

    @Test func gatheredFuturesSettleOnce() {
        hunt("Futures: zip and race", "futures that settle at the same time settle the gathered ones once") {
            let promises = (0..<3).map { _ in Promise<Int, HuntError>(onAbandon: { .expected }) }
            let futures = promises.map(\.future)
            let all = Future.zip(futures)
            let first = Future.race(futures) { .expected }
            let calls = Log<Int>()
            all.finally { _ in calls.append(1) }
            first.finally { _ in calls.append(2) }
            let resolvers = promises.enumerated().map { number, promise in Task { promise.resolve(number) } }
            let results = await (all.result, first.result)
            for resolver in resolvers { _ = await resolver.value }
            await waitForOtherTasks()
            check(results.0 == .success([0, 1, 2]), "\(results)")
            check((try? results.1.get()) != nil, "\(results)")
            check(calls.elements.sorted() == [1, 2], "called \(calls.elements)")
        }
    }
}

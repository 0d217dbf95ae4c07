import Dispatch
import Futures
import Testing

/// The number of promises for which the eight threads race, one after another.
#if MEANWHILE_THREAD_SANITIZER
    // Fewer suffice, because the sanitizer detects unsynchronized accesses even if they don't overlap.
    private let rounds = 2_000
#else
    private let rounds = 100_000
#endif

/// Runs a closure on eight threads at the same time, and returns when all have finished.
private func onEightThreads(_ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    await withCheckedContinuation { continuation in
        let start = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        for thread in 0..<8 {
            let own = DispatchQueue(label: "thread \(thread)")
            own.async(group: group) {
                start.wait()
                body(thread)
            }
        }
        for _ in 0..<8 { start.signal() }
        group.notify(queue: .global()) { continuation.resume() }
    }
}

@Suite(.timeLimit(.minutes(10))) struct EightThreadTests {
    private let promises = (0..<rounds).map { _ in Promise<Int, Fault>() }

    @Test func onlyOneOfEightConcurrentResolvesSucceeds() async {
        let wins = Lock([Int](repeating: 0, count: rounds))
        await onEightThreads { thread in
            let own = promises.map { $0.resolve(thread) ? 1 : 0 }
            wins.withLock { wins in for (place, win) in own.enumerated() { wins[place] += win } }
        }
        #expect(wins.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(promises.allSatisfy { $0.future.succeeded })
    }

    @Test func callbacksRegisteredDuringAResolveAreCalledOnce() async {
        let calls = Lock([Int](repeating: 0, count: 7))
        await onEightThreads { thread in
            for promise in promises {
                if thread == 7 {
                    promise.resolve(1)
                } else {
                    promise.future.onSuccess { _ in calls.withLock { $0[thread] += 1 } }
                }
            }
        }
        #expect(calls.withLock { $0 } == Array(repeating: rounds, count: 7))
    }

    @Test func callbacksOfEachThreadRunInRegistrationOrder() async {
        let seen = Lock([[Int]](repeating: [], count: 7))
        let promise = Promise<Int, Fault>()
        await onEightThreads { thread in
            if thread == 7 {
                promise.resolve(1)
            } else {
                for number in 0..<1_000 {
                    promise.future.onSuccess { _ in seen.withLock { $0[thread].append(number) } }
                }
            }
        }
        #expect(seen.withLock { $0 } == Array(repeating: Array(0..<1_000), count: 7))
    }

    @Test func combinationsOfRacingFuturesSettleOnce() async {
        let settled = Lock(0)
        let groups = stride(from: 0, to: rounds, by: 8).map { promises[$0..<($0 + 8)] }
        for group in groups {
            let futures = group.map(\.future)
            let first = Future.firstFinished(from: futures, onEmpty: { .abandoned })
            for future in [Future.race(futures, onEmpty: { .abandoned }), first, futures[0].mapValue { $0 }] {
                future.finally { _ in settled.withLock { $0 += 1 } }
            }
            Future.zip(futures).finally { _ in settled.withLock { $0 += 1 } }
            Future.any(futures).finally { _ in settled.withLock { $0 += 1 } }
        }
        await onEightThreads { thread in
            for group in groups {
                let own = group[group.startIndex + thread]
                if thread.isMultiple(of: 2) { own.resolve(thread) } else { own.reject(.late) }
            }
        }
        #expect(settled.withLock { $0 } == groups.count * 5)
    }

    @Test func racesAgainstASettlingFutureSettleOnceAndLeaveNoWaiters() async {
        // Even threads resolve the promise; odd threads race its future against another one.
        let settled = Lock(0)
        await onEightThreads { thread in
            for promise in promises {
                if thread.isMultiple(of: 2) {
                    promise.resolve(thread)
                } else {
                    let other = Promise<Int, Fault>()
                    Future.race([promise.future, other.future], onEmpty: { .abandoned }).finally { _ in
                        settled.withLock { $0 += 1 }
                    }
                    other.resolve(-1)
                }
            }
        }
        #expect(settled.withLock { $0 } == 4 * rounds)
        #expect(promises.allSatisfy { $0.future.waiterCount == 0 })
    }

    @Test func contextRunsCallbacksOfEachThreadInOrder() async {
        let seen = Lock([[Int]](repeating: [], count: 8))
        let queue = DispatchQueue(label: "context", attributes: .concurrent)
        let context = CallbackContext { job in queue.async(execute: job) }
        let done = (0..<8).map { _ in Promise<Void, Never>() }
        let future = Future<Int, Fault>.preResolved(value: 1)
        await onEightThreads { thread in
            for number in 0..<5_000 {
                future.onSuccess(on: context) { _ in seen.withLock { $0[thread].append(number) } }
            }
            future.onSuccess(on: context) { _ in done[thread].resolve(()) }
        }
        for promise in done { await promise.future.value }
        #expect(seen.withLock { $0 } == Array(repeating: Array(0..<5_000), count: 8))
    }
}

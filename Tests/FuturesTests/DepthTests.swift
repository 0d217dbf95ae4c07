import Foundation
import Futures
import Testing

/// The length of the chains: large enough to overflow the stack if a chain is settled recursively.
///
/// The chains are shorter under the thread sanitizer, which tracks each lock.
#if MEANWHILE_THREAD_SANITIZER
    private let length = 2_000
#else
    private let length = 100_000
#endif

/// Runs a closure on a thread with a stack of 512 KB, like that of a Dispatch thread on Apple's platforms.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            body()
            continuation.resume()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}

@Suite(.timeLimit(.minutes(10))) struct DepthTests {
    @Test func aChainOfAHundredThousandMapsSettles() async {
        await onSmallStack {
            let promise = Promise<Int, Fault>()
            let end = (0..<length).reduce(promise.future) { future, _ in future.mapValue { $0 + 1 } }
            promise.resolve(0)
            #expect(end.resolvedValue == length)
        }
    }

    @Test func aChainOfAHundredThousandFlatMapsSettles() async {
        await onSmallStack {
            let promise = Promise<Int, Fault>()
            let end = (0..<length).reduce(promise.future) { future, _ in
                future.flatMap { .preResolved(value: $0 + 1) }
            }
            promise.resolve(0)
            #expect(end.resolvedValue == length)
        }
    }

    @Test func recursionOverSettledFuturesDoesNotOverflowTheStack() async {
        @Sendable func count(to end: Int, from number: Int) -> Future<Int, Fault> {
            number == end
                ? .preResolved(value: number)
                : Future<Int, Fault>.preResolved(value: number).flatMap { count(to: end, from: $0 + 1) }
        }
        await onSmallStack { #expect(count(to: length / 5, from: 0).resolvedValue == length / 5) }
    }

    @Test func aCascadeOfPromisesSettles() async {
        await onSmallStack {
            let promises = (0..<length).map { _ in Promise<Int, Fault>() }
            for (promise, next) in zip(promises, promises.dropFirst()) {
                promise.future.onSuccess { next.resolve($0 + 1) }
            }
            promises[0].resolve(0)
            #expect(promises[length - 1].future.resolvedValue == length - 1)
        }
    }

    @Test func cascadeSettlesBeforeTheFirstResolveReturns() async {
        await onSmallStack {
            let seen = Journal<String>()
            let promises = (0..<1_000).map { _ in Promise<Int, Fault>() }
            for (promise, next) in zip(promises, promises.dropFirst()) {
                promise.future.onSuccess {
                    if $0.isMultiple(of: 250) { seen.add("\($0)") }
                    next.resolve($0 + 1)
                }
            }
            promises[0].resolve(0)
            #expect(seen.entries == ["0", "250", "500", "750"])
        }
    }

    @Test func nestedCallbacksBeginInTheOrderInWhichTheyAreAdded() async {
        await onSmallStack {
            let added = Journal<String>()
            let begun = Journal<String>()
            let settled = Future<Int, Fault>.preResolved(value: 0)
            @Sendable func add(_ block: @escaping @Sendable () -> Void) {
                let number = added.entries.count
                added.add("\(number)")
                settled.onSuccess { _ in
                    begun.add("\(number)")
                    block()
                }
            }
            @Sendable func nest(_ depth: Int) {
                // Deeper than the nesting limit, so that later callbacks are deferred.
                guard depth < 300 else { return }
                add { nest(depth + 1) }
                add {}
            }
            nest(0)
            #expect(begun.entries.count == 600)
            #expect(begun.entries == added.entries)
        }
    }

    @Test func aZipOfTenThousandSettles() async {
        await onSmallStack {
            let promises = (0..<(length / 10)).map { _ in Promise<Int, Fault>() }
            let all = Future.zip(promises.map(\.future))
            for (number, promise) in promises.enumerated() { promise.resolve(number) }
            #expect(all.resolvedValue == Array(0..<(length / 10)))
        }
    }

    @Test func aLongChainIsReleasedWithoutRecursion() async {
        await onSmallStack {
            var promise: Promise<Int, any Error>? = Promise(onAbandon: { Fault.abandoned })
            var end = promise?.future
            for _ in 0..<length { end = end?.mapValue { $0 + 1 } }
            end = nil
            promise = nil
            #expect(promise == nil)
        }
    }

    @Test func aLongChainThatNeverSettlesIsReleasedWithoutRecursion() async {
        await onSmallStack {
            weak var last: Future<Int, Fault>?
            do {
                // Only the chain retains its links. The first link's promise is released unsettled, so all links fail
                // with `late`.
                let start = Lock<Promise<Int, Fault>?>(Promise(onAbandon: { .abandoned }))
                var end = start.withLock { $0?.future }
                for _ in 0..<length { end = end?.flatMap { _ in Promise<Int, Fault>(onAbandon: { .late }).future } }
                last = end
                start.withLock { $0 }?.resolve(1)
                #expect(last?.rejectedError == .late)
                end = nil
            }
            #expect(last == nil)
        }
    }
}

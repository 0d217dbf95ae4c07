import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct AbandonTests {
    @Test func droppedPromiseOfAnyErrorReportsWhereItWasCreated() async throws {
        var promise: Promise<Int, any Error>? = Promise()
        let line = #line - 1
        let future = promise?.future
        let mapped = future?.mapValue { $0 + 1 }
        promise = nil
        let error = try #require(mapped?.rejectedError as? AbandonedPromise)
        #expect(error.line == line)
        #expect(error.file.hasSuffix("AbandonTests.swift"))
        #expect(error.description.contains("AbandonTests.swift:\(line)"))
        // The promise's own future has failed with the same error.
        #expect(future?.rejectedError is AbandonedPromise)
    }

    @Test func anAwaitingTaskGetsTheErrorOfADroppedPromise() async {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        let future = promise?.future
        // The task begins to wait before the promise is released.
        async let result = future?.result
        while future?.isAwaited == false, !Task.isCancelled { await Task.yield() }
        promise = nil
        #expect(await result == .failure(.abandoned))
    }

    @Test func anAwaitingTaskGetsTheValueOfADroppedPromise() async {
        var promise: Promise<Int, Never>? = Promise(valueOnAbandon: { 7 })
        let future = promise?.future
        async let value = future?.value
        while future?.isAwaited == false, !Task.isCancelled { await Task.yield() }
        promise = nil
        #expect(await value == 7)
    }

    @Test func anAwaitingTaskResumesWhenASignalIsDropped() async {
        var promise: Promise<Void, Never>? = Promise()
        let future = promise?.future
        async let value: Void? = future?.value
        while future?.isAwaited == false, !Task.isCancelled { await Task.yield() }
        promise = nil
        #expect(await value != nil)
    }

    @Test func derivedFuturesSettleWhenThePromiseIsDropped() async {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        let futures = [promise?.future].compactMap(\.self)
        let zipped = Future.zip(futures)
        let first = Future.firstFinished(from: futures, onEmpty: { .broken })
        let winner = Future.race(futures, onEmpty: { .broken })
        let mapped = futures[0].mapValue { $0 + 1 }
        promise = nil
        #expect(await zipped.result == .failure(.abandoned))
        #expect(await first.result == .failure(.abandoned))
        #expect(await winner.result == .failure(.abandoned))
        #expect(await mapped.result == .failure(.abandoned))
    }

    @Test func aPromiseThatFollowsItsOwnFutureCountsAsAbandoned() {
        let promise = Promise<Int, Fault>()
        promise.completeOn(future: promise.future)
        #expect(promise.future.rejectedError == .abandoned)
    }

    @Test func abandonPolicyIsNotCalledForASettledPromise() {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: {
            Issue.record("the policy was called for a settled promise")
            return .abandoned
        })
        promise?.resolve(1)
        promise = nil
    }

    @Test func secondSettleReturnsFalse() {
        let promise = Promise<Int, Fault>()
        #expect(promise.settle(.success(1)))
        #expect(!promise.settle(.failure(.late)))
        #expect(!promise.resolve(2))
        #expect(promise.future.resolvedValue == 1)
    }

    @Test func callbacksOfADroppedPromiseAreReleased() {
        weak var object: CapturedObject?
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        do {
            let captured = CapturedObject()
            object = captured
            promise?.future.onSuccess { _ in _ = captured }
        }
        #expect(object != nil)
        promise = nil
        #expect(object == nil)
    }
}

private final class CapturedObject: Sendable {}

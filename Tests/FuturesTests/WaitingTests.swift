import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct WaitingTests {
    @Test func cancelledWaiterDoesNotCancelOthers() async throws {
        let promise = Promise<Int, Fault>()
        let cancelled = Task { await result { () throws(Fault) in try await promise.future.value(onCancel: .late) } }
        let waiting = Task { await result { () throws(Fault) in try await promise.future.value(onCancel: .late) } }
        await promise.future.waiters(2)
        cancelled.cancel()
        #expect(await cancelled.value == .failure(.late))
        #expect(!promise.future.isComplete)
        await promise.future.waiters(1)
        promise.resolve(4)
        #expect(await waiting.value == .success(4))
    }

    @Test func alreadyCancelledTaskDoesNotWait() async {
        let promise = Promise<Int, Fault>()
        let start = Promise<Void, Never>()
        let waiting = Task {
            await start.future.value
            return await result { () throws(Fault) in try await promise.future.value(onCancel: .late) }
        }
        waiting.cancel()
        start.resolve(())
        #expect(await waiting.value == .failure(.late))
        #expect(promise.future.waiterCount == 0)
    }

    @Test func cancelledTaskGetsTheValueOfASettledFuture() async {
        let start = Promise<Void, Never>()
        let waiting = Task {
            await start.future.value
            return await result { () throws(Fault) in
                try await Future<Int, Fault>.preResolved(value: 2).value(onCancel: .late)
            }
        }
        waiting.cancel()
        start.resolve(())
        #expect(await waiting.value == .success(2))
    }

    @Test func cancelledWaiterOfAnyErrorGetsACancellationError() async {
        let promise = Promise<Int, any Error>()
        let waiting = Task { try await promise.future.value }
        await promise.future.waiters(1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        promise.resolve(1)
    }

    @Test func cancelledWaitersAreAllRemoved() async {
        let promise = Promise<Int, Fault>()
        let waiting = (0..<1_000).map { _ in
            Task { await result { () throws(Fault) in try await promise.future.value(onCancel: .late) } }
        }
        await promise.future.waiters(1_000)
        for waiter in waiting { waiter.cancel() }
        for waiter in waiting { #expect(await waiter.value == .failure(.late)) }
        #expect(promise.future.waiterCount == 0)
    }

    @Test func aCancellationThatRacesResolvingEndsTheWaitOnce() async {
        for round in 0..<raceRounds / 10 {
            let promise = Promise<Int, Fault>()
            let waiting = Task {
                await result { () throws(Fault) in try await promise.future.value(onCancel: .late) }
            }
            async let resolved = promise.resolve(round)
            waiting.cancel()
            _ = await resolved
            let outcome = await waiting.value
            #expect(outcome == .success(round) || outcome == .failure(.late))
        }
    }

    @Test func callbacksRunBeforeCancellableWaitersResume() async {
        let promise = Promise<Int, Fault>()
        let journal = Journal<String>()
        let waiting = Task {
            _ = await result { () throws(Fault) in try await promise.future.value(onCancel: .late) }
            journal.add("waiter")
        }
        await promise.future.waiters(1)
        promise.future.onSuccess { _ in journal.add("callback") }
        promise.resolve(1)
        await waiting.value
        #expect(journal.entries == ["callback", "waiter"])
    }
}

// MARK: - Work

@Suite(.timeLimit(.minutes(10))) struct WorkTests {
    @Test func workSettlesItsFuture() async throws {
        let value = Future<Int, Fault> { 3 }
        let error = Future<Int, Fault> { () throws(Fault) in throw .broken }
        #expect(try await value.value == 3)
        #expect(await error.result == .failure(.broken))
    }

    @Test func workFinishesEvenWithoutWaiters() async {
        let gate = Promise<Void, Never>()
        let done = Promise<Bool, Never>(valueOnAbandon: { false })
        do {
            _ = Future<Void, Never> {
                await gate.future.value
                done.resolve(Task.isCancelled)
            }
        }
        gate.resolve(())
        #expect(await done.future.value == false)
    }

    @Test func workIsCancelledWhenItsFutureIsReleased() async {
        let done = Promise<Bool, Never>(valueOnAbandon: { false })
        var future: Future<Void, Never>? = Future(cancelsWhenUnwanted: true) {
            await cancellation()
            done.resolve(Task.isCancelled)
        }
        #expect(future?.isComplete == false)
        future = nil
        #expect(await done.future.value)
    }

    @Test func workIsCancelledWhenTheLastWaiterHasLeft() async {
        let future = Future<Int, Fault>(cancelsWhenUnwanted: true) { () throws(Fault) in
            await cancellation()
            throw .abandoned
        }
        let waiting = (0..<2).map { _ in
            Task { await result { () throws(Fault) in try await future.value(onCancel: .late) } }
        }
        await future.waiters(2)
        waiting[0].cancel()
        #expect(await waiting[0].value == .failure(.late))
        #expect(!future.isComplete)
        waiting[1].cancel()
        #expect(await waiting[1].value == .failure(.late))
        #expect(await future.result == .failure(.abandoned))
    }

    @Test func workContinuesWhileACallbackDependsOnIt() async {
        let gate = Promise<Void, Never>()
        let future = Future<Bool, Fault>(cancelsWhenUnwanted: true) {
            await gate.future.value
            return Task.isCancelled
        }
        let mapped = future.mapValue { !$0 }
        let waiting = Task { await result { () throws(Fault) in try await future.value(onCancel: .late) } }
        await future.waiters(1)
        waiting.cancel()
        #expect(await waiting.value == .failure(.late))
        gate.resolve(())
        #expect(await mapped.result == .success(true))
    }

    @Test func workRunsOnTheActorOfItsClosure() async {
        let future = Future<Bool, Never> { @MainActor in
            MainActor.assertIsolated()
            return true
        }
        #expect(await future.value)
    }
}

extension Future {
    /// Waits until the future has exactly this many cancellable waiters.
    func waiters(_ count: Int) async {
        while waiterCount != count, !Task.isCancelled { await Task.yield() }
    }
}

/// Suspends until this task is cancelled.
func cancellation() async {
    let cancelled = Promise<Void, Never>()
    await withTaskCancellationHandler {
        await cancelled.future.value
    } onCancel: {
        cancelled.resolve(())
    }
}

func result<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    do throws(Failure) {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}

import Futures
import Testing

private enum Trouble: Error, Equatable {
    case translated(Fault)
    case odd(Int)
}

@Suite struct TransformTests {
    @Test func valuesAndErrorsAreMapped() {
        let value = Promise<Int, Fault>()
        let error = Promise<Int, Fault>()
        let mapped = [value.future, error.future].map { future in
            (future.mapValue { "\($0)" }, future.mapError { Trouble.translated($0) })
        }
        value.resolve(3)
        error.reject(.broken)
        #expect(mapped[0].0.settledResult == .success("3"))
        #expect(mapped[0].1.settledResult == .success(3))
        #expect(mapped[1].0.settledResult == .failure(.broken))
        #expect(mapped[1].1.settledResult == .failure(.translated(.broken)))
    }

    @Test func mapResultTurnsValuesIntoErrorsAndBack() {
        let promise = Promise<Int, Fault>()
        let failure = promise.future.mapResult { _ in Result<String, Trouble>.failure(.odd(1)) }
        let success = Future<Int, Fault>.preRejected(error: .late).mapResult { _ in
            Result<String, Trouble>.success("up")
        }
        promise.resolve(1)
        #expect(failure.settledResult == .failure(.odd(1)))
        #expect(success.settledResult == .success("up"))
    }

    @Test func compactMapErrorContainsTheUnmappableValue() {
        let six = Future<Int, Fault>.preResolved(value: 6)
        let text = six.compactMap { $0 < 5 ? "\($0)" : nil }
        let expected = MapError<Int, Fault, String>.mappingError(6)
        #expect(text.rejectedError == expected)
        #expect(text.rejectedError?.description == "Could not map value: (6) to output type: String.")
        let two = Future<Int, Fault>.preResolved(value: 2).compactMap { $0 < 5 ? "\($0)" : nil }
        #expect(two.resolvedValue == "2")
        let broken = Future<Int, Fault>.preRejected(error: .broken).compactMap { "\($0)" }
        #expect(broken.rejectedError == .originalError(.broken))
        #expect(broken.rejectedError.map { "\($0)" } == "broken")
    }

    @Test func anErasedFutureKeepsItsOutcome() {
        let value = Future<Int, Fault>.preResolved(value: 6).typeErased()
        #expect(value.resolvedValue as? Int == 6)
        let error = Future<Int, Fault>.preRejected(error: .late).typeErased()
        #expect(error.rejectedError as? Fault == .late)
    }

    @Test func recoverReplacesErrorsAndKeepsValues() {
        #expect(Future<Int, Fault>.preRejected(error: .late).recover { _ in 7 }.settledResult == .success(7))
        #expect(Future<Int, Fault>.preResolved(value: 1).recover { _ in 7 }.settledResult == .success(1))
    }

    @Test func flatMapErrorContinuesWithAnotherFuture() {
        let second = Promise<Int, Trouble>(onAbandon: { .odd(0) })
        let whole = Future<Int, Fault>.preRejected(error: .late).flatMapError { error in
            #expect(error == .late)
            return second.future
        }
        #expect(!whole.isComplete)
        second.reject(.odd(3))
        #expect(whole.settledResult == .failure(.odd(3)))
        let fine = Future<Int, Fault>.preResolved(value: 1).flatMapError { _ in second.future }
        #expect(fine.settledResult == .success(1))
    }
}

// MARK: - Chaining

extension TransformTests {
    @Test(arguments: [false, true]) func flatMapContinuesWithTheNextFuture(isSettledBefore: Bool) {
        let first = Promise<Int, Fault>()
        let second = Promise<String, Fault>()
        if isSettledBefore { second.resolve("four") }
        let whole = first.future.flatMap { number in
            #expect(number == 4)
            return second.future
        }
        first.resolve(4)
        second.resolve("four")
        #expect(whole.settledResult == .success("four"))
    }

    @Test func flatMapSkipsItsClosureAfterAFailure() {
        let first = Promise<Int, Fault>()
        let whole = first.future.flatMap { _ -> Future<String, Fault> in
            Issue.record("the closure was called after a failure")
            return .preResolved(value: "")
        }
        first.reject(.broken)
        #expect(whole.settledResult == .failure(.broken))
    }

    @Test func aChainOfTwoErrorTypesSaysWhichFailed() {
        let broken: Future<String, ChainError<Fault, Trouble>> = Future<Int, Fault>.preRejected(error: .broken)
            .flatMap { _ in Future<String, Trouble>.preResolved(value: "") }
        #expect(broken.rejectedError == .first(.broken))
        let odd: Future<String, ChainError<Fault, Trouble>> = Future<Int, Fault>.preResolved(value: 3)
            .flatMap { Future<String, Trouble>.preRejected(error: .odd($0)) }
        #expect(odd.rejectedError == .second(.odd(3)))
        #expect(odd.rejectedError.map { "\($0)" } == "odd(3)")
        let fine = Future<Int, Fault>.preResolved(value: 3).flatMap {
            Future<String, Trouble>.preResolved(value: "\($0)")
        }
        #expect(fine.resolvedValue == "3")
    }

    @Test func aFutureThatWaitsForItselfFails() {
        let promise = Promise<Int, any Error>()
        let ownFuture = Lock<Future<Int, any Error>?>(nil)
        let itself = promise.future.flatMap { _ in
            ownFuture.withLock { $0 } ?? .preResolved(value: 0)
        }
        ownFuture.withLock { $0 = itself }
        promise.resolve(1)
        #expect(itself.rejectedError is WaitsForItself)
        ownFuture.withLock { $0 = nil }
    }

    @Test func promiseTakesTheOutcomeOfTheFutureItFollows() {
        let other = Promise<Int, Fault>()
        let promise = Promise<Int, Fault>()
        promise.completeOn(future: other.future)
        #expect(!promise.future.isComplete)
        other.resolve(8)
        #expect(promise.future.settledResult == .success(8))
        let faster = Promise<Int, Fault>()
        let late = Promise<Int, Fault>()
        faster.completeOn(future: late.future)
        faster.resolve(1)
        late.reject(.late)
        #expect(faster.future.settledResult == .success(1))
    }

    @Test func aPromiseThatWaitsForItselfFails() {
        let promise = Promise<Int, any Error>()
        promise.completeOn(future: promise.future)
        #expect(promise.future.rejectedError is AbandonedPromise)
    }
}

import Futures
import Testing

@Suite struct GatheringTests {
    private let promises = (0..<3).map { _ in Promise<Int, Fault>() }
    private var futures: [Future<Int, Fault>] { promises.map(\.future) }

    @Test func zipReturnsValuesInTheOrderOfItsFutures() {
        let all = Future.zip(futures)
        let journal = Journal<String>()
        // A callback on the result while inputs are pending: this library's predecessor trapped here.
        all.onSuccess { journal.add("\($0)") }
        promises[2].resolve(2)
        promises[0].resolve(0)
        #expect(!all.isComplete)
        promises[1].resolve(1)
        #expect(all.settledResult == .success([0, 1, 2]))
        #expect(journal.entries == ["[0, 1, 2]"])
    }

    @Test func zipFailsWithTheFirstError() {
        let all = Future.zip(futures)
        promises[1].reject(.late)
        #expect(all.settledResult == .failure(.late))
        promises[0].reject(.broken)
        promises[2].resolve(2)
        #expect(all.settledResult == .failure(.late))
    }

    @Test func combinationsOfNoFuturesSettleAtOnce() {
        #expect(Future<Int, Fault>.zip([]).settledResult == .success([]))
        #expect(Future<Int, Fault>.allSettled([]).resolvedValue?.isEmpty == true)
        #expect(Future<Int, Fault>.any([]).rejectedError == AggregateError(errors: []))
        #expect(Future<Int, Fault>.firstFinished(from: [], onEmpty: { .late }).rejectedError == .late)
        #expect(Future<Int, Fault>.race([], onEmpty: { .late }).rejectedError == .late)
        #expect(Future<Int, any Error>.race([]).rejectedError is AggregateError<any Error>)
        #expect(Future<Int, any Error>.firstFinished(from: []).rejectedError is AggregateError<any Error>)
    }

    @Test func zipAcceptsTheSameFutureThreeTimes() {
        let future = promises[0].future
        let all = Future.zip([future, future, future])
        promises[0].resolve(5)
        #expect(all.resolvedValue == [5, 5, 5])
    }

    @Test func zipOfSeveralTypesReturnsATuple() {
        let text = Promise<String, Fault>()
        let both = Future.zip(promises[0].future, text.future, promises[1].future)
        text.resolve("b")
        promises[1].resolve(3)
        #expect(!both.isComplete)
        promises[0].resolve(1)
        guard let (first, second, third) = both.resolvedValue else {
            Issue.record("\(String(describing: both.settledResult))")
            return
        }
        #expect((first, second, third) == (1, "b", 3))
    }

    @Test func zipOfSeveralTypesFailsWithTheFirstError() {
        let both = Future.zip(promises[0].future, Future<String, Fault>.preRejected(error: .late))
        promises[0].reject(.broken)
        #expect(both.rejectedError == .late)
    }

    @Test func allSettledReturnsEveryOutcome() {
        let all = Future.allSettled(futures)
        promises[1].reject(.late)
        promises[0].resolve(0)
        #expect(!all.isComplete)
        promises[2].resolve(2)
        #expect(all.resolvedValue == [.success(0), .failure(.late), .success(2)])
    }

    @Test func anyReturnsTheFirstValueOrAllErrors() {
        let one = Future.any(futures)
        promises[0].reject(.late)
        promises[2].resolve(2)
        #expect(one.resolvedValue == 2)
        let none = Future<Int, Fault>.any([.preRejected(error: .late), .preRejected(error: .broken)])
        #expect(none.rejectedError?.errors == [.late, .broken])
        #expect(none.rejectedError?.description == "None of 2 succeeded: late; broken")
    }

    @Test func firstFinishedReturnsTheFirstValueOrTheLastError() {
        let first = Future.firstFinished(from: futures, onEmpty: { .abandoned })
        let journal = Journal<String>()
        first.onSuccess { journal.add("\($0)") }
        promises[1].reject(.late)
        promises[0].resolve(0)
        promises[2].resolve(2)
        #expect(first.settledResult == .success(0))
        #expect(journal.entries == ["0"])
        let others = (0..<2).map { _ in Promise<Int, Fault>() }
        let failed = Future.firstFinished(from: others.map(\.future), onEmpty: { .abandoned })
        others[1].reject(.late)
        #expect(!failed.isComplete)
        others[0].reject(.broken)
        #expect(failed.settledResult == .failure(.broken))
    }

    @Test func raceReturnsTheFirstOutcome() {
        let winner = Future.race(futures, onEmpty: { .abandoned })
        promises[2].reject(.late)
        promises[0].resolve(0)
        promises[1].resolve(1)
        #expect(winner.settledResult == .failure(.late))
    }

    @Test func gatheredValuesAreReleasedWhenAnInputFails() {
        let first = Promise<Marked, Fault>()
        let second = Promise<Marked, Fault>()
        weak var mark: Marked?
        do {
            let all = Future.zip([first.future, second.future])
            let marked = Marked()
            mark = marked
            // A gathered value, which is released when the other input fails.
            Future.zip([Future<Marked, Fault>.preResolved(value: marked), second.future]).onError { _ in }
            _ = all
        }
        #expect(mark != nil)
        second.reject(.late)
        #expect(mark == nil)
        first.reject(.late)
    }

    @Test func inputsAreReleasedOnceAllHaveSettled() {
        weak var input: Future<Int, Fault>?
        weak var other: Future<String, Fault>?
        let all: Future<[Int], Fault>
        let both: Future<(Int, String), Fault>
        do {
            let promise = Promise<Int, Fault>()
            let text = Promise<String, Fault>()
            input = promise.future
            other = text.future
            all = Future.zip([promise.future, promise.future])
            both = .zip(promise.future, text.future)
            text.resolve("")
            promise.resolve(1)
        }
        #expect(all.resolvedValue == [1, 1] && both.succeeded)
        #expect(input == nil)
        #expect(other == nil)
    }
}

private final class Marked: Sendable {}

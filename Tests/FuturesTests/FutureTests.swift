import Futures
import Testing

enum Fault: Error, Equatable {
    case broken
    case late
    case abandoned
}

extension Promise where Failure == Fault {
    convenience init() {
        self.init(onAbandon: { .abandoned })
    }
}

@Suite struct FutureTests {
    @Test func resolvedFutureNeverChanges() {
        let promise = Promise<Int, Fault>()
        #expect(!promise.future.isComplete)
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        #expect(!promise.reject(.late))
        #expect(promise.future.resolvedValue == 1)
        #expect(promise.future.rejectedError == nil)
        #expect(promise.future.succeeded && !promise.future.failed && promise.future.isComplete)
    }

    @Test func rejectedFutureNeverChanges() {
        let promise = Promise<Int, Fault>()
        #expect(promise.reject(.broken))
        #expect(!promise.resolve(1))
        #expect(promise.future.rejectedError == .broken)
        #expect(promise.future.resolvedValue == nil)
        #expect(promise.future.failed && !promise.future.succeeded)
    }

    @Test func futuresCreatedWithAnOutcomeAreSettled() {
        #expect(Promise<Int, Fault>(value: 3).future.resolvedValue == 3)
        #expect(Promise<Int, Fault>(error: .broken).future.rejectedError == .broken)
        #expect(Future<Int, Fault>.preResolved(value: 4).resolvedValue == 4)
        #expect(Future<Int, Fault>.preRejected(error: .late).rejectedError == .late)
    }

    @Test func callbacksRunInOrderThenFinallies() {
        let journal = Journal<String>()
        let promise = Promise<Int, Fault>()
        promise.future
            .finally { journal.add("finally 1: \($0)") }
            .onSuccess { journal.add("success 1: \($0)") }
            .onError { journal.add("error: \($0)") }
            .finally { _ in journal.add("finally 2") }
            .onSuccess { _ in journal.add("success 2") }
        #expect(journal.entries.isEmpty)
        promise.resolve(7)
        #expect(journal.entries == ["success 1: 7", "success 2", "finally 1: success(7)", "finally 2"])
    }

    @Test func errorCallbacksRunInOrderThenFinallies() {
        let journal = Journal<String>()
        let promise = Promise<Int, Fault>()
        promise.future
            .finally { _ in journal.add("finally") }
            .onError { journal.add("error 1: \($0)") }
            .onSuccess { _ in journal.add("success") }
            .onError { _ in journal.add("error 2") }
        promise.reject(.broken)
        #expect(journal.entries == ["error 1: broken", "error 2", "finally"])
    }

    @Test func callbacksAddedLaterRunAtOnce() {
        let journal = Journal<String>()
        let future = Future<Int, Fault>.preResolved(value: 1)
        future.onSuccess { _ in journal.add("success") }
        #expect(journal.entries == ["success"])
        future.finally { _ in journal.add("finally") }
        #expect(journal.entries == ["success", "finally"])
        future.onError { _ in journal.add("error") }
        #expect(journal.entries == ["success", "finally"])
    }

    @Test func callbackAddedWhileOthersRunQueuesBehindThem() {
        let journal = Journal<String>()
        let promise = Promise<Int, Fault>()
        let future = promise.future
        future.onSuccess { _ in
            journal.add("first")
            future.onSuccess { _ in
                journal.add("added")
                future.onSuccess { _ in journal.add("added by added") }
            }
            #expect(journal.entries == ["first"])
        }
        future.onSuccess { _ in journal.add("second") }
        future.finally { _ in journal.add("finally") }
        promise.resolve(1)
        #expect(journal.entries == ["first", "second", "finally", "added", "added by added"])
    }

    @Test func callbackMaySettleAnotherPromiseAndDropItsOwn() {
        let journal = Journal<String>()
        let other = Promise<Int, Fault>()
        other.future.onSuccess { journal.add("other \($0)") }
        var own: Promise<Int, Fault>? = Promise<Int, Fault>()
        let future = own?.future
        future?.onSuccess { other.resolve($0 + 1) }
        own?.resolve(1)
        own = nil
        #expect(journal.entries == ["other 2"])
        #expect(future?.resolvedValue == 1)
    }

    /// This library's predecessor took 46 s to register 60,000 callbacks, because its time was quadratic.
    ///
    /// It would take over an hour for this many, and exceed the time limit.
    @Test(.timeLimit(.minutes(10))) func manyCallbacksRegisterInLinearTimeAndRunInOrder() {
        let count = 600_000
        let counter = OrderCounter()
        let promise = Promise<Int, Fault>()
        for number in 0..<count {
            promise.future.onSuccess { _ in counter.expect(number) }
        }
        promise.resolve(0)
        #expect(counter.count == count)
    }

    @Test func callbacksThatAddCallbacksDoNotRecurse() {
        let future = Promise<Int, Fault>()
        let deep = Nesting(future: future.future, rest: 100_000)
        deep.next()
        future.resolve(1)
        #expect(deep.finished)
    }

    @Test func callbacksAreReleasedOnceSettled() {
        let promise = Promise<Int, Fault>()
        weak var weakMark: Mark?
        do {
            let mark = Mark()
            weakMark = mark
            promise.future.onSuccess { _ in _ = mark }
        }
        #expect(weakMark != nil)
        promise.resolve(1)
        #expect(weakMark == nil)
    }
}

private final class Mark: Sendable {}

/// Registers callbacks from within callbacks, down to a given depth.
private final class Nesting: Sendable {
    private let future: Future<Int, Fault>
    private let rest: Lock<Int>

    init(future: Future<Int, Fault>, rest: Int) {
        self.future = future
        self.rest = Lock(rest)
    }

    var finished: Bool { rest.withLock { $0 == 0 } }

    func next() {
        future.onSuccess { _ in
            let isMore = self.rest.withLock { rest in
                rest -= 1
                return rest > 0
            }
            if isMore { self.next() }
        }
    }
}

/// Counts the calls that arrive in order.
private final class OrderCounter: Sendable {
    private let state = Lock(0)

    var count: Int { state.withLock { $0 } }

    func expect(_ number: Int) {
        state.withLock { if $0 == number { $0 += 1 } }
    }
}

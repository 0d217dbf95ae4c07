import Futures
import Testing

@Suite struct AdaptingTests {
    private typealias Pair = @Sendable (Int?, (any Error)?) -> Void

    @Test(arguments: [(1, nil), (nil, .late), (1, .late), (nil, nil)] as [(Int?, Fault?)])
    func callbackOfValueOrErrorSettlesTheFuture(value: Int?, error: Fault?) {
        func legacy(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(value, error) }
        let future = Future<Int, any Error>.adapting { legacy($0) }
        if let error {
            #expect(future.rejectedError as? Fault == error)
        } else if let value {
            #expect(future.resolvedValue == value)
        } else {
            #expect(future.rejectedError as? CallbackFault == .neitherValueNorError)
        }
    }

    @Test func callerChoosesTheErrorWhenNeitherValueNorErrorArrives() {
        func legacy(_ completion: @escaping @Sendable (Int?, Fault?) -> Void) { completion(nil, nil) }
        let future = Future<Int, Fault>.adapting(fault: { $0 == .neitherValueNorError ? .broken : .late }, legacy)
        #expect(future.rejectedError == .broken)
    }

    @Test func callbackOfAResultSettlesTheFuture() {
        func legacy(_ completion: @escaping @Sendable (Result<Int, Fault>) -> Void) { completion(.failure(.late)) }
        #expect(Future<Int, Fault>.adapting(fault: { _ in .abandoned }, legacy).rejectedError == .late)
    }

    @Test(arguments: [(true, nil), (false, .late), (true, .late), (false, nil)] as [(Bool, Fault?)])
    func callbackOfASuccessFlagSettlesTheFuture(isDone: Bool, error: Fault?) {
        func legacy(_ completion: @escaping @Sendable (Bool, (any Error)?) -> Void) { completion(isDone, error) }
        let future = Future<Void, any Error>.adapting(legacy)
        if let error {
            #expect(future.rejectedError as? Fault == error)
        } else if isDone {
            #expect(future.succeeded)
        } else {
            #expect(future.rejectedError as? CallbackFault == .neitherValueNorError)
        }
    }

    @Test func futureFailsWhenItsCallbackIsNeverCalled() {
        func forgetful(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {}
        #expect(Future<Int, any Error>.adapting(forgetful).rejectedError as? CallbackFault == .neverCalled)
        func typed(_ completion: @escaping @Sendable (Int?, Fault?) -> Void) {}
        #expect(Future<Int, Fault>.adapting(fault: { _ in .abandoned }, typed).rejectedError == .abandoned)
    }

    @Test func callsAfterTheFirstAreIgnored() {
        func eager(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
            completion(1, nil)
            completion(nil, Fault.late)
            completion(nil, nil)
        }
        #expect(Future<Int, any Error>.adapting(eager).resolvedValue == 1)
    }
}

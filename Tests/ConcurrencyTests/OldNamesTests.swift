import Concurrency
import Foundation
import Testing

private struct CallError: Error, Equatable {
    var message: String
}

private struct AnEarful: Sendable, Equatable {
    var words: String
}

/// Code as it was written for Concurrency 2.0.
///
/// Deprecated itself: in such code, deprecated names cause no warnings.
@available(*, deprecated)
private enum Phone {
    static func callYourMother(isAtHome: Bool, _ completionHandler: @escaping @Sendable (AnEarful?, CallError?) -> Void)
    {
        completionHandler(isAtHome ? AnEarful(words: "Call more often.") : nil, nil)
    }

    static func goCallYourMother(isAtHome: Bool) -> Future<AnEarful, CallError> {
        let promise = Promise<AnEarful, CallError>()
        callYourMother(isAtHome: isAtHome) { earful, error in
            if let earful {
                promise.resolve(earful)
            } else if let error {
                promise.reject(error)
            } else {
                promise.reject(CallError(message: "No data returned by the call."))
            }
        }
        return promise.future
    }

    static func errorAndCalls() -> (CallError?, [String]) {
        let calls = Lock<[String]>([])
        let future = goCallYourMother(isAtHome: false)
            .onSuccess { _ in Issue.record("the call was answered") }
            .onFailure { error in calls.withLock { $0.append("future: \(error.message)") } }
        Result<Int, CallError>.failure(CallError(message: "busy"))
            .onFailure { error in calls.withLock { $0.append("result: \(error.message)") } }
        return (future.error, calls.withLock { $0 })
    }

    static func first(_ futures: [Future<AnEarful, CallError>]) -> AnEarful? {
        Future.firstFinished(from: futures).resolvedValue
    }

    static func drop() {
        _ = Promise<AnEarful, CallError>()
    }

    static func firstOfNone() {
        _ = Future<AnEarful, CallError>.firstFinished(from: [])
    }
}

@Suite struct OldNamesTests {
    @available(*, deprecated)
    @Test func anOldPromiseResolves() {
        #expect(Phone.goCallYourMother(isAtHome: true).resolvedValue == AnEarful(words: "Call more often."))
    }

    @available(*, deprecated)
    @Test func oldNamesOfErrorsWork() {
        let (error, calls) = Phone.errorAndCalls()
        #expect(error == CallError(message: "No data returned by the call."))
        #expect(calls == ["future: No data returned by the call.", "result: busy"])
    }

    @available(*, deprecated)
    @Test func oldFirstFinishedHasTheFirstValue() {
        let futures = [false, true].map(Phone.goCallYourMother(isAtHome:))
        #expect(Phone.first(futures) == AnEarful(words: "Call more often."))
    }

    @available(*, deprecated)
    @Test func anOldPromiseThatIsDroppedStopsTheProgramAndNamesItsPlace() async throws {
        let outcome = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Phone.drop()
        }
        let output = String(decoding: outcome.standardErrorContent, as: UTF8.self)
        #expect(output.contains("OldNamesTests.swift") && output.contains("was dropped without resolve or reject"))
    }

    @available(*, deprecated)
    @Test func oldFirstFinishedOfNothingStopsTheProgram() async {
        await #expect(processExitsWith: .failure) { Phone.firstOfNone() }
    }

    @Test func aPromiseOfAnyErrorNeedsNoPolicyAndNoWarning() {
        var promise: Promise<Int, any Error>? = Promise()
        let future = promise?.future
        promise = nil
        #expect(future?.rejectedError is AbandonedPromise)
    }
}

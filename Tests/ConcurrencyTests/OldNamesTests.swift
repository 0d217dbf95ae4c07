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

    static func chains() -> (String?, String?, String?) {
        let number = Future<Int, CallError>.preResolved(value: 6)
        let text = number.flatMap { $0 < 5 ? "\($0)" : nil }
        let call = number.then { Future<String, CallError>.preResolved(value: "called \($0)") }
        let answer = number.then {
            Future<String, MapError<Int, CallError, String>>.preRejected(error: .mappingError($0))
        }
        return (text.error?.description, call.resolvedValue, answer.error?.description)
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
    @Test func oldNamesOfChainsWork() {
        let notMapped = "Could not map value: (6) to output type: String."
        #expect(Phone.chains() == (notMapped, "called 6", notMapped))
    }

    @available(*, deprecated)
    @Test func oldFirstFinishedReturnsTheFirstValue() {
        let futures = [false, true].map(Phone.goCallYourMother(isAtHome:))
        #expect(Phone.first(futures) == AnEarful(words: "Call more often."))
    }

    @available(*, deprecated)
    @Test func droppedOldPromiseStopsTheProgramAndNamesItsFile() async throws {
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

    @Test func droppedPromiseOfAnyErrorIsRejected() {
        var promise: Promise<Int, any Error>? = Promise()
        let future = promise?.future
        promise = nil
        #expect(future?.rejectedError is AbandonedPromise)
    }
}

@Suite struct ResultTests {
    private let value = Result<Int, CallError>.success(1)
    private let error = Result<Int, CallError>.failure(CallError(message: "busy"))

    @Test func resultCallbacksRunForTheirCase() {
        var calls: [String] = []
        for result in [value, error] { result.onSuccess { calls.append("\($0)") }.onError { calls.append($0.message) } }
        #expect(calls == ["1", "busy"])
        #expect(value.success == 1 && value.failure == nil)
        #expect(error.success == nil && error.failure == CallError(message: "busy"))
    }

    @Test func flatMapErrorContainsTheUnmappableValue() {
        let map: (Int) -> String? = { $0 < 5 ? "\($0)" : nil }
        #expect(value.flatMap(map) == .success("1"))
        #expect(Result<Int, CallError>.success(6).flatMap(map) == .failure(.mappingError(6)))
        #expect(error.flatMap(map) == .failure(.originalError(CallError(message: "busy"))))
    }
}

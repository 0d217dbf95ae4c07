import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct AbandonTests {
    @Test func whereAnyErrorWillDoADroppedPromiseSaysWhereItWasMade() async throws {
        var promise: Promise<Int, any Error>? = Promise()
        let line = #line - 1
        let future = promise?.future
        let mapped = future?.mapValue { $0 + 1 }
        promise = nil
        let error = try #require(mapped?.rejectedError as? AbandonedPromise)
        #expect(error.line == line)
        #expect(error.file.hasSuffix("AbandonTests.swift"))
        #expect(error.description.contains("AbandonTests.swift:\(line)"))
        // Also for those who come later.
        #expect(future?.rejectedError is AbandonedPromise)
    }

    @Test func theReportOfADroppedPromiseNamesThePlace() async throws {
        #if DEBUG
            let outcome = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                var promise: Promise<Int, Never>? = Promise()
                promise?.future.mapValue { $0 + 1 }
                promise = nil
            }
            let said = String(decoding: outcome.standardErrorContent, as: UTF8.self)
            #expect(said.contains("AbandonTests.swift") && said.contains("was dropped without resolve or reject"))
        #else
            let outcome = try await #require(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                var promise: Promise<Int, Never>? = Promise()
                promise?.future.mapValue { $0 + 1 }
                promise = nil
            }
            let said = String(decoding: outcome.standardErrorContent, as: UTF8.self)
            #expect(said.contains("AbandonTests.swift") && said.contains("was dropped without resolve or reject"))
        #endif
    }

    @Test func thePolicyIsAskedOnlyWhereItIsNeeded() {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: {
            Issue.record("it was settled")
            return .abandoned
        })
        promise?.resolve(1)
        promise = nil
    }

    @Test func completingTwiceIsSeen() {
        let promise = Promise<Int, Fault>()
        #expect(promise.settle(.success(1)))
        #expect(!promise.settle(.failure(.late)))
        #expect(!promise.resolve(2))
        #expect(promise.future.resolvedValue == 1)
    }

    @Test func callbacksOfWhatIsDroppedAreReleased() {
        weak var mark: Mark?
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        do {
            let marked = Mark()
            mark = marked
            promise?.future.onSuccess { _ in _ = marked }
        }
        #expect(mark != nil)
        promise = nil
        #expect(mark == nil)
    }
}

private final class Mark: Sendable {}

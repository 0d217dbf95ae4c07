import Futures
import Testing

@Suite(.timeLimit(.minutes(10))) struct FutureAsyncTests {
    @Test func valueArrivesWithItsType() async throws {
        let promise = Promise<Int, Fault>()
        async let value = promise.future.value
        promise.resolve(5)
        #expect(try await value == 5)
    }

    @Test func errorArrivesWithItsType() async {
        let promise = Promise<Int, Fault>()
        promise.reject(.broken)
        do throws(Fault) {
            _ = try await promise.future.value
            Issue.record("a rejected future has no value")
        } catch {
            #expect(error == .broken)
        }
    }

    @Test func valueOfAnInfallibleFutureNeedsNoTry() async {
        let promise = Promise<String, Never>(valueOnAbandon: { "" })
        async let value = promise.future.value
        promise.resolve("here")
        #expect(await value == "here")
    }

    @Test func everyWaiterGetsTheResult() async {
        let promise = Promise<Int, Fault>()
        let results = await withTaskGroup(of: Result<Int, Fault>.self) { group in
            for _ in 0..<100 { group.addTask { await promise.future.result } }
            group.addTask {
                promise.resolve(9)
                return .success(9)
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 101)
        #expect(results.allSatisfy { $0 == .success(9) })
    }

    @Test func droppedPromiseFailsItsWaitersWithItsAbandonError() async {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        let future = promise?.future
        async let result = future?.result
        promise = nil
        #expect(await result == .failure(.abandoned))
    }

    @Test func droppingASettledPromiseKeepsItsOutcome() async {
        var promise: Promise<Int, Fault>? = Promise(onAbandon: { .abandoned })
        let future = promise?.future
        promise?.resolve(1)
        promise = nil
        #expect(await future?.result == .success(1))
    }
}

import Foundation
import Futures
import StoreTesting
import Testing

/// The number of rounds of a race: enough to show every bug of the library's predecessor; `script/soak` runs more.
#if MEANWHILE_THREAD_SANITIZER
    // The sanitizer detects a race even if it causes no failure, so fewer rounds suffice.
    let raceRounds = 2_000
#else
    let raceRounds = isSoak ? 100_000 : 5_000
#endif

@Suite(.timeLimit(.minutes(10))) struct FutureRaceTests {
    @Test func noCallbackIsLostWhenRegisteringRacesResolving() async {
        var lost = 0
        for round in 0..<raceRounds {
            let promise = Promise<Int, Fault>()
            let calls = Journal<String>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { promise.resolve(round) }
                group.addTask {
                    promise.future.onSuccess { _ in calls.add("success") }
                    promise.future.finally { _ in calls.add("finally") }
                }
            }
            if calls.entries != ["success", "finally"] { lost += 1 }
        }
        #expect(lost == 0)
    }

    @Test func oneOfEightConcurrentResolvesSucceedsAndCallbacksRunOnce() async {
        var wrong = 0
        for _ in 0..<raceRounds / 5 {
            let promise = Promise<Int, Fault>()
            let calls = Journal<String>()
            promise.future.onSuccess { calls.add("\($0)") }
            let winners = await withTaskGroup(of: Int?.self) { group in
                for contender in 0..<8 { group.addTask { promise.resolve(contender) ? contender : nil } }
                return await group.reduce(into: [Int]()) { if let winner = $1 { $0.append(winner) } }
            }
            if winners.count != 1 || calls.entries != winners.map({ "\($0)" }) { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test func orderHoldsWhileRegisteringRacesResolving() async {
        var disordered = 0
        for _ in 0..<raceRounds / 5 {
            let promise = Promise<Int, Fault>()
            let seen = Journal<String>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<10 {
                        promise.future.onSuccess { _ in seen.add("\(number)") }
                    }
                }
                group.addTask { promise.resolve(0) }
            }
            // The resolving thread may run the last callbacks late; the task group has waited for it.
            if seen.entries != (0..<10).map({ "\($0)" }) { disordered += 1 }
        }
        #expect(disordered == 0)
    }

    @Test func aWaiterThatRacesResolvingGetsTheValue() async {
        for round in 0..<raceRounds / 5 {
            let promise = Promise<Int, Never>(valueOnAbandon: { -1 })
            async let value = promise.future.value
            async let resolved = promise.resolve(round)
            let (got, _) = await (value, resolved)
            #expect(got == round)
        }
    }
}

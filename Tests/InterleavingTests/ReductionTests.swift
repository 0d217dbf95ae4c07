import Interleaving
import Testing

/// Tests the search that runs one of the schedules that differ only in the order of independent steps.
@Suite(.timeLimit(.minutes(20))) struct ReductionTests {
    private func explored(_ strategy: Strategy, _ body: @escaping @Sendable () async throws -> Void) -> Exploration {
        exploration(strategy, schedules: 200_000, hangTimeout: .milliseconds(1), body)
    }

    /// The outcomes of all schedules of a body, with and without reduction.
    private func outcomes(
        _ body: @escaping @Sendable (_ note: @escaping @Sendable (String) -> Void) async -> Void
    ) -> (all: Set<String>, reduced: Set<String>, schedules: [Int]) {
        var sets: [Set<String>] = []
        var schedules: [Int] = []
        for strategy in [Strategy.exhaustive(preemptions: nil), .partialOrder] {
            let seen = Shared<Set<String>>([])
            let found = explored(strategy) { await body { text in seen.withLock { _ = $0.insert(text) } } }
            #expect(found.outcome == .passed && found.isExhausted, "\(found.report)")
            sets.append(seen.withLock { $0 })
            schedules.append(found.schedules)
        }
        return (sets[0], sets[1], schedules)
    }

    @Test func independentActorsNeedFewSchedules() {
        let (all, reduced, schedules) = outcomes { note in
            let places = [Place(), Place()]
            await withTaskGroup(of: Void.self) { group in
                for place in places { group.addTask { await place.write("x") } }
            }
            let texts = await (places[0].text, places[1].text)
            note("\(texts)")
        }
        #expect(all == reduced)
        #expect(schedules[1] * 3 < schedules[0], "\(schedules)")
    }

    @Test func everyOrderOnOneActorIsRun() {
        let (all, reduced, schedules) = outcomes { note in
            let place = Place()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask {
                        await place.write("\(number)")
                        keepActorHop()
                        await place.write("\(number)")
                    }
                }
            }
            note(await place.text)
        }
        #expect(all == ["1122", "1212", "1221", "2112", "2121", "2211"])
        #expect(all == reduced)
        #expect(schedules[1] * 3 < schedules[0], "\(schedules)")
    }

    @Test func everyOrderOfValuesInAStreamIsRun() {
        let (all, reduced, _) = outcomes { note in
            let (values, continuation) = AsyncStream.makeStream(of: Int.self)
            let place = Place()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask {
                        continuation.yield(number)
                        await place.write("\(number)")
                    }
                }
            }
            continuation.finish()
            var text = ""
            for await value in values { text += "\(value)" }
            note(await text + " " + place.text)
        }
        #expect(all == reduced && all.count == 4, "\(all) \(reduced)")
    }

    @Test func everyOrderOnTheMainActorIsRun() {
        let (all, reduced, _) = outcomes { note in
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask { await MainActor.run { order.withLock { $0.append(number) } } }
                }
            }
            note("\(order.withLock { $0 })")
        }
        #expect(all == reduced && all.count == 6, "\(all) \(reduced)")
    }

    @Test func cancellationIsNotIndependent() {
        let (all, reduced, _) = outcomes { note in
            let place = Place()
            let task = Task {
                await place.write("a")
                keepActorHop()
                if !Task.isCancelled { await place.write("b") }
            }
            let other = Task {
                await Place().write("c")
                keepActorHop()
                task.cancel()
            }
            await task.value
            await other.value
            note(await place.text)
        }
        #expect(all == reduced && all == ["a", "ab"], "\(all) \(reduced)")
    }

    /// Each bug fails in a schedule of the search, and the correct code in none.
    ///
    /// The two whose four tasks have too many behaviours for a search are left out.
    @Test(arguments: Bug.all.filter { !["torn read", "A, B, A shows the first A"].contains($0.name) })
    func everyBehaviourOfABugIsRun(_ bug: Bug) {
        let found = explored(.partialOrder, bug.faulty)
        #expect(found.outcome != .passed, "\(found.schedules)")
        let correct = explored(.partialOrder, bug.correct)
        #expect(correct.outcome == .passed && correct.isExhausted, "\(correct.report)")
        #expect(correct.schedules < 1_000)
    }
}

private actor Place {
    private(set) var text = ""

    func write(_ part: String) { text += part }
}
